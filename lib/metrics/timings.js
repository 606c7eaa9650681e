'use strict'

const Distribution = require('./distribution')
const { beyond, longWaits } = require('./missing-times')
const { joined, timesOfParts } = require('./parts')

// If only one of them has values, it is returned itself: the result is only read, so it need not be copied.
function sumOf (parts, Kind = Distribution) {
  const some = parts.filter(({ count }) => count > 0)
  return some.length === 1 ? some[0] : some.reduce((all, part) => all.add(part), new Kind())
}

/**
 * Combines recorded distributions into the figures of a result: docs/measurement.md, "Latency" and "The other times".
 *
 * @param {object} summary merged, see merge.js
 * @param {Function} [Kind] the class of its distributions
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
 * Finds the values of each figure that are only lower bounds: requests that were not seen to end took at least that long.
 *
 * @param {object} summary merged, see merge.js
 * @param {Record<string, Distribution>} timings from composeTimings
 * @param {Function} [Kind] the class of its distributions
 * @returns {{ latency: Distribution, latencyWithUnfinished: Distribution, unfinishedThatCount: Distribution }} all values of other
 *   figures are known. `unfinishedThatCount` is the part of `latencyWithUnfinished` that verdicts treat as bounds
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

// Requests in flight at the end of the closed model that are older than the longest answered one.
function oldOf (endpoints, latency, Kind) {
  return distributionOf(beyond(endpoints.flatMap(({ waiting }) => waiting), latency), Kind)
}

function distributionOf (values, Kind) {
  const distribution = new Kind()
  for (const value of values) distribution.record(value)
  return distribution
}

/**
 * The missing values of each figure, as minimum durations: requests and connections that had not reached the point in question at
 * their deadline, or at the end of the run. See MissingTimes.
 *
 * @param {object} summary merged, see merge.js
 * @param {Record<string, Distribution>} timings from composeTimings
 * @param {Function} [Kind] the class of its distributions
 * @returns {Record<string, Distribution>} by the names of figures.js; only figures with missing values
 */
function composeMissing (summary, timings, Kind = Distribution) {
  const { open, distributions, endpoints, missing } = summary
  const reached = { ...distributions, ...timings, ...timesOfParts(summary) }
  const sum = (...parts) => sumOf(parts, Kind)
  const latency = sum(...endpoints.map(({ missing }) => missing ?? new Kind()), oldOf(endpoints, timings.latency, Kind))
  const names = new Set([...Object.keys(missing.late), ...Object.keys(missing.waiting)])
  const waitedFor = (name) => longWaits(missing.waiting[name] ?? [], name, reached).map(([time]) => time)
  const all = {
    latency,
    serviceTime: open ? new Kind() : latency,
    // Requests that were never sent were delayed for at least as long as they waited.
    sendDelay: distributions.unsentAges,
    clientDelay: distributions.unsentByClient,
    waitDelay: distributions.unsentWaits,
    ...Object.fromEntries([...names].map((name) => [name, sum(missing.late[name] ?? new Kind(), distributionOf(waitedFor(name), Kind))])),
    ...joined(summary, (part, counted) => part.missing(counted, Kind))
  }
  return Object.fromEntries(Object.entries(all).filter(([, { count }]) => count > 0))
}

/**
 * Those bounds and missing values that the person cut off who stopped the run, by figure. Verdicts and reports leave out those that had not
 * waited longer than the figure they would change (lib/thresholds/bounds.js).
 *
 * @param {object} summary merged, see merge.js; no interim one, since nobody has stopped the run yet
 * @returns {Record<string, Distribution>} only figures with such values
 */
function composeInterrupted ({ fromDueTime, endpoints, missing: { interrupted } }) {
  const sent = sumOf(endpoints.map((endpoint) => endpoint.interrupted ?? new Distribution()))
  const latency = fromDueTime ? sumOf([sent, interrupted.sendDelay ?? new Distribution()]) : sent
  // If latency doesn't count from the due time, these ages are not those of latencyWithUnfinished.
  const all = { ...interrupted, latency, ...(fromDueTime && { latencyWithUnfinished: latency }) }
  return Object.fromEntries(Object.entries(all).filter(([, { count }]) => count > 0))
}

/** The missing latencies of one endpoint. */
function missingOfEndpoint ({ latency, missing, waiting }, Kind = Distribution) {
  return sumOf([missing ?? new Kind(), distributionOf(beyond(waiting, latency), Kind)], Kind)
}

module.exports = { composeTimings, composeBounds, composeInterrupted, composeMissing, missingOfEndpoint }
