'use strict'

const { rate, kind, isObject } = require('../../values/kinds')
const { named, optionError, words } = require('../../base/errors')
const { parseThresholds, checkAgainstPlan } = require('../../thresholds')
const world = require('../../world')
const { budgetOf } = require('./budget')
const { conclude } = require('./conclude')
const Explorer = require('./explorer')
const { search } = require('./search')
const { withImplied } = require('./slo')
const { ENOUGH } = require('../keeping-up')
const ratesOf = require('../rates-of')
const { readSettings, share, seconds, secondsOrZero, signal } = require('../settings')
const Study = require('../study')
const { dashboardOf, ownWarmup, readTargets, withConnections } = require('../targets')

const FINEST = 0.005
// With fewer requests in a run there is nothing to be said about a rate.
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
  { name: 'slo', read: parseThresholds, default: parseThresholds('errors == 0') },
  { name: 'rates', ...rates, default: RATES },
  { name: 'precision', ...precision, default: 0.05 },
  { name: 'maxDuration', ...seconds },
  { name: 'duration', ...seconds },
  { name: 'pause', ...secondsOrZero },
  { name: 'signal', ...signal }
]

/**
 * Finds the highest rate that a server sustains while it meets its service level objectives.
 *
 * The open model is run at rates that double until one fails, then at rates between the last that passed and the first
 * that failed until they are near enough, and the best one is confirmed by a longer run. A rate passes when all of `slo`
 * is met, the server keeps up with it (answers 98 % of it once under way) and less than 1 % of the answers are 5xx; the
 * last is left to `slo` where that says something about the status.
 *
 * @param {object} opts options as for `run`; `connections` is 100 here unless given
 * @param {object} [settings]
 * @param {string|object|Array<string|object>} [settings.slo=['errors == 0']] thresholds
 * @param {number|string} [settings.precision=0.05] how near to the lowest rate that fails the answer has to be; 0.005 to 1
 * @param {{ from: number, to: number }} [settings.rates={ from: 50, to: 100000 }] where to begin, and the most to ask for
 * @param {number|string} [settings.maxDuration] seconds that the whole search may take; runs are made shorter to fit, or
 *   longer, up to a minute, where `duration` is not given
 * @param {number|string} [settings.duration=5] seconds of each run, see also `maxDuration`; three times that to confirm
 * @param {number|string} [settings.pause] seconds between runs; default a tenth of `duration`
 * @param {AbortSignal} [settings.signal]
 * @returns {Study} `seconds`, and the event `start({ seconds })`, announce how long it will take at most. Events
 *   `run(result, { rate, phase })` and `step(step, result)`. Resolves with `{ capacity, interval, limitingThreshold,
 *   limitedBy, reasons, isConfirmed, knee, steps, slo, … }`: capacity in requests per second, a rate that was run and
 *   passed, or 0; interval from there to the lowest rate that failed, null where none did; limitedBy 'server',
 *   'generator', 'connections' (there were too few) or 'maximum asked for', null where it is not known
 */
function findCapacity (opts, settings) {
  return new Study(() => prepare(opts, settings), work)
}

function prepare (opts, given) {
  const { settings, warnings } = readSettings(given, SETTINGS)
  const { rates, precision } = settings
  if (!isObject(opts)) throw optionError('the options', opts, 'an object: the capacity is that of one target')
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
  return { ...conclude(explorer, found, prepared), start, finish: world.date() }
}

// What has passed is what is known of the capacity until the search is over.
function soFar (explorer, prepared) {
  const best = Math.max(0, ...explorer.steps.filter(({ passed }) => passed).map(({ rate }) => rate))
  const failed = explorer.steps.filter(({ passed, rate }) => !passed && rate > best).map(({ rate }) => rate)
  const found = { low: best, high: failed.length === 0 ? null : Math.min(...failed), isConfirmed: null, isComplete: false }
  return { ...conclude(explorer, found, { ...prepared, warnings: [] }), warnings: [] }
}

module.exports = findCapacity
