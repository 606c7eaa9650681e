'use strict'

const { trimSpaces } = require('../../http/header-fields')
const TraceIds = require('../../world/trace-ids')
const { NONE, placeOfTrace, traceLines } = require('../shared/trace-header')
const { EncodedRequest } = require('./request')

/*
 * Changes requests that are already encoded, for cookies and redirects. Latin-1 maps each byte to a character, so whatever is not
 * changed is preserved exactly.
 */

/**
 * @param {EncodedRequest} request
 * @returns {{ method: string, target: string, version: string, fields: [string, string][], traceparent: ?string, end: number }} `end`: where its body begins
 */
function readRequestHead ({ pieces: [first], traceAt }) {
  const end = first.indexOf('\r\n\r\n')
  const [requestLine, ...lines] = first.toString('latin1', 0, end).split('\r\n')
  const traceparent = traceAt === NONE ? null : lines.pop().slice(`${TraceIds.HEADER}: `.length)
  const [method, target, version] = requestLine.split(' ')
  const fields = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), trimSpaces(line.slice(colon + 1))]
  })
  return { method, target, version, fields, traceparent, end: end + 4 }
}

/** The values of all fields with this name, joined; undefined if there is none. `name` must be in lower case. */
function valueOf (fields, name) {
  const values = fields.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value)
  return values.length === 0 ? undefined : values.join(', ')
}

/**
 * Returns the request with another head.
 *
 * @param {EncodedRequest} request without placeholders for ids
 * @param {object} head from `readRequestHead`, modified
 * @param {boolean} [hasBody] whether to keep the body
 * @returns {EncodedRequest}
 */
function withHead (request, head, hasBody = true) {
  const { method, target, version, fields, end } = head
  const lines = [`${method} ${target} ${version}`, ...fields.map(([name, value]) => `${name}: ${value}`), ...traceLines(head)]
  const bytes = Buffer.from(lines.join('\r\n') + '\r\n\r\n', 'latin1')
  const traits = { isHead: method === 'HEAD', closes: request.closes, stream: hasBody ? request.stream : null, traceAt: placeOfTrace(head, bytes.length) }
  if (!hasBody) return new EncodedRequest([bytes], [], traits)
  const [first, ...rest] = request.pieces
  return new EncodedRequest([Buffer.concat([bytes, first.subarray(end)]), ...rest], [], traits)
}

/** Returns the request for a single use, with its ids filled in. */
function onceOnly (request) {
  return request.idOffsets.length === 0 ? request : new EncodedRequest(request.instance(), [], request)
}

module.exports = { readRequestHead, valueOf, withHead, onceOnly }
