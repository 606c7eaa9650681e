'use strict'

const IntervalMerger = require('./interval-merger')
const Timeline = require('./timeline')
const { show } = require('../base/errors')
const { merge } = require('./merge')
const { joinOutcomes } = require('./outcome')
const { PARTS } = require('./parts')

// Version of the format. Data of other versions is rejected.
const VERSION = 5
const OF_PLAN = ['connections', 'workers', 'pipelining', 'sampleInt', 'amount', 'schedule', 'sessions', 'stream', 'ignoreCoordinatedOmission', 'pacing']

/**
 * The raw data of a result, as plain data that survives JSON unchanged. It makes adding up the results of several runs as exact as
 * adding up those of several threads.
 *
 * @param {object} plan
 * @param {object} outcome of an engine, plus the `timeline` and the `warnings` of the run
 * @returns {object} `result.mergeable`
 */
function toMergeable (plan, { summaries, seconds, scheduleSeconds, drain, generator, timeline, warnings, incomplete, unscheduled }) {
  const requests = plan.requests.map(({ title, method, path, scenario }) => ({ title, method, path: path ?? plan.targets[0].path, ...(scenario && { scenario }) }))
  return {
    version: VERSION,
    plan: { ...Object.fromEntries(OF_PLAN.map((name) => [name, plan[name]])), requests },
    summaries,
    intervals: timeline.intervals,
    seconds,
    scheduleSeconds,
    drain,
    generator,
    warnings,
    ...(incomplete && { incomplete }),
    ...(unscheduled && { unscheduled })
  }
}

/**
 * Explains why some results cannot be added up.
 *
 * @param {object[]} parts expected to be `result.mergeable` of each
 * @returns {?string} a sentence; null if they can be added up
 */
function obstacle (parts) {
  const lacking = parts.findIndex((part) => part?.version !== VERSION)
  if (lacking !== -1) {
    return parts[lacking]?.version === undefined
      ? `results[${lacking}] has no \`mergeable\`: run it with skipAggregateResult: true`
      : `results[${lacking}] was made by a version of Cannonade whose \`mergeable\` has another format`
  }
  const incomplete = parts.findIndex(({ summaries }) => summaries.some(({ endpoints }) => endpoints.some(({ bounds }) => bounds === undefined)))
  if (incomplete !== -1) return `results[${incomplete}] was made by an earlier version of Cannonade, which did not distinguish lower bounds from values`
  const [first] = parts
  const differing = (property) => parts.findIndex((part) => property(part) !== property(first))
  for (const [what, property] of [
    ['the length of samples (sampleInt)', ({ plan }) => plan.sampleInt],
    ['the number of requests in the sequence', ({ plan }) => plan.requests.length],
    ...PARTS.filter(({ contrast }) => contrast !== null).map((part) => [part.contrast, ({ summaries }) => part.of(summaries[0]) === null]),
    ['the load model (open or closed)', ({ summaries }) => summaries[0].open],
    ['the moment latency counts from (ignoreCoordinatedOmission)', ({ summaries }) => summaries[0].fromDueTime]
  ]) {
    const index = differing(property)
    if (index !== -1) return `results[${index}] and results[0] differ in ${what}`
  }
  return unlikeRequests(parts)
}

// Endpoints are added up by their position, so they must be of the same requests.
function unlikeRequests ([{ plan: { requests: expected } }, ...others]) {
  for (const [result, { plan: { requests } }] of others.entries()) {
    for (const [place, request] of requests.entries()) {
      const name = ['title', 'method', 'path'].find((each) => (request[each] ?? null) !== (expected[place][each] ?? null))
      if (name !== undefined) return `results[${result + 1}] and results[0] differ in the ${name} of requests[${place}]: ${quoted(request[name])} and ${quoted(expected[place][name])}`
    }
  }
  return null
}

const quoted = (value) => value === undefined || value === null ? 'none' : show(value)

/**
 * Combines several runs as if they had been one. The runs are treated as concurrent, each timed from its own start.
 *
 * @param {object[]} parts `result.mergeable` of each, at least one
 * @param {object} plan of the whole; fields that the parts know override it
 * @returns {object} `{ plan, outcome, summary }`, with `outcome` in the form that toMergeable takes
 */
function joinMergeables (parts, plan) {
  const [first] = parts
  const sum = (pick) => parts.reduce((total, part) => total + pick(part), 0)
  const isThreaded = parts.some(({ plan: { workers } }) => workers !== null)
  const outcome = joinOutcomes(parts)
  return {
    plan: {
      ...plan,
      ...first.plan,
      connections: sum(({ plan: { connections } }) => connections),
      workers: isThreaded ? sum(({ plan: { workers } }) => workers ?? 1) : null,
      amount: parts.some(({ plan: { amount } }) => amount === null) ? null : sum(({ plan: { amount } }) => amount)
    },
    summary: merge(outcome.summaries),
    outcome: { ...outcome, timeline: joinTimelines(parts, first.plan.sampleInt) }
  }
}

function joinTimelines (parts, sampleInterval) {
  const timeline = new Timeline({ keepsIntervals: true })
  const merger = new IntervalMerger(parts.length, sampleInterval, (interval, isLast) => {
    if (isLast) timeline.fold(interval, sampleInterval)
    else timeline.add(interval)
  })
  parts.forEach(({ intervals }, part) => {
    intervals.forEach((interval, index) => merger.add(part, interval, index === intervals.length - 1))
  })
  return timeline
}

module.exports = { toMergeable, obstacle, joinMergeables }
