'use strict'

const { rate: perSecond } = require('../../words/numbers')
const world = require('../../world')
const { errorsBy, limitedBy, quicker, withSaturation } = require('../limited-by')
const { readSettings, seconds, secondsOrZero, signal } = require('../settings')
const { silenceWarning } = require('../silence')
const Study = require('../study')
const { kneeOf } = require('./knee')
const { pastLimit, rates, stopWhen } = require('./settings')
const { targetOf } = require('./row')
const { dashboardOf, ownWarmup, ratesOf, readTargets, sampleInterval, withConnections } = require('../targets')

const SETTINGS = [
  { name: 'rates', ...rates },
  { name: 'duration', ...seconds, default: 10 },
  { name: 'pause', ...secondsOrZero, default: 1 },
  { name: 'stopWhen', ...stopWhen, default: {} },
  { name: 'signal', ...signal }
]

/** Why a sweep ended early, if not because of `stopWhen`. */
const NO_ANSWER = 'no answer'
const STOPPED = 'stop'
const LOST = 'agent lost'

/**
 * Steps through request rates in the open model, for one or several targets, and finds the knee.
 *
 * At each rate, the targets are tested one after another, in alternating order. The sweep ends early once each target has exceeded
 * one of the limits of `stopWhen`, at this or a lower rate, or has stopped responding.
 *
 * @param {object|object[]} opts options as for `run`, or an array of them, one for each target; `connections` defaults to 100. The
 *   sweep sets the rate and the duration. The name of a target is its `title`, or its host
 * @param {object} settings
 * @param {{ from: number, to: number, step: number }|number[]} settings.rates requests per second; tested in ascending order
 * @param {number|string} [settings.duration=10] seconds of each run
 * @param {number|string} [settings.pause=1] seconds between runs
 * @param {object} [settings.stopWhen] `errorRate` (above this share, such as '5%'), `achievedRatio` (below this share of
 *   the demanded rate), `p99` (above this, ms or '200ms')
 * @param {AbortSignal} [settings.signal]
 * @returns {Study} events `run(result, { target, name, demanded })` and `row(row, results)`; resolves with `{ rows, knee,
 *   stoppedBy, targets, warnings, … }`, where `knee` is null if the rates didn't go beyond it; for an array of targets it is an
 *   array of knees. After `stop()`, `rows` has the complete rows
 */
function sweep (opts, settings) {
  return new Study(() => prepare(opts, settings), work)
}

function prepare (opts, given) {
  const { settings, warnings } = readSettings({ rates: [], ...given }, SETTINGS)
  const { duration, pause } = settings
  // Checking one rate is enough: if it is valid, all are.
  const targets = readTargets([opts].flat().map(withConnections), 'sweep', { added: { overallRate: settings.rates[0], duration } })
  return {
    settings,
    targets: targets.map((target) => ({ ...target, opts: { sampleInt: sampleInterval(duration), ...target.opts } })),
    isOne: !Array.isArray(opts),
    dashboard: dashboardOf(targets, 'Sweep of'),
    ratesOf: ratesOf(targets),
    options: opts,
    warnings: [...warnings, ...targets.flatMap(({ warnings }) => warnings)],
    signals: [settings.signal, ...targets.map(({ signal }) => signal)],
    seconds: settings.rates.length * targets.reduce((sum, { opts }) => sum + ownWarmup(opts, duration) + duration + pause, 0) - pause
  }
}

async function work (study, { settings, targets, isOne, ratesOf, warnings }) {
  const start = world.date()
  const { rows, limits, stoppedBy, silent } = await climb(study, settings, targets)
  const knees = targets.map((_, index) => kneeOf(pointsOf(rows, limits, index)))
  return {
    kind: 'sweep',
    ratesOf,
    rows,
    knee: isOne ? knees[0] : knees,
    stoppedBy,
    targets: targets.map(({ name, plan }) => ({ name, url: plan.url })),
    duration: settings.duration,
    warnings: [...warnings, ...aboutSilence(targets, silent, ratesOf), ...aboutKnees(rows, targets, knees, { silent, stoppedBy, ratesOf }), ...aboutGenerator(rows, ratesOf), ...aboutConnections(rows, ratesOf)],
    start,
    finish: world.date()
  }
}

function pointsOf (rows, limits, index) {
  return rows.map(({ demanded, targets }, row) => ({ demanded, target: targets[index], ...limits[row][index] }))
}

async function climb (study, { rates, duration, pause, stopWhen }, targets) {
  const rows = []
  const limits = []
  const idle = targets.map(() => null)
  const past = new Map()
  const silent = new Map()
  for (const demanded of rates) {
    const results = await runAll(study, targets, { demanded, duration, pause, isReversed: rows.length % 2 === 1, isFirst: rows.length === 0 })
    if (results === null) return { rows, limits, silent, stoppedBy: study.isStopped ? STOPPED : LOST }
    const row = {
      demanded,
      targets: targets.map((target, index) => targetOf(target.name, results[index], idle[index], { demanded, arrivals: target.opts.arrivals }))
    }
    rows.push(row)
    limits.push(results.map((result, index) => {
      const limit = withSaturation(limitedBy(result, idle[index], row.targets[index].keepsUp), result, idle[index])
      return { limitedBy: limit.limitedBy, errorsBy: errorsBy(result).limitedBy }
    }))
    results.forEach((result, index) => { idle[index] = quicker(idle[index], result) })
    study.emit('row', row, results)
    study.grew(() => ({ kind: 'sweep', rows, knee: null, targets: targets.map(({ name, plan }) => ({ name, url: plan.url })), duration, warnings: [] }))
    row.targets.forEach((target, index) => {
      const gone = fallSilent(silent, rows, index, results[index])
      const limit = pastLimit(stopWhen, target, demanded, results[index]) ?? gone
      if (limit !== null && !past.has(index)) past.set(index, limit)
    })
    if (past.size === targets.length) return { rows, limits, silent, stoppedBy: [...new Set(past.values())].join(', ') }
  }
  return { rows, limits, silent, stoppedBy: null }
}

// Records whether a target responded at the last rate: `silent` has the first result without a response of each silent target, and
// the rate at which it became silent, or null if it never responded.
function fallSilent (silent, rows, index, result) {
  const isSilent = ({ targets }) => targets[index].completed === 0
  if (!isSilent(rows.at(-1))) silent.delete(index)
  else if (!silent.has(index)) silent.set(index, { result, rate: rows.length > 1 ? rows.at(-1).demanded : null })
  return silent.has(index) && !rows.every(isSilent) ? NO_ANSWER : null
}

// Results are in the order of the targets, whatever the order of execution; null if the sweep was stopped.
async function runAll (study, targets, { demanded, duration, pause, isReversed, isFirst }) {
  const results = new Array(targets.length)
  const order = [...targets.keys()]
  if (isReversed) order.reverse()
  for (const [position, index] of order.entries()) {
    if (!isFirst || position > 0) await study.pause(pause)
    const { opts, name } = targets[index]
    results[index] = await study.measure({ ...opts, overallRate: demanded, duration }, { target: index, name, demanded })
    if (results[index] === null) return null
  }
  return results
}

function aboutSilence (targets, silent, ratesOf) {
  return [...silent].map(([index, { result, rate }]) => silenceWarning(targets[index].name, result, rate, ratesOf))
}

// For a target that never responded, other rates wouldn't help.
function aboutKnees (rows, targets, knees, { silent, stoppedBy, ratesOf }) {
  if (rows.length === 0) return []
  return targets.filter((_, index) => knees[index] === null && !silent.has(index)).map((target) => {
    const { name, keepsUp } = rows[0].targets[targets.indexOf(target)]
    const where = keepsUp
      ? `up to ${perSecond(rows.at(-1).demanded)} ${ratesOf} per second ${name} shows no knee: ${stoppedBy === STOPPED || stoppedBy === LOST ? 'the rates above were not run' : 'sweep higher to find it'}`
      : `${name} did not keep up even with the lowest rate, ${perSecond(rows[0].demanded)} ${ratesOf} per second: sweep lower to find its knee`
    return { code: 'NO_KNEE', message: where[0].toUpperCase() + where.slice(1) + '.' }
  })
}

function aboutGenerator (rows, ratesOf) {
  const where = ratesWhere(rows, ratesOf, ({ saturated, limitedBy }) => saturated && limitedBy !== 'connections')
  if (where === null) return []
  return [{
    code: 'GENERATOR_SATURATED',
    message: `The load generator was saturated at ${where}. These rows include its delays.`
  }]
}

function aboutConnections (rows, ratesOf) {
  const where = ratesWhere(rows, ratesOf, ({ limitedBy }) => limitedBy === 'connections')
  if (where === null) return []
  return [{
    code: 'CONNECTIONS_LIMIT',
    message: `There were too few connections for ${where}. These rows do not show the server's limit.`
  }]
}

// Lists the rates at which a predicate holds for a target: '200, 400 requests per second; at 400 …'; null if there are none.
function ratesWhere (rows, ratesOf, isTrue) {
  const found = rows.filter(({ targets }) => targets.some(isTrue))
  if (found.length === 0) return null
  const at = found.map(({ demanded }) => perSecond(demanded))
  const shown = at.length > 5 ? `${at.slice(0, 5).join(', ')} and ${at.length - 5} more` : at.join(', ')
  // The reasons at the highest rate are the clearest.
  const reasons = found.at(-1).targets.find(isTrue).reasons.join('; ')
  return `${shown} ${ratesOf} per second${at.length === 1 ? `: ${reasons}` : `; at ${at.at(-1)} ${reasons}`}`
}

module.exports = sweep
