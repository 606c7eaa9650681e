'use strict'

const { isThenable } = require('../base/user-code')
const { RoundRobin } = require('../load/request-order')
const Script = require('./script')
const RequestSequence = require('./sequence')

/**
 * The requests of one session. The context and the feed row stay the same throughout, even if the sequence is repeated. It
 * also knows where bursts end.
 *
 * Requests of a session may be due at different times, so each is identified by its due time: a connection asks for the one that was
 * due then. Those that the sequence no longer has are in `kept`.
 */
class VisitSequence extends RequestSequence {
  /**
   * @param {{ steps: Step[], leftInBurst: number[], thinkTimes: Array<?object> }} program for each step, how many requests
   *   of its burst remain (including it), and the think time before it
   * @param {object} context
   * @param {function()} onReset
   * @param {?object} row of the feed
   */
  constructor (program, context, onReset, row) {
    super(program.steps, new RoundRobin(program.steps.length), null, onReset, null)
    this.program = program
    this.context = context
    this.row = row
    /**
     * Requests that wait to be sent, on any connection, and when they were due, ms: redirects, requests that the server refused, and
     * those that were set up for a connection that has closed meanwhile.
     */
    this.kept = []
    /** While a setupRequest is awaited: a promise that resolves when it has settled. */
    this.settingUp = null
  }

  /** @param {object} entry @param {number} dueAt ms @param {number} [place] its place among those that were due then; the last by default */
  keep (entry, dueAt, place = this.kept.length) {
    this.kept.splice(place, 0, { entry, dueAt })
  }

  takeKept (dueAt) {
    const place = this.kept.findIndex((each) => each.dueAt === dueAt)
    return place === -1 ? null : this.kept.splice(place, 1)[0].entry
  }

  /**
   * The connections of a session share this sequence: each waits until the setupRequest of another has settled.
   *
   * @param {number} dueAt when the request was due, ms
   */
  next (dueAt) {
    const kept = this.kept.length === 0 ? null : this.takeKept(dueAt)
    if (kept !== null) return kept
    if (this.settingUp !== null) return this.settingUp.then(() => this.next(dueAt))
    const entry = this.setUpNext()
    if (isThenable(entry)) {
      const done = () => { this.settingUp = null }
      this.settingUp = entry.then(done, done)
    }
    return entry
  }

  /** Unlimited here; the session decides how many requests are sent. */
  get left () {
    return Infinity
  }

  beginRound () {
    return true
  }

  endRound () {}

  /** How many requests are due together, including the next one. */
  get leftInBurst () {
    return this.program.leftInBurst[this.order.next]
  }

  /** The think time before the next request, as in the plan. */
  get thinkTime () {
    return this.program.thinkTimes[this.order.next]
  }

  /** A sequence set by a client has no bursts, and uses the think time of the run. */
  replace (steps) {
    super.replace(steps)
    const { base } = this.program
    this.program = { base, steps, leftInBurst: steps.map(() => 1), thinkTimes: steps.map(() => base) }
  }
}

/**
 * The script of a connection of a session. All connections of the session share its sequence, which also keeps the requests that wait to
 * be sent by any of them. Each request is sent with its own due time.
 */
class VisitScript extends Script {
  /**
   * @param {Connection} connection
   * @param {Visit} visit
   * @param {VisitSequence} sequence
   * @param {object} base see Script
   * @param {?Navigation} navigation
   * @param {object} protocol
   * @param {Client} [client] the client of another connection of the same session
   */
  constructor (connection, visit, sequence, base, navigation, protocol, client) {
    super(connection, sequence, base, navigation, protocol, client)
    this.visit = visit
  }

  get ahead () {
    return this.sequence.kept.map(({ entry }) => entry)
  }

  nextEntry () {
    return this.sequence.next(this.connection.nextPrepared)
  }

  keepSetUp (entry, dueAt) {
    this.sequence.keep(entry, dueAt)
  }

  keepRefused (entry, dueAt, place) {
    this.sequence.keep(entry, dueAt, place)
  }

  redirect (entry) {
    this.sequence.keep(entry, this.connection.now)
  }
}

module.exports = { VisitScript, VisitSequence }
