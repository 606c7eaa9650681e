'use strict'

// The counts of scenarios, checks and calls of user code, in two threads; every number is unique.

const t = require('tap')
const { CannonadeError } = require('../../lib/base/errors')
const { decodeHistogram } = require('../../lib/base/encoded-histogram')
const CallEndpoints = require('../../lib/metrics/call-endpoints')
const cutShort = require('../../lib/metrics/cut-short')
const { merge } = require('../../lib/metrics/merge')
const MixedRecorder = require('../../lib/metrics/mixed-recorder')
const { Failures, failureWarnings, failuresResult, mergeFailures } = require('../../lib/metrics/failures')
const { checks, CheckRecorder } = require('../../lib/metrics/parts/checks')
const { diagnosed, flights } = require('../../lib/metrics/parts/flights')
const { scenarios: part } = require('../../lib/metrics/parts/scenarios')
const { slowest } = require('../../lib/metrics/parts/slowest')
const { scenarioResult, interimScenario } = require('../../lib/metrics/scenario-result')
const Recorder = require('../../lib/metrics/recorder')
const Span = require('../../lib/metrics/span')

const BROKEN = { code: 'EPIPE', phase: 'send', message: 'broken' }
const LATE = { code: 'CANNONADE_RESPONSE_TIMEOUT', phase: 'timeout', message: 'late' }
const A = 0
const B = 1

/** A thread in which everything happens `factor` times, and takes `factor` ms longer. Endpoint 0 belongs to scenario a, and 1 to b. */
function thread (factor) {
  const recorder = new MixedRecorder({ endpoints: 2, open: true, sessions: true, user: true, timeout: 10_000, origin: 1000 * factor },
    [{ name: 'a', weight: 2 }, { name: 'b', weight: 1 }], [A, B])
  recorder.begin(0)
  for (let time = 0; time < factor; time++) {
    const [a, b] = [recorder.sessionsOf(A), recorder.sessionsOf(B)]
    for (let due = 0; due < 3; due++) a.cameDue(true)
    for (let due = 0; due < 5; due++) b.cameDue(due > 0)
    for (let count = 0; count < 3; count++) a.began(false)
    for (let count = 0; count < 4; count++) b.began(true)
    a.wasCompleted(0, 100 + factor, 2, 1, true)
    a.wasCompleted(0, 200 + factor, 3, 2, false)
    a.hasFailed(0, 300 + factor, 1, false)
    b.hasFailed(0, 400 + factor, 1, true)
    b.wasCutOff(0, 0, 500 + factor)
    b.gaveUp(0, 600 + factor)
    b.neverBegan(0, 700 + factor)
    recorder.completedRequest(A, 200, 10, 0, 5, 6, 20 + factor)
    recorder.completedRequest(A, 404, 10, 0, 7, 8, 24 + factor)
    recorder.completedRequest(B, 200, 10, 0, 9, 10, 50 + factor)
    recorder.failedRequest(A, 0, 1, 60, BROKEN)
    recorder.timedOutRequest(B, 0, 1, LATE)
    recorder.unfinishedRequest(B, 0, 1, 70 + factor)
    recorder.unsentOf(B, 0, 80 + factor)
    recorder.failedConnectionOf(A, BROKEN)
    recorder.sent += 6
    recorder.scheduled += 7
    recorder.checks.count('stock', 'a', true, 10)
    recorder.checks.count('stock', 'b', false, 20)
    recorder.checks.count('price', 'b', true, 5)
  }
  recorder.sessionsBeganTogether(9 * factor, [4 * factor, 5 * factor])
  recorder.interval = recorder.takeInterval(1000)
  return recorder
}

const THREADS = [1, 10]
const ALL = 11
const mergedOf = () => merge(THREADS.map((factor) => thread(factor).summary()))

t.test('a scenario has its own numbers, and no others', async (t) => {
  const summary = mergedOf()
  const [a, b] = summary.scenarios.map((scenario) => scenarioResult(scenario, { seconds: 4, scheduleSeconds: 2, summary }))
  t.match(a, {
    name: 'a',
    weight: 2,
    accounting: { scheduled: 3 * ALL, unsent: 0, sent: 3 * ALL, completed: 2 * ALL, failed: ALL, timedOut: 0, unfinished: 0 },
    errors: 2 * ALL,
    statusCodeStats: { 200: { count: ALL }, 404: { count: ALL } },
    latency: { totalCount: 2 * ALL, min: 21, max: 34 },
    latencyBounds: { count: 0 },
    serviceTime: { totalCount: 2 * ALL, min: 16, max: 27 },
    sessions: {
      scheduled: 3 * ALL,
      unstarted: 0,
      started: 3 * ALL,
      completed: 2 * ALL,
      failed: ALL,
      unfinished: 0,
      rate: { offered: 3 * ALL / 2, achieved: ALL / 4 },
      lifetime: { totalCount: 2 * ALL, min: 101, max: 210 },
      failTime: { totalCount: ALL, min: 301, max: 310 },
      connections: { average: 1.5 },
      lengths: [0, ALL, ALL, ALL],
      burst: 40
    },
    checks: [{ name: 'stock', scenario: 'a', passed: ALL, failed: 0 }]
  })
  t.match(b, {
    name: 'b',
    weight: 1,
    accounting: { scheduled: 4 * ALL, unsent: ALL, sent: 3 * ALL, completed: ALL, failed: 0, timedOut: ALL, unfinished: ALL },
    errors: ALL,
    statusCodeStats: { 200: { count: ALL }, 404: undefined },
    latency: { totalCount: 3 * ALL + ALL, min: 51, max: 10_000 },
    latencyBounds: { count: 3 * ALL },
    serviceTime: { totalCount: ALL, min: 42, max: 51 },
    sessions: {
      scheduled: 5 * ALL,
      unstarted: ALL,
      started: 5 * ALL,
      completed: 0,
      failed: 2 * ALL,
      unfinished: ALL,
      rate: { offered: 4 * ALL / 2, achieved: 0 },
      failTime: { totalCount: 2 * ALL, min: 401, max: 610 },
      lengths: [2 * ALL, ALL],
      burst: 50
    },
    checks: [{ name: 'price', scenario: 'b', passed: ALL, failed: 0 }, { name: 'stock', scenario: 'b', passed: 0, failed: ALL }]
  })
  t.equal(a.checks.length, 1)
  // Four that began when others had ended, and one that gave up.
  t.equal(summary.sessions.counters.waited, 5 * ALL)
  // Each histogram is of its own figure.
  for (const scenario of [a, b]) {
    const counts = Object.fromEntries(Object.entries(scenario.histograms).map(([name, text]) => [name, decodeHistogram(text).totalCount]))
    t.match(counts, { latency: scenario.latency.totalCount, latencyBounds: scenario.latencyBounds.count, serviceTime: scenario.serviceTime.totalCount, sessionLifetime: scenario.sessions.lifetime.totalCount })
    for (const figure of ['latency', 'serviceTime']) {
      const ratio = decodeHistogram(scenario.histograms[figure]).getValueAtPercentile(100) / 1000 / scenario[figure].max
      t.ok(Math.abs(ratio - 1) < 0.002, `${scenario.name}: ${figure}, ${ratio}`)
    }
  }
  t.match(Object.fromEntries(Object.entries(b.missing).map(([name, { count }]) => [name, count])), { serviceTime: 2 * ALL, sessionLifetime: 4 * ALL, sessionFailTime: 2 * ALL })
})

t.test('a run in progress: the values of each scenario that can only grow', async (t) => {
  const summary = merge(THREADS.map((factor) => thread(factor).interim()), Span)
  const [a, b] = summary.scenarios.map(interimScenario)
  t.match(a, { name: 'a', errors: 2 * ALL, latency: { max: 34 }, serviceTime: { max: 27 }, sessions: { completed: 2 * ALL, lifetime: { max: 210 }, failTime: { max: 310 } } })
  t.match(b, { name: 'b', errors: ALL, accounting: { unsent: ALL, timedOut: ALL }, serviceTime: { max: 51 }, sessions: { failed: 2 * ALL } })
  t.notOk('unfinished' in b.accounting)
})

t.test('samples: each scenario, summed over all threads', async (t) => {
  const [one, ten] = THREADS.map((factor) => thread(factor).interval.scenarios)
  t.match(one, [{ name: 'a', requests: 2, errors: 2, sessions: { scheduled: 3, started: 3, completed: 2, failed: 1, open: 0 } }, { name: 'b', requests: 1, errors: 1, sessions: { scheduled: 5, started: 5, failed: 2, open: 2 } }])
  t.match(part.join([one, one, ten], [one, ten]), [
    { name: 'a', requests: 24, errors: 24, sessions: { scheduled: 36, completed: 24 } },
    { name: 'b', requests: 12, errors: 12, sessions: { failed: 24, open: 22 } } // the current number
  ])
  const sample = { scenarios: one }
  const columns = part.columns({ timeline: [{}, sample] })
  t.same(columns.map(([name, read]) => [name, read(sample), read({})]), [
    ['requests a', 2, null], ['errors a', 2, null], ['sessionsStarted a', 3, null], ['sessionsCompleted a', 2, null], ['sessionsFailed a', 1, null],
    ['requests b', 1, null], ['errors b', 1, null], ['sessionsStarted b', 5, null], ['sessionsCompleted b', 0, null], ['sessionsFailed b', 2, null]
  ])
  // Errors and requests of the first sample happen to be equal.
  t.equal(columns[1][1]({ scenarios: [{ name: 'a', requests: 5, errors: 7 }] }), 7)
})

t.test('totals for Prometheus: by scenario and outcome, and by check', async (t) => {
  const { scenarios, checks: counted } = mergedOf()
  t.same(part.totals(scenarios), {
    scenarioRequests: {
      '["a","completed"]': 2 * ALL,
      '["a","failed"]': ALL,
      '["a","timed_out"]': 0,
      '["a","unfinished"]': 0,
      '["a","unsent"]': 0,
      '["b","completed"]': ALL,
      '["b","failed"]': 0,
      '["b","timed_out"]': ALL,
      '["b","unfinished"]': ALL,
      '["b","unsent"]': ALL
    },
    scenarioSessions: {
      '["a","completed"]': 2 * ALL,
      '["a","failed"]': ALL,
      '["a","unfinished"]': 0,
      '["a","unstarted"]': 0,
      '["b","completed"]': 0,
      '["b","failed"]': 2 * ALL,
      '["b","unfinished"]': ALL,
      '["b","unstarted"]': ALL
    }
  })
  t.same(checks.totals(counted), {
    checks: {
      '["b","price","passed"]': ALL, '["b","price","failed"]': 0, '["a","stock","passed"]': ALL, '["a","stock","failed"]': 0, '["b","stock","passed"]': 0, '["b","stock","failed"]': ALL
    }
  })
})

t.test('checks are in the order of their first use, in any thread', async (t) => {
  const [one, other] = [new CheckRecorder(1000), new CheckRecorder(500)]
  one.count('late', null, true, 10)
  one.count('early', null, true, 20)
  one.count('early', null, false, 5)
  other.count('early', null, true, 515)
  other.count('latest', null, true, 900)
  for (const order of [[one, other], [other, one]]) {
    const merged = checks.merge(order.map((recorder) => recorder.toData()))
    t.same(merged.map(({ name, passed, failed, usedAt }) => [name, passed, failed, usedAt]), [['late', 1, 0, 1010], ['early', 2, 1, 1015], ['latest', 1, 0, 1400]])
    const shown = [['late', 1, 0], ['early', 2, 1], ['latest', 1, 0]].map(([name, passed, failed]) => ({ name, scenario: null, passed, failed }))
    t.same([checks.result(merged), checks.interim(merged)], [{ checks: shown }, { checks: shown }])
  }
})

t.test('why sessions failed, in several threads: the most frequent reason first, and a warning for each message of user code', async (t) => {
  const failuresOf = (...counts) => {
    const failures = new Failures()
    for (const [error, scenario, count] of counts) for (let time = 0; time < count; time++) failures.count(error, scenario)
    return failures.toData()
  }
  const plain = new Error('out of stock')
  const network = new CannonadeError('CANNONADE_RESPONSE_TIMEOUT', 'timed out')
  const asked = new CannonadeError('CANNONADE_BAD_OPTION', 'no such option')
  const merged = mergeFailures([failuresOf([plain, 'a', 2], [network, 'a', 4], [asked, 'b', 1]), failuresOf([plain, 'b', 1], [plain, 'a', 3], [network, 'a', 5], ['text', null, 1])])
  t.same(failuresResult(merged), [
    { message: 'timed out', code: 'CANNONADE_RESPONSE_TIMEOUT', scenario: 'a', count: 9 },
    { message: 'out of stock', code: null, scenario: 'a', count: 5 },
    { message: 'no such option', code: 'CANNONADE_BAD_OPTION', scenario: 'b', count: 1 },
    { message: 'out of stock', code: null, scenario: 'b', count: 1 },
    { message: 'text', code: null, scenario: null, count: 1 }
  ])
  t.same(failureWarnings(merged).map(({ code, message }) => [code, message.replace(/ \(at .*/, '')]), [
    ['USER_CODE_FAILED', 'In 6 sessions, the user function failed: out of stock'],
    ['USER_CODE_FAILED', 'In 1 session, the user function failed: no such option'],
    ['USER_CODE_FAILED', 'In 1 session, the user function failed: text']
  ])
  t.same(failuresResult(merged).map(({ count }) => count), [9, 5, 1, 1, 1], 'the warnings do not modify what they add up')
  t.same(failuresOf(['x'.repeat(600), null, 1], ['x'.repeat(700), null, 1]).map(({ message, count }) => [message, count]), [['x'.repeat(500), 2]])
  const many = mergeFailures([failuresOf(...Array.from({ length: 25 }, (_, number) => [`no. ${number}`, null, 30 - number]))])
  const shown = failuresResult(many)
  t.same([shown.length, shown[0].count, shown[19].count, shown[20]], [21, 30, 11, { message: 'others', code: null, scenario: null, count: 10 + 9 + 8 + 7 + 6 }])
})

t.test('calls: a hundred endpoints, in the order of their first use in any thread, and the rest by scenario', async (t) => {
  const numbered = (count, { origin = 0, scenario = null, from = 0 } = {}) => {
    const endpoints = []
    const called = new CallEndpoints(endpoints, origin)
    const steps = Array.from({ length: count }, (_, number) => called.stepOf('GET', `/${from + number}`, undefined, scenario, 10 + number))
    return { called, endpoints, steps }
  }
  const { called: growing } = numbered(2)
  const { requests: soFar } = growing.toData()
  growing.stepOf('GET', '/new', undefined, null, 20)
  t.equal(soFar.length, 2, 'what was told does not change anymore')
  const { called: full, steps } = numbered(100)
  t.equal(full.requests.length, 100)
  t.equal(full.toData().hasOthers, false)
  t.same(steps.map(({ endpoint }) => endpoint), steps.map((_, number) => number))
  const beyond = ['/x', '/y'].map((path) => full.stepOf('GET', path, undefined, null, 500))
  const ofShop = full.stepOf('GET', '/x', undefined, 'shop', 500)
  t.same([beyond[0], beyond[1], ofShop].map(({ endpoint, name }) => [endpoint, name]), [[100, 'others'], [100, 'others'], [101, 'others']])
  t.equal(full.stepOf('GET', '/7', undefined, null, 600).endpoint, 7, 'those that it knows stay')
  t.equal(full.stepOf('GET', '/z', 'titled', 'shop', 600).endpoint, 101, 'a title is as good as a path')
  t.equal(full.toData().hasOthers, true)

  const data = ({ called, endpoints }) => ({ called: called.toData(), endpoints: endpoints.map((_, index) => `${called.origin}:${index}`) })
  const [slow, quick] = [numbered(2, { origin: 100 }), numbered(2, { origin: 50, from: 1 })]
  const matched = CallEndpoints.matchCalls([data(slow), data(quick)])
  t.same(matched.requests.map(({ path, usedAt }) => [path, usedAt]), [['/1', 60], ['/2', 61], ['/0', 110]])
  t.same(matched.groups, [['100:1', '50:0'], ['50:1'], ['100:0']])
})

t.test('when requests were in flight, in each millisecond, of all threads', async (t) => {
  const own = flights.create({ diagnosed: true })
  own.begin(100, 5000)
  for (const [sentAt, now] of [[110, 115], [120.6, 127.9], [130, 135], [90, 99]]) own.add(1, sentAt, now)
  const data = own.toData()
  t.equal(data.startedAt, 5100)
  const placesOf = (counts) => counts.flatMap((count, place) => count === 0 ? [] : [[place, count]])
  t.same([data.sent, data.ended].map(placesOf), [[[0, 1], [10, 1], [20, 1], [30, 1]], [[0, 1], [15, 1], [27, 1], [35, 1]]])
  const merged = flights.merge([{ startedAt: 20, sent: [1, 2], ended: [0, 3] }, null, { startedAt: 10, sent: [4], ended: [0, 0, 5] }])
  t.same(merged, { startedAt: 10, sent: [5, 2], ended: [0, 3, 5] })
})

t.test('a request is in flight until it has ended, however: until its timeout was noticed, or else until its deadline', async (t) => {
  const recorder = new (diagnosed(Recorder))({ endpoints: 1, open: true, timeout: 30, diagnosed: true })
  recorder.begin(0)
  recorder.flights.begin(0, 0)
  const fault = { code: 'X', phase: 'receive', message: 'x' }
  recorder.completedRequest(0, 200, 10, 0, 1, 2, 20, 2, { number: 1, requestIn: () => null, traceIdOf: () => null })
  recorder.failedRequest(0, 0, 2, 22, fault)
  recorder.timedOutRequest(0, 0, 3, fault, undefined, 33)
  recorder.timedOutRequest(0, 0, 4, fault)
  recorder.unfinishedRequest(0, 0, 5, 25)
  const { sent, ended } = recorder.flights.toData()
  t.same([sent, ended].map((counts) => counts.flatMap((count, ms) => count === 0 ? [] : [ms])), [[1, 2, 3, 4, 5], [20, 22, 25, 30, 33]])
})

t.test('each sample has the checks that were made in it', async (t) => {
  const own = new CheckRecorder(1000)
  own.count('ok', null, true, 1)
  own.count('ok', 'a', false, 2)
  t.same(own.takeInterval(), [{ name: 'ok', scenario: null, passed: 1, failed: 0 }, { name: 'ok', scenario: 'a', passed: 0, failed: 1 }])
  t.same(own.takeInterval(), [])
  own.count('ok', 'a', true, 3)
  own.count('ok', 'a', false, 4)
  t.same(own.takeInterval(), [{ name: 'ok', scenario: 'a', passed: 1, failed: 1 }])
  t.same(own.toData(), [{ name: 'ok', scenario: null, passed: 1, failed: 0, usedAt: 1001 }, { name: 'ok', scenario: 'a', passed: 1, failed: 2, usedAt: 1002 }])
})

t.test('the slowest requests of all threads; of two equal ones, the one that ended first', async (t) => {
  const connection = { number: 1, requestIn: () => ({ method: 'GET', path: '/' }), traceIdOf: () => null }
  // A diagnosis looks at ten, even if the result shows fewer.
  const slowestOf = (requests) => {
    const own = slowest.create({ slowest: 3, diagnosed: true })
    for (const [latency, sentAt, now] of requests) if (latency >= own.threshold) own.add(latency, 1, 0, 200, 0, sentAt, sentAt, now, connection, 0)
    return own
  }
  const data = slowestOf([[5000, 110, 115], [7300, 120.6, 127.9], [5000, 130, 135], [9000, 90, 99]]).toData({ startedAt: 100, called: null, open: true })
  t.same(data.requests.map(({ latency, sentAt, endedAt }) => [latency, sentAt, endedAt]), [[9000, -10_000, -1000], [7300, 20_600, 27_900], [5000, 10_000, 15_000], [5000, 30_000, 35_000]])
  const many = slowestOf([...Array.from({ length: 12 }, (_, number) => [5000, number, number + 5]), [5100, 20, 25.1]]).toData({ startedAt: 0, called: null, open: true })
  t.same(many.requests.map(({ sentAt }) => sentAt / 1000), [20, 0, 1, 2, 3, 4, 5, 6, 7, 8])
  for (const diagnosed of [false, true]) {
    const own = slowest.create({ slowest: 50, diagnosed })
    for (let number = 0; number < 60; number++) own.add(5000 + number, 1, 0, 200, 0, number, number, number + 5, connection, 0)
    t.equal(own.toData({ startedAt: 0, called: null, open: true }).requests.length, 50, diagnosed ? 'with a diagnosis' : 'without')
  }
  const request = (latency, sentAt, endedAt) => ({ latency, sentAt, endedAt })
  const merged = slowest.merge([
    { most: 10, shown: 3, requests: [request(9, 0, 9), request(5, 1, 8)] },
    { most: 10, shown: 3, requests: [request(7, 2, 9), request(5, 3, 7)] }
  ])
  t.same(merged, { most: 10, shown: 3, requests: [request(9, 0, 9), request(7, 2, 9), request(5, 3, 7), request(5, 1, 8)] })
})

t.test('what cut a run short: bailout with as many errors as allowed, and a drain shorter than the timeout', async (t) => {
  const plan = { bailout: 5, drain: 2, timeout: 3, schedule: null, sessions: null, websocket: null, grpc: null, amount: null, duration: 10, diagnose: false, isUserCode: false, stream: null, targets: [{}], scenarios: null }
  const outcome = (counters, more) => ({
    summaries: [{ counters: { sent: 10, unsent: 0, failed: 0, timedOut: 0, connectionsFailed: 0, mismatches: 0, unfinished: 0, ...counters } }], seconds: 1.5, warnings: [], ...more
  })
  const why = (changes, counters, isStopped = false, more = {}) => cutShort({ ...plan, ...changes }, outcome(counters, more), { isStopped })?.message ?? null
  for (const name of ['failed', 'timedOut', 'connectionsFailed', 'mismatches']) {
    t.equal(why({}, { [name]: 4 }), null)
    t.match(why({}, { [name]: 5 }), /after 1\.5 seconds, because it had as many errors as bailout allows \(5\)/)
  }
  t.match(why({}, { failed: 2, timedOut: 1, connectionsFailed: 1, mismatches: 1 }), /bailout/)
  const open = { schedule: {}, bailout: null }
  t.match(why(open, { unfinished: 3 }), /3 requests were outstanding when the drain of 2 seconds ended.*timeout of 3 seconds/)
  t.equal(why({ ...open, drain: 3 }, { unfinished: 3 }), null)
  t.equal(why(open, {}), null)
  t.equal(why({ bailout: null }, { unfinished: 3 }), null, 'a closed model waits for none')
  t.match(why({}, {}, true), /stopped after 1\.5 of its 10 seconds/)
  t.match(why({ amount: 40 }, {}, true), /stopped after 10 of its 40 requests/)
  t.match(why({ bailout: 4 }, { failed: 4 }, true, { isInterrupted: true }), /stopped after 1\.5 of its 10 seconds/)
  t.match(why({ bailout: 4 }, { failed: 4 }, true, { isInterrupted: false }), /bailout/, 'it had ended by then')
  t.equal(why({}, {}, true, { isInterrupted: false }), null)
  t.match(why({ ...open, duration: 1.5 }, { unfinished: 2 }, true), /while it waited for its last responses: 2 requests were outstanding/)
  t.equal(why({ ...open, sessions: { amount: null }, duration: 1.5 }, { unfinished: 0 }, true), 'The run was stopped at its very end.', 'sessions that think')
  for (const whole of [{ ...open, duration: 1.5 }, { bailout: null, duration: 1.5 }, { amount: 10, bailout: null }]) {
    t.equal(why(whole, { unfinished: 0, unsent: 0 }, true), null, 'nothing was cut off')
    t.match(why(whole, { unfinished: 0, unsent: 1 }, true), /stopped/)
  }
})

t.test('an endpoint that several threads called was first called when the first of them did', async (t) => {
  const threadOf = (...calls) => {
    const endpoints = []
    const called = new CallEndpoints(endpoints, 1000)
    for (const [path, at] of calls) called.stepOf('GET', path, undefined, null, at)
    return { called: called.toData(), endpoints }
  }
  const summaries = [threadOf(['/early', 10], ['/late', 90], ['/middle', 50]), threadOf(['/late', 40], ['/other', 60], ['/early', 70]), threadOf(['/late', 5])]
  for (const order of [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]]) {
    const { requests } = CallEndpoints.matchCalls(order.map((index) => summaries[index]))
    t.same(requests.map(({ path, usedAt }) => [path, usedAt]), [['/late', 1005], ['/early', 1010], ['/middle', 1050], ['/other', 1060]], `${order}`)
  }
})

t.test('whatever is counted for the run is counted for its scenario as well, with the same numbers', async (t) => {
  const options = { endpoints: 3, open: true, sessions: true, user: true, timeout: 10_000, origin: 0 }
  const recorder = new MixedRecorder(options, [{ name: 'a', weight: 1 }, { name: 'b', weight: 1 }], [A, B, B])
  // The calls of users have endpoints behind these.
  const call = recorder.called.stepOf('GET', '/x', undefined, 'b', 0).endpoint
  t.equal(call, 3)
  const methods = ['completedRequest', 'completedWhole', 'completedCall', 'completedMessages', 'failedRequest', 'timedOutRequest', 'unfinishedRequest', 'unsentOf', 'unsentRequest', 'failedConnectionOf', 'failedConnection', 'verifyBodies', 'mismatchedOf', 'verdictPendsOf', 'interrupt', 'leaveUndecided', 'begin', 'shareEndpoints', 'takeInterval']
  const log = []
  const nameOf = (one) => one === recorder ? 'all' : recorder.scenarios.find((scenario) => scenario.recorder === one)?.name ?? 'other'
  for (const method of methods) {
    const { [method]: original } = Recorder.prototype
    Recorder.prototype[method] = function (...args) { log.push([nameOf(this), method, ...args]); return method === 'takeInterval' ? `interval of ${nameOf(this)}` : undefined }
    t.teardown(() => { Recorder.prototype[method] = original })
  }
  const heard = (method, ...args) => {
    log.length = 0
    const returned = recorder[method](...args)
    return { log: log.slice(), returned }
  }
  for (const [endpoint, name] of [[0, 'a'], [1, 'b'], [2, 'b'], [call, 'b'], [call, 'b']]) {
    for (const method of ['completedRequest', 'completedCall', 'failedRequest', 'timedOutRequest', 'unfinishedRequest']) {
      t.strictSame(heard(method, endpoint, 1, 2, 3).log, [['all', method, endpoint, 1, 2, 3], [name, method, endpoint, 1, 2, 3]], `${method} of ${endpoint}`)
    }
    for (const method of ['completedWhole', 'completedMessages']) t.strictSame(heard(method, 7, endpoint, 1, 2).log, [['all', method, 7, endpoint, 1, 2], [name, method, 7, endpoint, 1, 2]])
  }
  for (const [scenario, name] of [[A, 'a'], [B, 'b']]) {
    t.strictSame(heard('unsentOf', scenario, 1, 2).log, [['all', 'unsentOf', scenario, 1, 2], [name, 'unsentRequest', 1, 2]])
    t.strictSame(heard('failedConnectionOf', scenario, BROKEN).log, [['all', 'failedConnectionOf', scenario, BROKEN], [name, 'failedConnection', BROKEN]])
    t.strictSame(heard('mismatchedOf', scenario).log, [['all', 'mismatchedOf', scenario], [name, 'mismatchedOf']])
    t.strictSame(heard('verdictPendsOf', scenario, -1).log, [['all', 'verdictPendsOf', scenario, -1], [name, 'verdictPendsOf', null, -1]])
  }
  for (const method of ['verifyBodies', 'interrupt']) t.strictSame(heard(method).log, ['all', 'a', 'b'].map((name) => [name, method]))
  for (const method of ['begin', 'shareEndpoints']) t.strictSame(heard(method, 5).log, ['all', 'a', 'b'].map((name) => [name, method, 5]))
  t.equal(heard('takeInterval', 9).returned, 'interval of all')
  t.same(recorder.scenarios.map(({ interval }) => interval), ['interval of a', 'interval of b'])
  const other = new MixedRecorder(options, [{ name: 'a', weight: 1 }, { name: 'b', weight: 1 }], [A, B, B])
  t.same(heard('leaveUndecided', other).log, [['all', 'leaveUndecided', other], ['a', 'leaveUndecided', other.ofScenario(A)], ['b', 'leaveUndecided', other.ofScenario(B)]])
  t.strictSame(heard('leaveUndecided').log.map(([name, , of]) => [name, nameOf(of)]), [['all', 'all'], ['a', 'a'], ['b', 'b']])
})
