'use strict'

const zlib = require('node:zlib')

/*
 * Compression of messages: permessage-deflate (RFC 7692). Ours are compressed each by itself, which every server has to
 * take (section 7.1.1.2), so that one of the sequence is compressed once for each window that a server asks for. Servers may
 * go back to what they have sent before: what a message may refer to is at most the last 32 KiB of those before it, and these are
 * the dictionary of the next.
 */

const EXTENSION = 'permessage-deflate'
/** In the place of the window of a compression. */
const NO_COMPRESSION = 0
// Section 7.2.1: every message would end with these octets, so they are left out.
const TAIL = Buffer.of(0, 0, 0xff, 0xff)
const LARGEST_WINDOW_BITS = 15
// zlib has no smaller one for raw data; with this one it never goes back further than the smallest of the RFC, 256 bytes.
const LEAST_ZLIB_WINDOW_BITS = 9

const OWN_FORGETS = 'client_no_context_takeover'
const OWN_WINDOW = 'client_max_window_bits'
const SERVER_FORGETS = 'server_no_context_takeover'
const SERVER_WINDOW = 'server_max_window_bits'
const FLAGS = new Set([OWN_FORGETS, SERVER_FORGETS])
const WINDOWS = new Set([OWN_WINDOW, SERVER_WINDOW])

/** What is offered in the handshake, the same as browsers offer: the server may ask for a smaller window. */
const OFFER = `${EXTENSION}; ${OWN_WINDOW}`

/**
 * What a server has answered to an offer (section 7.1).
 *
 * @param {string} header the value of Sec-WebSocket-Extensions
 * @param {string} [offered] the same of the request: one offer or several
 * @returns {?{ windowBits: number, forgets: boolean, ownWindowBits: number }} the first two are of the server's compression, the last
 *   one is the window that ours must not exceed; null: it does not answer any of the offers
 */
function readAgreement (header, offered = OFFER) {
  const answer = parametersOf(header)
  // Only an offer may leave open how large the window is (section 7.1.2.2).
  if (answer === null || answer.get(OWN_WINDOW) === true) return null
  const offer = offered.split(',').map(parametersOf).find((each) => each !== null && isAnswerTo(answer, each))
  if (offer === undefined) return null
  return {
    windowBits: answer.get(SERVER_WINDOW) ?? LARGEST_WINDOW_BITS,
    forgets: answer.has(SERVER_FORGETS),
    ownWindowBits: Math.min(...[answer.get(OWN_WINDOW), offer.get(OWN_WINDOW), LARGEST_WINDOW_BITS].filter(Number.isInteger))
  }
}

// By name, true or a number; null: it is another extension, or the parameters are not valid.
function parametersOf (text) {
  const [name, ...rest] = text.split(';').map((part) => part.trim())
  if (name.toLowerCase() !== EXTENSION) return null
  const parameters = new Map()
  for (const parameter of rest) {
    const [, key, plain, quoted] = /^([\w-]+)(?:\s*=\s*(?:(\d+)|"(\d+)"))?$/.exec(parameter) ?? []
    const value = valueOf(key, plain ?? quoted)
    if (value === null || parameters.has(key)) return null
    parameters.set(key, value)
  }
  return parameters
}

function valueOf (key, digits) {
  if (digits === undefined) return FLAGS.has(key) || key === OWN_WINDOW ? true : null
  return WINDOWS.has(key) && /^([89]|1[0-5])$/.test(digits) ? Number(digits) : null
}

// What the client demands, the server has to confirm; what the client has not offered, the server cannot ask for.
function isAnswerTo (answer, offer) {
  if (offer.has(SERVER_FORGETS) && !answer.has(SERVER_FORGETS)) return false
  if (offer.has(SERVER_WINDOW) && !(answer.get(SERVER_WINDOW) <= offer.get(SERVER_WINDOW))) return false
  return offer.has(OWN_WINDOW) || !answer.has(OWN_WINDOW)
}

/** The payload of a message as it goes out. @param {Buffer} payload @param {number} [windowBits] how far it may refer back */
function deflate (payload, windowBits = LARGEST_WINDOW_BITS) {
  const bytes = zlib.deflateRawSync(payload, { finishFlush: zlib.constants.Z_SYNC_FLUSH, windowBits: Math.max(LEAST_ZLIB_WINDOW_BITS, windowBits) })
  return bytes.subarray(0, bytes.length - TAIL.length)
}

/** Decompresses what the server of one connection sends. */
class Inflater {
  /** @param {{ windowBits: number, forgets: boolean }} agreement */
  constructor ({ windowBits, forgets }) {
    this.windowBits = Math.max(LEAST_ZLIB_WINDOW_BITS, windowBits)
    /** How much of what came before a message may refer to. */
    this.windowBytes = 2 ** windowBits
    this.forgets = forgets
    this.history = null
    /** Whether the last message was longer than allowed. */
    this.isTooLarge = false
  }

  /**
   * @param {Buffer} bytes a message as it came
   * @param {number} limit octets, at most
   * @returns {?Buffer} null where it is too long or makes no sense
   */
  inflate (bytes, limit) {
    try {
      const inflated = zlib.inflateRawSync(Buffer.concat([bytes, TAIL]), {
        finishFlush: zlib.constants.Z_SYNC_FLUSH,
        windowBits: this.windowBits,
        maxOutputLength: limit,
        ...(this.history !== null && { dictionary: this.history })
      })
      if (!this.forgets) this.remember(inflated)
      return inflated
    } catch (error) {
      this.isTooLarge = error.code === 'ERR_BUFFER_TOO_LARGE'
      return null
    }
  }

  remember (inflated) {
    if (inflated.length === 0) return
    const { windowBytes } = this
    const before = this.history === null ? [] : [this.history.subarray(inflated.length - windowBytes)]
    this.history = inflated.length >= windowBytes ? Buffer.from(inflated.subarray(-windowBytes)) : Buffer.concat([...before, inflated])
  }
}

module.exports = { NO_COMPRESSION, OFFER, readAgreement, deflate, Inflater }
