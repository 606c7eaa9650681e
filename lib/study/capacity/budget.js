'use strict'

const { optionError } = require('../../errors')
const { mostRuns } = require('./search')

/** How much longer a run is that confirms a rate. */
const LONGER = 3
const DURATION = 5
const PAUSE_SHARE = 0.1
// Below this a run says nothing.
const SHORTEST = 0.2
// What beginning and ending a run takes, connections included; an estimate on the safe side.
const OVERHEAD = 0.1

/**
 * How long each run may take so that all of them, in the worst case, take no longer than they may.
 *
 * A run that fails is made again, since an accident can make any run fail. After each, what is still in flight is waited
 * for as long as the run was, at most.
 *
 * @param {object} range see search.js
 * @param {object} settings `duration`, `pause`, `maxDuration`: seconds, undefined where not given
 * @param {number} timeout seconds: a drain is no longer than this
 * @returns {{ duration: number, pause: number, drain: number, seconds: number }} `seconds`: of the whole search, at most
 * @throws {CannonadeError} CANNONADE_BAD_OPTION where `maxDuration` is too short for the search
 */
function budgetOf (range, settings, timeout) {
  const { short, long } = mostRuns(range)
  const runs = short + long
  const fixed = runs * (OVERHEAD + (settings.pause ?? 0))
  // In lengths of a short run, with its drain and, where that is not given, its pause.
  const lengths = short + LONGER * long + runs + (settings.pause === undefined ? PAUSE_SHARE * runs : 0)
  const fitting = settings.maxDuration === undefined ? Infinity : (settings.maxDuration - fixed) / lengths
  const duration = Math.min(settings.duration ?? DURATION, fitting)
  if (duration < SHORTEST && duration === fitting) {
    const least = Math.ceil(fixed + SHORTEST * lengths)
    throw optionError('maxDuration', settings.maxDuration, `at least ${least} seconds for a search from ${range.from} to ${range.to} requests per second with a precision of ${range.precision}`)
  }
  const pause = settings.pause ?? PAUSE_SHARE * duration
  const drain = Math.min(timeout, duration)
  const most = (short + LONGER * long) * duration + runs * (drain + pause + OVERHEAD)
  return { duration, pause, drain, seconds: Math.ceil(Math.min(most, settings.maxDuration ?? Infinity)) }
}

module.exports = { budgetOf, LONGER }
