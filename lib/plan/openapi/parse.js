'use strict'

const fs = require('node:fs')
const { CannonadeError, CODES, reasonOf, whyUnreadable } = require('../../errors')
const { badDocument } = require('./bad-document')

const PACKAGE = '@apidevtools/swagger-parser'

/**
 * A document, checked against the specification, with what it refers to in its place.
 *
 * @param {string|object} document
 * @param {string} name of it
 * @returns {Promise<object>} the user's own object stays as it is
 */
async function parse (document, name) {
  const Parser = loadParser()
  if (typeof document !== 'string' && document.openapi === undefined && document.swagger === undefined) throw badDocument(name, 'does not say which version it is of: there is no field openapi')
  if (typeof document === 'string') checkReadable(document, name)
  let api
  try {
    api = await Parser.validate(typeof document === 'string' ? document : structuredClone(document))
  } catch (cause) {
    throw badDocument(name, `cannot be used: ${inOneLine(reasonOf(cause))}`, cause)
  }
  if (!/^3\./.test(api.openapi)) throw badDocument(name, `is of Swagger ${api.swagger}, and only OpenAPI 3 is understood`)
  return api
}

function checkReadable (file, name) {
  try {
    if (fs.statSync(file).isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' })
  } catch (cause) {
    throw badDocument(name, `cannot be read: ${whyUnreadable(cause)}`, cause)
  }
}

// The parser lists everything that is wrong, each on lines of its own.
const inOneLine = (text) => text.replace(/\s+/g, ' ').trim().slice(0, 300)

// Not installed with this package, since few runs begin with such a document.
function loadParser () {
  try {
    const loaded = require('@apidevtools/swagger-parser')
    return loaded.default ?? loaded
  } catch (cause) {
    // One that is there and broken is another matter.
    if (cause.code !== 'MODULE_NOT_FOUND' || !cause.message.includes(`'${PACKAGE}'`)) throw cause
    throw new CannonadeError(CODES.MISSING_PACKAGE, `OpenAPI documents need the package ${PACKAGE}, which is not installed: npm install ${PACKAGE}`, {
      cause, option: 'openapi', package: PACKAGE
    })
  }
}

module.exports = { parse }
