'use strict'

const { CannonadeError, CODES } = require('../../base/errors')
const { isObject } = require('../../values/kinds')

/** Whether an item to compare is a saved result, or an array of them, and not a set of options. */
function isSaved (item) {
  // The result of a study has a `kind`; it can't be compared here.
  return Array.isArray(item) || (isObject(item) && (isObject(item.latency) || typeof item.kind === 'string'))
}

/**
 * Reads the saved results of one side.
 *
 * @param {object|object[]} item
 * @param {string} name its name in errors
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
    if (timeline !== null && !(Array.isArray(timeline) && timeline.every(isObject))) throw badResult(name, 'its timeline is not an array of samples')
  }
  return results
}

function badResult (name, why) {
  return new CannonadeError(CODES.BAD_RESULT, `${name} is not the result of a run: ${why}`)
}

module.exports = { isSaved, readSaved, badResult }
