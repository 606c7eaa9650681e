'use strict'

/*
 * What is told of a run, by its name in Prometheus: counts, seconds and bytes, never milliseconds. A metric is
 * `{ name, type, help, values(counted, state) }`, its values `{ labels, value }`. `counted` is what metrics/totals.js
 * makes; `openOnly` ones are there only where a schedule says when requests are due, `sessionsOnly` ones where they belong to
 * sessions, `streamOnly` ones where responses are streams, `grpcOnly` ones with gRPC, `messagesOnly` ones with WebSocket, `copiesOnly` ones where messages
 * go out to all, `monitorOnly` ones where processes are watched.
 */

const one = (value) => [{ labels: {}, value }]
const counter = (name, help, pick, more) => ({ name, type: 'counter', help, values: pick, ...more })
const gauge = (name, help, pick, more) => ({ name, type: 'gauge', help, values: (counted, state) => one(pick(state, counted)), ...more })
const histogram = (name, help, timings, more) => ({ name, type: 'histogram', help, timings, ...more })

const byProcess = (processes, pick) => processes.map((process) => ({ labels: { pid: process.pid }, value: pick(process) }))
const byLabel = (label, counts) => Object.entries(counts).map(([value, count]) => ({ labels: { [label]: value }, value: count }))

const METRICS = [
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
  histogram('cannonade_send_delay_seconds', 'From when a request was due to when it was sent, by what it waited for: a free connection, or the load generator itself.',
    [['waitDelay', { cause: 'connection' }], ['clientDelay', { cause: 'generator' }]], { openOnly: true }),

  counter('cannonade_sessions_scheduled_total', 'Sessions that have come due.',
    ({ counters: { sessionsScheduled = 0 } }) => one(sessionsScheduled), { sessionsOnly: true }),
  counter('cannonade_sessions_started_total', 'Sessions that have begun.',
    ({ counters: { sessionsStarted = 0 } }) => one(sessionsStarted), { sessionsOnly: true }),
  counter('cannonade_sessions_total', 'Sessions by how they ended; in the end these add up to those that have come due.',
    ({ counters: { sessionsCompleted = 0, sessionsFailed = 0, sessionsUnfinished = 0, sessionsUnstarted = 0 } }) =>
      byLabel('outcome', { completed: sessionsCompleted, failed: sessionsFailed, unfinished: sessionsUnfinished, unstarted: sessionsUnstarted }),
    { sessionsOnly: true }),
  histogram('cannonade_session_lifetime_seconds', 'From when a session was due to its last answer, of those that were completed.',
    [['sessionLifetime', {}]], { sessionsOnly: true }),

  counter('cannonade_stream_events_total', 'Events of responses that are streams.',
    ({ counters: { streamEvents = 0 } }) => one(streamEvents), { streamOnly: true }),
  histogram('cannonade_time_to_first_event_seconds', 'From when a request was sent to the first event of its response.',
    [['timeToFirstEvent', {}]], { streamOnly: true }),
  histogram('cannonade_event_gap_seconds', 'Between two events of one response.',
    [['eventGap', {}]], { streamOnly: true }),
  counter('cannonade_grpc_calls_total', 'Calls of gRPC by their status.',
    ({ calls }) => byLabel('status', calls), { grpcOnly: true }),
  counter('cannonade_messages_received_total', 'Messages of WebSocket that have come.',
    ({ counters: { messagesReceived = 0 } }) => one(messagesReceived), { messagesOnly: true }),
  counter('cannonade_messages_unasked_total', 'Messages of WebSocket that have come and answer nothing.',
    ({ counters: { messagesUnasked = 0 } }) => one(messagesUnasked), { messagesOnly: true }),
  counter('cannonade_pings_received_total', 'Ping frames that have come.',
    ({ counters: { pings = 0 } }) => one(pings), { messagesOnly: true }),
  counter('cannonade_pongs_received_total', 'Pong frames that have come.',
    ({ counters: { pongs = 0 } }) => one(pongs), { messagesOnly: true }),
  counter('cannonade_copies_expected_total', 'Copies that were expected: for each message that went out to all, the connections that were open then.',
    ({ counters: { copiesExpected = 0 } }) => one(copiesExpected), { copiesOnly: true }),
  counter('cannonade_copies_received_total', 'Copies that have come of messages that went out to all.',
    ({ counters: { copiesReceived = 0 } }) => one(copiesReceived), { copiesOnly: true }),

  gauge('cannonade_running', '1 while load that counts is under way; 0 before it, as in a warm-up, and after it.',
    ({ isRunning }) => Number(isRunning)),
  gauge('cannonade_connections', 'Connections that are open now.',
    ({ connections }) => connections),
  gauge('cannonade_requests_in_flight', 'Requests that were sent and have no end yet.',
    (state, { counters: { sent, completed, failed, timedOut, unfinished } }) => sent - completed - failed - timedOut - unfinished),
  gauge('cannonade_requests_waiting', 'Requests that have come due and wait for a free connection.',
    (state, { counters: { scheduled, sent, unsent } }) => scheduled - sent - unsent, { openOnly: true }),
  gauge('cannonade_offered_rate', 'Requests per second that the schedule asks for now.',
    ({ rate }) => rate, { openOnly: true }),
  gauge('cannonade_sessions_open', 'Sessions that have begun and not ended.',
    ({ sessions }) => sessions, { sessionsOnly: true }),
  { name: 'cannonade_monitored_cpu_cores', type: 'gauge', help: 'Processor time of a process that is monitored, in cores, in the last sample.', values: (counted, { processes }) => byProcess(processes, ({ cpu }) => cpu / 100), monitorOnly: true },
  { name: 'cannonade_monitored_memory_bytes', type: 'gauge', help: 'Memory of a process that is monitored.', values: (counted, { processes }) => byProcess(processes, ({ memory }) => memory), monitorOnly: true },
  gauge('cannonade_generator_event_loop_utilization_ratio', 'How busy the event loop of the load generator is, of several threads the busiest: near 1 the generator is the limit.',
    ({ eventLoop }) => eventLoop.utilization),
  gauge('cannonade_generator_event_loop_delay_seconds', 'How late the event loop of the load generator has been, 99th percentile so far.',
    ({ eventLoop }) => eventLoop.delayP99 / 1000),
  counter('cannonade_generator_cpu_seconds_total', 'CPU time of the process that makes the load.',
    (counted, { cpuSeconds }) => one(cpuSeconds))
]

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

function isThere ({ openOnly, sessionsOnly, streamOnly, grpcOnly, messagesOnly, copiesOnly, monitorOnly }, { schedule, sessions, stream, grpc, websocket, monitor }) {
  return (!openOnly || schedule !== null) && (!sessionsOnly || sessions !== null) && (!streamOnly || stream !== null) &&
    (!grpcOnly || grpc !== null) && (!messagesOnly || websocket !== null) && (!copiesOnly || websocket?.expect === 'broadcast') && (!monitorOnly || monitor !== null)
}

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
  for (const metric of METRICS.filter((metric) => isThere(metric, state.plan))) {
    const { name, type, help } = metric
    // What is there is counts already: the package's own Histogram could only be told one value after the other.
    registry.registerMetric({
      name, help, type, aggregator: 'sum', get: () => ({ name, help, type, aggregator: 'sum', values: valuesOf(metric, state.counted, state) })
    })
  }
  return registry
}

module.exports = { createRegistry, METRICS }
