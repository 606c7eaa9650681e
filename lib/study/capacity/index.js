'use strict'

const { choice, isGiven, isObject, kind } = require('../../values/kinds')
const { named, optionError, optionProblem, words } = require('../../base/errors')
const { parseThresholds, checkAgainstPlan } = require('../../thresholds')
const world = require('../../world')
const { BY_RATE, BY_USERS } = require('./axes')
const { budgetOf } = require('./budget')
const { capacityResult } = require('./capacity-result')
const Explorer = require('./explorer')
const { search } = require('./search')
const { withImplied } = require('./slo')
const { ENOUGH } = require('../keeping-up')
const { readSettings, share, seconds, secondsOrZero, signal } = require('../settings')
const Study = require('../study')
const { dashboardOf, ownWarmup, ratesOf, readTargets } = require('../targets')

const FINEST = 0.005
const precision = kind(`a share from ${FINEST} to 1, or a percentage such as '5%'`, (value, name) => {
  const number = share.read(value, name)
  return number >= FINEST ? number : undefined
})

const AXES = [BY_RATE, BY_USERS]

const SETTINGS = [
  { name: 'of', ...choice(...AXES.map(({ setting }) => setting)) },
  { name: 'slo', read: parseThresholds, default: parseThresholds('failures == 0') },
  ...AXES.map(({ setting, range, defaultRange }) => ({ name: setting, ...range, default: defaultRange })),
  { name: 'precision', ...precision, default: 0.05 },
  { name: 'maxDuration', ...seconds },
  { name: 'duration', ...seconds },
  { name: 'pause', ...secondsOrZero },
  { name: 'signal', ...signal }
]

/**
 * Finds the highest rate at which a server meets its service-level objectives, or the greatest number of users for whom it does.
 *
 * Runs the open model at rates that double until one fails, then bisects between the last that passed and the first that
 * failed until they are close enough, and confirms the best one with a longer run. A rate passes if it meets all of `slo`,
 * the server keeps up with it (98% of it, measured once the run is under way) and less than 1% of the responses are 5xx; this
 * last condition doesn't apply if `slo` says something about the status.
 *
 * A search for the number of connections is the same in the closed model, which demands no rate: each connection stands for a user,
 * who waits for a response before the next request.
 *
 * @param {object} opts options as for `run`; `connections` is 100 here unless given, and cannot be given if it is what is searched
 * @param {object} [settings]
 * @param {string|object|Array<string|object>} [settings.slo=['failures == 0']] thresholds
 * @param {'rates'|'connections'} [settings.of='rates'] what to find
 * @param {number|string} [settings.precision=0.05] how close the answer must be to the lowest rate that failed; 0.005 to 1
 * @param {{ from: number, to: number }} [settings.rates={ from: 50, to: 100000 }] the first and the highest rate to test
 * @param {{ from: number, to: number }} [settings.connections={ from: 1, to: 10000 }] the first and the highest number of connections
 * @param {number|string} [settings.maxDuration] maximum seconds of the whole search; runs are shortened to fit, or extended
 *   up to a minute unless `duration` is set
 * @param {number|string} [settings.duration=5] seconds of each run, see also `maxDuration`; the confirmation takes three times
 *   as long
 * @param {number|string} [settings.pause] seconds between runs; default a tenth of `duration`
 * @param {AbortSignal} [settings.signal]
 * @returns {Study} `seconds`, and the event `start({ seconds })`, have the maximum time that it will take. Events
 *   `run(result, { name, rate, phase })` (or `connections`) and `step(step, result)`. Resolves with `{ axis, capacity, interval,
 *   limitingThreshold, limitedBy, reasons, isConfirmed, knee, steps, slo, … }`: capacity in requests per second (or connections), a
 *   rate that was tested and passed, or 0; interval from there to the lowest rate that failed, or null if none did; limitedBy 'server',
 *   'generator', 'connections' (there were too few) or 'maximum asked for', null if unknown
 */
function findCapacity (opts, settings) {
  return new Study(() => prepare(opts, settings), work)
}

function prepare (opts, given) {
  const { settings, warnings } = readSettings(given, SETTINGS)
  const axis = axisOf(settings, given)
  const { [axis.setting]: { from, to }, duration, precision } = settings
  if (!isObject(opts)) throw optionError('the options', opts, 'an object: the search tests one target')
  const [target] = readTargets(axis.complete(opts), axis.study, { added: { ...axis.optionsFor(from), duration: 1 } })
  checkAgainstPlan(settings.slo, target.plan)
  const drains = axis.drains(target.plan)
  const bounds = { from, to, precision, least: axis.least(from, duration ?? 1), isWhole: axis.isWhole }
  const budget = budgetOf(bounds, settings, {
    timeout: target.plan.timeout,
    warmup: (duration) => ownWarmup(target.opts, duration),
    what: `from ${axis.together(`${from} to ${to}`, ratesOf([target]))}`
  })
  return {
    axis,
    settings,
    target,
    options: target.opts,
    dashboard: dashboardOf([target], 'Capacity of'),
    ratesOf: ratesOf([target]),
    bounds,
    budget,
    drains,
    slo: withImplied(settings.slo, {
      hasSessions: target.plan.sessions !== null,
      demandsRate: axis === BY_RATE,
      verifiesBodies: target.verifiesBodies,
      drains
    }),
    enough: Math.max(ENOUGH, 1 - precision / 2),
    warnings: [...warnings, ...target.warnings],
    signals: [settings.signal, target.signal],
    seconds: budget.seconds
  }
}

function axisOf ({ of }, given) {
  const axis = AXES.find(({ setting }) => setting === of) ?? (isGiven(given?.connections) ? BY_USERS : BY_RATE)
  const other = AXES.find((each) => each !== axis).setting
  if (isGiven(given?.[other])) throw optionProblem(other, words`${named(other)} cannot be given here: the search is for the highest ${axis.noun}`)
  return axis
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
  const { field } = prepared.axis
  const best = Math.max(0, ...explorer.steps.filter(({ passed }) => passed).map((step) => step[field]))
  const failed = explorer.steps.filter((step) => !step.passed && step[field] > best).map((step) => step[field])
  const found = { low: best, high: failed.length === 0 ? null : Math.min(...failed), isConfirmed: null, isComplete: false }
  return { ...capacityResult(explorer, found, { ...prepared, warnings: [] }), warnings: [] }
}

module.exports = findCapacity
