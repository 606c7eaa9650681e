'use strict'

const { contradiction } = require('../../base/errors')
const { isGiven } = require('../../values/kinds')
const world = require('../../world')
const { errorsBy, quicker } = require('../limited-by')
const { readSettings, seconds, secondsOrZero, signal } = require('../settings')
const { silenceWarning } = require('../silence')
const Study = require('../study')
const { httperfOf } = require('./autobench')
const { RATES, USERS } = require('./axes')
const { targetOf } = require('./row')
const { checkStopWhen, connections, pastLimit, rates, stopWhen } = require('./settings')
const { dashboardOf, ownWarmup, ratesOf, readTargets, sampleInterval } = require('../targets')

const SETTINGS = [
  { name: 'rates', ...rates },
  { name: 'connections', ...connections },
  { name: 'duration', ...seconds, default: 10 },
  { name: 'pause', ...secondsOrZero, default: 1 },
  { name: 'stopWhen', ...stopWhen, default: {} },
  { name: 'signal', ...signal }
]

/** Why a sweep ended early, if not because of `stopWhen`. */
const NO_ANSWER = 'no answer'
const STOPPED = 'stop'
const LOST = 'agent lost'
// How many steps a warning lists.
const MOST_LISTED = 5

/**
 * Steps through request rates in the open model, or through numbers of connections in the closed model, for one or several targets, and
 * finds the knee.
 *
 * At each step, the targets are tested one after another, in alternating order. The sweep ends early once each target has exceeded
 * one of the limits of `stopWhen`, at this or a lower step, or has stopped responding.
 *
 * @param {object|object[]} opts options as for `run`, or an array of them, one for each target; `connections` defaults to 100 in a sweep of
 *   rates. The sweep sets the rate (or the connections) and the duration. The name of a target is its `title`, or its host
 * @param {object} settings with either `rates` or `connections`
 * @param {{ from: number, to: number, step: number }|number[]} [settings.rates] requests per second; tested in ascending order
 * @param {{ from: number, to: number, step?: number }|number[]} [settings.connections] how many users at a time; without `step`, each
 *   number is about 1.5 times the previous one
 * @param {number|string} [settings.duration=10] seconds of each run
 * @param {number|string} [settings.pause=1] seconds between runs
 * @param {object} [settings.stopWhen] `errorRate` and `failureRate` (above this share, such as '5%'), `achievedRatio` (below
 *   this share of the demanded rate; for `rates` only), `p99` (above this, ms or '200ms')
 * @param {AbortSignal} [settings.signal]
 * @returns {Study} events `run(result, { target, name, demanded })` (or `connections`) and `row(row, results)`; resolves with `{ rows, knee,
 *   stoppedBy, targets, warnings, … }`, where `knee` is null if the steps didn't go beyond it; for an array of targets it is an
 *   array of knees. After `stop()`, `rows` has the complete rows
 */
function sweep (opts, settings) {
  return new Study(() => prepare(opts, settings), work)
}

function prepare (opts, given) {
  const axis = axisOf(given)
  const { settings, warnings } = readSettings(axis === RATES ? { rates: [], ...given } : given, SETTINGS)
  const { duration, pause, stopWhen } = settings
  const values = settings[axis.setting]
  checkStopWhen(stopWhen, axis)
  // Checking one step is enough: if it is valid, all are.
  const targets = readTargets([opts].flat().map(axis.complete), axis.study, { added: { ...axis.optionsFor(values[0]), duration } })
  return {
    axis,
    values,
    settings,
    targets: targets.map((target) => ({ ...target, opts: { sampleInt: sampleInterval(duration), ...target.opts } })),
    isOne: !Array.isArray(opts),
    dashboard: dashboardOf(targets, 'Sweep of'),
    ratesOf: ratesOf(targets),
    options: opts,
    warnings: [...warnings, ...targets.flatMap(({ warnings }) => warnings)],
    signals: [settings.signal, ...targets.map(({ signal }) => signal)],
    seconds: values.length * targets.reduce((sum, { opts }) => sum + ownWarmup(opts, duration) + duration + pause, 0) - pause
  }
}

function axisOf (given) {
  if (!isGiven(given?.connections)) return RATES
  if (isGiven(given.rates)) throw contradiction('rates', 'connections', 'a sweep steps through one of them')
  return USERS
}

async function work (study, prepared) {
  const { axis, settings, targets, isOne, ratesOf, warnings } = prepared
  const start = world.date()
  const { rows, limits, stoppedBy, silent } = await climb(study, prepared)
  const knees = targets.map((_, index) => axis.kneeOf(pointsOf(axis, rows, limits, index)))
  return {
    kind: 'sweep',
    axis: axis.setting,
    ratesOf,
    rows,
    knee: isOne ? knees[0] : knees,
    stoppedBy,
    targets: targets.map(({ name, plan }) => ({ name, url: plan.url })),
    duration: settings.duration,
    warnings: [
      ...warnings,
      ...aboutSilence(prepared, silent),
      ...aboutKnees(prepared, rows, knees, { silent, stoppedBy }),
      ...aboutGenerator(prepared, rows),
      ...aboutConnections(prepared, rows)
    ],
    start,
    finish: world.date()
  }
}

function pointsOf ({ field }, rows, limits, index) {
  return rows.map(({ [field]: value, targets }, row) => ({ at: value, target: targets[index], ...limits[row][index] }))
}

async function climb (study, { axis, values, settings: { duration, pause, stopWhen }, targets }) {
  const rows = []
  const limits = []
  const idle = targets.map(() => null)
  const past = new Map()
  const silent = new Map()
  for (const value of values) {
    const results = await runAll(study, targets, { axis, value, duration, pause, isReversed: rows.length % 2 === 1, isFirst: rows.length === 0 })
    if (results === null) return { rows, limits, silent, stoppedBy: study.isStopped ? STOPPED : LOST }
    const row = {
      [axis.field]: value,
      targets: results.map((result, index) => {
        const { name, opts: { arrivals }, plan } = targets[index]
        const target = targetOf(name, result, idle[index], axis.assess(result, value, { arrivals }))
        // httperf has no closed model.
        return axis === RATES ? { ...target, httperf: httperfOf(result, plan) } : target
      })
    }
    rows.push(row)
    limits.push(results.map((result, index) => ({ limitedBy: axis.limitOf(result, idle[index], row.targets[index]).limitedBy, errorsBy: errorsBy(result).limitedBy })))
    results.forEach((result, index) => { idle[index] = quicker(idle[index], result) })
    study.emit('row', row, results)
    study.grew(() => ({ kind: 'sweep', axis: axis.setting, rows, knee: null, targets: targets.map(({ name, plan }) => ({ name, url: plan.url })), duration, warnings: [] }))
    row.targets.forEach((target, index) => {
      const gone = fallSilent(silent, { axis, rows, index, result: results[index] })
      const limit = pastLimit(stopWhen, target, value, results[index]) ?? gone
      if (limit !== null && !past.has(index)) past.set(index, limit)
    })
    if (past.size === targets.length) return { rows, limits, silent, stoppedBy: [...new Set(past.values())].join(', ') }
  }
  return { rows, limits, silent, stoppedBy: null }
}

// Records whether a target responded at the last step: `silent` has the first result without a response of each silent target, and
// the value at which it became silent, or null if it never responded.
function fallSilent (silent, { axis, rows, index, result }) {
  const isSilent = ({ targets }) => targets[index].completed === 0
  if (!isSilent(rows.at(-1))) silent.delete(index)
  else if (!silent.has(index)) silent.set(index, { result, value: rows.length > 1 ? rows.at(-1)[axis.field] : null })
  return silent.has(index) && !rows.every(isSilent) ? NO_ANSWER : null
}

// Results are in the order of the targets, whatever the order of execution; null if the sweep was stopped.
async function runAll (study, targets, { axis, value, duration, pause, isReversed, isFirst }) {
  const results = new Array(targets.length)
  const order = [...targets.keys()]
  if (isReversed) order.reverse()
  for (const [position, index] of order.entries()) {
    if (!isFirst || position > 0) await study.pause(pause)
    const { opts, name } = targets[index]
    results[index] = await study.measure({ ...opts, ...(!isGiven(opts.seed) && axis.seedFor(opts, { value, duration, times: 0 })), ...axis.optionsFor(value), duration }, { target: index, name, [axis.field]: value })
    if (results[index] === null) return null
  }
  return results
}

function aboutSilence ({ axis, targets, ratesOf }, silent) {
  return [...silent].map(([index, { result, value }]) => silenceWarning(targets[index].name, result, value === null ? null : `${axis.preposition} ${axis.inWords(value, ratesOf)}`))
}

// For a target that never responded, other steps wouldn't help.
function aboutKnees ({ axis, targets, ratesOf }, rows, knees, { silent, stoppedBy }) {
  if (rows.length === 0) return []
  const [first, last] = [rows[0], rows.at(-1)].map((row) => axis.inWords(row[axis.field], ratesOf))
  return targets.filter((_, index) => knees[index] === null && !silent.has(index)).map((target) => {
    const { name, keepsUp } = rows[0].targets[targets.indexOf(target)]
    const where = keepsUp === false
      ? `${name} did not keep up even with the lowest rate, ${first}: sweep lower to find its knee`
      : `up to ${last} ${name} shows no knee: ${stoppedBy === null ? 'sweep higher to find it' : `the ${axis.plural} above were not run`}`
    return { code: 'NO_KNEE', message: where[0].toUpperCase() + where.slice(1) + '.' }
  })
}

function aboutGenerator (prepared, rows) {
  const where = stepsWhere(prepared, rows, ({ saturated, limitedBy }) => saturated && limitedBy !== 'connections')
  if (where === null) return []
  return [{
    code: 'GENERATOR_SATURATED',
    message: `The load generator was saturated at ${where}. These rows include its delays.`
  }]
}

function aboutConnections (prepared, rows) {
  const where = stepsWhere(prepared, rows, ({ limitedBy }) => limitedBy === 'connections')
  if (where === null) return []
  return [{
    code: 'CONNECTIONS_LIMIT',
    message: `There were too few connections for ${where}. These rows do not show the server's limit.`
  }]
}

// Lists the steps at which a predicate holds for a target: '200, 400 requests per second; at 400 …'; null if there are none.
function stepsWhere ({ axis, ratesOf }, rows, isTrue) {
  const found = rows.filter(({ targets }) => targets.some(isTrue))
  if (found.length === 0) return null
  const values = found.map((row) => row[axis.field])
  const listed = values.slice(0, MOST_LISTED).map(axis.number).join(', ')
  const shown = values.length > MOST_LISTED ? `${listed} and ${values.length - MOST_LISTED} more` : listed
  // The reasons at the highest step are the clearest.
  const reasons = found.at(-1).targets.find(isTrue).reasons.join('; ')
  return values.length === 1 ? `${axis.inWords(values[0], ratesOf)}: ${reasons}` : `${axis.together(shown, ratesOf)}; at ${axis.number(values.at(-1))} ${reasons}`
}

module.exports = sweep
