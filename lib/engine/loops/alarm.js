'use strict'

const world = require('../../world')
const { LONGEST_TIMER_MS } = require('../../world/long-timer')

/*
 * How to be on time: a timer wakes up to a millisecond late, so sleep until this long before the next due time and then
 * look at the clock in every turn of the event loop. Measured at 10,000 requests per second: a median send delay of
 * 1 us, where timers alone gave 700 us. It costs the CPU of one core whenever due times are closer than this.
 */
const POLL_BEFORE_MS = 1.5
// Too little to sleep for.
const LEAST_SLEEP_MS = 1
// A turn of the event loop between two looks at the clock takes some microseconds if there is nothing else to do.
const EMPTY_TURN_MS = 0.05

/**
 * Wakes a loop in time for what is due next, and before the next answer is expected: the process would see it late if it slept.
 *
 *     set ──── sleeps ────┬── looks at the clock in each turn of the event loop ──┬── onWake
 *                         '── POLL_BEFORE_MS before what is due, or when the next answer may come
 */
class Alarm {
  /**
   * @param {object} recorder of the phase: what was sent and answered so far, and its outlook
   * @param {boolean} sleeps whether it is enough to be about on time (`pacing: 'sleep'`)
   * @param {function(number)} onWake gets the time, ms; sets the alarm again
   */
  constructor (recorder, sleeps, onWake) {
    this.recorder = recorder
    this.sleeps = sleeps
    this.onWake = onWake
    this.timer = null
    this.immediate = null
    /** What it is set for, ms: when the timer fires, or until when there is nothing to do but look. Infinity: it is not set. */
    this.setFor = Infinity
    /** How long the event loop did nothing but look at the clock, ms. */
    this.watchingTime = 0
    this.watchedAt = -Infinity
    this.wake = this.wake.bind(this)
  }

  /** Whether it looks at the clock in the next turn of the event loop. */
  get isWatching () {
    return this.immediate !== null
  }

  wake () {
    this.timer = this.immediate = null
    this.setFor = Infinity
    const now = world.now()
    if (now - this.watchedAt < EMPTY_TURN_MS) this.watchingTime += now - this.watchedAt
    this.watchedAt = now
    this.recorder.look(now)
    this.onWake(now)
  }

  /** The event loop has had something else to do than to look at the clock. */
  wasBusy () {
    this.watchedAt = -Infinity
  }

  /** The last thing in a turn in which it looks: the sockets are asked at once what has come. */
  looked (now) {
    this.recorder.outlook.looked(now)
  }

  /**
   * Wakes in time for `time`, and for the answers that come before if they are awaited. What it was set for earlier stays.
   *
   * @param {number} time ms; Infinity: nothing is due
   * @param {number} now ms
   * @param {boolean} [awaitsAnswers]
   */
  set (time, now, awaitsAnswers = true) {
    if (this.sleeps) {
      this.sleepUntil(time, now)
      return
    }
    const pollFrom = time - POLL_BEFORE_MS
    if (pollFrom - now <= LEAST_SLEEP_MS) {
      this.watchUntil(time)
      return
    }
    const answerFrom = awaitsAnswers ? this.recorder.nextAnswerFrom(now) : Infinity
    if (answerFrom - now <= LEAST_SLEEP_MS) this.watchUntil(Math.min(time, this.recorder.outlook.until))
    else this.sleepUntil(Math.min(pollFrom, answerFrom), now)
  }

  /** Whether it would be too late for this time, as it is set. */
  misses (time) {
    return time - POLL_BEFORE_MS < this.setFor
  }

  /** Wakes at about this time, and not before. */
  sleepUntil (time, now) {
    if (time >= this.setFor) return
    this.clear()
    this.setFor = time
    this.timer = world.setTimeout(this.wake, Math.min(LONGEST_TIMER_MS, Math.max(1, Math.floor(time - now))))
  }

  watchUntil (time) {
    if (this.immediate !== null && time >= this.setFor) return
    this.clear()
    this.setFor = time
    this.immediate = world.nextTurn(this.wake, time)
  }

  clear () {
    if (this.timer !== null) world.clearTimeout(this.timer)
    if (this.immediate !== null) world.clearImmediate(this.immediate)
    this.timer = this.immediate = null
    this.setFor = Infinity
  }
}

module.exports = Alarm
