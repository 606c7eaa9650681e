'use strict'

const { HEAD_BYTES } = require('./frames')

/** What of the bytes of a connection is of which answer, so that the world knows when the client has read it, and what it knows by then. */
class Http2Replies {
  constructor (socket) {
    this.socket = socket
    this.read_ = 0
    this.written = 0
    this.expected = []
  }

  /**
   * @param {object|'nonsense'|null} what the request that is answered; no frame at all; a frame that answers nothing
   * @param {number} length octets that are sent of it
   * @param {?object} frame
   * @param {{ isLast: boolean, eventEnds: number[] }} [of] of an answer: whether it is its last one, and where in it events end
   */
  add (what, length, frame, { isLast = false, eventEnds = [] } = {}) {
    const start = this.written
    this.written += length
    this.expected.push({ what, start, end: this.written, isLast, eventEnds: eventEnds.map((end) => start + end), frame, hasBegun: false })
  }

  read (length, now) {
    const { socket: { requests: { rules } }, expected } = this
    // The world has come to its end.
    if (rules === null) return
    this.read_ += length
    rules.beginTurn()
    while (expected.length > 0) {
      const [next] = expected
      const { what, start, end, isLast, eventEnds, frame } = next
      // Nobody reads on behind it.
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

// What has come with the last byte of an answer. One that is harmed is none.
function endingOf ({ harm }, isReset) {
  if (isReset) return 'resetAt'
  return harm === undefined ? 'receivedAt' : 'spoiledAt'
}

module.exports = Http2Replies
