'use strict'

const Distribution = require('./distribution')

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
 * @param {Function} [Kind] what its distributions are
 * @returns {{ latency: Distribution, latencyWithUnfinished: Distribution }} the other figures have none
 */
function composeBounds ({ fromDueTime, distributions }, Kind = Distribution) {
  const { censored, unsentAges, failedAges } = distributions
  const sum = (...parts) => sumOf(parts, Kind)
  return {
    latency: fromDueTime ? sum(censored, unsentAges) : new Kind(),
    latencyWithUnfinished: sum(censored, unsentAges, failedAges)
  }
}

module.exports = { composeTimings, composeBounds }
