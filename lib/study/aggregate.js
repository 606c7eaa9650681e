'use strict'

const { joinCircumstances } = require('../base/circumstances')
const { CannonadeError, CODES } = require('../base/errors')
const inspectable = require('../report/inspectable')
const { createPlan } = require('../plan')
const { checkThresholds, thresholds: thresholdsOption } = require('../plan/thresholds')
const { joinMergeables, obstacle, toMergeable } = require('../metrics/mergeable')
const { rawFields } = require('../metrics/raw')
const { buildResult } = require('../metrics/result')
const { evaluateThresholds } = require('../thresholds')

/**
 * Combines the results of runs that were executed concurrently, in several processes or on several machines, as if one run had done
 * all the work. Nothing is averaged: counts are added up, and so are histograms; sample k combines the k-th samples of all results.
 *
 * @param {object[]} results of runs with `skipAggregateResult: true`, also read from JSON
 * @param {object} [opts] the options of the runs, or some of them: `title`, `url`, `socketPath` and `thresholds` are used. `url`
 *   defaults to that of the first result
 * @returns {object} a result like that of `run`; `connections`, `workers` and rates are those of all runs together, `start` is the
 *   earliest and `finish` the latest. With `skipAggregateResult`, it can be combined again
 * @throws {CannonadeError} CANNONADE_BAD_ARGUMENT without results, CANNONADE_BAD_RESULT if results can't be combined,
 *   CANNONADE_BAD_OPTION for invalid options, CANNONADE_BAD_THRESHOLD if the runs have no value for a threshold
 */
function aggregateResult (results, opts) {
  if (!Array.isArray(results) || results.length === 0) {
    throw new CannonadeError(CODES.BAD_ARGUMENT, 'aggregateResult needs an array of at least one result')
  }
  const why = reading(() => obstacle(results.map((result) => result?.mergeable)))
  if (why !== null) throw badResult(why)
  const [{ url, socketPath }] = results
  const { thresholds, ...others } = opts ?? {}
  const { plan } = createPlan({ url, socketPath, ...others })
  const read = thresholds === undefined || thresholds === null ? [] : thresholdsOption.read(thresholds, 'thresholds')
  const result = reading(() => join(results, plan, joinCircumstances(results, opts)))
  checkThresholds(read, planOf(results, result))
  return inspectable(judged(result, read))
}

// What there is to be held against thresholds is what the runs were, which may be more than the options given here say.
function planOf (results, result) {
  const { endpoints, workers = null, warmup = null, connectTime, sessions = null, scenarios = null, stream = null, messages, broadcast, checks, grpcStatus: grpc = null } = result
  const urls = results.flatMap(({ url }) => url)
  const secure = connectTime.tls.totalCount > 0 || urls.some((url) => String(url).startsWith('https:'))
  const websocket = messages === undefined ? null : { expect: broadcast === undefined ? null : 'broadcast' }
  // What was seen of other processes is not added up.
  const monitor = null
  return { requests: endpoints, isUserCode: checks !== undefined, schedule: results[0].mergeable.plan.schedule, sessions, scenarios, stream, websocket, grpc, monitor, workers, warmup, targets: [{ secure }] }
}

// Results come from files of who knows what origin.
function reading (work) {
  try {
    return work()
  } catch (cause) {
    throw badResult(`\`mergeable\` cannot be read: ${cause.message}`, cause)
  }
}

function join (results, plan, circumstances) {
  const { plan: joinedPlan, summary, outcome } = joinMergeables(results.map(({ mergeable }) => mergeable), plan)
  const times = (name) => results.map((result) => new Date(result[name]).getTime())
  const result = buildResult({
    ...outcome,
    plan: joinedPlan,
    summary,
    start: new Date(Math.min(...times('start'))),
    finish: new Date(Math.max(...times('finish'))),
    warmup: joinWarmups(results, plan),
    circumstances
  })
  return plan.skipAggregateResult ? { ...result, ...rawFields(result), mergeable: toMergeable(joinedPlan, outcome) } : result
}

function joinWarmups (results, plan) {
  const warmups = results.map(({ warmup }) => warmup)
  return warmups.every((warmup) => warmup?.mergeable) ? join(warmups, plan) : undefined
}

function judged (result, thresholds) {
  if (thresholds.length === 0) return result
  const verdicts = evaluateThresholds(result, thresholds)
  return { ...result, thresholds: verdicts, passed: verdicts.every(({ passed }) => passed) }
}

function badResult (why, cause) {
  return new CannonadeError(CODES.BAD_RESULT, `The results cannot be aggregated: ${why}`, cause && { cause })
}

module.exports = aggregateResult
