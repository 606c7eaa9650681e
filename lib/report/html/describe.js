'use strict'

const capacityPage = require('./capacity-page')
const comparisonPage = require('./comparison-page')
const jammingPage = require('./jamming-page')
const { shown } = require('./markup')
const { recognise } = require('./recognise')
const resultPage = require('./result-page')
const sweepPage = require('./sweep-page')

const PAGES = {
  results: resultPage,
  sweep: sweepPage,
  capacity: capacityPage,
  comparison: comparisonPage,
  jamming: jammingPage
}

/**
 * The page of whatever has one, for `renderPage`. Parameters and errors as for `toHTML`.
 *
 * @returns {object}
 */
function describe (value, settings) {
  const { kind, content } = recognise(value)
  const { title, options, scale } = settings ?? {}
  return PAGES[kind](content, { title: title === undefined ? undefined : shown(title), options, scale })
}

module.exports = describe
