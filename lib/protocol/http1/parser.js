'use strict'

const { badResponse } = require('../../base/faults')
const { Head, parseHead, resumeHead, INCOMPLETE, INVALID, MAX_HEAD_BYTES, CR, LF } = require('../../http/head')
const ChunkedBody = require('./chunked')

// The states: what the next byte belongs to.
const HEAD = 0
const FIXED_BODY = 1
const CHUNKED_BODY = 2
const BODY_UNTIL_CLOSE = 3

const NOT_CUT = -1

/**
 * Splits the bytes of one connection into responses (RFC 9112), however they are split into packets. It knows nothing about
 * requests; its owner does.
 *
 * The owner has `memo()` (returns the HeadMemo for the next response, or null if none is expected), `onInformational(status)`,
 * `onHead(head, buffer, start, end)` (returns true if the request implies that the response has no body), `onLastResponse()`
 * (the body lasts until the close), `onComplete(status, bytes, firstByteAt)`, and for responses with `wantsBody`,
 * `onBody(buffer, start, end)` and `onChunkEnd(position)`. The owner can set `stopped` to end parsing, set `fault` if it
 * finds an error itself, and call `cut(position)` to end a body early.
 */
class ResponseParser {
  constructor (owner) {
    this.owner = owner
    this.scratch = new Head()
    this.chunks = null
    this.partial = null
    this.reset()
  }

  /** Starts over for a new connection. */
  reset () {
    this.state = HEAD
    this.status = 0
    this.remaining = 0
    this.bytes = 0
    this.firstByteAt = 0
    this.statusLineAt = 0
    /** For the current response: the bytes of its head, of its body, and after its last chunk. */
    this.headBytes = 0
    this.contentBytes = 0
    this.footerBytes = 0
    this.partialLength = 0
    /** Why the response cannot be read, see base/faults.js. */
    this.fault = null
    this.stopped = false
    /** Set by the owner in onHead: whether onBody gets this response's body. */
    this.wantsBody = false
    this.cutAt = NOT_CUT
  }

  /** For onBody: whether the current piece is the last one of a body of known length. */
  get isBodyWhole () {
    return this.state === FIXED_BODY && this.remaining === 0
  }

  /** Whether a response has begun and not ended. */
  get midway () {
    return this.state !== HEAD || this.partialLength > 0
  }

  /** Whether the head of a response has been read and its body has not. */
  get isInBody () {
    return this.state !== HEAD
  }

  /** Whether a final response is known to have begun, because its status line has arrived. */
  get hasStatus () {
    return this.isInBody || (this.partialLength > 0 && this.scratch.bytesRead > 0 && this.scratch.status >= 200)
  }

  /** The status of that response. */
  get finalStatus () {
    return this.isInBody ? this.status : this.scratch.status
  }

  /**
   * @param {Buffer} buffer
   * @param {number} length how many bytes of it are valid
   * @param {number} now when they arrived, ms
   * @param {number} [start] the position of the first byte to parse
   * @returns {boolean} false if the bytes are not a valid response; `fault` says why
   */
  execute (buffer, length, now, start = 0) {
    let position = start
    while (position < length && !this.stopped) {
      switch (this.state) {
        case HEAD:
          position = this.readHead(buffer, position, length, now)
          break
        case FIXED_BODY:
          position = this.readFixedBody(buffer, position, length)
          break
        case CHUNKED_BODY:
          position = this.readChunkedBody(buffer, position, length)
          break
        default:
          position = this.readUntilClose(buffer, position, length)
      }
      if (this.fault !== null) return false
    }
    return true
  }

  /**
   * Handles the end of the server's stream.
   *
   * @returns {boolean} whether this completed a response whose body lasts until the close
   */
  finish () {
    if (this.state !== BODY_UNTIL_CLOSE) return false
    this.complete()
    return true
  }

  /** For onBody and onChunkEnd: completes the response at `position`; whatever follows is ignored. */
  cut (position) {
    this.cutAt = position
    if (this.chunks !== null) this.chunks.isHalted = true
  }

  readHead (buffer, start, length, now) {
    if (this.partialLength > 0) return this.continueHead(buffer, start, length, now)
    // Some old servers send an empty line after a body; it does not belong to the next response.
    if (buffer[start] === CR || buffer[start] === LF) return start + 1
    this.firstByteAt = now
    this.statusLineAt = now
    const memo = this.owner.memo()
    if (memo === null) return this.fail('it responds to a request that was never sent')
    if (memo.matches(buffer, start, length)) {
      const end = start + memo.bytes.length
      this.beginBody(memo.head, buffer, start, end)
      return end
    }
    const end = parseHead(buffer, start, Math.min(length, start + MAX_HEAD_BYTES), this.scratch)
    if (end === INCOMPLETE) return this.awaitRest(this.keepHead(buffer, start, length))
    if (end === INVALID) return this.fail(this.scratch.problem)
    memo.remember(buffer, start, end, this.scratch)
    this.beginBody(this.scratch, buffer, start, end)
    return end
  }

  // Handles a head that arrives in several pieces, the general but slower way. Each byte is copied once, and each line is
  // parsed once.
  continueHead (buffer, start, length, now) {
    const before = this.partialLength
    // Nothing is parsed until the status line is complete.
    if (this.scratch.bytesRead === 0) this.statusLineAt = now
    const position = this.keepHead(buffer, start, length)
    const end = resumeHead(this.partial, this.partialLength, this.scratch)
    if (end === INCOMPLETE) return this.awaitRest(position)
    if (end === INVALID) return this.fail(this.scratch.problem)
    this.partialLength = 0
    this.beginBody(this.scratch, this.partial, 0, end)
    this.partial = null
    return start + end - before
  }

  // Copies at most as much as a head may have, since the end of the head may be followed by a body.
  keepHead (buffer, start, length) {
    const end = Math.min(length, start + MAX_HEAD_BYTES - this.partialLength)
    const wanted = this.partialLength + end - start
    if (this.partial === null || this.partial.length < wanted) {
      const larger = Buffer.allocUnsafe(Math.max(512, wanted * 2))
      if (this.partial !== null) this.partial.copy(larger, 0, 0, this.partialLength)
      this.partial = larger
    }
    buffer.copy(this.partial, this.partialLength, start, end)
    this.partialLength = wanted
    return end
  }

  awaitRest (position) {
    return this.partialLength < MAX_HEAD_BYTES ? position : this.fail(`its head is longer than ${MAX_HEAD_BYTES} bytes`)
  }

  // Determines where the body ends (RFC 9112, section 6.3).
  beginBody (head, buffer, start, end) {
    this.bytes = this.headBytes = end - start
    this.status = head.status
    if (head.status < 200) {
      this.owner.onInformational(head.status)
      return
    }
    this.wantsBody = false
    const withoutBody = this.owner.onHead(head, buffer, start, end)
    if (this.stopped || this.fault !== null) return
    if (withoutBody || head.status === 204 || head.status === 304) {
      this.complete()
    } else if (head.chunked) {
      this.chunks ??= new ChunkedBody()
      this.chunks.begin()
      this.state = CHUNKED_BODY
    } else if (head.contentLength === 0 && !head.hasTransferEncoding) {
      this.complete()
    } else if (head.contentLength > 0 && !head.hasTransferEncoding) {
      this.remaining = head.contentLength
      this.state = FIXED_BODY
    } else {
      this.state = BODY_UNTIL_CLOSE
      this.owner.onLastResponse()
    }
  }

  readFixedBody (buffer, position, length) {
    const piece = Math.min(this.remaining, length - position)
    const end = position + piece
    this.bytes += piece
    this.remaining -= piece
    if (this.wantsBody) this.owner.onBody(buffer, position, end)
    if (this.fault === null) {
      if (this.cutAt !== NOT_CUT) this.completeCut(end)
      else if (this.remaining === 0) this.complete()
    }
    return end
  }

  readChunkedBody (buffer, position, length) {
    const end = this.chunks.read(buffer, position, length, this.wantsBody ? this.owner : null)
    this.bytes += end - position
    if (this.chunks.problem !== '') return this.fail(this.chunks.problem)
    if (this.fault === null) {
      if (this.cutAt !== NOT_CUT) this.completeCut(end)
      else if (this.chunks.done) this.complete()
    }
    return end
  }

  readUntilClose (buffer, position, length) {
    this.bytes += length - position
    if (this.wantsBody) this.owner.onBody(buffer, position, length)
    if (this.cutAt !== NOT_CUT && this.fault === null) this.completeCut(length)
    return length
  }

  // Excludes the bytes after the cut.
  completeCut (end) {
    this.bytes -= end - this.cutAt
    if (this.state === CHUNKED_BODY) this.chunks.content -= end - this.cutAt
    this.complete()
  }

  /** Completes the response, with what has arrived of it. The owner may call this too. */
  complete () {
    const isChunked = this.state === CHUNKED_BODY
    this.contentBytes = isChunked ? this.chunks.content : this.bytes - this.headBytes
    this.footerBytes = isChunked ? this.chunks.footer : 0
    this.state = HEAD
    this.cutAt = NOT_CUT
    this.owner.onComplete(this.status, this.bytes, this.firstByteAt)
  }

  fail (problem) {
    this.fault = badResponse(problem)
    return -1
  }
}

module.exports = ResponseParser
