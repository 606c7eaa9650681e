'use strict'

const world = require('.')

/** The longest delay of a timer (24 days); with a longer one, it would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** A timer for any delay: for a delay that is too long for one timer, it sets several in sequence. */
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
 * Waits for any length of time.
 *
 * @param {number} ms
 * @param {AbortSignal} signal ends the wait early
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
