'use strict'

const { optionError } = require('../../base/errors')
const { mostRuns } = require('./search')

/** How much longer a run is that confirms a rate. */
const LONGER = 3
const DURATION = 5
// What a longer run would add is not worth the wait, however much time there is.
const LONGEST = 60
const PAUSE_SHARE = 0.1
// Below this a run says nothing.
const SHORTEST = 0.2
// What beginning and ending a run takes, connections included; an estimate on the safe side.
const OVERHEAD = 0.1
const STEPS = 60
const TOLERANCE = 1e-6

/**
 * How long each run may take so that all of them, in the worst case, take no longer than they may. Who gives much time, and
 * does not say how long a run is, gets longer runs for it.
 *
 * A run that fails is made again, since an accident can make any run fail. After each, what is still in flight is waited
 * for as long as the run was, at most. A warm-up that the options ask for comes before each; what it leaves in flight is
 * waited for until the timeout, which seldom takes long: it is in what is announced, but not planned for in `maxDuration`.
 *
 * @param {object} range see search.js
 * @param {object} settings `duration`, `pause`, `maxDuration`: seconds, undefined where not given
 * @param {object} target
 * @param {number} target.timeout seconds: a drain is no longer than this
 * @param {function(number): number} [target.warmup] how long the warm-up before a run of so many seconds is, in seconds
 * @param {string} [target.ratesOf='requests'] what comes due
 * @returns {{ duration: number, pause: number, drain: number, seconds: number }} `seconds`: of the whole search, at most
 * @throws {CannonadeError} CANNONADE_BAD_OPTION where `maxDuration` is too short for the search
 */
function budgetOf (range, settings, { timeout, warmup = () => 0, ratesOf = 'requests' }) {
  const { short, long } = mostRuns(range)
  const runs = short + long
  const pauseAfter = (duration) => settings.pause ?? PAUSE_SHARE * duration
  const planned = (duration) => short * (warmup(duration) + duration) + long * (warmup(LONGER * duration) + LONGER * duration) +
    runs * (Math.min(timeout, duration) + pauseAfter(duration) + OVERHEAD)
  const duration = Math.min(settings.duration ?? (settings.maxDuration === undefined ? DURATION : LONGEST), longestFitting(planned, settings.maxDuration))
  if (planned(duration) > settings.maxDuration + TOLERANCE) {
    const least = Math.ceil(planned(Math.min(SHORTEST, settings.duration ?? SHORTEST)))
    const before = warmup(SHORTEST) > 0 ? ' and the warm-up before each run' : ''
    throw optionError('maxDuration', settings.maxDuration, `at least ${least} seconds for a search from ${range.from} to ${range.to} ${ratesOf} per second with a precision of ${range.precision}${before}`)
  }
  const most = planned(duration) + (warmup(duration) > 0 ? runs * timeout : 0)
  return {
    duration,
    pause: pauseAfter(duration),
    drain: Math.min(timeout, duration),
    seconds: Math.ceil(Math.min(most, settings.maxDuration ?? Infinity))
  }
}

// By halves: the time that a search takes grows with the duration of its runs, but not in proportion to it.
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
