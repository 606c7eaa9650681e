'use strict'

const KEY_WORDS = 4
/** The length of a traceparent, and where its digits that differ from request to request begin. */
const LENGTH = 55
const VARIES_FROM = 19
const SPAN_FROM = 36
// 4,096 turns of a 32-bit counter for each of a million threads.
const TURNS = 4096
const WORD = 2 ** 32
// How far 'a' is behind the character that follows '9'.
const LETTERS_LATER = 'a'.charCodeAt(0) - '9'.charCodeAt(0) - 1

/*
 * Trace and span ids for W3C Trace Context, unique in a run, whichever of its threads and machines sends a request:
 *
 *     00-TTTTTTTTTTTTTTTTtttttttttttttttt-ssssssssssssssss-01
 *        of the run      of the request
 *
 * A request has a serial number. Together with the number of its thread, it is mapped to 64 bits by a function that is one-to-one, so
 * that ids never repeat, and mixes well, since tracing backends sample by the last bits of a trace id. The span id is these 64 bits with
 * their halves exchanged. A serial number takes 8 bytes per request; its ids are computed when they are written.
 */
class TraceIds {
  /**
   * @param {number[]} key random words of the run, the same in all threads
   * @param {number} thread the number of this thread in the run
   */
  constructor ([first, second, left, right], thread) {
    this.left = left | 0
    this.right = right | 0
    this.base = thread * TURNS
    this.ofRun = hexWord(first) + hexWord(second)
    /** A traceparent whose varying digits are 0. */
    this.blank = `00-${this.ofRun}${'0'.repeat(16)}-${'0'.repeat(16)}-01`
    this.next = 1
  }

  /** Reserves serial numbers. @returns {number} the first */
  take (count) {
    const first = this.next
    this.next += count
    return first
  }

  /**
   * Writes the varying digits of a traceparent.
   *
   * @param {DataView} view of bytes with a traceparent of this run
   * @param {number} at where its value begins
   * @param {number} serial
   */
  write (view, at, serial) {
    const high = this.traceHigh(serial)
    const low = this.traceLow(serial, high)
    const first = digitsOf(high >>> 16)
    const second = digitsOf(high & 0xffff)
    const third = digitsOf(low >>> 16)
    const fourth = digitsOf(low & 0xffff)
    view.setInt32(at + VARIES_FROM, first)
    view.setInt32(at + VARIES_FROM + 4, second)
    view.setInt32(at + VARIES_FROM + 8, third)
    view.setInt32(at + VARIES_FROM + 12, fourth)
    view.setInt32(at + SPAN_FROM, third)
    view.setInt32(at + SPAN_FROM + 4, fourth)
    view.setInt32(at + SPAN_FROM + 8, first)
    view.setInt32(at + SPAN_FROM + 12, second)
    if ((high | low) === 0) this.writeSpare(view, at + SPAN_FROM)
  }

  // A span id of zero would be invalid. That of serial number 0 of thread 0, which no request has, replaces it.
  writeSpare (view, at) {
    const high = mix(this.left)
    writeWord(view, at, mix(high ^ this.right))
    writeWord(view, at + 8, high)
  }

  /** Writes the varying half of a trace id, its last 16 digits. @param {DataView} view */
  writeTraceId (view, at, serial) {
    const high = this.traceHigh(serial)
    writeWord(view, at, high)
    writeWord(view, at + 8, this.traceLow(serial, high))
  }

  /** The traceparent of a request. */
  headerOf (serial) {
    const bytes = Buffer.from(this.blank)
    this.write(viewOf(bytes), 0, serial)
    return bytes.latin1Slice()
  }

  /** The trace id of a request, 32 digits. */
  idOf (serial) {
    const high = this.traceHigh(serial)
    return this.ofRun + hexWord(high) + hexWord(this.traceLow(serial, high))
  }

  // Two rounds of a Feistel network. Each round is one-to-one, whatever `mix` is.
  traceHigh (serial) {
    return (serial < WORD ? this.base : this.base + Math.floor(serial / WORD)) ^ mix(serial ^ this.left)
  }

  traceLow (serial, high) {
    return serial ^ mix(high ^ this.right)
  }

  /**
   * @param {function(number): number} randomInt a random whole number below its argument
   * @returns {number[]} a key for a run, of which no word is 0
   */
  static createKey (randomInt) {
    return Array.from({ length: KEY_WORDS }, () => 1 + randomInt(WORD - 1))
  }

  /** A traceparent of a run whose varying digits are 0. */
  static blankOf (key) {
    return new TraceIds(key, 0).blank
  }
}

// The finalizer of MurmurHash3: each bit of the input changes each bit of the output with a probability of one half.
function mix (word) {
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35)
  return word ^ (word >>> 16)
}

function hexWord (word) {
  return (word >>> 0).toString(16).padStart(8, '0')
}

function writeWord (view, at, word) {
  view.setInt32(at, digitsOf(word >>> 16))
  view.setInt32(at + 4, digitsOf(word & 0xffff))
}

// The four digits of 16 bits, as the bytes of a word in big-endian order. Computing all of them at once is faster than a table.
function digitsOf (bits) {
  const apart = ((bits & 0xff00) << 8) | (bits & 0xff)
  const digits = (apart | (apart << 4)) & 0x0f0f0f0f
  // 1 in each byte whose digit is a letter.
  const letters = ((digits + 0x06060606) >> 4) & 0x01010101
  return (digits + 0x30303030 + letters * LETTERS_LATER) | 0
}

/** The bytes of a Buffer, in the form in which `write` takes them. */
function viewOf (bytes) {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** The name of the header field. */
TraceIds.HEADER = 'traceparent'
TraceIds.viewOf = viewOf
TraceIds.LENGTH = LENGTH

module.exports = TraceIds
