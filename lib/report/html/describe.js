'use strict'

const { shown } = require('./markup')
const { recognise } = require('./recognise')
const resultPage = require('./result-page')
const studyPage = require('./study-page')

/**
 * The page of whatever has one, for `renderPage`. Parameters and errors as for `toHTML`.
 *
 * @returns {object}
 */
function describe (value, settings) {
  const { kind, content } = recognise(value)
  const { title, options, scale } = settings ?? {}
  const page = kind === 'results' ? resultPage : studyPage
  return page(content, { title: title === undefined ? undefined : shown(title), options, scale })
}

module.exports = describe
