'use strict'

const { readingResults } = require('../base/errors')
const { describe } = require('./html/document-page')
const renderPage = require('./html/page')

/**
 * Returns a self-contained HTML report, which loads nothing from the network, for screens of any size, light or dark, and for paper.
 * Text from outside is shown as text.
 *
 * @param {object|object[]} value the result of a run, an array of results to compare, or the result of `sweep`, `findCapacity`,
 *   `findJamming` or `compare`; also read from JSON
 * @param {object} [settings]
 * @param {string} [settings.title] default: the title of the result, or its URL
 * @param {object} [settings.options] the options of the run, to be listed, because a result has only some of them. Bodies, keys and
 *   anything that looks like a secret are not shown
 * @param {'linear'|'log'} [settings.scale='linear'] the axis of round-trip times in the charts of `findJamming`
 * @returns {string} the page
 * @throws {CannonadeError} CANNONADE_BAD_RESULT for any other value, CANNONADE_BAD_OPTION for another scale
 */
function toHTML (value, settings) {
  return renderPage(describe(value, settings))
}

module.exports = readingResults(toHTML)
