'use strict'

const { CannonadeError, CODES } = require('../../base/errors')
const { isObject } = require('../../values/kinds')

/** Whether something to compare was measured already: a result, or an array of them. Else it is options. */
function isSaved (item) {
  // `kind` says what the answer of another study is, which can be no side here.
  return Array.isArray(item) || (isObject(item) && (isObject(item.latency) || typeof item.kind === 'string'))
}

/**
 * The results of one side that were measured already.
 *
 * @param {object|object[]} item
 * @param {string} name how to call it in an error
 * @returns {object[]} one or more
 * @throws {CannonadeError} CANNONADE_BAD_RESULT
 */
function readSaved (item, name) {
  const results = [item].flat()
  if (results.length === 0) throw badResult(name, 'it is empty')
  for (const result of results) {
    const missing = ['latency', 'requests'].find((field) => !isObject(result?.[field]))
    if (missing !== undefined) throw badResult(name, `it has no ${missing}`)
    if (!Number.isFinite(result.requests.average)) throw badResult(name, 'it has no requests.average')
    const { timeline = null } = result
    if (timeline !== null && !(Array.isArray(timeline) && timeline.every(isObject))) throw badResult(name, 'its timeline is no array of samples')
  }
  return results
}

function badResult (name, why) {
  return new CannonadeError(CODES.BAD_RESULT, `${name} is not the result of a run: ${why}`)
}

module.exports = { isSaved, readSaved, badResult }
