'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const Distribution = require('../../lib/metrics/distribution')
const IntervalMerger = require('../../lib/metrics/interval-merger')

function interval (start, end, { completed = 10, sent = completed, connections = 2, latencies = [] } = {}) {
  const latency = new Distribution()
  for (const value of latencies) latency.record(value)
  return {
    start,
    end,
    completed,
    bytes: completed * 100,
    errors: 1,
    sent,
    settled: sent,
    timeouts: 0,
    failed: 0,
    non2xx: 0,
    mismatches: 0,
    resets: 0,
    connections,
    latency: latency.toData()
  }
}

function merger (threads, sampleInterval = 1000) {
  const rows = []
  const merger = new IntervalMerger(threads, sampleInterval, (row, isLast) => rows.push({ ...row, isLast }))
  return { merger, rows }
}

const show = (rows) => rows.map(({ start, end, completed, connections, isLast }) => [start, end, completed, connections, isLast])

t.test('one interval of each thread becomes one of the run', async (t) => {
  const { merger: merging, rows } = merger(2)
  merging.add(0, interval(0, 1000, { completed: 10, sent: 12, latencies: [100, 200] }), false)
  t.equal(rows.length, 0, 'it waits for all threads')
  merging.add(1, interval(0, 1002, { completed: 30, sent: 31, latencies: [300] }), false)
  t.equal(rows.length, 1)
  t.match(rows[0], { start: 0, end: 1001, completed: 40, bytes: 4000, errors: 2, sent: 43, connections: 4, isLast: false })
  t.equal(rows[0].latency.count, 3)
  t.equal(rows[0].latency.max, 300)
})

t.test('running totals of a thread remain after it has ended', async (t) => {
  const { merger: merging, rows } = merger(2)
  merging.add(0, interval(0, 300, { completed: 3, sent: 3 }), true)
  merging.add(1, interval(0, 1000, { completed: 10, sent: 10 }), false)
  merging.add(1, interval(1000, 2000, { completed: 10, sent: 20 }), false)
  merging.add(1, interval(2000, 2300, { completed: 2, sent: 22 }), true)
  t.same(show(rows), [
    [0, 1000, 13, 4, false],
    [1000, 2000, 10, 2, false],
    [2000, 2300, 2, 2, true]
  ])
  t.same(rows.map(({ sent }) => sent), [13, 23, 25])
})

t.test('one thread may report its last sample at once, and another in two parts', async (t) => {
  for (const order of [[0, 1, 2], [0, 2, 1]]) {
    const { merger: merging, rows } = merger(2)
    const told = [
      () => merging.add(0, interval(0, 1000), false),
      () => merging.add(0, interval(1000, 1001, { completed: 1 }), true),
      () => merging.add(1, interval(0, 1003), true)
    ]
    for (const index of order) told[index]()
    t.same(show(rows), [[0, 1000, 20, 4, false], [1000, 1003, 1, 4, true]], `in the order ${order}`)
  }
})

t.test('of samples that are shorter than timers are early, an interval that is half a sample late belongs to the next one', async (t) => {
  for (const sampleInterval of [2, 3, 4, 1000]) {
    const early = Math.min(2, sampleInterval / 2)
    const samples = [[sampleInterval - early, 1], [sampleInterval, 1], [2 * sampleInterval - early - 0.25, 1], [2 * sampleInterval - early, 2]]
    for (const [end, count] of samples) {
      const { merger: merging, rows } = merger(2, sampleInterval)
      merging.add(0, interval(0, end), false)
      merging.add(1, interval(0, sampleInterval), false)
      t.equal(rows[0].completed, count === 1 ? 20 : 10, `${end} of ${sampleInterval} ms`)
    }
  }
})

t.test('a thread that stands still has as many connections as it reported last, and at first as many as it reports first', async (t) => {
  // The ends of the intervals of each of two threads, and how many connections it has at each; what the run has at each sample.
  const cases = [
    [[[1000, 2], [3000, 5], [4000, 7]], [[1000, 10], [2000, 20], [3000, 30], [4000, 40]], [12, 22, 35, 47]],
    [[[2000, 5], [4000, 7]], [[1000, 10], [2000, 20], [3000, 30], [4000, 40]], [15, 25, 35, 47]],
    [[[1000, 2], [4000, 7]], [[3000, 30], [4000, 40]], [32, 32, 47]]
  ]
  for (const [one, other, expected] of cases) {
    for (const order of [[one, other], [other, one]]) {
      const { merger: merging, rows } = merger(2)
      order.forEach((reports, thread) => reports.forEach(([end, connections], index) => merging.add(thread, interval(index === 0 ? 0 : reports[index - 1][0], end, { connections }), false)))
      t.same(rows.map(({ connections }) => connections), expected, JSON.stringify(order))
    }
  }
})

t.test('a stalled thread reports two samples at once', async (t) => {
  const { merger: merging, rows } = merger(2)
  for (const [start, end] of [[0, 1000], [1000, 2000], [2000, 3000]]) merging.add(0, interval(start, end), false)
  merging.add(1, interval(0, 1000), false)
  merging.add(1, interval(1000, 2700, { completed: 17 }), false)
  t.same(show(rows).map(([, , completed]) => completed), [20, 27])
  t.equal(rows[1].end, 2350, 'the mean of the two')
  merging.add(1, interval(2700, 3000, { completed: 3 }), false)
  t.same(show(rows).map(([start, end, completed]) => [start, end, completed])[2], [2350, 3000, 13])
  merging.add(0, interval(3000, 4000), true)
  merging.add(1, interval(3000, 4000), true)
  t.equal(rows.length, 4)
  t.equal(rows.reduce((all, { completed }) => all + completed, 0), 80, 'nothing is lost')
})

t.test('a thread that stood still for many samples: those of the other one are merged in the order of time', async (t) => {
  const { merger: merging, rows } = merger(2)
  for (let second = 4; second <= 13; second++) merging.add(0, interval(second === 4 ? 0 : (second - 1) * 1000, second * 1000), second === 13)
  merging.add(1, interval(0, 2000), false)
  t.same(show(rows), [[0, 2000, 10, 4, false]])
  merging.add(1, interval(2000, 13000), true)
  const ends = [4000, 5000, 6000, 7000, 8000, 9000, 10_000, 11_000, 12_000, 13_000]
  t.same(show(rows).slice(1), ends.map((end, index) => [ends[index - 1] ?? 2000, end, end === 13_000 ? 20 : 10, 4, end === 13_000]))
})

t.test('an interval that ends in a sample which was emitted belongs to the next one', async (t) => {
  const { merger: merging, rows } = merger(2)
  for (const thread of [0, 1]) merging.add(thread, interval(0, 1000), false)
  merging.add(0, interval(1000, 1500, { completed: 5 }), false)
  t.same(show(rows), [[0, 1000, 20, 4, false]], 'it waits for the other thread')
  merging.add(1, interval(1000, 2000, { completed: 7 }), false)
  t.same(show(rows)[1], [1000, 1750, 12, 4, false])
  merging.add(0, interval(1500, 2000, { completed: 11 }), false)
  t.equal(rows.length, 2)
  for (const thread of [0, 1]) merging.add(thread, interval(2000, 3000, { completed: 1 }), true)
  t.same(show(rows)[2], [1750, 3000, 13, 4, true])
})

t.test('a sample that was emitted does not change anymore', async (t) => {
  const { merger: merging, rows } = merger(2, 100)
  merging.add(0, interval(0, 340), false)
  merging.add(1, interval(0, 300), false)
  merging.add(1, interval(300, 350, { completed: 5 }), true)
  merging.add(0, interval(340, 351, { completed: 1 }), true)
  t.same(rows.map(({ completed, isLast }) => [completed, isLast]), [[20, false], [6, true]])
  t.equal(rows[1].end, 351)
})

t.test('threads that end slightly before the others still contribute their connections', async (t) => {
  const { merger: merging, rows } = merger(2)
  merging.add(0, interval(0, 1000.2), true)
  merging.add(1, interval(0, 1000.4), false)
  merging.add(1, interval(1000.4, 1002, { completed: 1 }), true)
  t.same(rows.map(({ connections }) => connections), [4, 4])
  const { merger: later, rows: laterRows } = merger(2)
  later.add(0, interval(0, 1000.2), true)
  later.add(1, interval(0, 1000.4), false)
  later.add(1, interval(1000.4, 1900), true)
  t.same(laterRows.map(({ connections }) => connections), [4, 2], 'those of a thread that ended long before are gone')
})

t.test('a thread that ended with a sample has no connections in the next; one that ended in it has, also if it failed then', async (t) => {
  for (const [end, next, expected] of [[1000, 2000, [4, 2]], [1000.2, 1002, [4, 4]]]) {
    const { merger: merging, rows } = merger(2)
    merging.add(0, interval(0, end), true)
    merging.add(1, interval(0, 1000), false)
    merging.finish(0)
    merging.add(1, interval(1000, next), true)
    t.same(rows.map(({ connections }) => connections), expected)
  }
})

t.test('a thread that was stalled during the first sample contributes its connections to it, and its sessions to the sample that counts them', async (t) => {
  const { merger: merging, rows } = merger(3, 100)
  const sessions = (started, completed, open) => ({ sessions: { scheduled: started, started, completed, failed: 0, open } })
  merging.add(0, { ...interval(0, 100, { connections: 4 }), ...sessions(1, 0, 1) }, false)
  merging.add(1, { ...interval(0, 101, { connections: 3 }), ...sessions(2, 0, 2) }, false)
  merging.add(2, { ...interval(0, 230, { connections: 3, completed: 0 }), ...sessions(4, 1, 3) }, false)
  t.match(rows, [{ completed: 20, sent: 20, connections: 10, sessions: { started: 3, open: 3 } }])
  for (const thread of [0, 1]) merging.add(thread, { ...interval(100, 200, { connections: 3 }), ...sessions(1, 0, 2 + thread) }, false)
  t.match(rows[1], { completed: 20, connections: 9 })
  let begun = 0
  for (const { sessions: { started, completed, open } } of rows) {
    begun += started - completed
    t.equal(open, begun, 'each session that has begun and not left is open')
  }
})

t.test('the rest at the end becomes part of the sample before it, and so do threads that ended during that sample', async (t) => {
  const { merger: merging, rows } = merger(3, 500)
  // All three should have ended at the same time; the third was delayed.
  merging.add(0, interval(0, 500.4), true)
  merging.add(1, interval(0, 500.6), false)
  merging.add(1, interval(500.6, 501, { completed: 0 }), true)
  merging.add(2, interval(0, 500.7), false)
  merging.add(2, interval(500.7, 628), true)
  t.same(rows.map(({ connections }) => connections), [6, 6])
  // They had different amounts to send; the timeline makes one sample of the last two.
  const { merger: amounts, rows: samples } = merger(3, 100)
  amounts.add(0, interval(0, 90), true)
  for (const thread of [1, 2]) amounts.add(thread, interval(0, 100), false)
  amounts.add(1, interval(100, 180), true)
  amounts.add(2, interval(100, 200), false)
  amounts.add(2, interval(200, 230), true)
  t.same(samples.map(({ connections }) => connections), [6, 4, 4])
})

t.test('the merger does not wait for a thread that died', async (t) => {
  const { merger: merging, rows } = merger(3)
  merging.add(0, interval(0, 1000), false)
  merging.add(1, interval(0, 1000), false)
  merging.finish(2)
  t.same(show(rows), [[0, 1000, 20, 4, false]])
  merging.finish(1)
  merging.add(0, interval(1000, 1400), true)
  t.same(show(rows)[1], [1000, 1400, 10, 2, true])
})

t.test('a run that was stopped before it began', async (t) => {
  const { merger: merging, rows } = merger(2)
  merging.add(0, interval(0, 0, { completed: 0 }), true)
  merging.add(1, interval(0, 0, { completed: 0 }), true)
  t.same(show(rows), [[0, 0, 0, 4, true]])
})

const SAMPLE_MS = 200

// The intervals of a thread whose timers fire late by the given delays, repeatedly, until its end.
function intervalsOf ({ late, end }) {
  const intervals = []
  let at = 0
  for (let index = 0; ; index++) {
    const fired = (Math.floor((at + 2) / SAMPLE_MS) + 1) * SAMPLE_MS + late[index % late.length]
    if (fired >= end) break
    intervals.push(interval(at, fired, { completed: 1 }))
    at = fired
  }
  return [...intervals, interval(at, end, { completed: 1 })]
}

const lateness = fc.oneof(fc.constant(0), fc.integer({ min: -1, max: 20 }), fc.integer({ min: 0, max: 700 }))
const threads = fc.array(fc.record({
  late: fc.array(lateness, { minLength: 1, maxLength: 6 }),
  end: fc.integer({ min: 1, max: 2000 })
}), { minLength: 1, maxLength: 4 })

t.test('property: however threads are delayed, nothing is lost, time increases, and the last interval ends with the last thread', async (t) => {
  fc.assert(fc.property(threads, fc.boolean(), (given, isInOrder) => {
    const { merger: merging, rows } = merger(given.length, SAMPLE_MS)
    const told = given.map(intervalsOf).flatMap((intervals, thread) =>
      intervals.map((each, index) => ({ thread, each, isLast: index === intervals.length - 1 })))
    if (isInOrder) told.sort((a, b) => a.each.end - b.each.end)
    for (const { thread, each, isLast } of told) merging.add(thread, each, isLast)

    const last = rows.at(-1)
    return rows.reduce((sum, { completed }) => sum + completed, 0) === told.length &&
      rows.every((row) => row.isLast === (row === last)) &&
      rows.every(({ start }, index) => start === (index === 0 ? 0 : rows[index - 1].end)) &&
      rows.every((row) => row === last || row.end - row.start >= 1) &&
      last.end === Math.max(...given.map(({ end }) => end))
  }), { numRuns: 500 })
})

t.test('intervals that were waiting for a thread are emitted when it dies', async (t) => {
  const { merger: merging, rows } = merger(2, SAMPLE_MS)
  merging.add(0, interval(0, 390), false)
  merging.add(1, interval(0, 200), false)
  merging.add(1, interval(200, 210, { completed: 1 }), true)
  merging.finish(0)
  t.equal(rows.reduce((sum, { completed }) => sum + completed, 0), 21)
  t.same(rows.map(({ isLast }) => isLast), [...rows.slice(1).map(() => false), true])
})

t.test("of the threads' event loops the busiest counts; totals add up", async (t) => {
  const watched = (utilization, delayP99, sent) => ({ watched: { totals: { counters: { sent } }, eventLoop: { utilization, delayP99 } } })
  const { merger: merging, rows } = merger(3)
  merging.add(0, { ...interval(0, 1000), ...watched(0.2, 7, 10) }, false)
  merging.add(1, { ...interval(0, 1000), ...watched(0.9, 1, 5) }, false)
  merging.add(2, { ...interval(0, 1000), ...watched(0.5, 3, 1) }, false)
  t.match(rows[0].watched, { totals: { counters: { sent: 16 } }, eventLoop: { utilization: 0.9, delayP99: 7 } })
})

t.test('a thread that died has no open sessions; those of the others remain', async (t) => {
  const sessions = (open, started) => ({ sessions: { scheduled: started, started, completed: 0, failed: 0, open } })
  const { merger: merging, rows } = merger(2)
  merging.add(0, { ...interval(0, 1000), ...sessions(3, 3) }, false)
  merging.add(1, { ...interval(0, 1000), ...sessions(4, 4) }, false)
  merging.finish(0)
  merging.add(1, { ...interval(1000, 2000), ...sessions(5, 1) }, true)
  t.same(rows.map(({ sessions: { open, started } }) => [open, started]), [[7, 7], [5, 1]])
})
