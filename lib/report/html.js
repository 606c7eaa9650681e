'use strict'

const { readingResults } = require('../base/errors')
const describe = require('./html/describe')
const renderPage = require('./html/page')

/**
 * A report to look at: one HTML file with everything in it, that asks the network for nothing, for screens of any size,
 * light or dark, and for paper. All text from outside is shown as text.
 *
 * @param {object|object[]} value the result of a run or several, of `sweep`, `findCapacity`, `findJamming` or `compare`; also
 *   read back from JSON. Several results stand over one another
 * @param {object} [settings]
 * @param {string} [settings.title] default: that of the result, or its URL
 * @param {object} [settings.options] the options of the run, to be listed: a result holds only some of them. Values whose
 *   names sound like secrets, bodies and keys are not shown
 * @param {'linear'|'log'} [settings.scale='linear'] of the round trips in the pictures of `findJamming`
 * @returns {string} the page
 * @throws {CannonadeError} CANNONADE_BAD_RESULT for anything else, CANNONADE_BAD_OPTION for another scale
 */
function toHTML (value, settings) {
  return renderPage(describe(value, settings))
}

module.exports = readingResults(toHTML)
