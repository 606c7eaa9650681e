'use strict'

const world = require('../../world')
const { conclude } = require('./conclude')
const { pauseAfter, prepare, warmupOf } = require('./prepare')
const Study = require('../study')

/**
 * Compares two or more servers, or versions of one, and says how sure that is.
 *
 * Each item is a set of options, as for `run`, or what was measured before: a result, or an array of results. Sets of
 * options are run in rounds, interleaved and in alternating order (A B B A A B …), so that what changes meanwhile falls on
 * all alike. Each is compared with the first.
 *
 * The intervals of all metrics hold together with 95 % confidence, so that comparing a server with itself calls it
 * different in at most 5 % of all comparisons. What was measured in a single run shows its noise only within that run:
 * `falseAlarmRate` is null then, and a warning says what is not known.
 *
 * @param {Array<object|object[]>} items two or more
 * @param {object} [settings]
 * @param {number} [settings.rounds=10] with 5 or fewer only large differences can be shown; a single round is as little
 *   to go by as a single saved result of each
 * @param {number|string} [settings.duration] of each run, in seconds; default 5, or that of the options or their amount
 * @param {number|string} [settings.warmup] seconds for which each is run before the first round, unmeasured; default the
 *   duration, at most 2
 * @param {number|string} [settings.pause] seconds after each run; default a tenth of its duration
 * @param {number} [settings.seed=0] of the bootstrap
 * @param {number|string|object} [settings.maxRegression] '5%': fail where the second is shown to be worse by more than
 *   that, in any metric; or of single ones, `{ p99: '10%' }`. Adds `regression` and `passed` to the result
 * @param {AbortSignal} [settings.signal]
 * @param {function(number, function(object): Promise, AbortSignal): Promise} [reach] for the command, which starts a server
 *   for each of its runs: has the run made while that of the item with this number is there, with the options that lead
 *   to it, and gives back what comes of it; null where it was ended by the signal. Each run has its warm-up then
 * @returns {Study} event `run(result, { target, name, round })`; resolves with `{ verdict, metrics, comparisons, sides,
 *   rounds, confidence, falseAlarmRate, method, runs, warnings, … }`. A metric has the values `a` and `b`, the `difference`,
 *   its `interval`, the `smallestDifference` that could have been shown, and the `verdict` 'faster', 'slower' or 'no
 *   difference shown', of the second; the whole is 'mixed' where they contradict each other
 */
function compare (items, settings, reach = null) {
  return new Study(() => prepare(items, settings, { isRestarted: reach !== null }), (study, prepared) => work(study, prepared, reach))
}

async function work (study, { sides, settings, warnings }, reach) {
  const start = world.date()
  const live = sides.filter(({ isSaved }) => !isSaved)
  if (reach === null) for (const side of live) await warmUp(study, side, settings)
  await runRounds(study, sides, settings, reach)
  return { ...conclude(sides, settings, warnings, study), start, finish: world.date() }
}

// The first run of all meets cold caches and code that is not compiled yet, and it is always the same side's.
async function warmUp (study, side, settings, where) {
  const duration = warmupOf(settings, side)
  if (duration > 0) await study.measure({ ...side.opts, ...where, amount: undefined, warmup: undefined, duration }, { name: side.name, isWarmup: true })
}

async function runRounds (study, sides, settings, reach) {
  const live = sides.filter(({ isSaved }) => !isSaved)
  for (let round = 0; round < settings.rounds && !study.isStopped; round++) {
    const order = round % 2 === 0 ? live : [...live].reverse()
    const results = new Map()
    for (const side of order) {
      const result = await measure(study, side, settings, { target: live.indexOf(side), name: side.name, round }, reach)
      if (result === null) return
      results.set(side, result)
      await study.pause(pauseAfter(settings, side))
    }
    for (const side of live) side.results.push(results.get(side))
    study.grew(() => conclude(sides, settings, []))
  }
}

// A server that was just started is cold each time.
async function measure (study, side, settings, about, reach) {
  if (reach === null) return study.measure(side.opts, about)
  return reach(about.target, async (where) => {
    await warmUp(study, side, settings, where)
    return study.measure({ ...side.opts, ...where }, about)
  }, study.stopping)
}

module.exports = compare
