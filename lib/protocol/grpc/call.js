'use strict'

const { OK, MISSING, OUTCOMES, STATUSES } = require('../../grpc/status')
const HeaderFields = require('../../http/header-fields')

/** How one call ended, for hooks. */
class Call {
  /**
   * @param {number} outcome see grpc/status.js
   * @param {string[]} ending the fields that told it: name, value, …
   * @param {?Messages} messages what reads the message of the response
   * @param {number} endpoint
   */
  constructor (outcome, ending, messages, endpoint) {
    this.outcome = outcome
    this.ending = ending
    this.messages = messages
    this.endpoint = endpoint
  }

  /**
   * The body as hooks get it: its text is the message in JSON, and empty where there is none. Of who does not speak gRPC it is what
   * has come.
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

  /** For onResponse. `code` is null where the response says none. */
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

// Percent-encoded, but by servers that do not know.
function decoded (text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

module.exports = Call
