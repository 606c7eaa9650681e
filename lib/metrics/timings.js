'use strict'

const Distribution = require('./distribution')
const { beyond, longWaits } = require('./missing-times')
const { joined, timesOfParts } = require('./parts')

// Of several that have no values but one, it is that one: it is looked at, and neither added to nor changed any more.
function sumOf (parts, Kind) {
  const some = parts.filter(({ count }) => count > 0)
  return some.length === 1 ? some[0] : some.reduce((all, part) => all.add(part), new Kind())
}

/**
 * Which recorded distributions make up which figure of the result: docs/measurement.md, "Latency" and "The other times".
 *
 * @param {object} summary merged, see merge.js
 * @param {Function} [Kind] what its distributions are
 * @returns {Record<string, Distribution>}
 */
function composeTimings ({ open, fromDueTime, distributions, endpoints }, Kind = Distribution) {
  const { censored, unsentAges, failedAges, responseTime } = distributions
  const sum = (...parts) => sumOf(parts, Kind)
  const perEndpoint = sum(...endpoints.map(({ latency }) => latency))
  const latency = fromDueTime ? sum(perEndpoint, unsentAges) : perEndpoint
  const latencyWithUnfinished = fromDueTime
    ? sum(perEndpoint, unsentAges, failedAges)
    : sum(open ? responseTime : perEndpoint, censored, unsentAges, failedAges)
  return {
    latency,
    serviceTime: open ? distributions.serviceTime : perEndpoint,
    timeToFirstByte: sum(distributions.timeToFirstByte, distributions.earlyFirstByte),
    timeToStatusLine: sum(distributions.timeToFirstByte, distributions.lateStatusLine),
    transferTime: distributions.transferTime,
    connectTime: distributions.connectTime,
    sendDelay: distributions.sendDelay,
    latencyWithUnfinished
  }
}

/**
 * Which of the values of a figure are only lower bounds: requests whose end was not seen took at least that long.
 *
 * @param {object} summary merged, see merge.js
 * @param {Record<string, Distribution>} timings as composeTimings gives them
 * @param {Function} [Kind] what its distributions are
 * @returns {{ latency: Distribution, latencyWithUnfinished: Distribution, unfinishedThatCount: Distribution }} the values of the other
 *   figures are all known. `unfinishedThatCount` are those of the second that verdicts take for bounds
 */
function composeBounds ({ open, fromDueTime, distributions, endpoints }, { latency }, Kind = Distribution) {
  const { censored, timedOutAges, unsentAges, failedAges } = distributions
  const sum = (...parts) => sumOf(parts, Kind)
  return {
    latency: fromDueTime ? sum(censored, unsentAges) : new Kind(),
    latencyWithUnfinished: sum(censored, unsentAges, failedAges),
    unfinishedThatCount: open ? sum(censored, unsentAges, failedAges) : sum(timedOutAges, failedAges, oldOf(endpoints, latency, Kind))
  }
}

// Of what was in flight when the closed model ended, that which is older than the longest that was answered.
function oldOf (endpoints, latency, Kind) {
  return distributionOf(beyond(endpoints.flatMap(({ waiting }) => waiting), latency), Kind)
}

function distributionOf (values, Kind) {
  const distribution = new Kind()
  for (const value of values) distribution.record(value)
  return distribution
}

/**
 * The values that a figure lacks, each as long as it was at least: of what had not come to that point when its deadline passed, or the
 * run ended. See MissingTimes.
 *
 * @param {object} summary merged, see merge.js
 * @param {Record<string, Distribution>} timings as composeTimings gives them
 * @param {Function} [Kind] what its distributions are
 * @returns {Record<string, Distribution>} by the names of figures.js; only those that lack some
 */
function composeMissing (summary, timings, Kind = Distribution) {
  const { open, distributions, endpoints, missing } = summary
  const came = { ...distributions, ...timings, ...timesOfParts(summary) }
  const sum = (...parts) => sumOf(parts, Kind)
  const latency = sum(...endpoints.map(({ missing }) => missing ?? new Kind()), oldOf(endpoints, timings.latency, Kind))
  const names = new Set([...Object.keys(missing.late), ...Object.keys(missing.waiting)])
  const waitedFor = (name) => longWaits(missing.waiting[name] ?? [], name, came).map(([time]) => time)
  const all = {
    latency,
    serviceTime: open ? new Kind() : latency,
    // What was never sent was delayed for as long as it waited.
    sendDelay: distributions.unsentAges,
    clientDelay: distributions.unsentByClient,
    waitDelay: distributions.unsentWaits,
    ...Object.fromEntries([...names].map((name) => [name, sum(missing.late[name] ?? new Kind(), distributionOf(waitedFor(name), Kind))])),
    ...joined(summary, (part, counted) => part.missing(counted, Kind))
  }
  return Object.fromEntries(Object.entries(all).filter(([, { count }]) => count > 0))
}

/** The same of one endpoint's latency. */
function missingOfEndpoint ({ latency, missing, waiting }, Kind = Distribution) {
  return sumOf([missing ?? new Kind(), distributionOf(beyond(waiting, latency), Kind)], Kind)
}

module.exports = { composeTimings, composeBounds, composeMissing, missingOfEndpoint }
