'use strict'

const capacityPage = require('./html/capacity-page')
const comparisonPage = require('./html/comparison-page')
const { shown } = require('./html/markup')
const renderPage = require('./html/page')
const { recognise } = require('./html/recognise')
const resultPage = require('./html/result-page')
const sweepPage = require('./html/sweep-page')

const PAGES = {
  results: resultPage,
  sweep: sweepPage,
  capacity: capacityPage,
  comparison: comparisonPage
}

/**
 * A report to look at: one HTML file with everything in it, that asks the network for nothing, for screens of any size,
 * light or dark, and for paper. All text from outside is shown as text.
 *
 * @param {object|object[]} value the result of a run or several, of `sweep`, `findCapacity` or `compare`; also read back
 *   from JSON. Several results stand over one another
 * @param {object} [settings]
 * @param {string} [settings.title] default: that of the result, or its URL
 * @param {object} [settings.options] the options of the run, to be listed: a result holds only some of them. Values whose
 *   names sound like secrets, bodies and keys are not shown
 * @returns {string} the page
 * @throws {CannonadeError} CANNONADE_BAD_RESULT for anything else
 */
function toHTML (value, settings) {
  const { kind, content } = recognise(value)
  const { title, options } = settings ?? {}
  return renderPage(PAGES[kind](content, { title: title === undefined ? undefined : shown(title), options }))
}

module.exports = toHTML
