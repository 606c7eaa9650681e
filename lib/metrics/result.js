'use strict'

const { countsOf, endpointCounts, unverifiedOf } = require('./counts')
const Distribution = require('./distribution')
const { groupEndpoints, requestsOf } = require('./endpoint-groups')
const { interruptedName, missingName } = require('./figures')
const histogramsOf = require('./histograms')
const { causeOfSaturation, latenessOf, reasonsForSaturation } = require('./lateness')
const { joined, timesOfParts } = require('./parts')
const { boundStatistics, durationStatistics, missingStatistics, rateStatistics, roundSeconds, toMilliseconds } = require('./statistics')
const { composeBounds, composeInterrupted, composeMissing, composeTimings, missingOfEndpoint } = require('./timings')
const warningsOf = require('./warnings')

/**
 * Builds the object that users get from what was counted (docs/measurement.md explains each field). Plain data.
 *
 * @param {object} run
 * @param {object} run.plan
 * @param {object} run.summary merged, see merge.js
 * @param {Timeline} run.timeline
 * @param {Date} run.start
 * @param {Date} run.finish
 * @param {number} run.seconds length of the scheduling window, in elapsed time
 * @param {number} run.scheduleSeconds the same, except that for a run by amount it is the length of its schedule
 * @param {{ seconds: number, completed: number }} run.drain what happened after the window
 * @param {object} run.generator how busy this process was
 * @param {object[]} run.warnings those found before and during the run
 * @param {object} [run.warmup] the result of the warm-up
 * @param {object} [run.fleet] the machines that generated the load, and how each of them fared
 * @param {object} [run.incomplete] set if parts of the run were lost, see outcome.js
 * @param {number} [run.unscheduled] how many arrivals of the schedule were not reported by anyone
 * @param {object[]} [run.monitor] measurements of other processes
 * @param {object} [run.circumstances] `environment` and `options`, for the reader
 */
function buildResult (run) {
  const { plan, summary, timeline, start, finish, seconds, drain, generator, warnings, warmup, fleet, incomplete, unscheduled = 0, circumstances, monitor } = run
  const { counters } = summary
  const timings = composeTimings(summary)
  const bounds = composeBounds(summary, timings)
  const missing = composeMissing(summary, timings)
  const interrupted = composeInterrupted(summary)
  const result = {
    title: plan.title,
    url: plan.url,
    socketPath: plan.socketPath,
    connections: plan.connections,
    sampleInt: plan.sampleInt,
    pipelining: plan.pipelining,
    workers: plan.workers ?? undefined,
    duration: roundSeconds(seconds),
    samples: timeline.samples.length,
    start,
    finish,
    ...countsOf(summary),
    unverified: unverifiedOf(summary, timings),
    connectionStats: connectionResults(summary),
    latency: durationStatistics(timings.latency),
    requests: requestStatistics(counters, timeline, seconds, drain),
    throughput: throughputStatistics(counters, timeline, seconds),
    serviceTime: durationStatistics(timings.serviceTime),
    sendDelay: delayStatistics(summary.distributions),
    timeToFirstByte: durationStatistics(timings.timeToFirstByte),
    timeToStatusLine: durationStatistics(timings.timeToStatusLine),
    transferTime: durationStatistics(timings.transferTime),
    connectTime: connectStatistics(summary.distributions),
    latencyWithUnfinished: durationStatistics(timings.latencyWithUnfinished),
    latencyBounds: boundStatistics(bounds.latency, timings.latency),
    latencyWithUnfinishedBounds: boundStatistics(bounds.unfinishedThatCount, timings.latencyWithUnfinished),
    missing: statisticsOfMissing(missing),
    interrupted: isEmpty(interrupted) ? undefined : statisticsOfMissing(interrupted),
    drain,
    // Users as code alone are no mix.
    ...(summary.checks && { scenarios: null }),
    ...joined(summary, (part, counted) => part.result(counted, { ...run, unscheduled, scenarioResult: ofScenario })),
    monitor,
    endpoints: endpointResults(plan, summary),
    fleet,
    incomplete,
    ...circumstances,
    timeline: timeline.toResult(),
    histograms: histogramsOf({
      ...timings,
      latencyBounds: bounds.latency,
      latencyWithUnfinishedBounds: bounds.latencyWithUnfinished,
      connectionLifetime: summary.distributions.connectionLifetime,
      ...timesOfParts(summary),
      ...missingTimings(summary, timings, missing),
      ...inHistograms(interrupted)
    })
  }
  if (warmup) result.warmup = warmup
  const measured = { ...generator, ...latenessOf(summary) }
  const reasons = reasonsForSaturation(measured, summary.open, result, plan)
  const cause = reasons.length === 0 ? null : causeOfSaturation(measured, result)
  result.generator = { saturated: reasons.length > 0, cause, ...measured, reasons }
  result.warnings = warnings
  result.warnings = [...warnings, ...warningsOf(result, plan, { ...summary, unscheduled })]
  return withoutUndefined(result)
}

// Loaded with the first scenario, since few runs have any.
const ofScenario = (...given) => require('./scenario-result').scenarioResult(...given)

const isEmpty = (object) => Object.keys(object).length === 0

const statisticsOfMissing = (times) => Object.fromEntries(Object.entries(times).map(([name, values]) => [name, missingStatistics(values)]))

const inHistograms = (interrupted) => Object.fromEntries(Object.entries(interrupted).map(([name, values]) => [interruptedName(name), values]))

function requestStatistics (counters, timeline, seconds, drain) {
  const inWindow = counters.completed - drain.completed
  return { ...rateStatistics(timeline.requestRates, inWindow, seconds), total: counters.completed, sent: counters.sent }
}

function throughputStatistics (counters, timeline, seconds) {
  const inWindow = timeline.samples.reduce((sum, { bytes }) => sum + bytes, 0)
  return rateStatistics(timeline.byteRates, inWindow, seconds)
}

function delayStatistics ({ sendDelay, clientDelay, waitDelay, waitAsleep, waitForHooks, waitForConnecting }) {
  const perRequest = ({ sum }) => sendDelay.count === 0 ? 0 : toMilliseconds(Math.round(sum / sendDelay.count))
  return {
    ...durationStatistics(sendDelay),
    client: durationStatistics(clientDelay),
    waiting: durationStatistics(waitDelay),
    causes: { connecting: perRequest(waitForConnecting), hooks: perRequest(waitForHooks), asleep: perRequest(waitAsleep) }
  }
}

function connectionResults (summary) {
  const { connectionLifetime } = summary.distributions
  return { ...countsOf(summary).connectionStats, withReplies: connectionLifetime.count, lifetime: durationStatistics(connectionLifetime) }
}

function connectStatistics ({ connectTime, dnsTime, tcpTime, tlsTime }) {
  return {
    ...durationStatistics(connectTime),
    dns: durationStatistics(dnsTime),
    tcp: durationStatistics(tcpTime),
    tls: durationStatistics(tlsTime)
  }
}

function endpointResults (plan, summary) {
  return groupEndpoints(requestsOf(plan, summary), summary.endpoints, Distribution).map(({ request: { title, method, path, scenario }, endpoint }) => {
    return withoutUndefined({
      title,
      method,
      path: path ?? (method === null ? null : plan.targets[0].path),
      scenario,
      latency: durationStatistics(endpoint.latency),
      ...endpointBounds(endpoint),
      ...endpointCounts(endpoint)
    })
  })
}

// Histograms are included only if they are needed to tell known values from unknown ones, because a sequence may have a thousand requests.
function endpointBounds (endpoint) {
  const { latency, interrupted } = endpoint
  const bounds = endpoint.bounds ?? new Distribution()
  const missing = missingOfEndpoint(endpoint)
  return {
    latencyBounds: boundStatistics(bounds, latency),
    ...(missing.count > 0 && { missing: { latency: missingStatistics(missing) } }),
    ...(interrupted && { interrupted: { latency: missingStatistics(interrupted) } }),
    ...(bounds.count + missing.count > 0 && {
      histograms: histogramsOf({ latency, latencyBounds: bounds, ...(missing.count > 0 && { [missingName('latency')]: missing }), ...(interrupted && inHistograms({ latency: interrupted })) })
    })
  }
}

// Histograms of the missing values, and of those figures that otherwise would not have a histogram.
function missingTimings (summary, timings, missing) {
  const names = Object.keys(missing)
  const { clientDelay, waitDelay, dnsTime, tcpTime, tlsTime } = summary.distributions
  const others = { clientDelay, waitDelay, dnsTime, tcpTime, tlsTime, ...joined(summary, (part, counted) => part.timesIfMissing(counted)) }
  return {
    ...Object.fromEntries(names.filter((name) => others[name] !== undefined).map((name) => [name, others[name]])),
    ...Object.fromEntries(names.map((name) => [missingName(name), missing[name]]))
  }
}

function withoutUndefined (object) {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
}

module.exports = { buildResult }
