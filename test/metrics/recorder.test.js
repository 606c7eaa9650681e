'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const { merge } = require('../../lib/metrics/merge')
const { composeTimings } = require('../../lib/metrics/timings')
const { event, newRecorder, play, summaryOf, TIMEOUT_MS } = require('./recording')

const RECEIVED = { code: 'ECONNRESET', phase: 'receive', message: 'gone' }
const LATE = { code: 'CODE', phase: 'timeout', message: '' }

t.test('every request ends in exactly one count, and in the distributions that the table lists', async (t) => {
  const open = fc.boolean()
  fc.assert(fc.property(fc.array(event, { maxLength: 60 }), open, open, (events, open, ignoreCoordinatedOmission) => {
    const { counters, distributions, endpoints, fromDueTime, heat } = merge([summaryOf(events, { open, ignoreCoordinatedOmission })])
    const { scheduled, unsent, sent, completed, failed, timedOut, unfinished } = counters
    const sum = (name) => endpoints.reduce((all, each) => all + each[name], 0)
    const inLatency = endpoints.reduce((all, { latency }) => all + latency.count, 0)
    return scheduled === unsent + sent && sent === completed + failed + timedOut + unfinished &&
      fromDueTime === (open && !ignoreCoordinatedOmission) &&
      sum('completed') === completed && sum('failed') === failed && sum('timedOut') === timedOut &&
      endpoints.every(({ statuses, completed }) => statuses.reduce((all, [, count]) => all + count, 0) === completed) &&
      inLatency === completed + (fromDueTime ? timedOut + unfinished : 0) &&
      heat.counts.reduce((all, count) => all + count, 0) === inLatency + (fromDueTime ? unsent : 0) &&
      distributions.timeToFirstByte.count === completed && distributions.failedAges.count === failed &&
      distributions.unsentAges.count === unsent && distributions.censored.count === timedOut + unfinished &&
      (!open || (distributions.serviceTime.count === completed && distributions.responseTime.count === completed)) &&
      distributions.connectTime.count === counters.opened && distributions.tcpTime.count === counters.opened
  }), { numRuns: 60 })
})

t.test('a request of the sequence that is never sent uses no memory', async (t) => {
  const recorder = newRecorder({ endpoints: 10_000 })
  recorder.completedRequest(7, 200, 10, 0, 0, 1, 2)
  t.equal(recorder.usedEndpoints.length, 1)
  recorder.takeInterval(10)
  const { endpoints } = merge([recorder.summary()])
  t.equal(endpoints.length, 10_000)
  t.same(endpoints.filter(({ completed }) => completed > 0).map(({ statuses, latency }) => [statuses, latency.count]), [[[[200, 1]], 1]])
  t.ok(endpoints.every(({ latency: { count, places } }) => (count === 0) === (places === null)))
})

t.test('closed model: service time and time to first byte start at the send', async (t) => {
  const recorder = newRecorder()
  recorder.begin(0)
  recorder.completedRequest(0, 200, 10, 5, 100, 100.25, 101.5)
  const { latency, ...interval } = recorder.takeInterval(1000)
  t.match(interval, { start: 0, end: 1000, completed: 1, errors: 0 })
  t.match(latency, { count: 1, sum: 1500 })
  t.match(merge([recorder.summary()]).distributions.timeToFirstByte, { count: 1, sum: 250 })
})

t.test('open model: the estimate of response times counts from the send, however late that was', async (t) => {
  const recorder = newRecorder({ open: true })
  recorder.begin(0)
  const told = []
  recorder.forecast.answered = (ms) => told.push(ms)
  recorder.completedRequest(0, 200, 10, 5, 100, 100.25, 101.5)
  recorder.completedMessages(1, 0, 5, 100, 101, 103)
  t.same(told, [1.5, 3])
})

t.test('a status line that arrives later than its first byte', async (t) => {
  const recorder = newRecorder()
  recorder.begin(0)
  recorder.completedRequest(0, 200, 10, 0, 0, 1, 4)
  recorder.completedRequest(0, 200, 10, 0, 10, 12, 19, 15)
  recorder.takeInterval(1000)
  const { timeToFirstByte, timeToStatusLine, transferTime } = composeTimings(merge([recorder.summary()]))
  t.match(timeToFirstByte, { count: 2, sum: 3000, min: 1000, max: 2000 })
  t.match(timeToStatusLine, { count: 2, sum: 6000, min: 1000, max: 5000 })
  t.match(transferTime, { count: 2, sum: 7000, min: 3000, max: 4000 })
})

t.test('open model: latency starts at the due time, and the delay is split in two', async (t) => {
  const recorder = newRecorder({ open: true })
  recorder.begin(0)
  recorder.delayedSend(10, 14, 15)
  recorder.completedRequest(0, 200, 10, 10, 15, 16, 18)
  recorder.takeInterval(1000)
  const { endpoints, distributions } = merge([recorder.summary()])
  t.match(endpoints[0].latency, { count: 1, sum: 8000 })
  t.equal(distributions.serviceTime.sum, 3000)
  t.equal(distributions.sendDelay.sum, 5000)
  t.equal(distributions.waitDelay.sum, 4000, 'no connection was free until 14')
  t.equal(distributions.clientDelay.sum, 1000, 'afterwards it was the client')
})

t.test('an unanswered request counts with its deadline, or the age it reached, at most its deadline', async (t) => {
  for (const open of [false, true]) {
    const recorder = newRecorder({ open })
    recorder.begin(0)
    recorder.timedOutRequest(0, 0, 5, LATE)
    recorder.unfinishedRequest(0, 0, 5, 105)
    recorder.unfinishedRequest(0, 0, 5, 1e6)
    recorder.failedRequest(0, 0, 5, 35, RECEIVED)
    recorder.takeInterval(1)
    const { distributions, endpoints } = merge([recorder.summary()])
    const age = open ? 105 : 100
    t.equal(distributions.censored.sum, (2 * TIMEOUT_MS + age) * 1000)
    t.equal(distributions.failedAges.sum, (open ? 35 : 30) * 1000)
    t.equal(endpoints[0].latency.count, open ? 3 : 0, 'in the closed model only the completed are in latency')
  }
})

t.test('a request times out when its deadline passes, however late that is noticed, and with its own deadline; an example has the status that had arrived', async (t) => {
  for (const open of [false, true]) {
    const recorder = newRecorder({ open })
    recorder.begin(1000)
    const connection = { requestIn: (slot, endpoint) => ({ method: 'GET', path: `/${slot}/${endpoint}` }), traceIdOf: () => 'a trace' }
    recorder.timedOutRequest(0, 1000, 1005, LATE, undefined, 1e6, undefined, connection, 7)
    const seen = (status) => ({ firstByteAt: 1100, statusLineAt: 1100, eventAt: NaN, status })
    recorder.timedOutRequest(1, 1000, 1005, LATE, seen(503), 1e6, 250, connection, 8)
    recorder.failedRequest(1, 1000, 1005, 1030, RECEIVED, null, connection, 9, seen(206))
    recorder.takeInterval(2000)
    const { distributions, errorCodes } = merge([recorder.summary()])
    const startedAt = open ? 0 : 0.005
    const example = (at, path, status) => ({ at, method: 'GET', path, status, traceId: 'a trace' })
    const { [LATE.code]: late, [RECEIVED.code]: failed } = errorCodes.toObject()
    t.strictSame(late.examples, [example(startedAt + 0.25, '/8/1', 503), example(startedAt + TIMEOUT_MS / 1000, '/7/0', null)])
    t.strictSame(failed.examples, [example(0.03, '/9/1', 206)])
    t.match(distributions, { censored: { count: 2, sum: (TIMEOUT_MS + 250) * 1000 }, timedOutAges: { count: 2, sum: (TIMEOUT_MS + 250) * 1000 } })
  }
})

t.test('a request that came due and was never sent has an age, at most its deadline', async (t) => {
  const recorder = newRecorder({ open: true })
  recorder.unsentRequest(100, 350)
  recorder.unsentRequest(100, 1e7)
  const { counters, distributions } = merge([recorder.summary()])
  t.equal(counters.unsent, 2)
  t.equal(distributions.unsentAges.sum, (250 + TIMEOUT_MS) * 1000)
})

t.test('a standstill right at the begin counts, and none before it', async (t) => {
  const recorder = newRecorder()
  recorder.begin(1000)
  recorder.look(1150)
  recorder.look(1160)
  const { distributions: { standstills } } = merge([recorder.summary()])
  t.same([standstills.count, standstills.max], [1, 140_000])
})

t.test('a clock that appears to go back gives a duration of 0', async (t) => {
  const recorder = newRecorder()
  recorder.completedRequest(0, 200, 10, 100, 100, 99.9999, 99.9998)
  recorder.takeInterval(1)
  t.match(merge([recorder.summary()]).endpoints[0].latency, { count: 1, min: 0, max: 0 })
})

t.test('intervals: each counts what happened since the previous one, and their sum is the total', async (t) => {
  const recorder = newRecorder()
  recorder.begin(1000)
  recorder.completedRequest(0, 200, 10, 0, 0, 0, 1)
  recorder.completedRequest(1, 500, 10, 0, 0, 0, 2)
  recorder.failedRequest(0, 0, 0, 1, RECEIVED)
  recorder.bytesRead += 100
  const first = recorder.takeInterval(1100)
  recorder.completedRequest(0, 200, 10, 0, 0, 0, 20)
  recorder.failedConnection({ code: 'ECONNREFUSED', phase: 'connect', message: '' })
  recorder.timedOutRequest(0, 0, 0, LATE)
  recorder.bytesRead += 50
  const second = recorder.takeInterval(1300)
  const third = recorder.takeInterval(1400)
  t.match(first, { start: 1000, end: 1100, completed: 2, bytes: 100, errors: 1, timeouts: 0, settled: 3, latency: { count: 2, sum: 3000 } })
  t.match(second, { start: 1100, end: 1300, completed: 1, bytes: 50, errors: 2, timeouts: 1, settled: 5, latency: { count: 1, sum: 20000 } })
  t.match(third, { start: 1300, end: 1400, completed: 0, bytes: 0, errors: 0, timeouts: 1, settled: 5, latency: { count: 0 } })
  t.equal(merge([recorder.summary()]).endpoints[0].latency.count, 2)
})

t.test('each class of statuses of an interval, up to the last that three digits have', async (t) => {
  const recorder = newRecorder()
  recorder.begin(0)
  const statuses = [200, 204, 301, 404, 503, 600, 999]
  for (const status of statuses) recorder.completedRequest(0, status, 10, 0, 0, 1, 2)
  t.same(recorder.takeInterval(10).statuses, { '2xx': 2, '3xx': 1, '4xx': 1, '5xx': 1, '6xx': 1, '9xx': 1 })
  recorder.completedRequest(0, 600, 10, 0, 0, 1, 2)
  t.same(recorder.takeInterval(20).statuses, { '6xx': 1 })
})

t.test('excludeErrorStats removes error responses from latency and throughput, and from nothing else', async (t) => {
  const recorder = newRecorder({ excludeErrorStats: true })
  recorder.begin(0)
  // An error response of 5,000 bytes that arrives across two intervals, and a good one.
  recorder.bytesRead += 4000
  const first = recorder.takeInterval(100)
  recorder.bytesRead += 1000
  recorder.completedRequest(0, 500, 5000, 0, 0, 1, 50)
  recorder.bytesRead += 300
  recorder.completedRequest(1, 204, 300, 0, 0, 1, 7)
  const second = recorder.takeInterval(200)
  t.match(first, { completed: 0, bytes: 0 })
  t.match(second, { completed: 2, bytes: 300, latency: { count: 1, sum: 7000 } })
  const { counters, endpoints } = merge([recorder.summary()])
  t.match(counters, { completed: 2, non2xx: 1, bytesRead: 5300 })
  t.same(endpoints[0].statuses, [[500, 1]])
  t.equal(endpoints[0].latency.count, 0)
})

t.test('connections: how many are open, and who closed them', async (t) => {
  t.equal(newRecorder().connections, 0)
  const inheriting = newRecorder()
  inheriting.inheritConnections([{}, {}])
  t.same([inheriting.connections, inheriting.opened, inheriting.peak], [2, 0, 2])
  const targets = ['a', 'b', 'c'].map((path) => ({ path }))
  const toSeveral = newRecorder({ targets })
  toSeveral.inheritConnections([targets[0], targets[1], targets[1]])
  toSeveral.openedConnection(1, null, 1, null, targets[1])
  toSeveral.failedConnection(RECEIVED, targets[2], 5)
  t.same(toSeveral.summary().targets, { opened: [1, 3, 0], failed: [0, 0, 1] })
  const recorder = newRecorder()
  recorder.inheritConnections([{}, {}])
  recorder.openedConnection(10, 2, 3, 5)
  recorder.openedConnection(20, null, 20, null)
  recorder.closedConnection(true)
  recorder.closedConnection(false)
  recorder.openedConnection(1, null, 1, null)
  t.equal(recorder.connections, 3)
  const { counters, distributions } = merge([recorder.summary()])
  t.match(counters, { opened: 3, peak: 4, closedByServer: 1, closedByClient: 1 })
  t.match(distributions, { connectTime: { count: 3, sum: 31000 }, dnsTime: { count: 1, sum: 2000 }, tcpTime: { count: 3, sum: 24000 }, tlsTime: { count: 1, sum: 5000 } })
})

t.test('what has been counted so far is that of a summary; in the closed model all that was due was sent', async (t) => {
  for (const open of [false, true]) {
    const recorder = newRecorder({ open })
    recorder.begin(0)
    play(recorder, [['completed', 0, 200, 7, 1, 2, 3], ['failed', 1, 1, 2, 'EPIPE'], ['connection', 5, true, true]])
    recorder.scheduled = 9
    t.equal(recorder.takeInterval(1000).bounds, null)
    const { counters, ...soFar } = recorder.soFar()
    const whole = recorder.summary()
    t.strictSame(counters, { ...whole.counters, scheduled: open ? 9 : 2 })
    t.strictSame(Object.keys(soFar), Object.keys(whole).filter((name) => name !== 'counters'))
    t.equal(merge([{ counters, ...soFar }]).distributions.connectTime.sum, 5000)
  }
})

t.test('the latency of a request that completes now counts from the same time as the statistics', async (t) => {
  for (const [options, latency] of [[{ open: true }, 30.125], [{ open: true, ignoreCoordinatedOmission: true }, 10.125], [{ open: false }, 10.125]]) {
    const recorder = newRecorder(options)
    recorder.begin(0)
    t.equal(recorder.latencyOf(20, 40, 50.1251), latency)
    recorder.completedRequest(0, 200, 10, 20, 40, 45, 50.1251)
    recorder.takeInterval(100)
    t.equal(merge([recorder.summary()]).endpoints[0].latency.sum, 1000 * latency)
  }
})
