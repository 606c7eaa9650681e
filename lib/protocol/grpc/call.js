'use strict'

const { OK, MISSING, OUTCOMES, STATUSES } = require('../../grpc/status')
const HeaderFields = require('../../http/header-fields')

/** How one gRPC call ended, as hooks see it. */
class Call {
  /**
   * @param {number} outcome see grpc/status.js
   * @param {string[]} ending the fields that contained the status: name, value, …
   * @param {?Messages} messages decodes the message of the response
   * @param {number} endpoint
   */
  constructor (outcome, ending, messages, endpoint) {
    this.outcome = outcome
    this.ending = ending
    this.messages = messages
    this.endpoint = endpoint
  }

  /**
   * Returns the body as hooks get it: its text is the message as JSON, or empty if there is none. If the server does not speak
   * gRPC, the body is returned as received.
   *
   * @param {{ bytes: Buffer, problem: ?string }} body
   * @param {object} owner of the connection
   */
  read (body, owner) {
    if (body.problem !== null || this.outcome === MISSING || this.messages === null) return body
    if (this.outcome !== OK) return { ...body, text: '' }
    const { text, problem } = this.messages.read(this.endpoint, body.bytes)
    if (problem !== '') {
      owner.warn({
        code: 'BODY_NOT_DECODED',
        message: `A message of ${this.messages.names[this.endpoint]} could not be decoded: ${problem}. Hooks get an empty string instead.`
      })
    }
    return { ...body, text }
  }

  /** For onResponse. `code` is null if the response has no status. */
  toObject () {
    const { outcome, ending = [] } = this
    const trailers = new HeaderFields(ending).toObject()
    const message = trailers['grpc-message']
    return { status: OUTCOMES[outcome], code: codeOf(outcome, trailers['grpc-status']), message: typeof message === 'string' ? decoded(message) : '', trailers }
  }
}

function codeOf (outcome, said) {
  if (outcome < STATUSES.length) return outcome
  return said === undefined ? null : 0
}

// The message should be percent-encoded, but some servers don't do that.
function decoded (text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

module.exports = Call
