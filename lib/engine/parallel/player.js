'use strict'

const world = require('../../world')
const { intervalToData } = require('../../metrics/timeline')
const { toData, workerFailed } = require('./error-data')
const { EventSender } = require('./event-channel')
const LocalEngine = require('../local')
const { RecordChannel } = require('./record-channel')

/**
 * Runs one part of a run for a group whose leader is elsewhere. Calls to the engine's listener are forwarded to the leader
 * as messages, and the leader decides what the group must agree on: when a phase starts, and when to stop.
 */
class Player {
  /**
   * @param {object} task `plan`, `hooks` (paths), `part` (see part.js), `watched` (events that have listeners),
   *   `keepsAccounts` (see LocalEngine)
   * @param {object} link `tell(type, ...args)`, `sendEvents(batch)`, `countFailure()` (counts a failure and returns the
   *   total of all members), `close()` after the last message
   * @param {function(object, object, Player): object} [createEngine] creates the engine from the plan and the hooks; the
   *   player is the engine's listener and its coordinator
   */
  constructor ({ plan, hooks, part, watched, keepsAccounts = false }, link, createEngine = playHere) {
    this.part = part
    this.keepsAccounts = keepsAccounts
    this.link = link
    this.watched = new Set(watched)
    this.events = new EventSender((batch) => link.sendEvents(batch))
    this.resolveStart = null
    this.isOver = false
    this.onWatched = () => {}
    this.engine = createEngine(withBuffers(plan), hooks, this)
  }

  start () {
    this.engine.start().catch((error) => this.reportEnd('failed', toData(error)))
  }

  /** Handles a message from the leader of the group. */
  hear (type, value) {
    switch (type) {
      case 'start':
        this.resolveStart(value)
        break
      case 'watch':
        this.watched = new Set(value)
        this.onWatched()
        break
      case 'linesArrived':
        this.engine.linesArrived(value)
        break
      case 'stop':
        this.engine.stop(value)
    }
  }

  /** Listeners have received `count` of the events that were sent. */
  heardEvents (count) {
    this.events.heard(count)
  }

  /** Ends the run because of an error that it cannot continue after. */
  fail (error) {
    this.engine.fail(error)
  }

  /** Ends synchronously, when there will be no further turn of the event loop. Reports what was measured. */
  cutOff (reason) {
    if (this.isOver) return
    const outcome = this.engine.cutOff()
    const error = this.engine.error ?? workerFailed(reason)
    if (outcome === null) this.reportEnd('failed', toData(error))
    else this.reportOutcome({ ...outcome, error })
  }

  /** Sends the last message. */
  reportEnd (type, data) {
    if (this.isOver) return
    this.isOver = true
    this.link.tell(type, data)
    this.link.close()
  }

  reportOutcome (outcome) {
    const { error } = outcome
    this.reportEnd('ended', { ...outcome, events: this.events.end(), error: error && toData(error) })
  }

  // --- calls to the engine's listener

  started () {
    this.link.tell('started')
  }

  interval (interval, isLast, isWarmup) {
    this.link.tell('interval', intervalToData(interval), isLast, isWarmup)
  }

  // The leader waits, before the common start.
  aboutToMeasure () {}

  warmedUp (outcome) {
    this.link.tell('warmedUp', { ...outcome, events: this.events.end() })
  }

  ended (outcome) {
    this.reportOutcome(outcome)
  }

  watches (event) {
    return this.watched.has(event)
  }

  onWatchersChanged (callback) {
    this.onWatched = callback
    return () => { this.onWatched = () => {} }
  }

  requestError (error) {
    this.events.add('reqError', toData(error))
  }

  mismatch (body) {
    if (this.watched.has('reqMismatch')) this.events.add('reqMismatch', body)
  }

  response (client, status, bytes, milliseconds) {
    this.events.add('response', status, bytes, milliseconds)
  }

  // --- calls to the engine's coordinator

  // All members start a phase at the same moment, so that their arrivals interleave as scheduled.
  startTime () {
    return new Promise((resolve) => {
      this.resolveStart = (epoch) => resolve(epoch - world.origin())
      this.link.tell('ready')
    })
  }

  countFailure () {
    return this.link.countFailure()
  }

  bailOut () {
    this.link.tell('bailOut')
  }

  begun (time) {
    this.link.tell('begun', time)
  }

  // For an engine that writes lines itself.
  get recordOutput () {
    return new RecordChannel((...lines) => this.passLines(this.part.share, ...lines))
  }

  // From a thread, see RecordChannel.
  passLines (share, bytes, lines) {
    this.link.tell('lines', share, bytes, lines)
  }

  // Reported immediately, not at the end, which in a warm-up is still to come.
  failed (error) {
    this.link.tell('failing', toData(error))
  }
}

function playHere (plan, hooks, player) {
  return new LocalEngine(plan, hooks, player, player)
}

// A buffer arrives as a plain Uint8Array, but hooks expect a Buffer.
function withBuffers (plan) {
  return { ...plan, base: withBuffer(plan.base), requests: plan.requests.map(withBuffer) }
}

function withBuffer (request) {
  const { body } = request
  if (!(body instanceof Uint8Array)) return request
  return { ...request, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) }
}

module.exports = Player
