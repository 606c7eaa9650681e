'use strict'

const { DATA, PADDED, FRAME_HEADER_BYTES, DEFAULT_FRAME_SIZE, PROTOCOL_ERROR, FRAME_SIZE_ERROR, typeName } = require('./constants')

// The states: what the next octet belongs to.
const FRAME = 0
const PAD_LENGTH = 1
const PAYLOAD = 2
const PADDING = 3

/**
 * Splits the octets of one connection into frames (RFC 9113, section 4), however they are split into packets. A frame that
 * arrives complete is not copied; DATA is passed on piece by piece as it arrives; any other incomplete frame is kept until the
 * rest arrives.
 *
 * The owner has
 * `onFrame(type, flags, streamId, buffer, start, end)`: any frame except DATA; its payload is valid only during the call;
 * `onDataFrame(flags, streamId, length)`: a DATA frame begins; `length` includes its padding;
 * `onData(buffer, start, end)`: a piece of its payload; `onDataEnd(flags)`: the frame has ended;
 * `onFrameError(code, problem)`: the data is invalid, and reading stops.
 * The owner can set `stopped` to end reading.
 */
class FrameReader {
  constructor (owner) {
    this.owner = owner
    this.partial = null
    this.reset()
  }

  /** Starts over for a new connection. */
  reset () {
    this.state = FRAME
    this.stopped = false
    /** How many octets of an incomplete frame have arrived. */
    this.partialLength = 0
    this.flags = 0
    this.remaining = 0
    this.padding = 0
    /** When the first octet of the current frame arrived, ms. */
    this.frameAt = 0
    this.now = 0
  }

  /** Whether a frame has begun and not ended. */
  get midway () {
    return this.state !== FRAME || this.partialLength > 0
  }

  /**
   * @param {Buffer} buffer
   * @param {number} length how many octets of it are valid
   * @param {number} now when they arrived, ms
   */
  execute (buffer, length, now) {
    this.now = now
    let position = 0
    while (position < length && !this.stopped) {
      if (this.state === FRAME) position = this.readFrame(buffer, position, length)
      else position = this.readDataOn(buffer, position, length)
    }
  }

  readFrame (buffer, start, length) {
    if (this.partialLength > 0) return this.continueFrame(buffer, start, length)
    this.frameAt = this.now
    const bodyStart = start + FRAME_HEADER_BYTES
    if (bodyStart > length) return this.keep(buffer, start, length)
    const size = buffer[start] << 16 | buffer[start + 1] << 8 | buffer[start + 2]
    const type = buffer[start + 3]
    if (size > DEFAULT_FRAME_SIZE) return this.failSize(type, size)
    const flags = buffer[start + 4]
    const streamId = streamIdAt(buffer, start + 5)
    if (type === DATA) {
      this.beginData(flags, streamId, size)
      return bodyStart
    }
    const end = bodyStart + size
    if (end > length) return this.keep(buffer, start, length)
    this.owner.onFrame(type, flags, streamId, buffer, bodyStart, end)
    return end
  }

  // Reads a frame that arrives in pieces: first its header, which contains its length.
  continueFrame (buffer, start, length) {
    const position = this.fill(buffer, start, length, FRAME_HEADER_BYTES)
    if (this.partialLength < FRAME_HEADER_BYTES) return position
    const { partial } = this
    const size = partial[0] << 16 | partial[1] << 8 | partial[2]
    const type = partial[3]
    if (size > DEFAULT_FRAME_SIZE) return this.failSize(type, size)
    const flags = partial[4]
    const streamId = streamIdAt(partial, 5)
    if (type === DATA) {
      this.partialLength = 0
      this.beginData(flags, streamId, size)
      return position
    }
    const whole = FRAME_HEADER_BYTES + size
    const end = this.fill(buffer, position, length, whole)
    if (this.partialLength < whole) return end
    this.partialLength = 0
    const frame = this.partial
    this.partial = null
    this.owner.onFrame(type, flags, streamId, frame, FRAME_HEADER_BYTES, whole)
    return end
  }

  keep (buffer, start, length) {
    return this.fill(buffer, start, length, FRAME_HEADER_BYTES + DEFAULT_FRAME_SIZE)
  }

  // Copies octets until `wanted` of them are kept.
  fill (buffer, start, length, wanted) {
    const end = Math.min(length, start + Math.max(0, wanted - this.partialLength))
    const kept = this.partialLength + end - start
    if (this.partial === null || this.partial.length < kept) {
      const larger = Buffer.allocUnsafe(Math.max(256, Math.min(kept * 2, FRAME_HEADER_BYTES + DEFAULT_FRAME_SIZE)))
      if (this.partial !== null) this.partial.copy(larger, 0, 0, this.partialLength)
      this.partial = larger
    }
    buffer.copy(this.partial, this.partialLength, start, end)
    this.partialLength = kept
    return end
  }

  // --- DATA (section 6.1)

  beginData (flags, streamId, size) {
    this.flags = flags
    this.remaining = size
    this.padding = 0
    this.owner.onDataFrame(flags, streamId, size)
    if (this.stopped) return
    if ((flags & PADDED) !== 0) {
      if (size === 0) this.fail(FRAME_SIZE_ERROR, 'a DATA frame with padding has no room for its length')
      else this.state = PAD_LENGTH
    } else if (size === 0) {
      this.endData()
    } else {
      this.state = PAYLOAD
    }
  }

  readDataOn (buffer, position, length) {
    if (this.state === PAD_LENGTH) return this.readPadLength(buffer, position)
    const end = Math.min(length, position + this.remaining)
    this.remaining -= end - position
    if (this.state === PAYLOAD) this.owner.onData(buffer, position, end)
    if (this.remaining === 0 && !this.stopped) this.endPart()
    return end
  }

  readPadLength (buffer, position) {
    this.padding = buffer[position]
    this.remaining -= 1 + this.padding
    if (this.remaining < 0) return this.fail(PROTOCOL_ERROR, 'the padding of a DATA frame is longer than the frame')
    this.state = PAYLOAD
    if (this.remaining === 0) this.endPart()
    return position + 1
  }

  endPart () {
    if (this.state === PAYLOAD && this.padding > 0) {
      this.state = PADDING
      this.remaining = this.padding
    } else {
      this.endData()
    }
  }

  endData () {
    this.state = FRAME
    this.owner.onDataEnd(this.flags)
  }

  // --- errors

  failSize (type, size) {
    return this.fail(FRAME_SIZE_ERROR, `a ${typeName(type)} frame of ${size} octets, more than the ${DEFAULT_FRAME_SIZE} allowed`)
  }

  fail (code, problem) {
    this.owner.onFrameError(code, problem)
    this.stopped = true
    return Infinity
  }
}

// The first bit is reserved and must be ignored.
function streamIdAt (buffer, at) {
  return (buffer[at] & 127) << 24 | buffer[at + 1] << 16 | buffer[at + 2] << 8 | buffer[at + 3]
}

module.exports = FrameReader
