'use strict'

const { HEAD_BYTES } = require('./frames')

/** Records which bytes of a connection belong to which response, so that the world knows when the client has read it, and what it knows by then. */
class Http2Replies {
  constructor (socket) {
    this.socket = socket
    this.read_ = 0
    this.written = 0
    this.expected = []
  }

  /**
   * @param {object|'nonsense'|null} what the request that is answered; 'nonsense': not a frame; null: a frame that isn't part of a response
   * @param {number} length number of bytes sent
   * @param {?object} frame
   * @param {{ isLast: boolean, eventEnds: number[] }} [of] for a response: whether this is its last frame, and where events end in it
   */
  add (what, length, frame, { isLast = false, eventEnds = [] } = {}) {
    const start = this.written
    this.written += length
    this.expected.push({ what, start, end: this.written, isLast, eventEnds: eventEnds.map((end) => start + end), frame, hasBegun: false })
  }

  read (length, now) {
    const { socket: { requests: { rules } }, expected } = this
    // The world has ended.
    if (rules === null) return
    this.read_ += length
    rules.beginTurn()
    while (expected.length > 0) {
      const [next] = expected
      const { what, start, end, isLast, eventEnds, frame } = next
      // The client reads nothing after it.
      if (what === 'nonsense') return
      if (frame.type === 'DATA' && !next.hasBegun && this.read_ >= start + HEAD_BYTES) {
        next.hasBegun = true
        rules.beganData(frame)
      }
      const isAnswer = what !== null && what.cancelledAt === undefined
      const isReset = isAnswer && frame.type === 'RST_STREAM'
      if (isAnswer && !isReset && this.read_ > start) what.firstByteAt ??= now
      if (isAnswer) this.sawEvents(what, eventEnds, now)
      if (this.read_ < end) return
      if (end - start === frame.length) this.ended(frame, rules)
      if (isAnswer && isLast) what[endingOf(what.answer, isReset)] = now
      expected.shift()
    }
  }

  ended (frame, rules) {
    if (!rules.hasReadSettings && frame.type === 'SETTINGS') this.socket.becameUsable()
    rules.read(frame)
  }

  sawEvents (entry, ends, now) {
    const seen = ends.filter((end) => end <= this.read_).length
    ends.splice(0, seen)
    if (seen > 0) entry.eventsAt = [...(entry.eventsAt ?? []), ...new Array(seen).fill(now)]
  }
}

// How a response ends with its last byte. A damaged response doesn't count.
function endingOf ({ harm }, isReset) {
  if (isReset) return 'resetAt'
  return harm === undefined ? 'receivedAt' : 'spoiledAt'
}

module.exports = Http2Replies
