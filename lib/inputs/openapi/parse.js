'use strict'

const fs = require('node:fs')
const { reasonOf, whyUnreadable } = require('../../base/errors')
const { loadPackage } = require('../../base/packages')
const { badDocument } = require('./bad-document')
const References = require('./references')

/**
 * Parses a document, validates it against the specification and resolves its references.
 *
 * @param {string|object} document
 * @param {string} name of the document
 * @param {boolean} allowFiles whether the document may refer to files below its folder
 * @returns {Promise<object>} a copy; the user's object is not changed
 */
async function parse (document, name, allowFiles) {
  const Parser = loadParser()
  if (typeof document !== 'string' && document.openapi === undefined && document.swagger === undefined) throw badDocument(name, 'has no field openapi, so its version is unknown')
  if (typeof document === 'string') checkReadable(document, name)
  const references = new References(document, name, allowFiles)
  let api
  try {
    api = await Parser.validate(typeof document === 'string' ? document : structuredClone(document), { resolve: references.resolve })
  } catch (cause) {
    throw references.refusal ?? badDocument(name, `cannot be used: ${inOneLine(reasonOf(cause))}`, cause)
  }
  if (!/^3\./.test(api.openapi)) throw badDocument(name, `is a Swagger ${api.swagger} document; only OpenAPI 3 is supported`)
  return api
}

function checkReadable (file, name) {
  try {
    if (fs.statSync(file).isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' })
  } catch (cause) {
    throw badDocument(name, `cannot be read: ${whyUnreadable(cause)}`, cause)
  }
}

// The parser's messages have several lines, one or more per problem.
const inOneLine = (text) => text.replace(/\s+/g, ' ').trim().slice(0, 300)

function loadParser () {
  const loaded = loadPackage('@apidevtools/swagger-parser', { user: 'an OpenAPI document', option: 'openapi' })
  return loaded.default ?? loaded
}

module.exports = { parse }
