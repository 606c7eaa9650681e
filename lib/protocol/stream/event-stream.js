'use strict'

const isSuccess = require('../../http/success')
const world = require('../../world')
const { LineBuffer, LONGEST_EVENT_BYTES } = require('./line-buffer')

const NOT_CODED = new Set(['', 'identity'])

/**
 * Reads the events of a response as it arrives: counts and times them, passes them to a hook, and cuts the response off at the
 * plan's limit. Each object is reused for one response after another of a connection.
 *
 *     begin ── take, take, …, chunkEnded ── finish, which says when it was complete     (or stop, where it never is)
 *
 * The connection's `streamLimitReached(slot)` is called at the time limit of a response. Counters and readers are loaded on demand, since
 * few runs have streams.
 */
class EventStream {
  /**
   * @param {Connection} connection
   * @param {{ events: string, limit: { events: ?number, seconds: ?number } }} settings of the plan
   */
  constructor (connection, { events, limit }) {
    this.connection = connection
    this.ofChunks = events === 'chunks'
    this.counter = this.ofChunks ? null : new (events === 'lines' ? require('./line-counter') : require('./sse-counter'))()
    /** Reads the events for a hook; chunks need no reader. */
    this.reader = null
    this.chunk = null
    this.kind = events
    this.mostEvents = limit.events ?? Infinity
    this.mostMs = limit.seconds === null ? Infinity : limit.seconds * 1000
    this.timer = null
    this.slot = 0
    this.sentAt = 0
    this.limitAt = Infinity
    this.now = 0
    this.lastAt = 0
    /** Events of this response so far, and how many were passed to a hook. */
    this.count = 0
    this.told = 0
    this.scanner = null
    this.isHeard = false
    this.isMeasured = true
    /** Whether it ends at the limit, not by itself. */
    this.isCut = false
    /** Why reading the body failed, as the end of a sentence; '' if it did not. */
    this.problem = ''
    this.tell = this.tell.bind(this)
    this.onTime = this.onTime.bind(this)
  }

  /**
   * Handles the head of a response.
   *
   * @param {number} slot of the connection
   * @param {{ status: number, coding: string }} head
   * @param {number} sentAt when its request was sent, ms
   * @param {number} now
   */
  begin (slot, { status, coding }, sentAt, now) {
    const { script, owner } = this.connection
    this.slot = slot
    this.sentAt = sentAt
    this.now = now
    this.count = this.told = 0
    this.isCut = false
    this.problem = ''
    this.isMeasured = !owner.plan.excludeErrorStats || isSuccess(status)
    this.isHeard = script !== null && script.wantsEvents(slot)
    this.scanner = this.ofChunks ? null : this.scannerFor(coding)
    if (this.ofChunks && this.isHeard) this.chunk = new LineBuffer()
    if (this.mostMs === Infinity) return
    // If a response begins after its time limit, it is cut off at once.
    this.limitAt = Math.max(sentAt + this.mostMs, now)
    this.timer = world.setTimeout(this.onTime, this.limitAt - now)
  }

  // Returns null if the events cannot be read.
  scannerFor (coding) {
    if (!NOT_CODED.has(coding.trim().toLowerCase())) {
      this.connection.owner.warn({
        code: 'STREAM_NOT_DECODED',
        message: 'Responses came with a Content-Encoding, so their events could not be timed. Do not request compression: remove Accept-Encoding.'
      })
      return null
    }
    if (this.isHeard) this.reader ??= readerOf(this.kind, this.tell)
    const scanner = this.isHeard ? this.reader : this.counter
    scanner.begin()
    return scanner
  }

  /**
   * Handles a piece of the body.
   *
   * @param {Buffer} buffer
   * @param {number} start
   * @param {number} end
   * @param {number} now
   * @returns {?number} where the response is cut off: the end of what still belongs to it; null if it is not cut off
   */
  take (buffer, start, end, now) {
    this.now = now
    if (now >= this.limitAt) return this.cutAt(start)
    const { scanner } = this
    if (scanner === null) {
      if (this.chunk !== null) this.keepChunk(buffer, start, end)
      return null
    }
    const events = scanner.scan(buffer, start, end, this.mostEvents - this.count)
    if (events > 0) this.add(events)
    if (this.isHeard) this.problem = scanner.problem
    return this.count === this.mostEvents ? this.cutAt(scanner.position) : null
  }

  keepChunk (buffer, start, end) {
    this.chunk.add(buffer, start, end)
    if (this.chunk.isTooLong) this.problem = `has a chunk that is longer than the ${LONGEST_EVENT_BYTES} bytes kept for hooks`
  }

  /** Handles the end of a chunk. @returns {boolean} whether the response is cut off after it */
  chunkEnded () {
    if (!this.ofChunks) return false
    if (this.isHeard) this.tell('chunk', this.chunk.finish(this.chunk.bytes, 0, 0), '')
    this.add(1)
    if (this.count === this.mostEvents) this.isCut = true
    return this.isCut
  }

  cutAt (position) {
    this.isCut = true
    return position
  }

  // Counts events that arrived in the same packet, and therefore at the same time.
  add (events) {
    const { stream } = this.connection.owner.recorder
    if (!this.isMeasured) stream.events += events
    else if (this.count === 0) stream.began(events, this.now - this.sentAt)
    else stream.continued(events, this.now - this.lastAt)
    this.count += events
    this.lastAt = this.now
  }

  /** When the last event of this response arrived, ms; NaN if it had none. */
  get newestAt () {
    return this.count === 0 ? NaN : this.lastAt
  }

  tell (type, data, id) {
    this.connection.script.onEvent(this.slot, { type, data, id, index: this.told++, time: this.now - this.sentAt })
  }

  /** The time limit of the response has been reached. */
  onTime () {
    const now = world.now()
    // A timer may fire slightly early.
    if (now < this.limitAt) this.timer = world.setTimeout(this.onTime, this.limitAt - now)
    else this.connection.streamLimitReached(this.slot)
  }

  /**
   * Handles the end of the response, whether by itself or because it was cut off.
   *
   * @param {number} now
   * @returns {number} when it was complete, ms; at most its limit, even if the end is noticed later
   */
  finish (now) {
    this.now = now
    if (now >= this.limitAt) {
      this.isCut = true
      this.now = this.limitAt
    } else if (!this.isCut && this.scanner !== null) {
      const events = this.scanner.end()
      if (events > 0) this.add(events)
    }
    if (this.isMeasured) this.connection.owner.recorder.stream.completed(this.count)
    const { now: completedAt } = this
    this.stop()
    return completedAt
  }

  /** Stops reading the response. */
  stop () {
    if (this.timer !== null) world.clearTimeout(this.timer)
    this.timer = null
    this.limitAt = Infinity
    this.scanner = null
    this.chunk = null
  }
}

function readerOf (kind, onEvent) {
  const { LineReader, SseReader } = require('./readers')
  return kind === 'lines' ? new LineReader(onEvent) : new SseReader(onEvent)
}

module.exports = { EventStream }
