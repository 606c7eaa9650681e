'use strict'

// What each measured feature adds to ticks, results, live totals and exported metrics, as whole objects in which every number is unique.

const t = require('tap')
const Distribution = require('../../lib/metrics/distribution')
const interimResult = require('../../lib/metrics/interim-result')
const { merge } = require('../../lib/metrics/merge')
const { addPartIntervals, PARTS, tickOfParts } = require('../../lib/metrics/parts')
const { diagnosed } = require('../../lib/metrics/parts/flights')
const Recorder = require('../../lib/metrics/recorder')
const { buildResult } = require('../../lib/metrics/result')
const Timeline = require('../../lib/metrics/timeline')
const { addTotals, totalsOfRecorder, totalsOfSummary } = require('../../lib/metrics/totals')

t.test('a tick has what happened since the start: sums of sessions and events, how many sessions are open now, and the times of its sample', async (t) => {
  const sessions = (factor) => ({ scheduled: 2 * factor, started: 3 * factor, completed: 5 * factor, failed: 7 * factor, open: 11 * factor })
  const soFar = {}
  const ticks = [
    [{ sessions: sessions(1), stream: { events: 4 } }, { stream: 'first' }],
    [{ stream: { events: 30 } }, { stream: 'second' }],
    [{ sessions: sessions(10) }, {}],
    [{ sessions: sessions(100), stream: { events: 200 }, messages: { sent: 1, received: 1 }, checks: [], heat: { first: 0, counts: [] } }, { stream: 'fourth' }]
  ].map(([interval, sample]) => {
    addPartIntervals(soFar, interval)
    return structuredClone(tickOfParts(soFar, sample))
  })
  const sum = (factor, open) => ({ scheduled: 2 * factor, started: 3 * factor, completed: 5 * factor, failed: 7 * factor, open: 11 * open })
  t.strictSame(ticks, [
    { sessions: sum(1, 1), events: 4, stream: 'first' },
    { sessions: sum(1, 1), events: 34, stream: 'second' },
    { sessions: sum(11, 10) },
    { sessions: sum(111, 100), events: 234, stream: 'fourth' }
  ])
  t.strictSame(tickOfParts({}, { stream: 'alone' }), {})
})

t.test('a row of the timeline has the parts of its sample in the form of the result, and no part of which the result has another form', async (t) => {
  const timeline = new Timeline()
  const sessions = { scheduled: 1, started: 2, completed: 3, failed: 4, open: 5 }
  const checks = [{ name: 'stock', scenario: null, passed: 1, failed: 2 }]
  const bare = { start: 0, end: 1000, completed: 1, bytes: 2, errors: 3, connections: 4, statuses: { '2xx': 1 }, latency: new Distribution() }
  const row = { seconds: 1, requests: 1, bytes: 2, errors: 3, p50: 0, p90: 0, p99: 0, max: 0, connections: 4, statuses: { '2xx': 1 } }
  timeline.add({ ...bare, sessions, checks, messages: { sent: 6, received: 7, lastCopy: 8000 }, heat: { first: 1, counts: [1] } })
  timeline.add({ ...bare, start: 1000, end: 2000, messages: { sent: 6, received: 7, lastCopy: null }, heat: { first: 0, counts: [] } })
  t.strictSame(timeline.toResult(), [
    { time: 1, ...row, sessions, checks, messages: { sent: 6, received: 7, lastCopy: 8 } },
    { time: 2, ...row, messages: { sent: 6, received: 7, lastCopy: null } }
  ])
  t.same(timeline.samples.map(({ heat }) => heat), [{ first: 1, counts: [1] }, { first: 0, counts: [] }], 'it is kept')
})

t.test('what is told during a run has no last copies and no flights, but the longest time of a copy', async (t) => {
  const recorder = new (diagnosed(Recorder))({ endpoints: 1, open: false, timeout: 1000, diagnosed: true, messages: { broadcast: { run: 'x', part: 0, retention: 1000 } } })
  recorder.begin(0)
  recorder.flights.begin(0, 0)
  const { broadcast } = recorder.messages
  broadcast.joined(0)
  for (const late of [2000, 7000, 3000]) {
    broadcast.sent(0)
    broadcast.copied(0, broadcast.received, 0, late, 0)
    recorder.takeInterval(late)
  }
  recorder.completedMessages(2, 0, 0, 1, 2, 5, 0, { number: 1, requestIn: () => ({}), traceIdOf: () => null, slotAfter: (slot) => slot })
  recorder.takeInterval(8000)
  const [soFar, whole] = [recorder.interim(), recorder.summary()]
  t.equal(soFar.flights, null)
  t.strictSame(whole.flights, { startedAt: 0, sent: [0, 2, 0, 0, 0, 0], ended: [0, 0, 0, 0, 0, 2] })
  t.strictSame(soFar.messages.broadcast, { expected: 3, received: 3, receivedInWindow: 3, lasts: [], longest: 7000 })
  t.equal(whole.messages.broadcast.lasts.length, 1)
  const plan = { requests: [{ path: '/' }], targets: [{ path: '/' }], workers: null, schedule: null, sessions: null }
  const timeline = new Timeline()
  t.strictSame(interimResult({ plan, interims: [soFar, soFar], seconds: 8, timeline, warmup: 'of before' }).broadcast, { expected: 6, received: 6, lastCopy: { max: 7 } })
  t.strictSame(interimResult({ plan, interims: [soFar], seconds: 8, timeline, warmup: 'of before' }).warmup, 'of before')
  t.notOk('failures' in new Recorder({ endpoints: 1, open: false, timeout: 1000, sessions: true }).summary().sessions, 'sessions that are no functions')
})

// --- gRPC calls

const [OK, NOT_FOUND, UNAVAILABLE, MISSING] = [0, 5, 14, 17]
const PLAN = { requests: [{ title: 'a', method: 'POST', path: '/a' }, { method: 'POST', path: '/b' }, { title: 'a', method: 'POST', path: '/a' }], targets: [{ path: '/' }], workers: null, schedule: null, sessions: null, websocket: null, stream: null, grpc: {} }

/** Calls of a thread, as `[endpoint, outcome, count]`. */
function calling (...calls) {
  const recorder = new Recorder({ endpoints: 3, open: false, timeout: 1000, calls: true })
  recorder.begin(0)
  for (const [endpoint, outcome, count] of calls) for (let call = 0; call < count; call++) recorder.completedCall(endpoint, 200, outcome, 10, 0, 0, 1, 2, 1)
  recorder.takeInterval(1000)
  return recorder
}

t.test('calls by gRPC status: of the run and of each endpoint, in the result, during the run, and exported', async (t) => {
  const threads = [calling([0, OK, 1], [1, OK, 2], [2, NOT_FOUND, 4]), calling([0, OK, 8], [0, UNAVAILABLE, 16], [2, MISSING, 32]), calling()]
  const timeline = { samples: [], requestRates: [], byteRates: [], toResult: () => [] }
  const summary = merge(threads.map((recorder) => JSON.parse(JSON.stringify(recorder.summary()))))
  const result = buildResult({ plan: PLAN, summary, timeline, seconds: 1, scheduleSeconds: 1, drain: { seconds: 0, completed: 0 }, generator: { cpu: {}, eventLoop: { utilization: 0, delayP99: 0 } }, warnings: [] })
  const interim = interimResult({ plan: PLAN, interims: threads.map((recorder) => structuredClone(recorder.interim())), seconds: 1, timeline, warmup: null })
  const all = { OK: 11, NOT_FOUND: 4, UNAVAILABLE: 16, MISSING: 32 }
  for (const one of [result, interim]) {
    t.strictSame(one.grpcStatus, all)
    t.strictSame(one.endpoints.map(({ grpcStatus }) => grpcStatus), [{ OK: 9, NOT_FOUND: 4, UNAVAILABLE: 16, MISSING: 32 }, { OK: 2 }])
    t.equal(one.non2xx, 4 + 16 + 32)
  }
  for (const totals of [addTotals(threads.map((recorder) => totalsOfRecorder(recorder, []))), totalsOfSummary(summary, [])]) {
    t.strictSame(totals.calls, all)
    t.strictSame(totals.statuses, { 200: 63 })
  }
  const silent = merge([calling().summary()])
  t.strictSame(totalsOfSummary(silent, []).calls, {})
  // Without gRPC there is nothing of all this.
  const plain = new Recorder({ endpoints: 3, open: false, timeout: 1000 })
  plain.completedRequest(0, 200, 10, 0, 0, 1, 2)
  plain.takeInterval(1000)
  t.notOk('calls' in totalsOfRecorder(plain, []))
  t.notOk('grpcStatus' in interimResult({ plan: { ...PLAN, grpc: null }, interims: [plain.interim()], seconds: 1, timeline, warmup: null }).endpoints[0])
})

// --- exported metrics

const COUNTED = {
  counters: {
    scheduled: 900,
    sent: 500,
    unsent: 70,
    sessionsScheduled: 1,
    sessionsStarted: 2,
    sessionsCompleted: 3,
    sessionsFailed: 4,
    sessionsUnfinished: 5,
    sessionsUnstarted: 6,
    streamEvents: 7,
    messagesReceived: 8,
    messagesUnasked: 9,
    pings: 10,
    pongs: 11,
    copiesExpected: 12,
    copiesReceived: 13
  },
  calls: { OK: 14, UNAVAILABLE: 15 },
  checks: { '["a","stock","passed"]': 16, '["a","stock","failed"]': 17, '[null,"price","passed"]': 18 },
  scenarioRequests: { '["a","completed"]': 19, '["b","timed_out"]': 20 },
  scenarioSessions: { '["a","unstarted"]': 21 }
}
const STATE = { rate: 22, parts: { sessions: { open: 23 } }, processes: [{ pid: 5, cpu: 250, memory: 24 }, { pid: 6, cpu: 50, memory: 25 }] }

const inLine = (name, labels, rest) => `${name}{${Object.entries(labels).map(([label, value]) => `${label}=${value}`).join()}} ${rest}`
const linesOf = (counted, state) => PARTS.flatMap(({ series }) => series).flatMap(({ name, type, values, timings }) => timings === undefined
  ? values(counted, state).map(({ labels, value }) => inLine(name, labels, `${value} ${type}`))
  : timings.map(([timing, labels]) => inLine(name, labels, `${timing} ${type}`)))

t.test('each exported metric: its name, labels, value and type', async (t) => {
  t.strictSame(linesOf(COUNTED, STATE).sort(), [
    'cannonade_checks_total{check=price,outcome=passed} 18 counter',
    'cannonade_checks_total{scenario=a,check=stock,outcome=failed} 17 counter',
    'cannonade_checks_total{scenario=a,check=stock,outcome=passed} 16 counter',
    'cannonade_copies_expected_total{} 12 counter',
    'cannonade_copies_received_total{} 13 counter',
    'cannonade_event_gap_seconds{} eventGap histogram',
    'cannonade_grpc_calls_total{status=OK} 14 counter',
    'cannonade_grpc_calls_total{status=UNAVAILABLE} 15 counter',
    'cannonade_messages_received_total{} 8 counter',
    'cannonade_messages_unasked_total{} 9 counter',
    'cannonade_monitored_cpu_cores{pid=5} 2.5 gauge',
    'cannonade_monitored_cpu_cores{pid=6} 0.5 gauge',
    'cannonade_monitored_memory_bytes{pid=5} 24 gauge',
    'cannonade_monitored_memory_bytes{pid=6} 25 gauge',
    'cannonade_offered_rate{} 22 gauge',
    'cannonade_pings_received_total{} 10 counter',
    'cannonade_pongs_received_total{} 11 counter',
    'cannonade_requests_waiting{} 330 gauge',
    'cannonade_scenario_requests_total{scenario=a,outcome=completed} 19 counter',
    'cannonade_scenario_requests_total{scenario=b,outcome=timed_out} 20 counter',
    'cannonade_scenario_sessions_total{scenario=a,outcome=unstarted} 21 counter',
    'cannonade_send_delay_seconds{cause=connection} waitDelay histogram',
    'cannonade_send_delay_seconds{cause=generator} clientDelay histogram',
    'cannonade_session_lifetime_seconds{} sessionLifetime histogram',
    'cannonade_sessions_open{} 23 gauge',
    'cannonade_sessions_scheduled_total{} 1 counter',
    'cannonade_sessions_started_total{} 2 counter',
    'cannonade_sessions_total{outcome=completed} 3 counter',
    'cannonade_sessions_total{outcome=failed} 4 counter',
    'cannonade_sessions_total{outcome=unfinished} 5 counter',
    'cannonade_sessions_total{outcome=unstarted} 6 counter',
    'cannonade_stream_events_total{} 7 counter',
    'cannonade_time_to_first_event_seconds{} timeToFirstEvent histogram'
  ])
  // Before anything is counted, what is a single number is 0, and what has names has none.
  const first = linesOf({ counters: { scheduled: 0, sent: 0, unsent: 0 } }, { rate: 0, parts: {}, processes: [] }).filter((line) => !line.endsWith('histogram'))
  t.same(first.filter((line) => !/\} 0 (counter|gauge)$/.test(line)), [])
  t.equal(first.length, 16)
  t.same(PARTS.flatMap(({ series }) => series).filter(({ help }) => !/^[A-Zg].*\.$/.test(help)), [])
})

// --- which run has which part

const EVERY = { monitor: null, websocket: null, stream: null, grpc: null, sessions: null, scenarios: null, schedule: null, diagnose: false, isUserCode: false }
const IS_IN = {
  broadcast: [{ websocket: { expect: 'broadcast' } }, { websocket: { expect: 'reply' } }],
  calls: [{ grpc: {} }, {}],
  checks: [{ isUserCode: true }, {}],
  flights: [{ diagnose: true }, {}],
  messages: [{ websocket: { expect: 'reply' } }, {}],
  monitor: [{ monitor: [] }, {}],
  scenarios: [{ scenarios: [] }, { scenarios: undefined }],
  schedule: [{ schedule: {} }, {}],
  sessions: [{ sessions: {} }, {}],
  stream: [{ stream: {} }, {}]
}

t.test('which runs have a part', async (t) => {
  for (const part of PARTS) {
    const [having, lacking] = IS_IN[part.name] ?? [{}, null]
    t.equal(part.isIn({ ...EVERY, ...having }), true, part.name)
    if (lacking !== null) t.equal(part.isIn({ ...EVERY, ...lacking }), false, `not ${part.name}`)
    if (part.name in IS_IN) t.equal(part.isIn(EVERY), false, `no ${part.name}`)
  }
})
