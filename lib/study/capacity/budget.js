'use strict'

const { optionError } = require('../../base/errors')
const { mostRuns } = require('./search')

/** How many times longer a confirming run is. */
const LONGER = 3
const DURATION = 5
// Longer runs (s) aren't worth the wait, however much time there is.
const LONGEST = 60
const PAUSE_SHARE = 0.1
// Shorter runs (s) say nothing.
const SHORTEST = 0.2
// Time (s) to begin and end a run, including connecting; a conservative estimate.
const OVERHEAD = 0.1
const STEPS = 60
const TOLERANCE = 1e-6

/**
 * Computes how long each run may take so that the search stays within its time, even in the worst case. If there is plenty of
 * time, and the user didn't set the duration of a run, runs are longer.
 *
 * A run that fails is repeated, because any run may fail by accident. After each run, requests in flight may take at most as
 * long as the run itself. A warm-up in the options precedes each run; its requests in flight may take until the timeout, which
 * is rare: this time is announced, but not planned for in `maxDuration`.
 *
 * @param {object} range see search.js
 * @param {object} settings `duration`, `pause`, `maxDuration`: seconds, undefined if not given
 * @param {object} target
 * @param {number} target.timeout seconds: the maximum of a drain
 * @param {function(number): number} [target.warmup] returns the seconds of the warm-up, given those of the run
 * @param {string} [target.what] what is searched, for errors: 'from 50 to 400 requests per second'
 * @returns {{ duration: number, pause: number, drain: number, seconds: number }} `seconds`: the maximum of the whole search
 * @throws {CannonadeError} CANNONADE_BAD_OPTION if `maxDuration` is too short for the search
 */
function budgetOf (range, settings, { timeout, warmup = () => 0, what }) {
  const { short, long } = mostRuns(range)
  const runs = short + long
  const pauseAfter = (duration) => settings.pause ?? PAUSE_SHARE * duration
  const planned = (duration) => short * (warmup(duration) + duration) + long * (warmup(LONGER * duration) + LONGER * duration) +
    runs * (Math.min(timeout, duration) + pauseAfter(duration) + OVERHEAD)
  const duration = Math.min(settings.duration ?? (settings.maxDuration === undefined ? DURATION : LONGEST), longestFitting(planned, settings.maxDuration))
  if (planned(duration) > settings.maxDuration + TOLERANCE) {
    const least = Math.ceil(planned(Math.min(SHORTEST, settings.duration ?? SHORTEST)))
    const before = warmup(SHORTEST) > 0 ? ' and the warm-up before each run' : ''
    throw optionError('maxDuration', settings.maxDuration, `at least ${least} seconds for a search ${what} with a precision of ${range.precision}${before}`)
  }
  const most = planned(duration) + (warmup(duration) > 0 ? runs * timeout : 0)
  return {
    duration,
    pause: pauseAfter(duration),
    drain: Math.min(timeout, duration),
    seconds: Math.ceil(Math.min(most, settings.maxDuration ?? Infinity))
  }
}

// Bisects, because the time of a search grows with the duration of its runs, but not in proportion to it.
function longestFitting (planned, maxDuration) {
  if (maxDuration === undefined) return Infinity
  let [low, high] = [SHORTEST, maxDuration]
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2
    if (planned(middle) > maxDuration) high = middle
    else low = middle
  }
  return low
}

module.exports = { budgetOf, LONGER }
