'use strict'

const { CannonadeError, CODES, optionError, optionProblem } = require('../../base/errors')
const { isGiven, isObject, wholeNumber } = require('../../values/kinds')
const { readSettings, seconds, secondsOrZero, signal } = require('../settings')
const { dashboardOf, ownWarmup, readTargets } = require('../targets')
const { maxRegression } = require('./regression')

const DURATION = 5
const PAUSE_SHARE = 0.1
const LONGEST_WARMUP = 2
// Seconds to warm up for runs by amount, whose duration is unknown.
const WARMUP_BY_AMOUNT = 1

const SETTINGS = [
  { name: 'rounds', ...wholeNumber(1), default: 10 },
  { name: 'duration', ...seconds },
  { name: 'warmup', ...secondsOrZero },
  { name: 'pause', ...secondsOrZero },
  { name: 'seed', ...wholeNumber(0, 2 ** 32 - 1), default: 0 },
  { name: 'maxRegression', ...maxRegression },
  { name: 'signal', ...signal }
]

/**
 * Checks what is to be compared.
 *
 * @param {Array<object|object[]>} items
 * @param {object} [given] the settings
 * @param {object} [how]
 * @param {boolean} [how.isRestarted=false] the server is started for each run, which warms it up
 * @returns {object} `sides`: `{ name, isSaved, results }`, and for those to be run `opts`, `seconds` and `before`, the length of
 *   the warm-up that their options demand in each run; `settings`, `warnings`; `signals` and `seconds`, for Study
 * @throws {CannonadeError} CANNONADE_BAD_OPTION, CANNONADE_BAD_RESULT
 */
function prepare (items, given, { isRestarted = false } = {}) {
  if (!Array.isArray(items) || items.length < 2) throw optionError('what is compared', items, 'an array of two or more sets of options, or results')
  const { settings, warnings } = readSettings(given, SETTINGS)
  const live = items.filter((item) => !isSaved(item))
  const targets = live.length === 0 ? [] : readTargets(live, 'compare', { setsLength: false, added: settings.duration === undefined ? {} : { duration: settings.duration } })
  checkDiagnosed(targets)
  const sides = sidesOf(items, targets, settings)
  return {
    settings,
    sides,
    dashboard: dashboardOf(targets, 'Comparison of'),
    options: sides.map(({ opts, results }) => opts ?? results[0]?.options ?? null),
    warnings: [...warnings, ...targets.flatMap(({ warnings }) => warnings)],
    signals: [settings.signal, ...targets.map(({ signal }) => signal)],
    seconds: secondsOf(sides, settings, isRestarted)
  }
}

function checkDiagnosed (targets) {
  const diagnosed = targets.map(({ opts }) => opts.diagnose).filter((diagnose) => isGiven(diagnose) && diagnose !== false)
  if (diagnosed.length === 0) return
  if (diagnosed.length < targets.length) throw optionProblem('diagnose', 'a profiler makes a server slower: diagnose all servers of a comparison, or none')
  if (diagnosed.some(({ profile }) => isGiven(profile))) throw optionProblem('diagnose.profile', 'a comparison has many runs; write the CPU profile of a single run')
}

function sidesOf (items, targets, settings) {
  const waiting = [...targets]
  return items.map((item, index) => {
    if (!isSaved(item)) return liveSide(waiting.shift(), settings)
    const results = readSaved(item, `Item ${index + 1} of what is compared`)
    const [{ title, url }] = results
    return { name: title || `${[url].flat()[0] ?? 'result'} (${index + 1})`, isSaved: true, results }
  })
}

function liveSide ({ name, opts, plan }, settings) {
  const side = { name, isSaved: false, results: [] }
  // Options that set the length of a run are respected.
  const isOwnLength = settings.duration === undefined && ['duration', 'amount', 'stages'].some((option) => opts[option])
  if (isOwnLength) return { ...side, opts, seconds: plan.amount === null ? plan.duration : 0, before: ownWarmup(opts, plan.duration) }
  const duration = settings.duration ?? DURATION
  return { ...side, opts: { ...opts, amount: undefined, duration }, seconds: duration, before: ownWarmup(opts, duration) }
}

function warmupOf ({ warmup }, { seconds }) {
  return warmup ?? (seconds === 0 ? WARMUP_BY_AMOUNT : Math.min(LONGEST_WARMUP, seconds))
}

// After a closed-model run, the server is still processing the last requests, which would affect the next run.
function pauseAfter ({ pause }, { seconds }) {
  return pause ?? PAUSE_SHARE * seconds
}

function secondsOf (sides, settings, isRestarted) {
  return sides.filter(({ isSaved }) => !isSaved)
    .reduce((sum, side) => sum + warmupOf(settings, side) * (isRestarted ? settings.rounds : 1) + settings.rounds * (side.before + side.seconds + pauseAfter(settings, side)), 0)
}

/** Whether an item to compare is a saved result, or an array of them, and not a set of options. */
function isSaved (item) {
  // The result of a study has a `kind`; it can't be compared here.
  return Array.isArray(item) || (isObject(item) && (isObject(item.latency) || typeof item.kind === 'string'))
}

/**
 * Reads the saved results of one side.
 *
 * @param {object|object[]} item
 * @param {string} name its name in errors
 * @returns {object[]} one or more
 * @throws {CannonadeError} CANNONADE_BAD_RESULT
 */
function readSaved (item, name) {
  const results = [item].flat()
  if (results.length === 0) throw badResult(name, 'it is empty')
  for (const result of results) {
    const missing = ['latency', 'requests'].find((field) => !isObject(result?.[field]))
    if (missing !== undefined) throw badResult(name, `it has no ${missing}`)
    if (!Number.isFinite(result.requests.average)) throw badResult(name, 'it has no requests.average')
    const { timeline = null } = result
    if (timeline !== null && !(Array.isArray(timeline) && timeline.every(isObject))) throw badResult(name, 'its timeline is not an array of samples')
  }
  return results
}

function badResult (name, why) {
  return new CannonadeError(CODES.BAD_RESULT, `${name} is not the result of a run: ${why}`)
}

module.exports = { prepare, readSaved, warmupOf, pauseAfter }
