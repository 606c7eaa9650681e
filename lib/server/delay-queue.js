'use strict'

// From here on, a fraction of a millisecond is no longer worth the processor time of polling.
const POLL_BELOW_MS = 10

/**
 * Calls back after a time in milliseconds, fractions allowed, never early.
 *
 * A bare `setTimeout` counts whole milliseconds from the start of the loop's round and so may fire up to one early: a
 * 5 ms server would answer in 4.2. Here what is left is waited for again. That is 0.1 to 0.3 ms late for whole
 * milliseconds, but up to a whole one for 2.5. So short times with a fraction sleep less and poll for the rest, which
 * keeps a core busy for that while.
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

    // A timer may fire a millisecond late as well as early: who polls must be awake before that.
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
      if (!this.waiting.has(entry)) continue // cleared by the callback of another
      if (entry.due > now) this.polled.push(entry)
      else this.finish(entry)
    }
    this.keepPolling()
  }

  finish (entry) {
    this.waiting.delete(entry)
    entry.callback()
  }

  /** Forgets all that is waiting, so that nothing keeps the process alive. */
  clear () {
    for (const entry of this.waiting) clearTimeout(entry.timer)
    this.waiting.clear()
    this.polled = []
  }
}

module.exports = { DelayQueue }
