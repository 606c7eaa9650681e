'use strict'

const { optionProblem, showPath, words } = require('../../base/errors')

/** Returns the name of a document in messages. @param {string|object} document */
function nameOf (document) {
  return typeof document === 'string' ? `the OpenAPI document ${showPath(document)}` : 'the OpenAPI document'
}

/**
 * @param {string} name from `nameOf`
 * @param {string} why
 * @param {Error} [cause]
 * @returns {CannonadeError} code CANNONADE_BAD_OPTION
 */
function badDocument (name, why, cause) {
  return optionProblem('openapi', words`${name} ${why}`, cause && { cause })
}

module.exports = { badDocument, nameOf }
