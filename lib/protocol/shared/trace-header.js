'use strict'

const TraceIds = require('../../world/trace-ids')

/** The place of the traceparent in a request that has none. */
const NONE = -1
const AFTER_VALUE = '\r\n\r\n'.length

/*
 * The header field `traceparent` in the requests of a target. It is the last line of a head, so that its place is known; its digits are
 * replaced in the encoded bytes each time the request is sent.
 */

/** @returns {string[]} the line, or none */
function traceLines ({ traceparent = null }) {
  return traceparent === null ? [] : [`${TraceIds.HEADER}: ${traceparent}`]
}

/** @returns {number} where the value begins in a head of this length; NONE without one */
function placeOfTrace ({ traceparent = null }, headLength) {
  return traceparent === null ? NONE : headLength - AFTER_VALUE - TraceIds.LENGTH
}

module.exports = { NONE, placeOfTrace, traceLines }
