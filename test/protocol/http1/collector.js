'use strict'

const HeadMemo = require('../../../lib/protocol/http1/head-memo')
const { rawHeaders } = require('../../../lib/http/head')
const ResponseParser = require('../../../lib/protocol/http1/parser')
const { RECEIVE_BUFFER } = require('../../../lib/transport/connect')

// As connections do: one buffer for everything that is received.
const STALE = 0x35 // '5': code that reads beyond what was received finds digits there

/**
 * An owner of a parser that records everything. With `fast` false every head is parsed in full; otherwise the memo is used, one for all
 * requests.
 */
class Collector {
  /**
   * @param {string[]} methods of the requests in flight, in order
   * @param {{ memo?: HeadMemo, fast?: boolean }} [opts]
   */
  constructor (methods, { memo = new HeadMemo(), fast = true } = {}) {
    this.methods = methods
    this.isFast = fast
    this.headMemo = memo
    this.buffer = Buffer.alloc(RECEIVE_BUFFER.length, STALE)
    this.parser = new ResponseParser(this)
    this.responses = []
    this.informational = []
    this.current = null
    this.isValid = true
    this.now = 0
  }

  memo () {
    if (this.responses.length >= this.methods.length) return null
    if (!this.isFast) this.headMemo = new HeadMemo()
    return this.headMemo
  }

  onInformational (status) {
    if (status === 101) this.parser.fail('it switches protocols')
    else this.informational.push(status)
  }

  onHead (head, buffer, start, end) {
    const { status, close } = head
    this.current = { status, close, untilClose: false, informational: this.informational, fields: rawHeaders(buffer.subarray(start, end)), body: '' }
    this.informational = []
    this.parser.wantsBody = true
    return this.methods[this.responses.length] === 'HEAD'
  }

  onLastResponse () {
    this.current.untilClose = true
  }

  onBody (buffer, start, end) {
    if (end <= start) throw new Error('a piece of a body with nothing in it')
    this.current.body += buffer.latin1Slice(start, end)
  }

  onChunkEnd () {}

  onComplete (status, bytes, firstByteAt) {
    if (status !== this.current.status) throw new Error('another status than that of the head')
    const { statusLineAt, headBytes, contentBytes, footerBytes } = this.parser
    this.responses.push({ ...this.current, bytes, firstByteAt, parts: { statusLineAt, headBytes, contentBytes, footerBytes } })
    this.current = null
  }

  /** Receives one packet, or several if it is longer than the receive buffer. */
  receive (bytes) {
    for (let start = 0; start < bytes.length && this.isValid; start += RECEIVE_BUFFER.length) {
      const packet = bytes.subarray(start, start + RECEIVE_BUFFER.length)
      this.buffer.fill(STALE)
      packet.copy(this.buffer)
      this.now++
      this.isValid = this.parser.execute(this.buffer, packet.length, this.now)
    }
    return this
  }

  /** Ends the stream. Returns what was parsed in a form that can be compared, without times. */
  end () {
    const wasMidway = this.isValid && this.parser.midway
    const isCutShort = wasMidway && !this.parser.finish()
    return {
      responses: this.responses.map(({ firstByteAt, parts, ...response }) => response),
      informational: this.informational,
      problem: this.isValid ? '' : this.parser.fault.message,
      isCutShort
    }
  }
}

/**
 * Splits bytes into pieces.
 *
 * @param {Buffer} bytes
 * @param {number[]} sizes of the pieces, repeated
 */
function cut (bytes, sizes) {
  const pieces = []
  for (let start = 0, index = 0; start < bytes.length; index++) {
    const end = start + sizes[index % sizes.length]
    pieces.push(bytes.subarray(start, end))
    start = end
  }
  return pieces
}

/** What the parser makes of these bytes when they arrive in these pieces. */
function outcome (methods, pieces, opts) {
  const collector = new Collector(methods, opts)
  for (const piece of pieces) collector.receive(piece)
  return collector.end()
}

module.exports = { Collector, cut, outcome }
