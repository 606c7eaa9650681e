'use strict'

const { chooseSeed } = require('../../plan/schedule')
const { isGiven } = require('../../values/kinds')
const world = require('../../world')
const { comparisonResult } = require('./comparison-result')
const { pauseAfter, prepare, warmupOf } = require('./prepare')
const Study = require('../study')

/**
 * Compares two or more servers, or versions of one, and reports its confidence.
 *
 * Each item is a set of options, as for `run`, or a saved result, or an array of saved results. Sets of options are run in
 * rounds, in alternating order (A B B A A B …), so that whatever changes meanwhile affects all of them. Each is compared with the
 * first.
 *
 * The intervals of all metrics hold simultaneously at 95% confidence, so if a server is compared with itself, at most 5% of all
 * comparisons show a difference. For a single run, only the noise within that run is known: `falseAlarmRate` is then null, and
 * there is a warning.
 *
 * @param {Array<object|object[]>} items two or more
 * @param {object} [settings]
 * @param {number} [settings.rounds=10] with 5 or fewer, only large differences can be detected; a single round is no better than
 *   single saved results
 * @param {number|string} [settings.duration] seconds of each run; default 5, or the duration or amount in the options
 * @param {number|string} [settings.warmup] seconds of the warm-up of each side before the first round; default the duration, at
 *   most 2
 * @param {number|string} [settings.pause] seconds after each run; default a tenth of its duration
 * @param {number} [settings.seed=0] random seed of the bootstrap
 * @param {number|string|object} [settings.maxRegression] '5%': fail if the second side is certain to be worse by more than
 *   that in any metric; or for single metrics, `{ p99: '10%' }`. Adds `regression` and `passed` to the result
 * @param {AbortSignal} [settings.signal]
 * @param {function(number, function(object): Promise, AbortSignal): Promise} [reach] for the command, which starts a server for each
 *   run: starts the server of the item with this index, calls the function with the options to reach it, and returns its result;
 *   null if the signal ended it. Each run then has its own warm-up
 * @returns {Study} event `run(result, { target, name, round })`; resolves with `{ verdict, metrics, comparisons, sides,
 *   rounds, confidence, falseAlarmRate, method, runs, warnings, … }`. A metric has the values `a` and `b`, the `difference`,
 *   its `interval`, the `smallestDifference` that could have been detected, and the `verdict` on the second side: 'faster', 'slower'
 *   or 'no difference shown'; the overall verdict is 'mixed' if metrics contradict each other. Servers that are diagnosed have `hot`, the
 *   functions that differ
 */
function compare (items, settings, reach = null) {
  return new Study(() => prepare(items, settings, { isRestarted: reach !== null }), (study, prepared) => work(study, prepared, reach))
}

async function work (study, { sides, settings, warnings }, reach) {
  const start = world.date()
  const live = sides.filter(({ isSaved }) => !isSaved)
  const seed = seedOf(live)
  if (reach === null) for (const side of live) await warmUp(study, withSeed(side, seed), settings)
  await runRounds(study, sides, settings, reach)
  return { ...comparisonResult(sides, settings, warnings, study), start, finish: world.date() }
}

// The very first run meets cold caches and code that isn't compiled yet, which would always affect the same side.
async function warmUp (study, side, settings, where) {
  const duration = warmupOf(settings, side)
  if (duration > 0) await study.measure({ ...side.opts, ...where, amount: undefined, warmup: undefined, diagnose: undefined, duration }, { name: side.name, isWarmup: true })
}

async function runRounds (study, sides, settings, reach) {
  const live = sides.filter(({ isSaved }) => !isSaved)
  for (let round = 0; round < settings.rounds && !study.isStopped; round++) {
    const order = round % 2 === 0 ? live : [...live].reverse()
    const results = new Map()
    const seed = seedOf(live)
    for (const side of order) {
      const result = await measure(study, withSeed(side, seed), settings, { target: live.indexOf(side), name: side.name, round }, reach)
      if (result === null) return
      results.set(side, result)
      await study.pause(pauseAfter(settings, side))
    }
    for (const side of live) side.results.push(results.get(side))
    study.grew((end) => comparisonResult(sides, settings, [], end))
  }
}

// Both sides meet the same users in the same order: their arrivals, pauses, rows and choices depend on the seed.
function seedOf (sides) {
  return sides.find(({ opts }) => isGiven(opts.seed))?.opts.seed ?? chooseSeed()
}

function withSeed (side, seed) {
  return { ...side, opts: { ...side.opts, seed: side.opts.seed ?? seed } }
}

// A server that is started for each run is cold each time, so each run needs its own warm-up.
async function measure (study, side, settings, about, reach) {
  if (reach === null) return study.measure(side.opts, about)
  return reach(about.target, async (where) => {
    await warmUp(study, side, settings, where)
    return study.measure({ ...side.opts, ...where }, about)
  }, study.stopping)
}

module.exports = compare
