'use strict'

const { DraftTemplate } = require('../shared/draft-template')
const { placeOfTrace } = require('../shared/trace-header')
const {
  encodeRequest, encodeHead, headText, saysClose, valuesByName, EncodedRequest, COPY_LIMIT_BYTES, METHODS_WITH_BODY
} = require('./request')

// Marks a placeholder in a head. Heads contain no control characters, so it is unambiguous.
const GAP = '\0'
const LENGTH = { column: null, isInPath: false }

/**
 * A request with placeholders that are filled from a feed row for each request. The text between them is encoded once:
 *
 *     head    'GET /users/'  id  ' HTTP/1.1\r\nHost: …\r\nContent-Length: '  LENGTH  '\r\n\r\n'
 *     body    '{"name":"'  name  '"}'
 */
class RequestTemplate extends DraftTemplate {
  constructor (request, parts, target, withIds, textOf) {
    super(request, parts, target, withIds, textOf)
    this.body = parts.body.map((piece, place) => place % 2 === 0 && typeof piece === 'string' ? Buffer.from(piece) : piece)
    this.gaps = []
    this.head = this.headPieces()
    this.traits = { isHead: request.method === 'HEAD', closes: saysClose(valuesByName(request.headers), target) }
    // Ids and chunk sizes depend on the values of the placeholders, and a stream has only a head, so these requests are encoded
    // in full each time.
    this.isQuick = !withIds && typeof request.body !== 'function' && parts.headers.every(([name]) => name.toLowerCase() !== 'transfer-encoding')
  }

  headPieces () {
    const { method } = this.request
    const path = this.withGaps(this.parts.path, true)
    const headers = this.parts.headers.map(([name, pieces]) => [name, this.withGaps(pieces, false)])
    const hasBody = this.body.length > 1 || this.body[0].length > 0 || METHODS_WITH_BODY.has(method)
    const pieces = headText({ method, path, headers }, this.target, hasBody ? `Content-Length: ${GAP}` : null).split(GAP)
    // Content-Length is the last line of the head, unless the user sets it.
    if (pieces.length - 1 > this.gaps.length) this.gaps.push(LENGTH)
    return pieces
  }

  withGaps (pieces, isInPath) {
    for (let place = 1; place < pieces.length; place += 2) this.gaps.push({ column: pieces[place], isInPath })
    return pieces.filter((_, place) => place % 2 === 0).join(GAP)
  }

  /** @returns {EncodedRequest} the request for this row */
  fill (row) {
    if (!this.isQuick) return this.encodeDraft(row)
    const body = this.body.map((piece, place) => place % 2 === 0 ? piece : Buffer.from(this.textOf(row, piece)))
    const length = body.reduce((sum, piece) => sum + piece.length, 0)
    // If all placeholders of a body are empty, so is the body, and a GET then has no Content-Length.
    if (length === 0 && body.length > 1) return this.encodeDraft(row)
    let head = this.head[0]
    this.gaps.forEach((gap, index) => {
      head += (gap === LENGTH ? length : this.textOf(row, gap.column, gap.isInPath)) + this.head[index + 1]
    })
    const pieces = [encodeHead(head), ...body]
    const traits = { ...this.traits, traceAt: placeOfTrace(this.target, pieces[0].length) }
    const isCopied = length <= COPY_LIMIT_BYTES || body.length > 1
    return new EncodedRequest(isCopied ? [Buffer.concat(pieces)] : pieces, [], traits)
  }

  encodeDraft (row) {
    return this.encodeWith(encodeRequest, row)
  }
}

module.exports = RequestTemplate
