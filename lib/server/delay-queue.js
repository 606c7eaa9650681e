'use strict'

// For longer delays, a fraction of a millisecond isn't worth the CPU time of polling.
const POLL_BELOW_MS = 10

/**
 * Calls back after a delay in milliseconds (fractions allowed), and never early.
 *
 * `setTimeout` alone counts whole milliseconds from the start of the event loop's turn, so it may fire up to a millisecond early:
 * a server with a delay of 5 ms would respond in 4.2. So this class waits again for the rest. It is 0.1 to 0.3 ms late for whole
 * milliseconds, but would be up to one late for 2.5. For short delays with a fraction, it sleeps less and polls for the rest,
 * which keeps a core busy meanwhile.
 */
class DelayQueue {
  constructor () {
    this.waiting = new Set()
    this.polled = []
    this.polling = false
    this.poll = this.poll.bind(this)
  }

  /**
   * @param {number} milliseconds
   * @param {function()} callback never called after `clear()`
   */
  after (milliseconds, callback) {
    const polls = milliseconds < POLL_BELOW_MS && !Number.isInteger(milliseconds)
    const entry = { due: performance.now() + milliseconds, polls, callback, timer: null }
    this.waiting.add(entry)
    this.wait(entry)
  }

  wait (entry) {
    const left = entry.due - performance.now()
    if (left <= 0) return this.finish(entry)

    // A timer may also fire a millisecond late: polling must begin before that.
    const sleep = entry.polls ? Math.floor(left) - 1 : Math.ceil(left)
    if (sleep >= 1) {
      entry.timer = setTimeout(() => this.wait(entry), sleep)
    } else {
      this.polled.push(entry)
      this.keepPolling()
    }
  }

  keepPolling () {
    if (this.polling || this.polled.length === 0) return
    this.polling = true
    setImmediate(this.poll)
  }

  poll () {
    const entries = this.polled
    this.polled = []
    this.polling = false
    const now = performance.now()
    for (const entry of entries) {
      if (!this.waiting.has(entry)) continue // cleared by another callback
      if (entry.due > now) this.polled.push(entry)
      else this.finish(entry)
    }
    this.keepPolling()
  }

  finish (entry) {
    this.waiting.delete(entry)
    entry.callback()
  }

  /** Drops all waiting callbacks, so that nothing keeps the process alive. */
  clear () {
    for (const entry of this.waiting) clearTimeout(entry.timer)
    this.waiting.clear()
    this.polled = []
  }
}

module.exports = { DelayQueue }
