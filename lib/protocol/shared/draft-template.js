'use strict'

const world = require('../../world')
const { ID_TAG } = require('./ids')

// Replaces the id placeholders of the request while a row is filled in, since `[<id>]` in a row is literal text. Its characters
// are allowed wherever those of `[<id>]` are, including JSON strings.
const OWN_ID_TAG = `[<${world.nextId()}>]`

/**
 * A request with placeholders that are filled from a feed row for each request. In the lists of parts, columns are at odd
 * indexes and literal pieces at even ones. A protocol adds `fill(row)`, which returns the encoded request, see `templateOf`.
 */
class DraftTemplate {
  /**
   * @param {object} request of the plan
   * @param {{ path: Array<string|object>, headers: Array<[string, string[]]>, body: Array<string|Buffer> }} parts its parts
   * @param {object} target of the plan
   * @param {boolean} withIds
   * @param {function(object, *, boolean): string} textOf returns the text of a row for a column, and whether it is in the path
   */
  constructor (request, parts, target, withIds, textOf) {
    this.request = request
    this.parts = parts
    this.target = target
    this.withIds = withIds
    this.textOf = textOf
    this.taggedParts = withIds ? withOwnTag(parts) : parts
  }

  /** For `fill`: encodes the filled request with its protocol's encoder. */
  encodeWith (encodeRequest, row) {
    return encodeRequest(this.draft(row, this.taggedParts), this.target, this.withIds, OWN_ID_TAG)
  }

  /** The filled request, in the form that hooks get. */
  draft (row, { path, headers, body } = this.parts) {
    const { method, title } = this.request
    return {
      title,
      method,
      path: this.filled(path, row, true),
      headers: headers.map(([name, pieces]) => [name, this.filled(pieces, row, false)]),
      body: this.filledBody(body, row)
    }
  }

  filled (pieces, row, isInPath) {
    return pieces.map((piece, place) => place % 2 === 0 ? piece : this.textOf(row, piece, isInPath)).join('')
  }

  filledBody (body, row) {
    if (this.request.body === null || typeof this.request.body === 'function') return this.request.body
    if (body.length === 1) return body[0]
    if (typeof body[0] === 'string') return this.filled(body, row, false)
    return Buffer.concat(body.map((piece, place) => place % 2 === 0 ? piece : Buffer.from(this.textOf(row, piece))))
  }
}

function withOwnTag ({ path, headers, body }) {
  const tagged = (pieces) => pieces.map((piece, place) => place % 2 === 0 ? withTagReplaced(piece) : piece)
  return { path: tagged(path), headers: headers.map(([name, pieces]) => [name, tagged(pieces)]), body: tagged(body) }
}

// Latin-1 preserves each byte.
function withTagReplaced (piece) {
  if (typeof piece === 'string') return piece.replaceAll(ID_TAG, OWN_ID_TAG)
  return Buffer.from(piece.toString('latin1').replaceAll(ID_TAG, OWN_ID_TAG), 'latin1')
}

/** The class of a protocol whose requests need nothing but its encoder. @param {function} encode as `encodeRequest` of a protocol */
function templateOf (encode) {
  return class extends DraftTemplate {
    fill (row) {
      return this.encodeWith(encode, row)
    }
  }
}

module.exports = { DraftTemplate, templateOf }
