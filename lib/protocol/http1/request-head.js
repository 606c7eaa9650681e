'use strict'

const trimSpaces = require('../../http/white-space')
const { EncodedRequest } = require('./request')

/*
 * Changes to a request that stands there as bytes already, whoever has made them: cookies, and where a redirect leads.
 * Latin-1 has a character for each byte, so that what is not changed stays as it is.
 */

/**
 * @param {EncodedRequest} request
 * @returns {{ method: string, target: string, version: string, fields: [string, string][], end: number }} `end`: where its body begins
 */
function readRequestHead ({ pieces: [first] }) {
  const end = first.indexOf('\r\n\r\n')
  const [requestLine, ...lines] = first.toString('latin1', 0, end).split('\r\n')
  const [method, target, version] = requestLine.split(' ')
  const fields = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), trimSpaces(line.slice(colon + 1))]
  })
  return { method, target, version, fields, end: end + 4 }
}

/** What one field says in all its lines, in lower case of its name; undefined where there is none. */
function valueOf (fields, name) {
  const values = fields.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value)
  return values.length === 0 ? undefined : values.join(', ')
}

/**
 * A request with another head.
 *
 * @param {EncodedRequest} request without room for ids
 * @param {object} head as `readRequestHead` gives it, changed
 * @param {boolean} [hasBody] whether its body stays
 * @returns {EncodedRequest}
 */
function withHead (request, { method, target, version, fields, end }, hasBody = true) {
  const lines = [`${method} ${target} ${version}`, ...fields.map(([name, value]) => `${name}: ${value}`)]
  const bytes = Buffer.from(lines.join('\r\n') + '\r\n\r\n', 'latin1')
  const traits = { isHead: method === 'HEAD', closes: request.closes, stream: hasBody ? request.stream : null }
  if (!hasBody) return new EncodedRequest([bytes], [], traits)
  const [first, ...rest] = request.pieces
  return new EncodedRequest([Buffer.concat([bytes, first.subarray(end)]), ...rest], [], traits)
}

/** A request as it is sent this once: with its ids filled in. */
function onceOnly (request) {
  return request.idOffsets.length === 0 ? request : new EncodedRequest(request.instance(), [], request)
}

module.exports = { readRequestHead, valueOf, withHead, onceOnly }
