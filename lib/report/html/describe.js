'use strict'

const { clean } = require('../text')
const runDocument = require('../run')
const { studyDocument } = require('../study')
const { documentPage } = require('./document-page')
const { recognise } = require('./recognise')

/**
 * Returns the page for a result, results or a study. Parameters and errors are those of `toHTML`.
 *
 * @returns {object} for `renderPage`
 */
function describe (value, settings) {
  const { kind, content } = recognise(value)
  const { title, options, scale } = settings ?? {}
  const document = (kind === 'results' ? runDocument : studyDocument)(content, { title: title === undefined ? undefined : clean(title), options, scale })
  return documentPage(document)
}

module.exports = describe
