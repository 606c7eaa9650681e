'use strict'

const { optionProblem, show } = require('../base/errors')
const { kind } = require('./kinds')

/** @returns {CannonadeError} CANNONADE_BAD_OPTION */
function malformed (what, cause) {
  const sentence = `Could not parse HAR content: ${what}${cause === undefined ? '' : `: ${cause.message}`}`
  return optionProblem('har', sentence, cause && { cause })
}

/** Recorded requests: a parsed HTTP Archive. lib/inputs/har.js reads its entries. */
const har = kind('the object that a HAR file holds', value => {
  const entries = value?.log?.entries
  if (!Array.isArray(entries) || entries.length === 0) {
    throw malformed(`no entries found: har must be an object with log.entries; got ${show(value)}`)
  }
  return value
})

module.exports = { har, malformed }
