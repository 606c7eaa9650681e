'use strict'

const { wordsOf } = require('./frames')

/** The request bodies that arrive on one connection, and the windows that the server grants for them. */
class Uploads {
  /** @param {Http2ServerConnection} connection */
  constructor (connection) {
    this.connection = connection
    /** By stream: `{ request, pieces, length, consumed, isAnswered, early, shift }`. */
    this.byStream = new Map()
    this.consumed = 0
    this.count = 0
  }

  /** Number of uploads in progress. */
  get size () {
    return this.byStream.size
  }

  has (id) {
    return this.byStream.has(id)
  }

  drop (id) {
    this.byStream.delete(id)
  }

  /** A request whose body will follow. */
  begin (request) {
    const { firstCredit, early, shift } = this.connection.habits
    this.count++
    const ofThis = (what) => what !== null && this.count % what.every === 0 ? what : null
    const upload = { request, pieces: [], length: 0, consumed: 0, isAnswered: false, early: ofThis(early), shift: ofThis(shift) }
    this.byStream.set(request.stream, upload)
    if (firstCredit > 0) this.credit(request.stream, firstCredit)
    this.wentOn(upload)
  }

  // More of the body has arrived.
  wentOn (upload) {
    const { shift, length } = upload
    if (shift !== null && length >= shift.after) {
      upload.shift = null
      shift.steps.forEach((settings, index) => this.connection.later(index * shift.apart, () => this.connection.announce(settings)))
    }
    this.answerEarly(upload)
  }

  /** A DATA frame has arrived, on any stream. */
  receive ({ stream, payload, endsStream }) {
    const { habits } = this.connection
    this.consumed += payload.length
    if (this.consumed >= habits.creditAt) {
      this.credit(0, this.consumed)
      this.consumed = 0
    }
    const upload = this.byStream.get(stream)
    if (upload === undefined) return
    upload.pieces.push(payload)
    upload.length += payload.length
    upload.consumed += payload.length
    if (endsStream) return this.ended(upload)
    this.creditStream(upload)
    this.wentOn(upload)
  }

  /** The window of streams has changed: grants it to streams that are waiting, because they won't send data that would trigger it. */
  creditAll () {
    for (const upload of this.byStream.values()) this.creditStream(upload)
  }

  creditStream (upload) {
    const { habits, initialWindow } = this.connection
    if (upload.consumed === 0 || upload.consumed < Math.min(habits.streamCreditAt, initialWindow)) return
    this.credit(upload.request.stream, upload.consumed)
    upload.consumed = 0
  }

  credit (stream, increment) {
    this.connection.say('WINDOW_UPDATE', 0, stream, wordsOf(increment))
  }

  ended (upload) {
    const { request, pieces, isAnswered } = upload
    this.byStream.delete(request.stream)
    Object.defineProperty(request.entry, 'body', { value: Buffer.concat(pieces) })
    if (!isAnswered) this.connection.begin(request)
    this.connection.endIfDone()
  }

  answerEarly (upload) {
    const { early, request, length, isAnswered } = upload
    if (early === null || isAnswered || length < early.after) return
    upload.isAnswered = true
    if (early.then !== undefined) {
      this.connection[early.then]()
    } else if (early.rst === undefined) {
      this.connection.begin(request)
    } else {
      this.drop(request.stream)
      this.connection.refuse(request, early.rst)
    }
  }
}

module.exports = Uploads
