'use strict'

const { shown } = require('./markup')
const { recognise } = require('./recognise')
const resultPage = require('./result-page')
const studyPage = require('./study-page')

/**
 * Returns the page for a result, results or a study. Parameters and errors are those of `toHTML`.
 *
 * @returns {object} for `renderPage`
 */
function describe (value, settings) {
  const { kind, content } = recognise(value)
  const { title, options, scale } = settings ?? {}
  const page = kind === 'results' ? resultPage : studyPage
  return page(content, { title: title === undefined ? undefined : shown(title), options, scale })
}

module.exports = describe
