'use strict'

const { loadPackage } = require('../../base/packages')
const { byLabel, counter, gauge, histogram, one } = require('../../metrics/series')
const { PARTS } = require('../../metrics/parts')

/** Series of all runs. Those that only some runs have are in metrics/parts/. */
const EVERY_RUN = [
  counter('cannonade_requests_scheduled_total', 'Requests that came due; without a schedule, requests sent.',
    ({ counters }) => one(counters.scheduled)),
  counter('cannonade_requests_sent_total', 'Requests completely handed to a connection.',
    ({ counters }) => one(counters.sent)),
  counter('cannonade_requests_total', 'Requests by outcome; at the end of a run these add up to the requests that came due.',
    ({ counters: { completed, failed, timedOut, unfinished, unsent } }) =>
      byLabel('outcome', { completed, failed, timed_out: timedOut, unfinished, unsent })),
  counter('cannonade_responses_total', 'Complete responses by status code.',
    ({ statuses }) => byLabel('code', statuses)),
  counter('cannonade_errors_total', 'Errors of requests and connections by code.',
    ({ errors }) => byLabel('code', errors)),
  counter('cannonade_mismatches_total', 'Response bodies that were not as expected.',
    ({ counters }) => one(counters.mismatches)),
  counter('cannonade_resets_total', 'Sequences of requests restarted before their end.',
    ({ counters }) => one(counters.resets)),
  counter('cannonade_read_bytes_total', 'Bytes read from connections.',
    ({ counters }) => one(counters.bytesRead)),
  counter('cannonade_written_bytes_total', 'Bytes written to connections.',
    ({ counters }) => one(counters.bytesWritten)),
  counter('cannonade_connections_opened_total', 'Connections opened.',
    ({ counters }) => one(counters.opened)),
  counter('cannonade_connections_failed_total', 'Connection attempts that failed.',
    ({ counters }) => one(counters.connectionsFailed)),
  counter('cannonade_connections_closed_total', 'Closed connections by who closed them.',
    ({ counters }) => byLabel('by', { server: counters.closedByServer, client: counters.closedByClient })),

  histogram('cannonade_latency_seconds', 'Latency as in the result: with a schedule it counts from when a request was due.',
    [['latency', {}]]),
  histogram('cannonade_service_time_seconds', 'Time from sending a request to the last byte of its response.',
    [['serviceTime', {}]]),
  histogram('cannonade_time_to_first_byte_seconds', 'Time from sending a request to the first byte of its response.',
    [['timeToFirstByte', {}]]),
  histogram('cannonade_connect_time_seconds', 'Time from creating a connection until it was usable.',
    [['connectTime', {}]]),

  gauge('cannonade_running', '1 while measured load is running; 0 before it, including warm-up, and after it.',
    ({ isRunning }) => Number(isRunning)),
  gauge('cannonade_connections', 'Open connections.',
    ({ connections }) => connections),
  gauge('cannonade_requests_in_flight', 'Requests in flight.',
    (state, { counters: { sent, completed, failed, timedOut, unfinished } }) => sent - completed - failed - timedOut - unfinished),
  gauge('cannonade_generator_event_loop_utilization_ratio', 'Event loop utilization of the load generator, of its busiest thread: near 1 the load generator is the bottleneck.',
    ({ eventLoop }) => eventLoop.utilization),
  gauge('cannonade_generator_event_loop_delay_seconds', 'Event loop delay of the load generator, 99th percentile so far.',
    ({ eventLoop }) => eventLoop.delayP99 / 1000),
  counter('cannonade_generator_cpu_seconds_total', 'CPU time of the load generator process.',
    (counted, { cpuSeconds }) => one(cpuSeconds))
]

/** All series that exist. */
const METRICS = [...EVERY_RUN, ...PARTS.flatMap(({ series }) => series)]

// Buckets are cumulative, as Prometheus requires: the number of values not above each bound.
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

/** Loads the package that writes the Prometheus format. @throws {CannonadeError} CANNONADE_MISSING_PACKAGE */
const loadClient = () => loadPackage('prom-client', { user: 'prometheus', option: 'prometheus' })

/**
 * Creates a registry with all metrics of a run. Each run has its own registry, so several can execute in one process. Metrics read
 * their values when they are collected.
 *
 * @param {State} state
 * @returns {object} a Registry
 */
function createRegistry (state) {
  const { title, prometheus: { labels } } = state.plan
  const registry = new (loadClient().Registry)()
  registry.setDefaultLabels({ ...(title !== undefined && { title }), ...labels })
  for (const metric of metricsOf(state.plan)) {
    const { name, type, help } = metric
    // The data is already counted in buckets, and the Histogram of the package only accepts single values.
    registry.registerMetric({
      name, help, type, aggregator: 'sum', get: () => ({ name, help, type, aggregator: 'sum', values: valuesOf(metric, state.counted, state) })
    })
  }
  return registry
}

module.exports = { createRegistry, loadClient, METRICS }
