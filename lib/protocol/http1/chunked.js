'use strict'

const { CR, LF, MAX_HEAD_BYTES } = require('../../http/head')

// The states: what the next byte belongs to.
const SIZE_FIRST = 0
const SIZE = 1
const SIZE_SPACE = 2
const EXTENSION = 3
const SIZE_LF = 4
const DATA = 5
const DATA_CR = 6
const DATA_LF = 7
const TRAILER_FIRST = 8
const TRAILER = 9
const TRAILER_LF = 10
const LAST_LF = 11
const DONE = 12

const SEMICOLON = 59
const SPACE = 32
const TAB = 9
const DELETE = 127
// More than any real chunk, and well below where numbers lose precision.
const MAX_CHUNK_BYTES = 2 ** 48

/** Decodes the chunked transfer coding (RFC 9112, section 7.1), however the bytes are split into packets. */
class ChunkedBody {
  constructor () {
    this.begin()
  }

  begin () {
    this.state = SIZE_FIRST
    this.remaining = 0
    // The length of the current chunk's size line, or of the trailers. Their content is not needed, but their length is
    // limited.
    this.overhead = 0
    /** Bytes of the body so far, and bytes after its last chunk. */
    this.content = 0
    this.footer = 0
    this.problem = ''
    /** Set by a reader that wants no more data; makes `read` stop. */
    this.isHalted = false
  }

  get done () {
    return this.state === DONE
  }

  /**
   * Consumes the bytes from `position` to `end`, as far as they belong to the body.
   *
   * @param {?{ onBody: function, onChunkEnd: function }} reader gets the pieces of the body and the end of each chunk; null
   *   if the body is not needed
   * @returns {number} the position of the first unconsumed byte; `problem` is not empty if the coding is invalid
   */
  read (buffer, position, end, reader) {
    while (position < end && this.state !== DONE && this.problem === '' && !this.isHalted) {
      if (this.state === DATA) {
        const piece = Math.min(this.remaining, end - position)
        if (reader !== null) reader.onBody(buffer, position, position + piece)
        this.remaining -= piece
        this.content += piece
        position += piece
        if (this.remaining === 0) {
          this.state = DATA_CR
          if (reader !== null && !this.isHalted) reader.onChunkEnd(position)
        }
      } else {
        if (this.state >= TRAILER_FIRST) this.footer++
        this.take(buffer[position++])
      }
    }
    return position
  }

  // Consumes one byte of the framing.
  take (byte) {
    switch (this.state) {
      case SIZE_FIRST:
      case SIZE:
      case SIZE_SPACE:
        this.takeSize(byte)
        break
      case EXTENSION:
        if (byte === CR) this.state = SIZE_LF
        else if (byte === LF) this.fail('a chunk size line ends without a carriage return')
        else this.takeText(byte)
        break
      case SIZE_LF:
        this.overhead = 0
        this.expect(byte, LF, this.remaining === 0 ? TRAILER_FIRST : DATA)
        break
      case DATA_CR:
        this.expect(byte, CR, DATA_LF)
        break
      case DATA_LF:
        this.expect(byte, LF, SIZE_FIRST)
        break
      case TRAILER_FIRST:
        if (byte === CR) this.state = LAST_LF
        else if (byte === LF) this.state = DONE
        else this.takeTrailer(byte)
        break
      case TRAILER:
        if (byte === CR) this.state = TRAILER_LF
        else if (byte === LF) this.state = TRAILER_FIRST
        else this.takeTrailer(byte)
        break
      case TRAILER_LF:
        this.expect(byte, LF, TRAILER_FIRST)
        break
      case LAST_LF:
        this.expect(byte, LF, DONE)
        break
    }
  }

  takeSize (byte) {
    const digit = this.state === SIZE_SPACE ? -1 : hexadecimal(byte)
    if (digit >= 0) {
      this.remaining = (this.state === SIZE_FIRST ? 0 : this.remaining * 16) + digit
      this.state = SIZE
      if (this.remaining > MAX_CHUNK_BYTES) this.fail('a chunk size is out of range')
      this.countOverhead()
    } else if (this.state === SIZE_FIRST) {
      this.fail('a chunk size is not a hexadecimal number')
    } else if (byte === CR) {
      this.state = SIZE_LF
    } else if (byte === SEMICOLON) {
      this.state = EXTENSION
    } else if (byte === SPACE || byte === TAB) {
      // Some servers pad the size.
      this.state = SIZE_SPACE
      this.countOverhead()
    } else {
      this.fail('a chunk size is not a hexadecimal number')
    }
  }

  takeTrailer (byte) {
    this.state = TRAILER
    this.takeText(byte)
  }

  takeText (byte) {
    if ((byte < SPACE && byte !== TAB) || byte === DELETE) this.fail('a control character in a chunk extension or trailer')
    this.countOverhead()
  }

  expect (byte, wanted, next) {
    if (byte === wanted) this.state = next
    else this.fail('a chunk, or a line between chunks, does not end where it should')
  }

  countOverhead () {
    if (++this.overhead > MAX_HEAD_BYTES) this.fail('a chunk size, its extensions or the trailers do not end')
  }

  fail (problem) {
    this.problem = problem
  }
}

function hexadecimal (byte) {
  if (byte >= 48 && byte <= 57) return byte - 48
  const small = byte | 32
  return small >= 97 && small <= 102 ? small - 87 : -1
}

module.exports = ChunkedBody
