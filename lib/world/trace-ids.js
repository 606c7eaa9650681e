'use strict'

const KEY_WORDS = 4
/** The length of a traceparent, and where its digits that differ from request to request begin. */
const LENGTH = 55
const VARIES_FROM = 19
const SPAN_FROM = 36
// The two digits of each byte, in the order in which they stand in memory that is written in big-endian order.
const DIGITS_OF_BYTE = Uint16Array.from({ length: 256 }, (_, byte) => Buffer.from(byte.toString(16).padStart(2, '0')).readUInt16BE())
// 4,096 turns of a 32-bit counter for each of a million threads.
const TURNS = 4096
const WORD = 2 ** 32

/*
 * Trace and span ids for W3C Trace Context, unique in a run, whichever of its threads and machines sends a request:
 *
 *     00-TTTTTTTTTTTTTTTTtttttttttttttttt-ssssssssssssssss-01
 *        of the run      of the request
 *
 * A request has a serial number. Together with the number of its thread, it is mapped to 64 bits by a function that is one-to-one, so
 * that ids never repeat, and mixes well, since tracing backends sample by the last bits of a trace id. A serial number takes 8 bytes
 * per request; its ids are computed when they are written.
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
    writeWord(view, at + VARIES_FROM, high)
    writeWord(view, at + VARIES_FROM + 8, low)
    let spanHigh = high ^ mix(low)
    let spanLow = low ^ mix(spanHigh)
    if ((spanHigh | spanLow) === 0) [spanHigh, spanLow] = this.spare
    writeWord(view, at + SPAN_FROM, spanHigh)
    writeWord(view, at + SPAN_FROM + 8, spanLow)
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

  // Two rounds of a Feistel network, and two more from the trace id to the span id. Each round is one-to-one, whatever `mix` is.
  traceHigh (serial) {
    return (serial < WORD ? this.base : this.base + Math.floor(serial / WORD)) ^ mix(serial ^ this.left)
  }

  traceLow (serial, high) {
    return serial ^ mix(high ^ this.right)
  }

  // The span id of serial number 0 of thread 0, which no request has. It replaces the span id of zero, which would be invalid.
  get spare () {
    const high = mix(this.left)
    const low = mix(high ^ this.right)
    const spanHigh = high ^ mix(low)
    return [spanHigh, low ^ mix(spanHigh)]
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

// Two digits at a time take a third of the time of single bytes in a Buffer.
function writeWord (view, at, word) {
  view.setUint16(at, DIGITS_OF_BYTE[word >>> 24])
  view.setUint16(at + 2, DIGITS_OF_BYTE[(word >>> 16) & 255])
  view.setUint16(at + 4, DIGITS_OF_BYTE[(word >>> 8) & 255])
  view.setUint16(at + 6, DIGITS_OF_BYTE[word & 255])
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
