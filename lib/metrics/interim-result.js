'use strict'

const { countsOf, endpointCounts, unverifiedOf } = require('./counts')
const { groupEndpoints, requestsOf } = require('./endpoint-groups')
const { merge } = require('./merge')
const { joined } = require('./parts')
const { interimScenario } = require('./scenario-result')
const Span = require('./span')
const { boundStatistics, missingStatistics, roundSeconds, interimStatistics: statistics } = require('./statistics')
const { composeBounds, composeMissing, composeTimings, missingOfEndpoint } = require('./timings')

/**
 * The state of a run that is still in progress: those fields of its result that can change in one direction only. Each has the name
 * that it has in the result, and its value there will be at least as large (`min`: at most as large).
 *
 * @param {object} run
 * @param {object} run.plan
 * @param {object[]} run.interims of all threads, from Recorder.interim
 * @param {number} run.seconds since its start
 * @param {object} run.timeline so far
 * @param {?object} run.warmup the final result of its warm-up
 * @returns {object} a part of a result
 */
function interimResult ({ plan, interims, seconds, timeline, warmup }) {
  const summary = merge(interims, Span)
  const { counters, distributions, endpoints } = summary
  const timings = composeTimings(summary, Span)
  const bounds = composeBounds(summary, timings, Span)
  const missing = composeMissing(summary, timings, Span)
  const counts = countsOf(summary)
  const samples = timeline.samples.length
  const bytes = timeline.samples.reduce((sum, { bytes }) => sum + bytes, 0)
  const { unfinished, ...accounting } = counts.accounting
  return {
    ...counts,
    unverified: unverifiedOf(summary, timings),
    // Requests that are waiting to be sent are left out, because they may never be counted as requests.
    accounting: { ...accounting, scheduled: counters.sent + counters.unsent },
    duration: roundSeconds(seconds),
    samples,
    requests: { total: counters.completed, sent: counters.sent, totalCount: samples },
    throughput: { total: bytes, totalCount: samples },
    ...statisticsOfEach(timings),
    latencyBounds: boundStatistics(bounds.latency, timings.latency),
    missing: Object.fromEntries(Object.entries(missing).map(([name, values]) => [name, missingStatistics(values)])),
    latencyWithUnfinishedBounds: boundStatistics(bounds.unfinishedThatCount, timings.latencyWithUnfinished),
    sendDelay: { ...statistics(timings.sendDelay), ...statisticsOfEach({ client: distributions.clientDelay, waiting: distributions.waitDelay }) },
    connectionStats: {
      ...counts.connectionStats,
      withReplies: distributions.connectionLifetime.count,
      lifetime: statistics(distributions.connectionLifetime)
    },
    connectTime: {
      ...statistics(timings.connectTime),
      ...statisticsOfEach({ dns: distributions.dnsTime, tcp: distributions.tcpTime, tls: distributions.tlsTime })
    },
    endpoints: groupEndpoints(requestsOf(plan, summary), endpoints, Span).map(({ request: { title }, endpoint }) => ({
      title,
      latency: statistics(endpoint.latency),
      latencyBounds: boundStatistics(endpoint.bounds ?? new Span(), endpoint.latency),
      missing: { latency: missingStatistics(missingOfEndpoint(endpoint, Span)) },
      ...endpointCounts(endpoint)
    })),
    ...joined(summary, (part, counted) => part.interim(counted, summary, interimScenario)),
    warmup
  }
}

function statisticsOfEach (spans) {
  return Object.fromEntries(Object.entries(spans).map(([name, span]) => [name, statistics(span)]))
}

module.exports = interimResult
