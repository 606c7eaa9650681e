'use strict'

const { byLabel, counter, gauge, histogram, one } = require('../../metrics/series')
const { PARTS } = require('../../metrics/parts')

/** Series of every run. Those of what not every run has are in metrics/parts/. */
const EVERY_RUN = [
  counter('cannonade_requests_scheduled_total', 'Requests that have come due; without a schedule, that were sent.',
    ({ counters }) => one(counters.scheduled)),
  counter('cannonade_requests_sent_total', 'Requests that were handed to a connection as a whole.',
    ({ counters }) => one(counters.sent)),
  counter('cannonade_requests_total', 'Requests by how they ended; in the end these add up to those that have come due.',
    ({ counters: { completed, failed, timedOut, unfinished, unsent } }) =>
      byLabel('outcome', { completed, failed, timed_out: timedOut, unfinished, unsent })),
  counter('cannonade_responses_total', 'Complete responses by status code.',
    ({ statuses }) => byLabel('code', statuses)),
  counter('cannonade_errors_total', 'Errors of requests and connections by their code.',
    ({ errors }) => byLabel('code', errors)),
  counter('cannonade_mismatches_total', 'Bodies that were not as expected.',
    ({ counters }) => one(counters.mismatches)),
  counter('cannonade_resets_total', 'Sequences of requests that were begun again before their end.',
    ({ counters }) => one(counters.resets)),
  counter('cannonade_read_bytes_total', 'Bytes read from connections.',
    ({ counters }) => one(counters.bytesRead)),
  counter('cannonade_written_bytes_total', 'Bytes written to connections.',
    ({ counters }) => one(counters.bytesWritten)),
  counter('cannonade_connections_opened_total', 'Connections that came up.',
    ({ counters }) => one(counters.opened)),
  counter('cannonade_connections_failed_total', 'Connections that did not come up.',
    ({ counters }) => one(counters.connectionsFailed)),
  counter('cannonade_connections_closed_total', 'Connections by who closed them.',
    ({ counters }) => byLabel('by', { server: counters.closedByServer, client: counters.closedByClient })),

  histogram('cannonade_latency_seconds', 'Latency as the result has it: with a schedule it counts from when a request was due.',
    [['latency', {}]]),
  histogram('cannonade_service_time_seconds', 'From when a request was sent to the last byte of its response.',
    [['serviceTime', {}]]),
  histogram('cannonade_time_to_first_byte_seconds', 'From when a request was sent to the first byte of its response.',
    [['timeToFirstByte', {}]]),
  histogram('cannonade_connect_time_seconds', 'From the creation of a connection to when it could be used.',
    [['connectTime', {}]]),

  gauge('cannonade_running', '1 while load that counts is under way; 0 before it, as in a warm-up, and after it.',
    ({ isRunning }) => Number(isRunning)),
  gauge('cannonade_connections', 'Connections that are open now.',
    ({ connections }) => connections),
  gauge('cannonade_requests_in_flight', 'Requests that were sent and have no end yet.',
    (state, { counters: { sent, completed, failed, timedOut, unfinished } }) => sent - completed - failed - timedOut - unfinished),
  gauge('cannonade_generator_event_loop_utilization_ratio', 'How busy the event loop of the load generator is, of several threads the busiest: near 1 the generator is the limit.',
    ({ eventLoop }) => eventLoop.utilization),
  gauge('cannonade_generator_event_loop_delay_seconds', 'How late the event loop of the load generator has been, 99th percentile so far.',
    ({ eventLoop }) => eventLoop.delayP99 / 1000),
  counter('cannonade_generator_cpu_seconds_total', 'CPU time of the process that makes the load.',
    (counted, { cpuSeconds }) => one(cpuSeconds))
]

/** All that there are. */
const METRICS = [...EVERY_RUN, ...PARTS.flatMap(({ series }) => series)]

// Cumulative, as Prometheus wants them: how many are not above each bound.
function histogramValues (name, bounds, { counts, sum }, labels) {
  let count = 0
  const buckets = counts.map((each, index) => {
    count += each
    const le = index < bounds.length ? bounds[index] : '+Inf'
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count }
  ]
}

function valuesOf ({ name, timings, values }, counted, state) {
  if (timings === undefined) return values(counted, state)
  return timings.flatMap(([timing, labels]) => histogramValues(name, state.bounds, counted.timings[timing] ?? state.noTiming, labels))
}

const metricsOf = (plan) => [...EVERY_RUN, ...PARTS.filter((part) => part.isIn(plan)).flatMap(({ series }) => series)]

/**
 * All metrics of a run in a registry of their own, so that several runs in one process are apart. Each gets its values
 * when it is asked for them.
 *
 * @param {object} client the package prom-client
 * @param {State} state
 * @returns {object} a Registry
 */
function createRegistry (client, state) {
  const { title, prometheus: { labels } } = state.plan
  const registry = new client.Registry()
  registry.setDefaultLabels({ ...(title !== undefined && { title }), ...labels })
  for (const metric of metricsOf(state.plan)) {
    const { name, type, help } = metric
    // What is there is counts already: the package's own Histogram could only be told one value after the other.
    registry.registerMetric({
      name, help, type, aggregator: 'sum', get: () => ({ name, help, type, aggregator: 'sum', values: valuesOf(metric, state.counted, state) })
    })
  }
  return registry
}

module.exports = { createRegistry, METRICS }
