'use strict'

const world = require('.')

/** Timers cannot be set for longer (24 days); beyond it they fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** A timer for any time: one that is longer than timers can be is set several times, one after the other. */
class LongTimer {
  /**
   * @param {function()} callback
   * @param {number} ms
   */
  constructor (callback, ms) {
    this.callback = callback
    this.at = world.now() + ms
    this.timer = null
    this.arm(ms)
  }

  arm (left) {
    this.timer = left > LONGEST_TIMER_MS
      ? world.setTimeout(() => this.arm(this.at - world.now()), LONGEST_TIMER_MS)
      : world.setTimeout(this.callback, left)
  }

  clear () {
    world.clearTimeout(this.timer)
  }
}

/**
 * Waits for any time.
 *
 * @param {number} ms
 * @param {AbortSignal} signal ends it before
 * @returns {Promise}
 */
async function longSleep (ms, signal) {
  if (signal.aborted) return
  let end
  const timer = await new Promise((resolve) => {
    const timer = new LongTimer(() => resolve(timer), ms)
    end = () => resolve(timer)
    signal.addEventListener('abort', end, { once: true })
  })
  signal.removeEventListener('abort', end)
  timer.clear()
}

module.exports = { LongTimer, longSleep, LONGEST_TIMER_MS }
