'use strict'

// Every figure of a result comes from its own counter or distribution: across two threads each of these has a unique number, so that a
// figure from the wrong source, or from one thread alone, is noticed.

const assert = require('node:assert')
const { inspect } = require('node:util')
const t = require('tap')
const { decodeHistogram } = require('../../lib/base/encoded-histogram')
const { COUNTERS, DISTRIBUTIONS } = require('../../lib/metrics/counted')
const Distribution = require('../../lib/metrics/distribution')
const { merge } = require('../../lib/metrics/merge')
const Recorder = require('../../lib/metrics/recorder')
const { buildResult } = require('../../lib/metrics/result')
const { addTotals, noTotals, toBuckets, totalsOfRecorder, totalsOfSummary } = require('../../lib/metrics/totals')

const THREADS = [1, 100]
// Primes: no sum of a few of them equals another one.
const PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113]
const COUNT = Object.fromEntries(COUNTERS.map((name, index) => [name, PRIMES[index]]))
// Microseconds, one value in each thread.
const TIME = Object.fromEntries(DISTRIBUTIONS.map((name, index) => [name, 1000 + 16 * index]))
const total = (name) => COUNT[name] * (1 + 100)
const LATENCIES = [4000, 5000]

function recorderOf (factor, options) {
  const recorder = new Recorder({ endpoints: 2, open: true, timeout: 10_000, ...options })
  recorder.begin(0)
  for (const [name, count] of Object.entries(COUNT)) recorder[name] = count * factor
  for (const [name, time] of Object.entries(TIME)) recorder.distributions[name].record(time)
  recorder.errorCodes.count({ code: 'EPIPE', phase: 'send', message: 'broken' })
  LATENCIES.forEach((latency, index) => {
    const endpoint = recorder.endpoint(index)
    Object.assign(endpoint, { completed: 3 * factor + index, failed: 5 * factor, timedOut: 7 * factor })
    endpoint.statuses[200 + 100 * index] = 11 * factor
    endpoint.statuses[503] = 13 * factor
    endpoint.latency.record(latency)
  })
  // The other thread has fewer; the figure is the maximum.
  recorder.burst = 3 * factor
  const { sessions, stream, messages } = recorder
  if (sessions) Object.assign(sessions, { scheduled: 20 * factor, unstarted: 3 * factor, started: 17 * factor, completed: 8 * factor, failed: 5 * factor, unfinished: 4 * factor, peak: 6 * factor, burst: 2 * factor })
  if (stream) stream.began(4, 9)
  if (messages) Object.assign(messages, { received: 30 * factor, unasked: 7 * factor, bytesSent: 8 * factor, bytesReceived: 9 * factor, pings: 4 * factor, pongs: 3 * factor })
  recorder.interval = recorder.takeInterval(1000)
  return recorder
}

const PLAN = {
  title: 'a title',
  url: 'http://a',
  socketPath: undefined,
  connections: 21,
  sampleInt: 1000,
  pipelining: 2,
  workers: 2,
  schedule: { kind: 'constant' },
  amount: null,
  requests: [{ title: 'one', method: 'GET', path: '/one' }, { method: 'PUT' }],
  targets: [{ path: '/default' }],
  stream: { events: 'sse' },
  pacing: 'precise'
}

function resultOf (recorders, changes, warnings = [{ code: 'EARLIER' }]) {
  return buildResult({
    plan: { ...PLAN, ...changes },
    summary: merge(recorders.map((recorder) => recorder.summary())),
    timeline: { samples: [{ bytes: 300, stream: { events: 6 } }, { bytes: 100 }], requestRates: [10, 30], byteRates: [300, 100], toResult: () => ['samples'] },
    start: 'start',
    finish: 'finish',
    seconds: 4,
    scheduleSeconds: 5,
    drain: { seconds: 0.5, completed: 10 },
    generator: { cpu: 'cpu', eventLoop: { utilization: 0.1, delayP99: 2 } },
    warnings,
    circumstances: { environment: 'here' },
    monitor: 'monitor',
    fleet: 'fleet'
  })
}

// One value in each thread, all of them equal.
const only = (time, count = 2) => ({ min: time / 1000, max: time / 1000, mean: time / 1000, average: time / 1000, p50: time / 1000, p99_999: time / 1000, totalCount: count, total: count * time / 1000, stddev: 0 })
const rounded = (value) => Math.round(value * 1000) / 1000

t.test('the open model: each figure is the sum of its own counters', async (t) => {
  const result = resultOf(THREADS.map((factor) => recorderOf(factor)))
  t.match(result, {
    title: 'a title',
    url: 'http://a',
    connections: 21,
    sampleInt: 1000,
    pipelining: 2,
    workers: 2,
    duration: 4,
    samples: 2,
    start: 'start',
    finish: 'finish',
    errors: total('failed') + total('timedOut') + total('connectionsFailed'),
    timeouts: total('timedOut'),
    mismatches: total('mismatches'),
    non2xx: total('non2xx'),
    resets: total('resets'),
    '1xx': total('informational'),
    '2xx': 11 * 101,
    '3xx': 11 * 101,
    '4xx': 0,
    '5xx': 2 * 13 * 101,
    statusCodeStats: { 200: { count: 1111 }, 300: { count: 1111 }, 503: { count: 2626 } },
    errorCodes: { EPIPE: { count: 2, phase: 'send', phases: { send: 2 }, message: 'broken' } },
    bytes: { read: total('bytesRead'), written: total('bytesWritten') },
    requests: { average: rounded((total('completed') - 10) / 4), min: 10, max: 30, total: total('completed'), sent: total('sent'), totalCount: 2 },
    throughput: { average: 100, min: 100, max: 300, total: 400, totalCount: 2 },
    replySize: { head: rounded(COUNT.headBytes / COUNT.completed), content: rounded(COUNT.contentBytes / COUNT.completed), footer: rounded(COUNT.footerBytes / COUNT.completed) },
    rate: { offered: rounded((total('scheduled') - total('scheduledInDrain')) / 5), achieved: rounded((total('completed') - 10) / 5) },
    drain: { seconds: 0.5, completed: 10 },
    monitor: 'monitor',
    fleet: 'fleet',
    environment: 'here',
    timeline: ['samples'],
    warnings: [{ code: 'EARLIER' }]
  })
  t.strictSame(result.accounting, Object.fromEntries(['scheduled', 'unsent', 'sent', 'completed', 'failed', 'timedOut', 'unfinished'].map((name) => [name, total(name)])))
  const { lifetime, ...connectionStats } = result.connectionStats
  t.strictSame(connectionStats, { opened: total('opened'), failed: total('connectionsFailed'), closedByServer: total('closedByServer'), closedByClient: total('closedByClient'), peak: total('peak'), withReplies: 2, burst: 300 })
  for (const absent of ['sessions', 'stream', 'messages', 'broadcast', 'closeCodes', 'grpcStatus', 'socketPath', 'warmup']) t.notOk(absent in result, absent)
})

t.test('the open model: each time comes from its own distribution', async (t) => {
  const { serviceTime, timeToFirstByte, timeToStatusLine, transferTime, connectTime, sendDelay, connectionStats, latency, latencyWithUnfinished, latencyBounds, generator, endpoints } = resultOf(THREADS.map((factor) => recorderOf(factor)))
  t.match(serviceTime, only(TIME.serviceTime))
  t.match(transferTime, only(TIME.transferTime))
  t.match(connectTime, { ...only(TIME.connectTime), dns: only(TIME.dnsTime), tcp: only(TIME.tcpTime), tls: only(TIME.tlsTime) })
  t.match(connectionStats.lifetime, only(TIME.connectionLifetime))
  t.match(sendDelay, {
    ...only(TIME.sendDelay),
    client: only(TIME.clientDelay),
    waiting: only(TIME.waitDelay),
    causes: { connecting: TIME.waitForConnecting / 1000, hooks: TIME.waitForHooks / 1000, asleep: TIME.waitAsleep / 1000 }
  })
  const sums = { timeToFirstByte: [timeToFirstByte, TIME.timeToFirstByte, TIME.earlyFirstByte], timeToStatusLine: [timeToStatusLine, TIME.timeToFirstByte, TIME.lateStatusLine], latency: [latency, ...LATENCIES, TIME.unsentAges], latencyWithUnfinished: [latencyWithUnfinished, ...LATENCIES, TIME.unsentAges, TIME.failedAges] }
  for (const [name, [found, ...times]] of Object.entries(sums)) {
    t.match(found, { min: Math.min(...times) / 1000, max: Math.max(...times) / 1000, total: 2 * times.reduce((sum, each) => sum + each) / 1000, totalCount: 2 * times.length }, name)
  }
  t.same(latencyBounds, { count: 4, share: 4 / 6, smallest: Math.min(TIME.censored, TIME.unsentAges) / 1000 })
  t.match(generator, { cpu: 'cpu', eventLoop: { utilization: 0.1 }, stoodStill: { count: 2, total: 2 * TIME.standstills / 1000, longest: TIME.standstills / 1000 }, late: { mean: (TIME.clientDelay + TIME.unsentByClient) / 2000 } })
  t.match(endpoints, [
    { title: 'one', method: 'GET', path: '/one', latency: only(4000), latencyBounds: { count: 0, share: 0, smallest: null }, completed: 303, failed: 12 * 101, statusCodeStats: { 200: { count: 1111 }, 503: { count: 1313 } } },
    { method: 'PUT', path: '/default', latency: only(5000), completed: 305 }
  ])
  t.notOk('title' in endpoints[1])
})

t.test('the closed model: latency is the service time, and unanswered requests are reported separately', async (t) => {
  const result = resultOf(THREADS.map((factor) => recorderOf(factor, { open: false })), { schedule: null })
  t.match(result.latency, { totalCount: 4, total: 18, min: 4, max: 5 })
  t.same(result.serviceTime, result.latency)
  t.match(result.latencyWithUnfinished, { totalCount: 10, total: (9000 + TIME.censored + TIME.unsentAges + TIME.failedAges) / 500 })
  t.same(result.latencyBounds, { count: 0, share: 0, smallest: null })
  t.notOk('rate' in result)
  const ignoring = resultOf(THREADS.map((factor) => recorderOf(factor, { ignoreCoordinatedOmission: true })))
  t.match(ignoring.latency, { totalCount: 4 })
  t.match(ignoring.latencyWithUnfinished, { totalCount: 8, total: (TIME.responseTime + TIME.censored + TIME.unsentAges + TIME.failedAges) / 500 })
})

t.test('an endpoint with bounds has histograms of its own', async (t) => {
  const recorder = recorderOf(1)
  recorder.endpoint(1).recordBound(7000)
  recorder.takeInterval(2000)
  const { endpoints: [without, withBound] } = resultOf([recorder])
  t.notOk('histograms' in without)
  t.match(withBound, { latency: { totalCount: 2, max: 7 }, latencyBounds: { count: 1, share: 0.5, smallest: 7 } })
  t.not(withBound.histograms.latency, withBound.histograms.latencyBounds)
  t.equal(withBound.histograms.latencyBounds, distributionOf(7000).encode())
  t.equal(withBound.histograms.latency, distributionOf(5000, 7000).encode())
})

function distributionOf (...values) {
  const distribution = new Distribution()
  for (const value of values) distribution.record(value)
  return distribution
}

t.test('the histograms of a result are those of the figures with the same names', async (t) => {
  const { histograms } = resultOf(THREADS.map((factor) => recorderOf(factor, { sessions: true, stream: true, messages: { broadcast: { run: 'x', part: 0, retention: 1 } } })), { sessions: {}, drain: 1 })
  const expected = {
    serviceTime: [TIME.serviceTime],
    transferTime: [TIME.transferTime],
    connectTime: [TIME.connectTime],
    sendDelay: [TIME.sendDelay],
    connectionLifetime: [TIME.connectionLifetime],
    timeToFirstByte: [TIME.timeToFirstByte, TIME.earlyFirstByte],
    timeToStatusLine: [TIME.timeToFirstByte, TIME.lateStatusLine],
    latency: [...LATENCIES, TIME.unsentAges],
    latencyBounds: [TIME.censored, TIME.unsentAges],
    latencyWithUnfinished: [...LATENCIES, TIME.unsentAges, TIME.failedAges],
    latencyWithUnfinishedBounds: [TIME.censored, TIME.unsentAges, TIME.failedAges],
    sessionLifetime: [],
    timeToFirstEvent: [9000],
    eventGap: [0, 0, 0],
    lastCopy: [],
    clientDelay: [TIME.clientDelay],
    waitDelay: [TIME.waitDelay],
    sessionFailTime: [],
    sendDelayMissing: [TIME.unsentAges],
    clientDelayMissing: [TIME.unsentByClient],
    waitDelayMissing: [TIME.unsentWaits]
  }
  // Sessions that did not fail have an unknown duration: unfinished and unstarted ones, in both threads.
  const failTimes = decodeHistogram(histograms.sessionFailTimeMissing)
  t.same([failTimes.totalCount, failTimes.maxValue], [(3 + 4) * 101, 0])
  expected.sessionFailTimeMissing = null
  for (const [name, times] of Object.entries(expected)) if (times !== null) t.equal(histograms[name], distributionOf(...times, ...times).encode(), name)
  t.same(Object.keys(histograms).sort(), Object.keys(expected).sort())
})

t.test('histograms are encoded when they are read, and are strings to whoever reads, copies, compares or prints them', async (t) => {
  const { histograms } = resultOf(THREADS.map((factor) => recorderOf(factor)), { drain: 1 })
  const encoded = distributionOf(TIME.serviceTime, TIME.serviceTime).encode()
  const readings = {
    property: histograms.serviceTime,
    spread: { ...histograms }.serviceTime,
    entry: Object.fromEntries(Object.entries(histograms)).serviceTime,
    clone: structuredClone(histograms).serviceTime,
    json: JSON.parse(JSON.stringify(histograms)).serviceTime
  }
  t.same(Object.values(readings), Object.values(readings).map(() => encoded), Object.keys(readings).join())
  t.match(inspect(histograms, { maxStringLength: null }), `serviceTime: '${encoded}'`)
  assert.deepStrictEqual(histograms, { ...histograms })
  histograms.serviceTime = 'mine'
  Object.freeze(histograms)
  t.same([histograms.serviceTime, JSON.parse(JSON.stringify(histograms)).serviceTime, histograms.transferTime], ['mine', 'mine', distributionOf(TIME.transferTime, TIME.transferTime).encode()])
})

t.test('sessions, streams and messages have fields of their own', async (t) => {
  const result = resultOf(THREADS.map((factor) => recorderOf(factor, { sessions: true, stream: true, messages: { broadcast: null } })), { sessions: {}, drain: 1 })
  t.match(result.sessions, { scheduled: 2020, unstarted: 303, started: 1717, completed: 808, failed: 505, unfinished: 404, peak: 606, burst: 200, rate: { offered: 404, achieved: 161.6 } })
  t.match(result.stream, { events: 8, rate: 1.5, timeToFirstEvent: only(9000), gap: { totalCount: 6, max: 0 } })
  t.strictSame(result.messages, { sent: total('sent'), received: 3030, unasked: 707, bytesSent: 808, bytesReceived: 909, pings: 404, pongs: 303 })
  t.same(result.statusCodeStats, {}, 'with messages only handshakes have a status')
})

t.test('live progress agrees with the result, thread by thread and at the end', async (t) => {
  const bounds = [0.001, 0.01]
  const options = { sessions: true, stream: true, messages: { broadcast: { run: 'x', part: 0, retention: 1 } } }
  const recorders = THREADS.map((factor) => {
    const recorder = recorderOf(factor, options)
    for (let connection = 0; connection < factor; connection++) recorder.messages.broadcast.joined(connection)
    for (let sent = 0; sent < 10; sent++) recorder.messages.broadcast.sent(0)
    recorder.messages.broadcast.received = 9 * factor
    recorder.messages.countHandshake(101)
    return recorder
  })
  const live = addTotals(recorders.map((recorder) => totalsOfRecorder(recorder, bounds)))
  const last = totalsOfSummary(merge(recorders.map((recorder) => recorder.summary())), bounds)
  const counters = {
    ...Object.fromEntries(COUNTERS.map((name) => [name, total(name)])),
    sessionsScheduled: 2020,
    sessionsUnstarted: 303,
    sessionsStarted: 1717,
    sessionsCompleted: 808,
    sessionsFailed: 505,
    sessionsUnfinished: 404,
    streamEvents: 8,
    messagesReceived: 3030,
    messagesUnasked: 707,
    pings: 404,
    pongs: 303,
    copiesExpected: 1010,
    copiesReceived: 909
  }
  t.same(live.counters, counters)
  t.same(last.counters, counters)
  for (const totals of [live, last]) {
    t.same(totals.errors, { EPIPE: 2 })
    t.equal(totals.statuses[101], 2)
    t.equal(totals.calls, undefined)
  }
  const expected = { connectTime: [TIME.connectTime], clientDelay: [TIME.clientDelay], waitDelay: [TIME.waitDelay], serviceTime: [TIME.serviceTime], timeToFirstByte: [TIME.timeToFirstByte, TIME.earlyFirstByte], timeToFirstEvent: [9000], eventGap: [0, 0, 0], sessionLifetime: [] }
  for (const [name, times] of Object.entries(expected)) {
    const counts = [times.filter((each) => each <= 1000).length, times.filter((each) => each > 1000).length, 0].map((count) => 2 * count)
    for (const { timings } of [live, last]) {
      t.same(timings[name].counts, counts, name)
      t.ok(Math.abs(timings[name].sum - times.reduce((sum, each) => sum + 2 * each / 1e6, 0)) < 1e-12, name)
    }
  }
  t.same(last.timings.latency.counts, [0, 6, 0])
  t.notOk('latency' in live.timings, 'each interval has its own')

  t.equal(totalsOfRecorder(recorderOf(1, { open: false }), bounds).counters.scheduled, COUNT.sent, 'in the closed model sent equals scheduled')
  t.same(totalsOfRecorder(recorderOf(1), bounds).statuses, { 200: 11, 300: 11, 503: 26 })
  t.same(totalsOfSummary(merge(THREADS.map((factor) => recorderOf(factor).summary())), bounds).statuses, { 200: 1111, 300: 1111, 503: 2626 })
  const nothing = noTotals(bounds)
  t.same(nothing.timings.latency, { counts: [0, 0, 0], sum: 0 })
  t.ok(Object.values(nothing.counters).every((count) => count === 0))
})

t.test('a value at a bound is not above it, although 0.000249 × 10^6 is less than 249', async (t) => {
  t.same(toBuckets(distributionOf(249, 250, 251), [0.000249, 0.00025]).counts, [1, 1, 1])
})

t.test('totals of other kinds are added by name', async (t) => {
  const part = (changes) => ({ counters: { sent: 1 }, statuses: { 200: 2 }, calls: { OK: 3 }, errors: { EPIPE: 4 }, timings: { latency: { counts: [1, 2], sum: 3 } }, ...changes })
  t.strictSame(addTotals([part(), part({ counters: { sent: 10, more: 5 }, statuses: { 500: 1 }, calls: { OK: 7, LOST: 1 }, errors: { EPIPE: 1, OTHER: 9 }, timings: { latency: { counts: [10, 20], sum: 30 }, other: { counts: [1], sum: 1 } } })]), {
    counters: { sent: 11, more: 5 }, statuses: { 200: 2, 500: 1 }, calls: { OK: 10, LOST: 1 }, errors: { EPIPE: 5, OTHER: 9 }, timings: { latency: { counts: [11, 22], sum: 33 }, other: { counts: [1], sum: 1 } }
  })
})

t.test('warnings of a result know the earlier ones of its run, and stand behind them', async (t) => {
  const silent = new Recorder({ endpoints: 2, open: false, timeout: 10_000 })
  silent.begin(0)
  silent.takeInterval(1000)
  const codesOf = (...earlier) => resultOf([silent], { schedule: null, sessions: null }, earlier.map((code) => ({ code, message: '' }))).warnings.map(({ code }) => code)
  t.same(codesOf(), ['NO_ANSWER'])
  t.same(codesOf('EARLIER'), ['EARLIER', 'NO_ANSWER'])
  t.same(codesOf('EARLIER', 'STOPPED'), ['EARLIER', 'STOPPED'], 'a stopped run need not have begun')
})
