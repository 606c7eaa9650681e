'use strict'

const { rate, kind, isObject } = require('../../values/kinds')
const { named, optionError, words } = require('../../base/errors')
const { parseThresholds, checkAgainstPlan } = require('../../thresholds')
const world = require('../../world')
const { budgetOf } = require('./budget')
const { capacityResult } = require('./capacity-result')
const Explorer = require('./explorer')
const { search } = require('./search')
const { withImplied } = require('./slo')
const { ENOUGH } = require('../keeping-up')
const { readSettings, share, seconds, secondsOrZero, signal } = require('../settings')
const Study = require('../study')
const { dashboardOf, ownWarmup, ratesOf, readTargets, withConnections } = require('../targets')

const FINEST = 0.005
// A run with fewer requests says nothing about a rate.
const FEWEST_REQUESTS = 10

const RATES = { from: 50, to: 100000 }

const rates = kind('an object { from, to }: two rates per second', (value, name) => {
  if (!isObject(value)) return undefined
  const to = rate.read(value.to ?? Math.max(RATES.to, value.from ?? 0), `${name}.to`)
  const from = rate.read(value.from ?? Math.min(RATES.from, to), `${name}.from`)
  if (to < from) throw optionError(`${name}.to`, to, words`at least ${named(`${name}.from`)}, which is ${from}`)
  return { from, to }
})

const precision = kind(`a share from ${FINEST} to 1, or a percentage such as '5%'`, (value, name) => {
  const number = share.read(value, name)
  return number >= FINEST ? number : undefined
})

const SETTINGS = [
  { name: 'slo', read: parseThresholds, default: parseThresholds('failures == 0') },
  { name: 'rates', ...rates, default: RATES },
  { name: 'precision', ...precision, default: 0.05 },
  { name: 'maxDuration', ...seconds },
  { name: 'duration', ...seconds },
  { name: 'pause', ...secondsOrZero },
  { name: 'signal', ...signal }
]

/**
 * Finds the highest rate at which a server meets its service-level objectives.
 *
 * Runs the open model at rates that double until one fails, then bisects between the last that passed and the first that
 * failed until they are close enough, and confirms the best one with a longer run. A rate passes if it meets all of `slo`,
 * the server keeps up with it (98% of it, measured once the run is under way) and less than 1% of the responses are 5xx; this
 * last condition doesn't apply if `slo` says something about the status.
 *
 * @param {object} opts options as for `run`; `connections` is 100 here unless given
 * @param {object} [settings]
 * @param {string|object|Array<string|object>} [settings.slo=['failures == 0']] thresholds
 * @param {number|string} [settings.precision=0.05] how close the answer must be to the lowest rate that failed; 0.005 to 1
 * @param {{ from: number, to: number }} [settings.rates={ from: 50, to: 100000 }] the first and the highest rate to test
 * @param {number|string} [settings.maxDuration] maximum seconds of the whole search; runs are shortened to fit, or extended
 *   up to a minute unless `duration` is set
 * @param {number|string} [settings.duration=5] seconds of each run, see also `maxDuration`; the confirmation takes three times
 *   as long
 * @param {number|string} [settings.pause] seconds between runs; default a tenth of `duration`
 * @param {AbortSignal} [settings.signal]
 * @returns {Study} `seconds`, and the event `start({ seconds })`, have the maximum time that it will take. Events
 *   `run(result, { rate, phase })` and `step(step, result)`. Resolves with `{ capacity, interval, limitingThreshold,
 *   limitedBy, reasons, isConfirmed, knee, steps, slo, … }`: capacity in requests per second, a rate that was tested and
 *   passed, or 0; interval from there to the lowest rate that failed, or null if none did; limitedBy 'server',
 *   'generator', 'connections' (there were too few) or 'maximum asked for', null if unknown
 */
function findCapacity (opts, settings) {
  return new Study(() => prepare(opts, settings), work)
}

function prepare (opts, given) {
  const { settings, warnings } = readSettings(given, SETTINGS)
  const { rates, precision } = settings
  if (!isObject(opts)) throw optionError('the options', opts, 'an object: the search tests one target')
  const [target] = readTargets(withConnections(opts), 'capacity', { added: { overallRate: rates.from, duration: 1 } })
  checkAgainstPlan(settings.slo, target.plan)
  const bounds = { ...rates, precision, least: Math.min(rates.from, FEWEST_REQUESTS / (settings.duration ?? 1)) }
  const warmup = (duration) => ownWarmup(target.opts, duration)
  const budget = budgetOf(bounds, settings, { timeout: target.plan.timeout, warmup, ratesOf: ratesOf([target]) })
  return {
    settings,
    target,
    options: target.opts,
    dashboard: dashboardOf([target], 'Capacity of'),
    ratesOf: ratesOf([target]),
    bounds,
    budget,
    slo: withImplied(settings.slo, target.plan.sessions !== null),
    enough: Math.max(ENOUGH, 1 - precision / 2),
    warnings: [...warnings, ...target.warnings],
    signals: [settings.signal, target.signal],
    seconds: budget.seconds
  }
}

async function work (study, prepared) {
  const start = world.date()
  const explorer = new Explorer(study, prepared)
  study.on('step', () => study.grew(() => soFar(explorer, prepared)))
  const found = await search((rate, phase) => explorer.probe(rate, phase), prepared.bounds)
  return { ...capacityResult(explorer, found, prepared), start, finish: world.date() }
}

// The result so far: until the search is over, the capacity is the highest rate that has passed.
function soFar (explorer, prepared) {
  const best = Math.max(0, ...explorer.steps.filter(({ passed }) => passed).map(({ rate }) => rate))
  const failed = explorer.steps.filter(({ passed, rate }) => !passed && rate > best).map(({ rate }) => rate)
  const found = { low: best, high: failed.length === 0 ? null : Math.min(...failed), isConfirmed: null, isComplete: false }
  return { ...capacityResult(explorer, found, { ...prepared, warnings: [] }), warnings: [] }
}

module.exports = findCapacity
