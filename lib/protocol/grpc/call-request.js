'use strict'

const { DraftTemplate } = require('../shared/draft-template')
const { encodeRequest, StreamRequest } = require('../http2/request')

/**
 * Encodes a call: like any HTTP/2 request, but without content-length, since a gRPC message contains its own length.
 */
function encodeCall (request, target, withIds, tag) {
  const { parts } = encodeRequest(request, target, withIds, tag)
  return new StreamRequest({ ...parts, fields: parts.fields.filter(([name]) => name !== 'content-length') })
}

/** For each feed, a map from its rows to their indexes. */
const PLACES = new WeakMap()

function placesOf (rows) {
  if (!PLACES.has(rows)) PLACES.set(rows, new Map(rows.map((row, index) => [row, index])))
  return PLACES.get(rows)
}

/**
 * A call with placeholders that are filled from a feed row for each request. Its messages are encoded in advance, one for each
 * row.
 */
class CallTemplate extends DraftTemplate {
  constructor (request, parts, target, withIds, textOf, rows) {
    super(request, parts, target, withIds, textOf)
    this.rows = rows
  }

  /** @returns {StreamRequest} the request for this row */
  fill (row) {
    return this.encodeWith(encodeCall, row)
  }

  draft (row, parts) {
    const draft = super.draft(row, parts)
    const { messages } = this.request
    if (messages === undefined) return draft
    const index = placesOf(this.rows).get(row)
    return { ...draft, body: messages.bytes.subarray(index === 0 ? 0 : messages.ends[index - 1], messages.ends[index]) }
  }
}

module.exports = { CallTemplate, encodeCall }
