'use strict'

const { isNumber } = require('../../words/numbers')
const world = require('../../world')

// A tick that arrives slightly early still completes its second.
const EARLY_SECONDS = 0.05

/**
 * The current values of a run: its ticks, merged into windows of a given length.
 *
 * Counts of a window are exact. Percentiles of several ticks cannot be merged, so the highest is used, which preserves
 * slow moments.
 */
class Now {
  #seconds
  #begunAt = world.now()
  #windowStart = 0
  #completed = 0
  #p50 = null
  #p99 = null
  #smallestBound = Infinity
  #errorsBefore = 0
  #eventsBefore = 0

  /** @param {number} seconds the length of a window; less frequent ticks make it longer */
  constructor (seconds) {
    this.#seconds = seconds
  }

  /**
   * Adds a `tick` event.
   *
   * @param {object} tick `{ counter }`, and if known `{ time, requests, statuses, errors, p50, p99, connections, sessions, events,
   *   latencyBounds }`
   * @returns {?object} at the end of a window `{ time, rate, p50, p99, requests, statuses, errors, newErrors, connections, sessions, events }`:
   *   seconds from the start, completed per second, ms, completed and statuses so far, errors so far and those of the window, open ones, events of
   *   streams per second; null for unknown values. `atLeast`: the names of the percentiles that are only lower bounds
   */
  take ({ counter = 0, time = this.#elapsed(), requests = null, statuses = {}, errors = 0, p50, p99, connections = null, sessions, events = null, latencyBounds }) {
    this.#completed += counter
    // In a tick without responses, zeros do not represent latencies.
    if (counter > 0 || p99 > 0) {
      this.#p50 = highest(this.#p50, p50)
      this.#p99 = highest(this.#p99, p99)
    }
    if (latencyBounds) this.#smallestBound = Math.min(this.#smallestBound, latencyBounds.smallest)
    const passed = time - this.#windowStart
    if (passed <= 0 || passed < this.#seconds - EARLY_SECONDS) return null

    const window = {
      time,
      rate: this.#completed / passed,
      p50: this.#p50,
      p99: this.#p99,
      atLeast: [['p50', this.#p50], ['p99', this.#p99]].filter(([, value]) => value >= this.#smallestBound).map(([name]) => name),
      requests,
      statuses,
      errors,
      newErrors: errors - this.#errorsBefore,
      connections,
      sessions: sessions?.open ?? null,
      events: events === null ? null : (events - this.#eventsBefore) / passed
    }
    this.#windowStart = time
    this.#completed = 0
    this.#p50 = this.#p99 = null
    this.#smallestBound = Infinity
    this.#errorsBefore = errors
    this.#eventsBefore = events ?? 0
    return window
  }

  #elapsed () {
    return (world.now() - this.#begunAt) / 1000
  }
}

function highest (a, b) {
  if (!isNumber(b)) return a
  return a === null || b > a ? b : a
}

module.exports = Now
