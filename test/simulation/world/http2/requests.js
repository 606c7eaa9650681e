'use strict'

const ClientRules = require('./client-rules')
const { FLAGS: { ACK, END_STREAM }, MAGIC, firstFrame } = require('./frames')

// A client that writes more than this after the world has ended is in a loop.
const MOST_WRITES_AFTER_END = 1000

/**
 * Like Requests, for HTTP/2: reads the frames that a client writes. A request is sent at the end of its header block. A violation of
 * the protocol ends the world.
 */
class Http2Requests {
  /** @param {World} world */
  constructor (world) {
    this.world = world
    this.rules = new ClientRules()
    this.rest = Buffer.alloc(0)
    this.hasMagic = false
    this.written = 0
    this.arrived = 0
    /** The requests by stream. */
    this.byStream = new Map()
    this.onTheirWay = []
    /** Number of writes after a violation. */
    this.writesAfterEnd = 0
  }

  /** @returns {object[]} the requests whose header blocks end in these bytes */
  read (bytes, now) {
    const begun = []
    if (this.rules === null && ++this.writesAfterEnd > MOST_WRITES_AFTER_END) throw new Error('the client goes on writing, though it has broken a rule of HTTP/2')
    this.rest = Buffer.concat([this.rest, bytes])
    this.written += bytes.length
    if (!this.hasMagic && !this.readMagic()) return begun
    for (let frame = firstFrame(this.rest); frame !== null; frame = firstFrame(this.rest)) {
      this.rest = this.rest.subarray(frame.length)
      const head = this.judge((rules) => rules.wrote(frame)) ?? null
      if (head !== null) begun.push(this.begin(head, now))
      else if (frame.type !== 'HEADERS' && frame.type !== 'CONTINUATION') this.depart(frame)
      if (frame.type === 'RST_STREAM') this.cancel(frame, now)
    }
    return begun
  }

  readMagic () {
    const said = this.rest.toString('latin1', 0, MAGIC.length)
    this.judge(() => { if (!MAGIC.startsWith(said)) throw new Error(`it begins with ${JSON.stringify(said)}`) })
    if (said.length < MAGIC.length) return false
    this.hasMagic = true
    this.rest = this.rest.subarray(MAGIC.length)
    return true
  }

  // After a violation, nothing is checked.
  judge (look) {
    if (this.rules === null) return
    try {
      return look(this.rules)
    } catch (error) {
      this.rules = null
      this.world.violated(`the client breaks a rule of HTTP/2: ${error.message}`)
    }
  }

  begin ({ method, path, stream, isWhole, fields }, now) {
    const request = { type: 'REQUEST', sentAt: now, method, path, stream, isWhole, fields }
    this.byStream.set(stream, request)
    this.depart(request)
    return request
  }

  depart (frame) {
    frame.end = this.written - this.rest.length
    frame.isAck = (frame.flags & ACK) !== 0
    frame.endsStream = (frame.flags & END_STREAM) !== 0
    this.onTheirWay.push(frame)
  }

  // Nothing that arrives for this stream is read any more.
  cancel ({ stream, payload }, now) {
    const request = this.byStream.get(stream)
    if (request !== undefined) Object.assign(request.entry, { cancelledAt: now, cancelledWith: payload.readUInt32BE(0) })
  }

  arrive (length) {
    this.arrived += length
    const whole = []
    while (this.onTheirWay.length > 0 && this.onTheirWay[0].end <= this.arrived) whole.push(this.onTheirWay.shift())
    return whole
  }

  /** The server sends something invalid: the client is right to report an error. */
  hearsLie () {
    if (this.rules !== null) this.rules.isLiedTo = true
  }

  /** The client has processed what it read. */
  endTurn (isHeldUp) {
    this.judge((rules) => rules.endTurn(isHeldUp))
  }
}

module.exports = Http2Requests
