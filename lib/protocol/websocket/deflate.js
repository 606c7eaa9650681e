'use strict'

const zlib = require('node:zlib')

/*
 * Compression of messages: permessage-deflate (RFC 7692). Ours are compressed each by itself, which every server has to
 * take (section 7.1.1.2), so that one of the sequence is compressed once. Servers may go back to what they have sent
 * before: what a message may refer to are the last 32 KiB of those before it, and these are the dictionary of the next.
 */

const EXTENSION = 'permessage-deflate'
// Section 7.2.1: every message would end with these octets, so they are left out.
const TAIL = Buffer.of(0, 0, 0xff, 0xff)
const WINDOW_BYTES = 32768
const LARGEST_WINDOW_BITS = 15
const LEAST_WINDOW_BITS = 8

/** What is offered in the handshake. */
const OFFER = EXTENSION

/**
 * What a server has answered to the offer (section 7.1).
 *
 * @param {string} header the value of Sec-WebSocket-Extensions
 * @returns {?{ windowBits: number, forgets: boolean }} of the server's own compression; null where it is no answer to what
 *   was offered
 */
function readAgreement (header) {
  const [name, ...parameters] = header.split(';').map((part) => part.trim())
  if (name.toLowerCase() !== EXTENSION) return null
  const agreement = { windowBits: LARGEST_WINDOW_BITS, forgets: false }
  const seen = new Set()
  for (const parameter of parameters) {
    const [, key, value] = /^([\w-]+)(?:\s*=\s*"?(\d+)"?)?$/.exec(parameter) ?? []
    if (key === undefined || seen.has(key) || !apply(agreement, key, value)) return null
    seen.add(key)
  }
  return agreement
}

// client_max_window_bits is no answer, since it was not offered (section 7.1.2.2).
function apply (agreement, key, value) {
  if (key === 'client_no_context_takeover') return value === undefined
  if (key === 'server_no_context_takeover') {
    agreement.forgets = true
    return value === undefined
  }
  if (key !== 'server_max_window_bits' || !/^([89]|1[0-5])$/.test(value ?? '')) return false
  agreement.windowBits = Number(value)
  return true
}

/** The payload of a message as it goes out. */
function deflate (payload) {
  const bytes = zlib.deflateRawSync(payload, { finishFlush: zlib.constants.Z_SYNC_FLUSH })
  return bytes.subarray(0, bytes.length - TAIL.length)
}

/** Decompresses what the server of one connection sends. */
class Inflater {
  /** @param {{ windowBits: number, forgets: boolean }} agreement */
  constructor ({ windowBits, forgets }) {
    // zlib reads what was made with the smallest window only with the next larger one.
    this.windowBits = Math.max(LEAST_WINDOW_BITS + 1, windowBits)
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
    const before = this.history === null ? [] : [this.history.subarray(inflated.length - WINDOW_BYTES)]
    this.history = inflated.length >= WINDOW_BYTES ? Buffer.from(inflated.subarray(-WINDOW_BYTES)) : Buffer.concat([...before, inflated])
  }
}

module.exports = { OFFER, readAgreement, deflate, Inflater }
