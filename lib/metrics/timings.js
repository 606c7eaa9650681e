'use strict'

const Distribution = require('./distribution')

/**
 * Which recorded distributions make up which figure of the result: docs/measurement.md, "Latency" and "The other times".
 *
 * @param {object} summary merged, see merge.js
 * @param {Function} [Kind] what its distributions are
 * @returns {Record<string, Distribution>}
 */
function composeTimings ({ open, fromDueTime, distributions, endpoints }, Kind = Distribution) {
  const { censored, unsentAges, failedAges, responseTime } = distributions
  const perEndpoint = endpoints.reduce((sum, { latency }) => sum.add(latency), new Kind())
  const sum = (...parts) => parts.reduce((all, part) => all.add(part), new Kind())
  const latency = fromDueTime ? sum(perEndpoint, unsentAges) : perEndpoint
  const latencyWithUnfinished = fromDueTime
    ? sum(perEndpoint, unsentAges, failedAges)
    : sum(open ? responseTime : perEndpoint, censored, unsentAges, failedAges)
  return {
    latency,
    serviceTime: open ? distributions.serviceTime : perEndpoint,
    timeToFirstByte: distributions.timeToFirstByte,
    connectTime: distributions.connectTime,
    sendDelay: distributions.sendDelay,
    latencyWithUnfinished
  }
}

module.exports = composeTimings
