'use strict'

const { badResponse, bodyTooLong, streamReset } = require('../../base/faults')
const world = require('../../world')
const { Progress, NO_PROGRESS } = require('../shared/progress')
const { EventStream } = require('../stream/event-stream')
const { STREAM_CLOSED, CANCEL, errorName } = require('./constants')
const { rstStreamFrame } = require('./frames')
const ResetStreams = require('./reset-streams')
const { AWAITS_HEAD } = require('./stream-table')

/**
 * The responses of one connection: handles what arrives for each, and whether its request is completed, failed or timed out. Most
 * errors end only one stream.
 */
class Responses {
  /** @param {Http2Connection} connection @param {object} plan */
  constructor (connection, plan) {
    this.connection = connection
    this.streams = connection.streams
    this.resets = new ResetStreams()
    /** By slot, the readers for event-stream responses; null without them. */
    this.events = plan.stream === null ? null : []
  }

  /** Whether the text of a body is enough for hooks. */
  get isTextEnough () {
    return true
  }

  // --- what comes

  /** Whether the response in a slot has no body because it answers a HEAD request. */
  isHead (slot) {
    const { script, train } = this.connection
    return script === null ? train.isHead(this.streams.endpoint[slot]) : script.isHead(slot)
  }

  headCame (slot, head) {
    const { connection } = this
    if (connection.script !== null) this.streams.wantsBody[slot] = connection.script.onHead(slot, head) ? 1 : 0
    if (this.events === null) return
    this.events[slot] ??= new EventStream(connection, connection.owner.plan.stream)
    this.events[slot].begin(slot, head, this.streams.sentAt[slot], connection.now)
  }

  bodyCame (slot, buffer, start, end) {
    const cutAt = this.events === null ? null : this.events[slot].take(buffer, start, end, this.connection.now)
    const problem = this.problemWithBody(slot, buffer, start, cutAt ?? end)
    if (problem !== '') {
      this.giveUp(slot, bodyTooLong(problem), CANCEL)
    } else if (cutAt !== null) {
      this.streams.received[slot] -= end - cutAt
      this.answered(slot)
    }
  }

  problemWithBody (slot, buffer, start, end) {
    const { wantsBody, expected, received } = this.streams
    const { script } = this.connection
    if (this.events !== null && this.events[slot].problem !== '') return this.events[slot].problem
    if (script === null || wantsBody[slot] === 0 || start === end) return ''
    return script.onBody(slot, buffer, start, end, this.isTextEnough && expected[slot] === received[slot])
  }

  trailersCame (slot, fields) {}

  /** How much of the response in a slot has arrived. */
  progressOf (slot) {
    const { streams, events } = this
    if (streams.state[slot] === AWAITS_HEAD) return NO_PROGRESS
    return new Progress(streams.firstByteAt[slot], streams.headAt[slot], events === null ? NaN : events[slot].newestAt, streams.status[slot])
  }

  // --- completed

  /** A response is complete. */
  answered (slot) {
    if (this.events === null) {
      this.completed(slot, false)
      return
    }
    const { connection } = this
    const { now } = connection
    const events = this.events[slot]
    connection.now = events.finish(now)
    // If the response was cut off, its stream is reset; the other streams continue.
    this.completed(slot, events.isCut)
    connection.now = now
  }

  completed (slot, isCut) {
    const { connection, streams } = this
    const { owner } = connection
    const streamId = streams.id[slot]
    connection.endStream(slot)
    connection.answeredHere++
    connection.failuresInRow = 0
    const status = streams.status[slot]
    const bytes = streams.bytes[slot]
    this.count(slot, status, bytes)
    owner.recorder.receivedReply(streams.headBytes[slot], streams.received[slot], streams.footerBytes[slot])
    const isUploading = connection.outgoing.uploads.has(slot)
    if (connection.script !== null || owner.watchesResponses) this.observed(slot, status, bytes)
    // The server may reset the upload itself (section 8.1), but its response still counts.
    if (isUploading || isCut) this.reset(streamId, slot, CANCEL)
    if (connection.answeredHere === owner.plan.reconnectRate) connection.isLast = true
  }

  count (slot, status, bytes) {
    const { streams, connection } = this
    const { owner: { recorder }, now } = connection
    recorder.completedRequest(streams.endpoint[slot], status, bytes, streams.dueAt[slot], streams.sentAt[slot], streams.firstByteAt[slot], now, streams.headAt[slot], connection, slot)
  }

  // Called if a script or a listener needs this response.
  observed (slot, status, bytes) {
    const { connection, streams } = this
    const { owner, script } = connection
    const milliseconds = owner.recorder.latencyOf(streams.dueAt[slot], streams.sentAt[slot], connection.now)
    if (script !== null) script.onComplete(slot, status, bytes, milliseconds, this.callIn(slot))
    else owner.responded(connection, status, bytes, milliseconds)
  }

  /** How the gRPC call in a slot ended, for hooks; null if it is not a gRPC call. */
  callIn (slot) {
    return null
  }

  /** Stops reading the response in a slot. */
  stop (slot) {
    this.events?.[slot]?.stop()
    this.streams.wantsBody[slot] = 0
  }

  // --- failed

  /** Handles a malformed response (section 8.1.1): its stream is reset, the others continue. */
  malformed (slot, problem, code) {
    this.giveUp(slot, badResponse(`${problem} (${errorName(code)})`), code)
  }

  // Fails a request because of what has arrived of its response, and resets its stream.
  giveUp (slot, fault, code) {
    const streamId = this.streams.id[slot]
    this.fail(slot, fault, this.connection.now)
    this.reset(streamId, slot, code)
  }

  /** Handles RST_STREAM from the server (section 6.4). */
  resetCame (slot, code) {
    const streamId = this.streams.id[slot]
    this.fail(slot, streamReset(errorName(code)), this.connection.now)
    this.connection.outgoing.uploads.drop(slot)
    this.resets.add(streamId, false)
  }

  // Failures reported by the server count from the arrival of their packet, not from when hooks of earlier responses were done. A request
  // that has passed its deadline by then has timed out, even if the timer has not noticed it yet. Returns whether it has failed.
  fail (slot, fault, now = world.now(), isLate = false) {
    const { connection, streams } = this
    if (!isLate && connection.startOf(slot) + connection.owner.plan.timeout * 1000 <= now) {
      this.lapse(slot)
      return false
    }
    const progress = this.progressOf(slot)
    connection.endStream(slot)
    connection.owner.requestFailed(streams.endpoint[slot], streams.dueAt[slot], streams.sentAt[slot], now, fault, connection, isLate ? progress : null, slot, progress)
    if (connection.script !== null) connection.script.onFailed(slot)
    return true
  }

  // --- timed out

  /** Cancels a request that has timed out. Its connection and the other streams continue. */
  timeOut (slot) {
    const streamId = this.streams.id[slot]
    this.lapse(slot)
    this.reset(streamId, slot, CANCEL)
  }

  lapse (slot) {
    const { connection, streams } = this
    const progress = this.progressOf(slot)
    connection.wasLate = true
    connection.endStream(slot)
    connection.owner.requestTimedOut(streams.endpoint[slot], streams.dueAt[slot], streams.sentAt[slot], connection, progress, connection.timeoutOf(slot), slot)
    if (connection.script !== null) connection.script.onFailed(slot)
  }

  // --- streams without a slot

  // Resets a stream that we no longer need.
  reset (streamId, slot, code) {
    const { outgoing } = this.connection
    outgoing.uploads.drop(slot)
    this.resets.add(streamId, true)
    outgoing.answer(rstStreamFrame(streamId, code))
  }

  /** Replies to a frame on a stream that the server itself had reset. */
  refuseLate (streamId) {
    this.connection.outgoing.answer(rstStreamFrame(streamId, STREAM_CLOSED))
  }
}

module.exports = Responses
