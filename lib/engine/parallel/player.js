'use strict'

const world = require('../../world')
const { intervalToData } = require('../../metrics/timeline')
const { toData, workerFailed } = require('./error-data')
const { EventSender } = require('./event-channel')
const LocalEngine = require('../local')

/**
 * Plays one part of a run for a crew that is led from elsewhere. What the engine's listener hears goes there as messages,
 * and what the crew must agree on comes from there: when a phase starts, and that it is over.
 */
class Player {
  /**
   * @param {object} task `plan`, `hooks` (paths), `part` (see part.js), `watched` (events that somebody listens to),
   *   `keepsAccounts` (see LocalEngine)
   * @param {object} link `tell(type, ...args)`, `tellEvents(batch)`, `countFailure()` (how many failures all members have
   *   had, with this one), `close()` after the last word
   * @param {function(object, object, Player): object} [createEngine] gives the engine that does the work, for the plan and
   *   the hooks; the player is its listener and its crew
   */
  constructor ({ plan, hooks, part, watched, keepsAccounts = false }, link, createEngine = playHere) {
    this.part = part
    this.keepsAccounts = keepsAccounts
    this.link = link
    this.watched = new Set(watched)
    this.events = new EventSender((batch) => link.tellEvents(batch))
    this.resolveStart = null
    this.isOver = false
    this.onWatched = () => {}
    this.engine = createEngine(withBuffers(plan), hooks, this)
  }

  start () {
    this.engine.start().catch((error) => this.tellEnd('failed', toData(error)))
  }

  /** What the one who leads the crew says. */
  hear (type, value) {
    switch (type) {
      case 'start':
        this.resolveStart(value)
        break
      case 'watch':
        this.watched = new Set(value)
        this.onWatched()
        break
      case 'stop':
        this.engine.stop()
    }
  }

  /** So many of the events that were told have been heard. */
  heardEvents (count) {
    this.events.heard(count)
  }

  /** Something has failed that no run can go on with. */
  fail (error) {
    this.engine.fail(error)
  }

  /** Ends here and now, since there will be no other turn of the event loop. What was measured is told. */
  cutOff (reason) {
    if (this.isOver) return
    const outcome = this.engine.cutOff()
    const error = this.engine.error ?? workerFailed(reason)
    if (outcome === null) this.tellEnd('failed', toData(error))
    else this.tellOutcome({ ...outcome, error })
  }

  /** The last word. */
  tellEnd (type, data) {
    if (this.isOver) return
    this.isOver = true
    this.link.tell(type, data)
    this.link.close()
  }

  tellOutcome (outcome) {
    const { error } = outcome
    this.tellEnd('ended', { ...outcome, events: this.events.end(), error: error && toData(error) })
  }

  // --- what the engine tells its listener

  started () {
    this.link.tell('started')
  }

  interval (interval, isLast, isWarmup) {
    this.link.tell('interval', intervalToData(interval), isLast, isWarmup)
  }

  warmedUp (outcome) {
    this.link.tell('warmedUp', { ...outcome, events: this.events.end() })
  }

  ended (outcome) {
    this.tellOutcome(outcome)
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

  // --- what the engine asks of its crew

  // All members start a phase at one moment, so that their arrivals interleave as the schedule says.
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

  // Told at once and not with the end, which in a warm-up is still to come.
  failed (error) {
    this.link.tell('failing', toData(error))
  }
}

function playHere (plan, hooks, player) {
  return new LocalEngine(plan, hooks, player, player)
}

// A buffer arrives as plain bytes, which a hook would not know what to do with.
function withBuffers (plan) {
  return { ...plan, base: withBuffer(plan.base), requests: plan.requests.map(withBuffer) }
}

function withBuffer (request) {
  const { body } = request
  if (!(body instanceof Uint8Array)) return request
  return { ...request, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) }
}

module.exports = Player
