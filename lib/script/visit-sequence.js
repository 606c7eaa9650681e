'use strict'

const { RoundRobin } = require('../load/request-order')
const RequestSequence = require('./sequence')
const isThenable = require('./thenable')

/**
 * The requests of one session: the same context and the same row of the feed throughout, however often it goes round, and
 * where its bursts end.
 */
class VisitSequence extends RequestSequence {
  /**
   * @param {{ steps: Step[], leftInBurst: number[], thinkTimes: Array<?object> }} program of each step: how many requests of
   *   its burst there are from it on, and the think time before it
   * @param {object} context
   * @param {function()} onReset
   * @param {?object} row of the feed
   */
  constructor (program, context, onReset, row) {
    super(program.steps, new RoundRobin(program.steps.length), null, onReset, null)
    this.program = program
    this.context = context
    this.row = row
    /** While a setupRequest is awaited: a promise of its end. */
    this.settingUp = null
  }

  /** Connections of one session share it: each of them waits until the setupRequest of another one is done. */
  next () {
    if (this.settingUp !== null) return this.settingUp.then(() => this.next())
    const entry = this.setUpNext()
    if (isThenable(entry)) {
      const done = () => { this.settingUp = null }
      this.settingUp = entry.then(done, done)
    }
    return entry
  }

  /** What it may send is its session's to say. */
  get left () {
    return Infinity
  }

  beginRound () {
    return true
  }

  endRound () {}

  /** How many requests are due together with the next one. */
  get leftInBurst () {
    return this.program.leftInBurst[this.order.next]
  }

  /** The pause before the next one, as the plan has it. */
  get thinkTime () {
    return this.program.thinkTimes[this.order.next]
  }

  /** What a client gives in place of the sequence has no bursts, and the pauses of the run. */
  replace (steps) {
    super.replace(steps)
    const { base } = this.program
    this.program = { base, steps, leftInBurst: steps.map(() => 1), thinkTimes: steps.map(() => base) }
  }
}

module.exports = VisitSequence
