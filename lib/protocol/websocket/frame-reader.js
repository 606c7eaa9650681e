'use strict'

const {
  CONTINUATION, TEXT, BINARY, CLOSE, PING, FIN, RSV1, RSV2_RSV3, OPCODE, MASK, LENGTH, PROTOCOL_ERROR, NO_STATUS, INVALID_DATA, TOO_BIG,
  MOST_CONTROL_BYTES, SHORT_HEADER, isControl, isReserved, isCloseCode
} = require('./constants')
const repeats = require('../shared/repeats')
const { isText, TextCheck } = require('./utf8')

const LONGEST_HEADER = 10
const NOT_PLAIN = -1
const FIRST_KEPT_BYTES = 1024
const NOTHING = Buffer.alloc(0)
// The maximum of the upper half of a 64-bit length: larger lengths are not exact in JavaScript.
const MOST_IN_UPPER_HALF = 2 ** 21 - 1

/**
 * Splits the octets of one connection into messages (RFC 6455, section 5), however they are split into packets. A message that
 * arrives complete is not copied. One that arrives in pieces, or in several frames, is kept only if its owner needs it; otherwise
 * it is only counted and, if it is a text, checked as it arrives.
 *
 * The owner has
 * `onMessage(opcode, buffer, start, end, firstByteAt)`: a message, valid only during the call; `buffer` is null if the owner did
 * not need it, and then `end - start` is its length; `onPing(buffer, start, end)`, `onPong()`, `onClose(code, reason)`;
 * `onViolation(code, problem)`: the data is invalid, and reading stops. The owner can set `stopped` to end reading.
 */
class FrameReader {
  /**
   * @param {object} owner
   * @param {number} limit the maximum length of a message in octets
   */
  constructor (owner, limit) {
    this.owner = owner
    this.limit = limit
    this.header = Buffer.allocUnsafe(LONGEST_HEADER)
    this.control = null
    this.text = null
    this.reset(null)
  }

  /**
   * Starts over for a new connection.
   *
   * @param {?Inflater} inflater null if messages may not be compressed
   */
  reset (inflater) {
    this.inflater = inflater
    this.stopped = false
    this.wantsPayload = false
    /** How many octets of an incomplete header have arrived. */
    this.headerLength = 0
    /** How many octets of the current payload are missing; -1 between two frames. */
    this.missing = -1
    this.first = 0
    this.controlLength = 0
    /** The opcode of the current message; CONTINUATION between two messages. */
    this.opcode = CONTINUATION
    this.isDeflated = false
    /** Its length according to its frame headers, and how many octets have arrived. */
    this.announced = 0
    this.length = 0
    this.firstByteAt = 0
    this.kept = null
    this.isKept = false
    this.headerAt = 0
    this.now = 0
    this.equalLength = 0
  }

  /** Whether a frame or a message has begun and not ended. */
  get midway () {
    return this.opcode !== CONTINUATION || this.missing >= 0 || this.headerLength > 0
  }

  /** Whether a message has begun and not ended; it began at `firstByteAt`. */
  get isInMessage () {
    return this.opcode !== CONTINUATION
  }

  /**
   * @param {Buffer} buffer
   * @param {number} start
   * @param {number} end where the valid octets end
   * @param {number} now when they arrived, ms
   */
  execute (buffer, start, end, now) {
    this.now = now
    let position = start
    while (position < end && !this.stopped) {
      if (this.missing >= 0) position = this.readOn(buffer, position, end)
      else position = this.readFrame(buffer, position, end)
    }
  }

  /**
   * Counts equal messages from `start` on, each of them short and in one frame: they need not be read one by one. The length of one, with
   * its header, is then in `equalLength`.
   *
   * @param {number} most
   * @returns {number} 0 if what is there has to be read
   */
  countEqual (buffer, start, end, most) {
    if (this.midway) return 0
    const length = this.lengthOfPlain(buffer, start, end)
    if (length === NOT_PLAIN) return 0
    const payload = start + SHORT_HEADER
    if (buffer[start] === (FIN | TEXT) && !isText(buffer, payload, payload + length)) return 0
    this.equalLength = SHORT_HEADER + length
    const possible = Math.min(most, Math.floor((end - start) / this.equalLength))
    return possible > 1 && repeats(buffer, start, this.equalLength, possible) ? possible : 1
  }

  // --- headers (section 5.2)

  readFrame (buffer, start, end) {
    if (this.headerLength > 0) return this.continueHeader(buffer, start, end)
    this.headerAt = this.now
    // The fast path for nearly all frames.
    const length = this.opcode === CONTINUATION ? this.lengthOfPlain(buffer, start, end) : NOT_PLAIN
    if (length !== NOT_PLAIN) return this.readPlain(buffer[start] & OPCODE, buffer, start + SHORT_HEADER, start + SHORT_HEADER + length)
    if (end - start < 2) return this.keepHeader(buffer, start, end)
    const problem = this.problemOf(buffer[start], buffer[start + 1])
    if (problem !== '') return this.refuse(PROTOCOL_ERROR, problem)
    const wanted = headerBytes(buffer[start + 1])
    if (end - start < wanted) return this.keepHeader(buffer, start, end)
    return this.begin(buffer, start, wanted)
  }

  // The length of the message at `start` if it is a short one in one frame, all of which is there; otherwise NOT_PLAIN.
  lengthOfPlain (buffer, start, end) {
    if (end - start < SHORT_HEADER) return NOT_PLAIN
    const first = buffer[start]
    const length = buffer[start + 1]
    const isPlain = (first === (FIN | TEXT) || first === (FIN | BINARY)) && length < 126 && start + SHORT_HEADER + length <= end && length <= this.limit
    return isPlain ? length : NOT_PLAIN
  }

  readPlain (opcode, buffer, start, end) {
    if (opcode === TEXT && !isText(buffer, start, end)) return this.refuse(INVALID_DATA, 'a text that is not UTF-8')
    this.owner.onMessage(opcode, buffer, start, end, this.now)
    return end
  }

  keepHeader (buffer, start, end) {
    buffer.copy(this.header, this.headerLength, start, end)
    this.headerLength += end - start
    return end
  }

  continueHeader (buffer, start, end) {
    const { header } = this
    let position = start
    if (this.headerLength === 1) {
      position = this.fillHeader(buffer, position, end, 2)
      const problem = this.problemOf(header[0], header[1])
      if (problem !== '') return this.refuse(PROTOCOL_ERROR, problem)
    }
    const wanted = headerBytes(header[1])
    position = this.fillHeader(buffer, position, end, wanted)
    if (this.headerLength < wanted) return position
    this.headerLength = 0
    const behind = this.begin(header, 0, wanted)
    return behind === Infinity ? behind : position
  }

  fillHeader (buffer, start, end, wanted) {
    return this.keepHeader(buffer, start, Math.min(end, start + wanted - this.headerLength))
  }

  // Handles a complete header. Returns the position after it.
  begin (buffer, start, headerLength) {
    const first = buffer[start]
    const short = buffer[start + 1] & LENGTH
    let length = short
    if (short === 126) {
      length = buffer.readUInt16BE(start + 2)
    } else if (short === 127) {
      const upper = buffer.readUInt32BE(start + 2)
      if (upper > MOST_IN_UPPER_HALF) return this.refuse(TOO_BIG, 'a frame of more octets than can be counted')
      length = upper * 2 ** 32 + buffer.readUInt32BE(start + 6)
    }
    this.first = first
    const opcode = first & OPCODE
    if (isControl(opcode)) this.controlLength = 0
    else if (!this.beginData(opcode, length)) return Infinity
    this.missing = length
    if (length === 0) this.endFrame()
    return start + headerLength
  }

  problemOf (first, second) {
    const opcode = first & OPCODE
    const isFinal = (first & FIN) !== 0
    if ((first & RSV2_RSV3) !== 0) return 'a frame with a reserved bit'
    if (isReserved(opcode)) return `a frame with the reserved opcode ${opcode}`
    if ((first & RSV1) !== 0 && (this.inflater === null || isControl(opcode) || opcode === CONTINUATION)) return 'a frame with a reserved bit'
    if (isControl(opcode)) {
      if (!isFinal) return 'a control frame in fragments'
      if ((second & LENGTH) > MOST_CONTROL_BYTES) return `a control frame of more than ${MOST_CONTROL_BYTES} octets`
      if (opcode === CLOSE && (second & LENGTH) === 1) return 'a Close frame with half a code'
    } else if (opcode === CONTINUATION) {
      if (this.opcode === CONTINUATION) return 'a continuation frame without a message to continue'
    } else if (this.opcode !== CONTINUATION) {
      return 'a message within another one'
    }
    // Section 5.1.
    return (second & MASK) === 0 ? '' : 'a frame with a mask, which no server has'
  }

  // Begins a data frame. Returns whether the message's length is within the limit.
  beginData (opcode, length) {
    if (opcode !== CONTINUATION) this.beginMessage(opcode)
    this.announced += length
    if (this.announced <= (this.isDeflated ? compressedLimit(this.limit) : this.limit)) return true
    this.refuse(TOO_BIG, `a message of more than ${this.limit} octets`)
    return false
  }

  beginMessage (opcode) {
    this.opcode = opcode
    this.isDeflated = (this.first & RSV1) !== 0
    this.announced = 0
    this.length = 0
    this.firstByteAt = this.headerAt
    // A compressed message can only be decompressed as a whole.
    this.isKept = this.wantsPayload || this.isDeflated
    if (opcode !== TEXT || this.isDeflated) return
    this.text ??= new TextCheck()
    this.text.reset()
  }

  // --- payloads

  readOn (buffer, start, end) {
    const stop = Math.min(end, start + this.missing)
    if (isControl(this.first & OPCODE)) this.keepControl(buffer, start, stop)
    else if (this.length === 0 && stop - start === this.missing && (this.first & FIN) !== 0) return this.readWhole(buffer, start, stop)
    else this.take(buffer, start, stop)
    this.missing -= stop - start
    if (this.missing === 0) this.endFrame()
    return stop
  }

  // Handles a payload that arrives complete.
  readWhole (buffer, start, end) {
    this.missing = -1
    this.endMessage(buffer, start, end)
    return end
  }

  take (buffer, start, end) {
    if (this.opcode === TEXT && !this.isDeflated) this.text.add(buffer, start, end)
    if (this.isKept) this.keep(buffer, start, end)
    this.length += end - start
  }

  keep (buffer, start, end) {
    const wanted = this.length + end - start
    if (this.kept === null || this.kept.length < wanted) {
      const larger = Buffer.allocUnsafe(Math.max(FIRST_KEPT_BYTES, Math.min(2 * wanted, this.announced)))
      if (this.kept !== null) this.kept.copy(larger, 0, 0, this.length)
      this.kept = larger
    }
    buffer.copy(this.kept, this.length, start, end)
  }

  keepControl (buffer, start, end) {
    this.control ??= Buffer.allocUnsafe(MOST_CONTROL_BYTES)
    buffer.copy(this.control, this.controlLength, start, end)
    this.controlLength += end - start
  }

  endFrame () {
    this.missing = -1
    if (isControl(this.first & OPCODE)) this.endControl()
    else if ((this.first & FIN) !== 0) this.endGathered()
  }

  // Handles the end of a message that arrived in pieces.
  endGathered () {
    const { kept, length } = this
    this.kept = null
    if (this.opcode === TEXT && !this.isDeflated && !this.text.isWhole) {
      this.refuse(INVALID_DATA, 'a text that is not UTF-8')
    } else if (this.isDeflated) {
      this.endDeflated(kept === null ? NOTHING : kept.subarray(0, length))
    } else {
      this.tell(this.isKept && kept === null ? NOTHING : kept, 0, length)
    }
  }

  endMessage (buffer, start, end) {
    if (this.isDeflated) this.endDeflated(buffer.subarray(start, end))
    else if (this.opcode === TEXT && !isText(buffer, start, end)) this.refuse(INVALID_DATA, 'a text that is not UTF-8')
    else this.tell(buffer, start, end)
  }

  endDeflated (bytes) {
    const inflated = this.inflater.inflate(bytes, this.limit)
    if (inflated === null && this.inflater.isTooLarge) this.refuse(TOO_BIG, `a message of more than ${this.limit} octets`)
    else if (inflated === null) this.refuse(INVALID_DATA, 'a message that cannot be decompressed')
    else if (this.opcode === TEXT && !isText(inflated, 0, inflated.length)) this.refuse(INVALID_DATA, 'a text that is not UTF-8')
    else this.tell(inflated, 0, inflated.length)
  }

  tell (buffer, start, end) {
    const { opcode } = this
    this.opcode = CONTINUATION
    this.owner.onMessage(opcode, buffer, start, end, this.firstByteAt)
  }

  // --- control frames (section 5.5), which may come between the frames of a message

  endControl () {
    const opcode = this.first & OPCODE
    const { control, controlLength } = this
    if (opcode === CLOSE) this.readClose(control, controlLength)
    else if (opcode === PING) this.owner.onPing(control ?? NOTHING, 0, controlLength)
    else this.owner.onPong()
  }

  readClose (control, length) {
    if (length === 0) {
      this.stopped = true
      this.owner.onClose(NO_STATUS, '')
      return
    }
    const code = control.readUInt16BE(0)
    if (!isCloseCode(code)) {
      this.refuse(PROTOCOL_ERROR, `a Close frame with the code ${code}`)
    } else if (!isText(control, 2, length)) {
      this.refuse(INVALID_DATA, 'a Close frame whose reason is not UTF-8')
    } else {
      this.stopped = true
      this.owner.onClose(code, control.toString('utf8', 2, length))
    }
  }

  refuse (code, problem) {
    this.stopped = true
    this.owner.onViolation(code, problem)
    return Infinity
  }
}

// The limit applies to decompressed messages, but incompressible data becomes longer: with the smallest memory level and
// unsuitable codes, by an eighth or slightly more.
function compressedLimit (limit) {
  return limit + Math.ceil(limit / 7) + 64
}

function headerBytes (second) {
  const length = second & LENGTH
  return length < 126 ? 2 : length === 126 ? 4 : LONGEST_HEADER
}

module.exports = FrameReader
