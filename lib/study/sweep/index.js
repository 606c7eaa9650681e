'use strict'

const { rate: perSecond } = require('../../metrics/in-words')
const world = require('../../world')
const { errorsBy, limitedBy, quicker, withSaturation } = require('../limited-by')
const ratesOf = require('../rates-of')
const { readSettings, seconds, secondsOrZero, signal } = require('../settings')
const { silenceWarning } = require('../silence')
const Study = require('../study')
const { kneeOf } = require('./knee')
const { rates } = require('./rates')
const { targetOf } = require('./row')
const { stopWhen, pastLimit } = require('./stop-when')
const { dashboardOf, ownWarmup, readTargets, withConnections } = require('../targets')

const SETTINGS = [
  { name: 'rates', ...rates },
  { name: 'duration', ...seconds, default: 10 },
  { name: 'pause', ...secondsOrZero, default: 1 },
  { name: 'stopWhen', ...stopWhen, default: {} },
  { name: 'signal', ...signal }
]

/** What ended a sweep, where no limit of `stopWhen` did. */
const NO_ANSWER = 'no answer'
const STOPPED = 'stop'
const LOST = 'agent lost'

// The samples of a run, of which the sustained rate is made out.
const SAMPLES = 10
const LONGEST_SAMPLE_MS = 1000
const SHORTEST_SAMPLE_MS = 10

/**
 * Runs the open model at one rate after the other, against one or several targets, and finds the knee.
 *
 * At each rate the targets are run one after the other, in alternating order. It ends early when every target has been
 * past one of the limits of `stopWhen`, at this or a lower rate, or has answered before and answers nothing any more.
 *
 * @param {object|object[]} opts options as for `run`, or an array of them, one for each target; `connections` is 100 here
 *   unless given. The sweep sets the rate and the duration. A `title` names a target, else it is the host
 * @param {object} settings
 * @param {{ from: number, to: number, step: number }|number[]} settings.rates requests per second; run in rising order
 * @param {number|string} [settings.duration=10] seconds for which each rate is held
 * @param {number|string} [settings.pause=1] seconds between runs
 * @param {object} [settings.stopWhen] `errorRate` (above this share, such as '5%'), `achievedRatio` (below this share of
 *   the demanded rate), `p99` (above this, ms or '200ms')
 * @param {AbortSignal} [settings.signal]
 * @returns {Study} events `run(result, { target, name, demanded })` and `row(row, results)`; resolves with `{ rows, knee,
 *   stoppedBy, targets, warnings, … }`, where `knee` is null if the rates did not reach it; of an array of targets it is
 *   an array of knees. After `stop()` the rows are those that were complete
 */
function sweep (opts, settings) {
  return new Study(() => prepare(opts, settings), work)
}

function prepare (opts, given) {
  const { settings, warnings } = readSettings({ rates: [], ...given }, SETTINGS)
  const { duration, pause } = settings
  // The rates differ in nothing that could make one of them wrong and another right.
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

function sampleInterval (duration) {
  return Math.round(Math.min(LONGEST_SAMPLE_MS, Math.max(SHORTEST_SAMPLE_MS, duration * 1000 / SAMPLES)))
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

// Notes whether a target has answered something at the last rate: `silent` has the first result of those that have not, and
// since which rate they had not, null where they never had. One that has answered before is not waited for again.
function fallSilent (silent, rows, index, result) {
  const isSilent = ({ targets }) => targets[index].completed === 0
  if (!isSilent(rows.at(-1))) silent.delete(index)
  else if (!silent.has(index)) silent.set(index, { result, rate: rows.length > 1 ? rows.at(-1).demanded : null })
  return silent.has(index) && !rows.every(isSilent) ? NO_ANSWER : null
}

// In the order of the targets, whatever the order in which they were run; null where the sweep was stopped.
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

// Of one that has answered nothing no other rate would tell more.
function aboutKnees (rows, targets, knees, { silent, stoppedBy, ratesOf }) {
  if (rows.length === 0) return []
  return targets.filter((_, index) => knees[index] === null && !silent.has(index)).map((target) => {
    const { name, keepsUp } = rows[0].targets[targets.indexOf(target)]
    const where = keepsUp
      ? `up to ${perSecond(rows.at(-1).demanded)} ${ratesOf} per second ${name} shows no knee: ${stoppedBy === STOPPED || stoppedBy === LOST ? 'the rates above were not run' : 'sweep higher to find it'}`
      : `${name} did not keep up with the lowest rate of ${perSecond(rows[0].demanded)} ${ratesOf} per second: sweep lower to find its knee`
    return { code: 'NO_KNEE', message: where[0].toUpperCase() + where.slice(1) + '.' }
  })
}

function aboutGenerator (rows, ratesOf) {
  const where = ratesWhere(rows, ratesOf, ({ saturated, limitedBy }) => saturated && limitedBy !== 'connections')
  if (where === null) return []
  return [{
    code: 'GENERATOR_SATURATED',
    message: `The load generator was saturated at ${where}. What these rows say is as much of it as of the server.`
  }]
}

function aboutConnections (rows, ratesOf) {
  const where = ratesWhere(rows, ratesOf, ({ limitedBy }) => limitedBy === 'connections')
  if (where === null) return []
  return [{
    code: 'CONNECTIONS_LIMIT',
    message: `There were too few connections for ${where}. What these rows say is not the limit of the server.`
  }]
}

// '200, 400 requests per second; at 400 …', where something is true of a target; null where it never is.
function ratesWhere (rows, ratesOf, isTrue) {
  const found = rows.filter(({ targets }) => targets.some(isTrue))
  if (found.length === 0) return null
  const at = found.map(({ demanded }) => perSecond(demanded))
  const shown = at.length > 5 ? `${at.slice(0, 5).join(', ')} and ${at.length - 5} more` : at.join(', ')
  // The highest rate has the most to say.
  const reasons = found.at(-1).targets.find(isTrue).reasons.join('; ')
  return `${shown} ${ratesOf} per second${at.length === 1 ? `: ${reasons}` : `; at ${at.at(-1)} ${reasons}`}`
}

module.exports = sweep
