'use strict'

const { unframe } = require('../../grpc/frame')
const { OK, MISSING, OUTCOMES, STATUSES } = require('../../grpc/status')
const { loadPackages, typesOf } = require('../../grpc/types')
const { HeaderFields } = require('../../http/header-fields')

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

// Values that JSON numbers cannot represent, and bytes, become strings, as in protobuf's JSON mapping.
const AS_JSON = { longs: String, enums: String, bytes: String, defaults: true }

/** Decodes the messages of responses for hooks. */
class Messages {
  /** @param {{ descriptors: Uint8Array[], methods: string[] }} grpc of the plan */
  constructor ({ descriptors, methods }) {
    const root = typesOf(loadPackages(), descriptors)
    this.names = methods
    this.types = methods.map((name) => {
      const [service, method] = name.split('/')
      return root.lookupService(service).methods[method].resolvedResponseType
    })
  }

  /** @returns {{ text: string, problem: string }} the message as JSON; `problem` says why decoding failed, '' if it succeeded */
  read (endpoint, body) {
    const message = unframe(body)
    if (typeof message === 'string') return { text: '', problem: message }
    const type = this.types[endpoint]
    try {
      return { text: JSON.stringify(type.toObject(type.decode(message), AS_JSON)), problem: '' }
    } catch (error) {
      return { text: '', problem: error.message }
    }
  }
}

/** Per plan of this thread. */
const KNOWN = new WeakMap()

/** Returns the decoder for messages, or null if no hook needs them. */
function messagesFor (plan, hooks) {
  const isWanted = plan.expectBody !== null || hooks?.verifyBody || hooks?.setupClient || hooks?.requests.some(({ onResponse }) => onResponse)
  if (!isWanted) return null
  if (!KNOWN.has(plan)) KNOWN.set(plan, new Messages(plan.grpc))
  return KNOWN.get(plan)
}

module.exports = { Call, messagesFor }
