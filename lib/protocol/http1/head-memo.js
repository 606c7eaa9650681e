'use strict'

const { unreadValues, TEXT } = require('../../http/head')
const repeats = require('../shared/repeats')

/*
 * Servers answer the same request with the same head, byte for byte, until the Date changes. Comparing 235 bytes takes 24 ns as
 * four-byte words (134 ns byte by byte, 54 ns with Buffer.compare). That is a fraction of the time for parsing them, which
 * matters if 16 responses arrive in one packet.
 *
 * Many servers send an id of the request, whose length is always the same. If nobody reads the fields of a response, such a head is as good as
 * the remembered one: they only differ in values that have no effect on how a response is read. Its values are replaced by those of a later
 * head from time to time, so that the Date, which is the same for thousands of responses, doesn't differ for long.
 *
 * If every head is different in other ways, comparing and remembering is wasted effort, so after several misses in a row the
 * memo rests for a while before it tries again.
 */
const WORD = 4
const LONGEST_HEAD_BYTES = 1024
const MISSES_BEFORE_REST = 8
const REST_RESPONSES = 1024
// For at least this many responses, a single comparison of all of them is faster than one comparison per head.
const MANY_RESPONSES = 4
// After so many that resemble the remembered head without being equal, their values are remembered.
const RESEMBLING_BEFORE_CHANGE = 32
const NOWHERE = -1

class HeadMemo {
  constructor () {
    this.bytes = Buffer.alloc(0)
    /** The same as 32-bit words; a remainder of fewer than four bytes is only in `bytes`. */
    this.words = new Int32Array(0)
    this.head = null
    /** The length of a whole response with this head, including the body; 0 if the head alone does not determine it. */
    this.wholeLength = 0
    /** Marks the bytes of the head that `resembles` ignores, see `unreadValues`; null until it needs them. */
    this.unread = null
    /** Where the head compared last differs from the remembered one, to the word; NOWHERE if it is equal, or was not compared. */
    this.differsAt = NOWHERE
    /** The last buffer compared, and a view of it; in practice this is always the one receive buffer. */
    this.buffer = null
    this.view = null
    this.misses = 0
    this.rest = 0
    /** How many have resembled the remembered head without being equal, since its values were remembered. */
    this.resembling = 0
  }

  /**
   * @param {Buffer} buffer
   * @param {number} start where a head begins
   * @param {number} end where the received bytes end
   * @returns {boolean} whether the remembered head is at `start`, complete
   */
  matches (buffer, start, end) {
    this.differsAt = NOWHERE
    if (this.rest > 0) {
      this.rest--
      return false
    }
    const length = this.bytes.length
    if (length === 0 || start + length > end) return false
    if (buffer !== this.buffer) this.lookAt(buffer)
    if (!this.equalsAt(start)) return false
    this.misses = 0
    return true
  }

  /** Like `matches`, for a response of which only the status and `wholeLength` are needed: unread values may differ. */
  resembles (buffer, start, end) {
    if (this.matches(buffer, start, end)) return true
    if (this.differsAt === NOWHERE || !this.differsUnread(start)) return false
    this.misses = 0
    if (++this.resembling === RESEMBLING_BEFORE_CHANGE) this.rememberValues(start)
    return true
  }

  /**
   * @param {Buffer} buffer
   * @param {number} start where a response begins
   * @param {number} end where the received bytes end
   * @param {number} most
   * @returns {number} how many complete responses with such a head follow one another at `start`
   */
  countWhole (buffer, start, end, most) {
    const { wholeLength } = this
    if (wholeLength === 0 || start + wholeLength > end || !this.resembles(buffer, start, end)) return 0
    const possible = Math.min(most, Math.floor((end - start) / wholeLength))
    if (possible >= MANY_RESPONSES && repeats(buffer, start, wholeLength, possible)) return possible
    let count = 1
    while (count < possible && this.resembles(buffer, start + count * wholeLength, end)) count++
    return count
  }

  lookAt (buffer) {
    this.buffer = buffer
    this.view = viewOf(buffer)
  }

  equalsAt (start) {
    const { buffer, view, bytes, words } = this
    const count = words.length
    let index = 0
    let at = start
    // Four at a time take half as long as one.
    while (index + 3 < count && ((view.getInt32(at, true) ^ words[index]) | (view.getInt32(at + WORD, true) ^ words[index + 1]) |
        (view.getInt32(at + 2 * WORD, true) ^ words[index + 2]) | (view.getInt32(at + 3 * WORD, true) ^ words[index + 3])) === 0) {
      index += 4
      at += 4 * WORD
    }
    for (; index < count; index++) {
      if (view.getInt32(at, true) !== words[index]) return this.differsFrom(index * WORD)
      at += WORD
    }
    for (let index = count * WORD; index < bytes.length; index++) {
      if (buffer[start + index] !== bytes[index]) return this.differsFrom(index)
    }
    return true
  }

  differsFrom (index) {
    this.differsAt = index
    return false
  }

  // Whether what differs is only text in unread values.
  differsUnread (start) {
    const { view, bytes, words } = this
    this.unread ??= unreadValues(bytes)
    const rest = words.length * WORD
    for (let at = this.differsAt; at < rest; at += WORD) {
      if (view.getInt32(start + at, true) !== words[at / WORD] && !this.differsUnreadIn(start, at, at + WORD)) return false
    }
    return this.differsUnreadIn(start, rest, bytes.length)
  }

  differsUnreadIn (start, from, to) {
    const { buffer, bytes, unread } = this
    for (let index = from; index < to; index++) {
      const byte = buffer[start + index]
      if (byte !== bytes[index] && (unread[index] === 0 || TEXT[byte] === 0)) return false
    }
    return true
  }

  // The head at `start` differs in unread values only.
  rememberValues (start) {
    const { buffer, view, bytes, words, head } = this
    this.resembling = 0
    buffer.copy(bytes, 0, start, start + bytes.length)
    for (let index = 0; index < words.length; index++) words[index] = view.getInt32(start + index * WORD, true)
    head.headerFields = null
  }

  /** Remembers the head from `start` to `end`. @returns {boolean} false if it keeps the previous one */
  remember (buffer, start, end, head) {
    if (this.rest > 0 || end - start > LONGEST_HEAD_BYTES) return false
    if (++this.misses > MISSES_BEFORE_REST) {
      this.misses = 0
      this.rest = REST_RESPONSES
      return false
    }
    this.bytes = Buffer.from(buffer.subarray(start, end))
    const view = viewOf(this.bytes)
    this.words = Int32Array.from({ length: Math.floor(view.byteLength / WORD) }, (_, index) => view.getInt32(index * WORD, true))
    this.head = head.copy()
    this.wholeLength = wholeLengthOf(head, end - start)
    this.unread = null
    return true
  }
}

// Excludes responses that close the connection, and those without a body whatever their head says (RFC 9112, section 6.3).
function wholeLengthOf ({ status, contentLength, hasTransferEncoding, close }, headLength) {
  const isPlain = status >= 200 && status !== 204 && status !== 304 && contentLength >= 0 && !hasTransferEncoding && !close
  return isPlain ? headLength + contentLength : 0
}

function viewOf (buffer) {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.length)
}

module.exports = HeadMemo
