'use strict'

const Alarm = require('./alarm')
const Loop = require('./loop')

/**
 * A loop driven by the clock: requests or sessions come due by a schedule, and an alarm wakes the loop in time. Subclasses
 * implement `wake(now)`.
 */
class DueLoop extends Loop {
  /**
   * @param {?{ next: function(): number }} pacer due times in seconds from the start; null if nothing comes due by a
   *   schedule
   * @param {number} budget
   * @param {{ pacing: string, timeout: number }} plan
   * @param {object} owner see Loop
   */
  constructor (pacer, budget, { pacing, timeout }, owner) {
    super(budget)
    this.pacer = pacer
    this.owner = owner
    this.timeout = timeout * 1000
    this.alarm = new Alarm(owner.recorder, pacing === 'sleep', this)
    this.isOver = false
    this.startAt = 0
    /** When the next request or session is due, ms; Infinity if there is none. */
    this.nextDue = Infinity
  }

  get watchingTime () {
    return this.alarm.watchingTime
  }

  /**
   * Whether nothing can arrive now whose time matters, so that the event loop may be blocked for a moment: no request is waiting or
   * in flight, no connection is being opened or about to send again, no copies of a broadcast are on their way, and no code of the user
   * is under way.
   */
  get expectsNothing () {
    const { ending, isBroadcast, pendingHooks, readySoon, recorder } = this.owner
    return ending.waiting + ending.inFlight + pendingHooks + readySoon === 0 && !isBroadcast && recorder.connections === this.neededConnections
  }

  /** How many connections are open if none is being opened. */
  get neededConnections () {
    return this.owner.connections.length
  }

  get isExhausted () {
    return this.budget === 0 || (this.pacer !== null && this.nextDue === Infinity)
  }

  /** Starts the schedule. */
  startClock (startAt) {
    this.startAt = startAt
    if (this.pacer !== null) this.nextDue = this.timeOfNext()
  }

  timeOfNext () {
    return this.startAt + this.pacer.next() * 1000
  }

  /** Moves on to the next due time. */
  advance () {
    this.nextDue = this.timeOfNext()
    if (this.isExhausted) this.owner.ending.scheduleEnded(this.nextDue)
  }
}

module.exports = DueLoop
