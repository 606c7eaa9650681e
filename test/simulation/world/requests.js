'use strict'

const { isEvent } = require('./socketio')
const { clientFrame } = require('./websocket')

const END_OF_HEAD = '\r\n\r\n'
const MOST_HEADS_KEPT = 1000

// A cache of parsed heads, because most of them are repeated.
const heads = new Map()

/*
 * Parses the requests that a client writes to one connection. They are parsed when they are written, whereas only their bytes go over
 * the wire, so that they may arrive in any pieces.
 */
class Requests {
  constructor () {
    this.text = ''
    this.written = 0
    this.arrived = 0
    /** The request whose bytes are being written. */
    this.current = null
    /** Requests whose bytes haven't all arrived, oldest first. */
    this.onTheirWay = []
    /** After a WebSocket handshake, requests are frames: `method` is the type, `path` the contents. */
    this.areFrames = false
    /** With Socket.IO, text frames with events are messages; for other packets, `method` is 'PACKET'. */
    this.arePackets = false
    this.isClosed = false
    /** With WebSocket, if compression was agreed on. */
    this.deflation = null
  }

  /**
   * @param {Buffer} bytes
   * @param {number} now us
   * @returns {object[]} the requests that begin in them
   */
  read (bytes, now) {
    const begun = []
    this.text += bytes.latin1Slice(0, bytes.length)
    this.written += bytes.length
    for (;;) {
      if (this.areFrames) return [...begun, ...this.readFrames(now)]
      if (this.current === null) {
        if (this.text.length === 0) return begun
        this.current = { sentAt: now, wholeAt: null, end: Infinity, arrivedAt: null, method: '', path: '', isChunked: false, length: null }
        begun.push(this.current)
      }
      if (!this.advance(now)) return begun
    }
  }

  readFrames (now) {
    const frames = []
    let rest = Buffer.from(this.text, 'latin1')
    for (let frame = clientFrame(rest, this.deflation); frame !== null; frame = clientFrame(rest, this.deflation)) {
      rest = rest.subarray(frame.length)
      const request = { sentAt: now, wholeAt: now, end: this.written - rest.length, arrivedAt: null, ...frame }
      if (this.arePackets && request.method === 'TEXT' && !isEvent(request.path)) request.method = 'PACKET'
      frames.push(request)
      if (request.method === 'CLOSE') this.isClosed = true
      this.onTheirWay.push(request)
    }
    this.text = this.text.slice(this.text.length - rest.length)
    return frames
  }

  // @returns whether the current request is complete, so that another may begin
  advance (now) {
    const { current } = this
    if (current.length === null && !this.readHead()) return false
    const length = current.isChunked ? this.chunkedLength() : current.length
    if (length === -1 || this.text.length < length) return false
    this.text = this.text.slice(length)
    current.wholeAt = now
    current.end = this.written - this.text.length
    this.onTheirWay.push(current)
    this.current = null
    this.areFrames = current.isUpgrade
    return true
  }

  readHead () {
    const { current, text } = this
    const end = text.indexOf(END_OF_HEAD)
    if (end === -1) return false
    Object.assign(current, saidBy(text.slice(0, end)))
    this.text = text.slice(end + END_OF_HEAD.length)
    return true
  }

  chunkedLength () {
    const end = this.text.startsWith('0\r\n\r\n') ? 0 : this.text.indexOf('\r\n0\r\n\r\n')
    if (end === -1) return -1
    return end === 0 ? 5 : end + 7
  }

  /** @returns {object[]} the requests that are complete after these further bytes */
  arrive (length) {
    this.arrived += length
    const whole = []
    while (this.onTheirWay.length > 0 && this.onTheirWay[0].end <= this.arrived) whole.push(this.onTheirWay.shift())
    return whole
  }
}

function saidBy (head) {
  let said = heads.get(head)
  if (said === undefined) {
    said = readHead(head)
    if (heads.size === MOST_HEADS_KEPT) heads.clear()
    heads.set(head, said)
  }
  return said
}

function readHead (head) {
  const [method, path] = head.split(' ', 2)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)
  return {
    method,
    path,
    head,
    isChunked: /\r\ntransfer-encoding: *chunked/i.test(head),
    isUpgrade: /\r\nupgrade: *websocket/i.test(head),
    length: length === null ? 0 : Number(length[1])
  }
}

module.exports = Requests
