'use strict'

const world = require('../../world')
const { LONGEST_TIMER_MS } = require('../../world/long-timer')
const Nap = require('./nap')

/*
 * Timers fire up to a millisecond late. To be on time, the alarm sleeps until this long before the next due time and then polls
 * the clock in every turn of the event loop. At 10,000 requests per second this gives a median send delay of 1 us, compared
 * with 700 us for timers alone. Polling uses a whole CPU core, so for most of this time it naps instead, unless something may
 * arrive meanwhile.
 */
const POLL_BEFORE_MS = 1.5
// Shorter sleeps are not worth a timer.
const LEAST_SLEEP_MS = 1
// With nothing else to do, a turn of the event loop takes some microseconds; a longer one did other work.
const EMPTY_TURN_MS = 0.05

/**
 * Wakes a loop in time for its next due time, and before the next response is expected: if the process slept, it would notice
 * the response late.
 *
 *     set ──── sleeps ────┬── naps, then looks at the clock in each turn of the event loop ──┬── wake
 *                         '── POLL_BEFORE_MS before what is due, or when the next answer may come
 */
class Alarm {
  /**
   * @param {object} recorder of the phase: what was sent and answered so far, and its forecast
   * @param {boolean} sleeps whether approximate timing is enough, so that it never polls (`pacing: 'sleep'`)
   * @param {{ wake: function(number), expectsNothing: boolean }} loop `wake` gets the time, ms, and must set the alarm again
   */
  constructor (recorder, sleeps, loop) {
    this.recorder = recorder
    this.sleeps = sleeps
    this.loop = loop
    this.nap = new Nap()
    this.timer = null
    this.immediate = null
    /** When the timer fires, or how long to poll, ms; Infinity if the alarm is not set. */
    this.setFor = Infinity
    /** The due time for which it polls; -Infinity if it polls for a response or not at all. */
    this.dueAt = -Infinity
    /** How long the event loop only napped or polled the clock, ms. */
    this.watchingTime = 0
    this.watchedAt = -Infinity
    this.wake = this.wake.bind(this)
  }

  /** Whether it polls the clock in the next turn of the event loop. */
  get isWatching () {
    return this.immediate !== null
  }

  wake () {
    const now = world.now()
    if (this.dueAt > now && this.loop.expectsNothing && this.takeNap(now)) return
    this.timer = this.immediate = null
    this.setFor = Infinity
    this.dueAt = -Infinity
    if (now - this.watchedAt < EMPTY_TURN_MS) this.watchingTime += now - this.watchedAt
    this.watchedAt = now
    this.recorder.look(now)
    this.loop.wake(now)
  }

  // If something did happen during the nap, the event loop handles it before the request is sent.
  takeNap (now) {
    const napped = this.nap.before(this.dueAt, now)
    if (napped === 0) return false
    this.watchingTime += napped
    this.watchedAt = world.now()
    this.immediate = world.nextTurn(this.wake, this.dueAt)
    return true
  }

  /** Must be called if the event loop did anything but poll the clock, so that this time does not count as polling. */
  wasBusy () {
    this.watchedAt = -Infinity
  }

  /** Must be called last in a turn that polls: the event loop reads the sockets right afterwards. */
  looked (now) {
    this.recorder.forecast.looked(now)
  }

  /**
   * Wakes in time for `time`, and for earlier responses if they are awaited. An earlier time that is already set is kept.
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
      this.watchUntil(time, time)
      return
    }
    const answerFrom = awaitsAnswers ? this.recorder.nextAnswerFrom(now) : Infinity
    if (answerFrom - now <= LEAST_SLEEP_MS) this.watchUntil(Math.min(time, this.recorder.forecast.until))
    else this.sleepUntil(Math.min(pollFrom, answerFrom), now)
  }

  /** Whether the alarm, as it is set, would fire too late for this time. */
  misses (time) {
    return time - POLL_BEFORE_MS < this.setFor
  }

  /** Wakes at about this time, never before. */
  sleepUntil (time, now) {
    if (time >= this.setFor) return
    this.clear()
    this.setFor = time
    this.timer = world.setTimeout(this.wake, Math.min(LONGEST_TIMER_MS, Math.max(1, Math.floor(time - now))))
  }

  watchUntil (time, dueAt = -Infinity) {
    if (this.immediate !== null && time >= this.setFor) return
    this.clear()
    this.setFor = time
    this.dueAt = dueAt
    this.immediate = world.nextTurn(this.wake, time)
  }

  clear () {
    if (this.timer !== null) world.clearTimeout(this.timer)
    if (this.immediate !== null) world.clearImmediate(this.immediate)
    this.timer = this.immediate = null
    this.setFor = Infinity
    this.dueAt = -Infinity
  }
}

module.exports = Alarm
