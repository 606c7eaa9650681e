'use strict'

const zlib = require('node:zlib')

/*
 * Message compression: permessage-deflate (RFC 7692). We compress each message by itself, which every server must accept (section
 * 7.1.1.2), so each message of the sequence is compressed only once per window size that servers request. A server's messages may
 * refer to its earlier ones, at most to the last 32 KiB, so these are kept as the dictionary for the next message.
 */

const EXTENSION = 'permessage-deflate'
/** The window size that means no compression. */
const NO_COMPRESSION = 0
// Section 7.2.1: every compressed message would end with these octets, so they are left out.
const TAIL = Buffer.of(0, 0, 0xff, 0xff)
const LARGEST_WINDOW_BITS = 15
// zlib has no smaller window for raw data; with this one, it never refers back further than the RFC's smallest window, 256 bytes.
const LEAST_ZLIB_WINDOW_BITS = 9

const OWN_FORGETS = 'client_no_context_takeover'
const OWN_WINDOW = 'client_max_window_bits'
const SERVER_FORGETS = 'server_no_context_takeover'
const SERVER_WINDOW = 'server_max_window_bits'
const FLAGS = new Set([OWN_FORGETS, SERVER_FORGETS])
const WINDOWS = new Set([OWN_WINDOW, SERVER_WINDOW])

/** The offer in the handshake, the same as that of browsers; it allows the server to request a smaller window. */
const OFFER = `${EXTENSION}; ${OWN_WINDOW}`

/**
 * Parses a server's answer to an offer (section 7.1).
 *
 * @param {string} header the value of Sec-WebSocket-Extensions
 * @param {string} [offered] the header of our request, with one or several offers
 * @returns {?{ windowBits: number, forgets: boolean, ownWindowBits: number }} the first two describe the server's compression,
 *   the last one is the largest window that we may use; null if it is not an answer to any of the offers
 */
function readAgreement (header, offered = OFFER) {
  const answer = parametersOf(header)
  // Only an offer may leave the window size open (section 7.1.2.2).
  if (answer === null || answer.get(OWN_WINDOW) === true) return null
  const offer = offered.split(',').map(parametersOf).find((each) => each !== null && isAnswerTo(answer, each))
  if (offer === undefined) return null
  return {
    windowBits: answer.get(SERVER_WINDOW) ?? LARGEST_WINDOW_BITS,
    forgets: answer.has(SERVER_FORGETS),
    ownWindowBits: Math.min(...[answer.get(OWN_WINDOW), offer.get(OWN_WINDOW), LARGEST_WINDOW_BITS].filter(Number.isInteger))
  }
}

// Maps names to true or a number; null if this is another extension or a parameter is invalid.
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

// The server must confirm what the client requires, and must not request what the client has not offered.
function isAnswerTo (answer, offer) {
  if (offer.has(SERVER_FORGETS) && !answer.has(SERVER_FORGETS)) return false
  if (offer.has(SERVER_WINDOW) && !(answer.get(SERVER_WINDOW) <= offer.get(SERVER_WINDOW))) return false
  return offer.has(OWN_WINDOW) || !answer.has(OWN_WINDOW)
}

/** Compresses a payload. @param {Buffer} payload @param {number} [windowBits] how far it may refer back */
function deflate (payload, windowBits = LARGEST_WINDOW_BITS) {
  const bytes = zlib.deflateRawSync(payload, { finishFlush: zlib.constants.Z_SYNC_FLUSH, windowBits: Math.max(LEAST_ZLIB_WINDOW_BITS, windowBits) })
  return bytes.subarray(0, bytes.length - TAIL.length)
}

/** Decompresses the messages of one connection's server. */
class Inflater {
  /** @param {{ windowBits: number, forgets: boolean }} agreement */
  constructor ({ windowBits, forgets }) {
    this.windowBits = Math.max(LEAST_ZLIB_WINDOW_BITS, windowBits)
    /** How many bytes of the earlier messages a message may refer to. */
    this.windowBytes = 2 ** windowBits
    this.forgets = forgets
    this.history = null
    /** Whether the last message was longer than allowed. */
    this.isTooLarge = false
  }

  /**
   * @param {Buffer} bytes a compressed message
   * @param {number} limit the maximum length in octets
   * @returns {?Buffer} null if it is too long or invalid
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
