'use strict'

// Intervals of several threads merged into one, and the rest of a run merged into its last sample, with all optional parts.

const t = require('tap')
const Distribution = require('../../lib/metrics/distribution')
const { exhaustionOf, reasonForExhaustion } = require('../../lib/metrics/exhaustion')
const IntervalMerger = require('../../lib/metrics/interval-merger')
const ResponseForecast = require('../../lib/load/response-forecast')
const { StreamRecorder } = require('../../lib/metrics/parts/stream')
const Timeline = require('../../lib/metrics/timeline')

function distributionOf (...values) {
  const distribution = new Distribution()
  for (const value of values) distribution.record(value)
  return distribution
}

const span = (...values) => ({ count: values.length, sum: values.reduce((sum, each) => sum + each, 0), min: Math.min(...values), max: Math.max(...values) })

function streamOf (events, after) {
  const recorder = new StreamRecorder()
  recorder.began(events, after)
  return recorder.takeInterval()
}

/** An interval in which every number is `factor` times as large. */
const interval = (start, end, factor, changes) => ({
  start,
  end,
  completed: 2 * factor,
  bytes: 3 * factor,
  errors: 5 * factor,
  statuses: { '2xx': factor, '5xx': 7 * factor },
  sent: 11 * factor,
  settled: 13 * factor,
  timeouts: 17 * factor,
  connections: 19 * factor,
  latency: distributionOf(100 * factor).toData(),
  bounds: span(100 * factor),
  sessions: { scheduled: 23 * factor, started: 29 * factor, completed: 31 * factor, failed: 37 * factor, open: 41 * factor },
  stream: streamOf(factor, factor),
  messages: { sent: 43 * factor, received: 47 * factor, lastCopy: 1000 * factor },
  interims: [`interim ${factor}`],
  accounts: [`account ${factor}`],
  watched: { totals: { counters: { sent: factor }, statuses: {}, calls: {}, errors: {}, timings: {} }, eventLoop: { utilization: 0.5 / factor, delayP99: factor } },
  ...changes
})

function merged (threads, intervals) {
  const rows = []
  const merger = new IntervalMerger(threads, 1000, (row) => rows.push(row))
  for (const [thread, each, isLast = false] of intervals) merger.add(thread, each, isLast)
  return rows
}

t.test('every part of an interval is merged from all threads', async (t) => {
  const [row] = merged(2, [[0, interval(0, 1000, 1)], [1, interval(0, 1000, 10)]])
  const { latency, bounds, stream, ...plain } = row
  t.strictSame(plain, {
    start: 0,
    end: 1000,
    completed: 22,
    bytes: 33,
    errors: 55,
    statuses: { '2xx': 11, '5xx': 77 },
    sent: 121,
    settled: 143,
    timeouts: 187,
    connections: 209,
    sessions: { scheduled: 253, started: 319, completed: 341, failed: 407, open: 451 },
    messages: { sent: 473, received: 517, lastCopy: 10_000 },
    interims: ['interim 1', 'interim 10'],
    accounts: ['account 1', 'account 10'],
    watched: { totals: { counters: { sent: 11 }, statuses: {}, calls: {}, errors: {}, timings: {} }, eventLoop: { utilization: 0.5, delayP99: 10 } }
  })
  t.match({ latency, bounds }, { latency: { count: 2, sum: 1100 }, bounds: { count: 2, sum: 1100, min: 100, max: 1000 } })
  t.match(stream, { events: 11, timeToFirstEvent: { count: 2, sum: 11_000 }, gap: { count: 9 } })
})

t.test('whichever thread has what, the whole is the same', async (t) => {
  const inOrder = (...factors) => {
    const [row] = merged(factors.length, factors.map((factor, thread) => [thread, interval(0, 1000, factor)]))
    const { interims, accounts, latency, stream: { timeToFirstEvent, gap, ...stream }, ...plain } = row
    return { ...plain, stream, distributions: [latency, timeToFirstEvent, gap].map((each) => each.toData()), lists: [interims, accounts].map((list) => list.toSorted()) }
  }
  const expected = inOrder(1, 10, 100)
  for (const factors of [[1, 100, 10], [10, 1, 100], [10, 100, 1], [100, 1, 10], [100, 10, 1]]) t.strictSame(inOrder(...factors), expected, String(factors))
})

t.test('absent parts stay absent', async (t) => {
  const none = { sessions: undefined, stream: undefined, messages: undefined, interims: undefined, accounts: undefined, watched: undefined, bounds: null }
  const [row] = merged(2, [[0, interval(0, 1000, 1, none)], [1, interval(0, 1000, 10, none)]])
  for (const name of ['sessions', 'stream', 'messages', 'interims', 'accounts', 'watched']) t.notOk(name in row, name)
  t.equal(row.bounds, null)
})

t.test('of a thread that has ended, the last state counts; events count only once', async (t) => {
  const [, second] = merged(2, [[0, interval(0, 500, 1), true], [1, interval(0, 1000, 10)], [1, interval(1000, 2000, 100)]])
  t.match(second, {
    completed: 200,
    sent: 1111,
    settled: 1313,
    timeouts: 1717,
    connections: 1900,
    sessions: { scheduled: 2300, started: 2900, completed: 3100, failed: 3700, open: 4141 },
    messages: { sent: 4300, received: 4700, lastCopy: 100_000 },
    interims: ['interim 1', 'interim 100'],
    accounts: ['account 1', 'account 100'],
    watched: { totals: { counters: { sent: 101 } }, eventLoop: { utilization: 0.5, delayP99: 100 } }
  })
})

const live = (data) => ({ ...data, latency: Distribution.from(data.latency), bounds: data.bounds && { ...data.bounds, add () {} } })

t.test('a rest that is merged into the last sample adds to all counts, and replaces states', async (t) => {
  const Span = require('../../lib/metrics/span')
  const part = (start, end, factor) => ({ ...live(interval(start, end, factor)), bounds: new Span(span(100 * factor)) })
  const timeline = new Timeline({ keepsIntervals: true })
  timeline.add(part(0, 1000, 1))
  timeline.samples[0].monitor = 'monitor'
  timeline.fold(part(1000, 1100, 10), 1000)
  t.match(timeline.toResult(), [{
    time: 1.1,
    seconds: 1.1,
    requests: 22,
    bytes: 33,
    errors: 55,
    p50: 0.1,
    max: 1,
    connections: 190,
    statuses: { '2xx': 11, '5xx': 77 },
    sessions: { scheduled: 253, started: 319, completed: 341, failed: 407, open: 410 },
    stream: { events: 11, timeToFirstEvent: { p50: 1 } },
    messages: { sent: 473, received: 517, lastCopy: 10 },
    monitor: 'monitor',
    latencyBounds: { count: 2, smallest: 0.1 }
  }])
  t.equal(timeline.samples.length, 1)
  // It must remain mergeable.
  const [kept, ...others] = JSON.parse(JSON.stringify(timeline.intervals))
  t.same(others, [])
  t.match(kept, { start: 0, end: 1100, completed: 22, sent: 110, sessions: { open: 410 }, messages: { lastCopy: 10_000 }, bounds: { count: 2, min: 100 } })
  t.match(Distribution.from(kept.latency), { count: 2, sum: 1100 })
  t.match(Distribution.from(kept.stream.timeToFirstEvent), { count: 2, sum: 11_000 })
  for (const name of ['watched', 'interims']) t.notOk(name in kept, name)
})

t.test('a rest of half an interval becomes a sample, without absent parts', async (t) => {
  const bare = (start, end) => ({ start, end, completed: 1, bytes: 1, errors: 0, connections: 1, statuses: {}, latency: distributionOf(5) })
  const timeline = new Timeline()
  timeline.add(bare(0, 1000))
  timeline.fold(bare(1000, 1500), 1000)
  t.equal(timeline.samples.length, 2)
  timeline.fold(bare(1500, 1999), 1000)
  t.same(timeline.toResult().map(({ time, requests }) => [time, requests]), [[1, 1], [1.999, 2]])
  t.equal(timeline.intervals, null, 'they were not requested')
  for (const sample of timeline.toResult()) {
    for (const name of ['sessions', 'stream', 'messages', 'monitor', 'latencyBounds']) t.notOk(name in sample, name)
  }
})

t.test('resources that a load generator has exhausted', async (t) => {
  const code = (count, message = 'connect') => ({ count, message })
  const of = (errorCodes, failed = 10, opened = 10) => reasonForExhaustion({ errorCodes, connectionStats: { failed, opened } })
  t.match(of({ EMFILE: code(3), ENFILE: code(2) }), /ran out of file descriptors, so 5 of 20 connections/)
  t.match(of({ EADDRNOTAVAIL: code(3), EADDRINUSE: code(2) }), /ran out of local ports, so 5 of 20/)
  t.match(of({ EADDRNOTAVAIL: code(5, 'bind EADDRNOTAVAIL') }), /a local address that this machine does not have, so 5 of 20/)
  t.match(of({ EMFILE: code(5), EADDRINUSE: code(5) }), /ran out of file descriptors, so 10 of 20/)
  t.match(of({ EMFILE: code(4), EADDRINUSE: code(5) }), /ran out of local ports, so 9 of 20/)
  t.match(of({ EADDRINUSE: code(3), EADDRNOTAVAIL: code(3, 'bind x') }), /ran out of local ports/)
  t.equal(of({ EMFILE: code(4) }), null, 'most failed for another reason')
  t.equal(of({ EMFILE: code(10) }, 10, 91), null, 'less than a tenth of all')
  t.match(of({ EMFILE: code(10) }, 10, 90), /10 of 100/)
  t.equal(of({ EADDRNOTAVAIL: code(10) }, 10, 0), null, 'the address is unreachable')
  t.equal(of({ ECONNREFUSED: code(10) }), null)
  t.equal(of({}, 0), null)
  t.equal(reasonForExhaustion({ errorCodes: {} }), null)
  t.match(of({ EMFILE: code(1) }, 1, 0), /1 of 1 connection could/)
  t.strictSame(exhaustionOf({ errorCodes: { EMFILE: code(1), EADDRINUSE: code(2), EADDRNOTAVAIL: code(4, 'bind x') }, connectionStats: { opened: 1 } }), {
    files: 1, ports: 2, addresses: 4, codes: { files: ['EMFILE'], ports: ['EADDRINUSE'], addresses: ['EADDRNOTAVAIL'] }
  })
})

t.test('short response times are followed halfway down and a twentieth of the way up', async (t) => {
  const forecast = new ResponseForecast()
  const steps = [[20, 20], [10, 15], [15, 15], [15.5, 15.5], [115.5, 16.276], [0, 8.138], [8.2, 8.2]]
  for (const [answer, quick] of steps) {
    forecast.answered(answer)
    t.ok(Math.abs(forecast.quick - quick) < 1e-9, `${forecast.quick} after ${answer}, should be ${quick}`)
  }
})
