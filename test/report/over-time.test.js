'use strict'

// Samples of a timeline, one by one and joined, and the tables and lines that are made of them: by numbers of their own.

const t = require('tap')
const { inWords, partsOf } = require('../../lib/report/document')
const { serverOverTime } = require('../../lib/report/run/diagnosis')
const flameGraph = require('../../lib/report/run/flame')
const { processes } = require('../../lib/report/run/machines')
const { messagesOverTime } = require('../../lib/report/run/messages')
const { overTime, overTimeOverlay } = require('../../lib/report/run/over-time')
const { atMost, inSteps, joinSamples, samplesOf } = require('../../lib/report/run/samples')
const { thresholdTable } = require('../../lib/report/run/thresholds')
const fc = require('../support/fast-check')

const ROWS = [
  {
    time: 1,
    seconds: 1,
    requests: 10,
    bytes: 100,
    errors: 1,
    connections: 5,
    p50: 11,
    p90: 12,
    p99: 13,
    max: 14,
    statuses: { '2xx': 8, '4xx': 2 },
    sessions: { scheduled: 1, started: 2, completed: 3, failed: 4, open: 5 },
    stream: { events: 20, timeToFirstEvent: { p50: 1, p99: 2 }, gap: { p50: 3, p99: 4 } },
    messages: { sent: 6, received: 7, lastCopy: 8 },
    monitor: [{ pid: 71, cpu: 10, memory: 1000 }],
    server: { utilization: 0.5, delay: 3, gc: 1, cpu: 60 }
  },
  {
    time: 2,
    seconds: 1,
    requests: 30,
    bytes: 300,
    errors: 0,
    connections: 9,
    p50: 21,
    p90: 32,
    p99: 43,
    max: 54,
    statuses: { '2xx': 30 },
    sessions: { scheduled: 10, started: 20, completed: 30, failed: 40, open: 50 },
    stream: { events: 50, timeToFirstEvent: { p50: 0.5, p99: 5 }, gap: { p50: 2, p99: 9 } },
    messages: { sent: 60, received: 70, lastCopy: 3 },
    monitor: [{ pid: 71, cpu: 40, memory: 500 }, { pid: 72, cpu: 5, memory: 50 }],
    server: { utilization: 0.25, delay: 9, gc: 0, cpu: 70 }
  },
  { time: 2.5, requests: 20, bytes: 50, errors: 2, connections: 7, p50: 0, p90: 0, p99: 0, max: 0, statuses: { '2xx': 15, '5xx': 5 } }
]
const RESULT = { timeline: ROWS, sampleInt: 1000 }

t.test('a sample: rates by its own length, and no latencies where nothing was answered', async (t) => {
  const [one, two, three] = samplesOf(RESULT)
  t.match(one, { time: 1, seconds: 1, rate: 10, requests: 10, bytes: 100, errors: 1, connections: 5, p50: 11, p90: 12, p99: 13, max: 14, statuses: { '2xx': 8, '4xx': 2 }, server: { utilization: 50, delay: 3, gc: 1, cpu: 60 } })
  t.match(two, { sessions: { scheduled: 10, open: 50 }, stream: { events: 50, gap: { p50: 2, p99: 9 } }, messages: { sent: 60, received: 70, lastCopy: 3 } })
  t.same([...two.monitor], [[71, { cpu: 40, memory: 500 }], [72, { cpu: 5, memory: 50 }]])
  t.match(three, { seconds: 0.5, rate: 40, p50: null, p90: null, p99: null, max: null, sessions: null, stream: null, messages: null, monitor: null, server: null })
  t.match(samplesOf({ timeline: [{ time: 1, requests: 5 }, { time: 1, requests: 5 }], sampleInt: 500 }).map(({ seconds, rate }) => [seconds, rate]), [[1, 5], [0.5, 10]], 'one without a length has that of the others')
  t.match(samplesOf({ timeline: [{ time: 1, seconds: 0, requests: 5 }], sampleInt: 2000 })[0], { seconds: 2, rate: 2.5 })
})

t.test('samples that are joined: counts add up, latencies and loads are the highest, and what is open is that of the last', async (t) => {
  const joined = joinSamples(samplesOf(RESULT))
  t.match(joined, {
    time: 2.5,
    seconds: 2.5,
    requests: 60,
    bytes: 450,
    rate: 24,
    errors: 3,
    statuses: { '1xx': 0, '2xx': 53, '3xx': 0, '4xx': 2, '5xx': 5 },
    p50: 21,
    p90: 32,
    p99: 43,
    max: 54,
    connections: 7,
    sessions: { scheduled: 11, started: 22, completed: 33, failed: 44, open: 50 },
    stream: { events: 70, timeToFirstEvent: { p50: 1, p99: 5 }, gap: { p50: 3, p99: 9 } },
    messages: { sent: 66, received: 77, lastCopy: 8 },
    server: { utilization: 50, delay: 9, gc: 1, cpu: 70 }
  })
  t.same([...joined.monitor], [[71, { cpu: 40, memory: 1000 }], [72, { cpu: 5, memory: 50 }]])
  // Only what is open depends on their order.
  const samples = samplesOf(RESULT)
  for (const order of [[2, 1, 0], [1, 0, 2], [0, 2, 1]]) {
    const other = joinSamples(order.map((index) => samples[index]))
    const [last] = order.filter((index) => index !== 2).slice(-1)
    const { time, connections, sessions, monitor, ...same } = joined
    t.match(other, { ...same, sessions: { ...sessions, open: samples[last].sessions.open } }, `${order}`)
    t.same([...other.monitor].toSorted(([one], [two]) => one - two), [...monitor])
  }
})

t.test('no more samples than there is room for, and steps of one width', async (t) => {
  const samples = (count) => samplesOf({ timeline: Array.from({ length: count }, (_, index) => ({ time: index + 1, requests: 1 })), sampleInt: 1000 })
  for (const [count, most, joined, left] of [[5, 5, 1, 5], [6, 5, 2, 3], [7, 5, 2, 4], [10, 5, 2, 5], [11, 5, 3, 4], [0, 5, 1, 0]]) {
    const made = atMost(samples(count), most)
    t.same([made.joined, made.samples.length], [joined, left], `${count} in ${most}`)
    t.equal(made.samples.reduce((sum, { requests }) => sum + requests, 0), count)
  }
  const rows = [0.4, 1.4, 1.6, 2.4, 2.6].map((time) => ({ time, seconds: 1, requests: 1 }))
  t.same([...inSteps(samplesOf({ timeline: rows, sampleInt: 1000 }), 1)].map(([step, { requests }]) => [step, requests]), [[1, 2], [2, 2], [3, 1]])
})

const cellsOf = ({ columns, rows }) => [columns.map(({ name }) => name).join(' | '), ...rows.map((row) => row.map((cell, index) => `${inWords(cell, columns[index].of)}${partsOf(cell).isBad ? '!' : ''}`).join(' | '))]

t.test('a run over time, as a table and in words', async (t) => {
  const charts = Object.fromEntries(overTime(RESULT).filter(Boolean).map(({ chart }) => [chart.id, chart]))
  t.same(Object.keys(charts), ['throughput-over-time', 'latency-over-time', 'trouble-over-time', 'connections-over-time'])
  t.equal(charts['throughput-over-time'].summary, 'Requests per second over time: between 10 and 40 in 3 samples. Errors in 2 of them.')
  t.equal(charts['latency-over-time'].summary, 'Latency over time: the 99th percentile peaked at 43 ms, after 2.0 seconds.')
  t.equal(charts['trouble-over-time'].summary, 'Errors and non-2xx responses over time: 3 errors, 2 4xx, 5 5xx in total.')
  t.equal(charts['connections-over-time'].summary, 'Connections over time: at most 9 open at the end of a sample.')
  t.same(cellsOf(charts['latency-over-time'].table), [
    'Until (s) | Requests/s | p50 ms | p90 ms | p99 ms | max ms | Errors | 4xx | 5xx | Connections',
    '1.0 | 10 | 11.0 | 12.0 | 13.0 | 14.0 | 1! | 2 | 0 | 5',
    '2.0 | 30 | 21.0 | 32.0 | 43.0 | 54.0 | 0 | 0 | 0 | 9',
    '2.5 | 40 | – | – | – | – | 2! | 0 | 5 | 7'
  ])
  const linesOf = (id) => charts[id].chart.series.map(({ name }, index) => [name, ...charts[id].chart.data[index + 1]])
  t.same(linesOf('trouble-over-time').map(([name, ...values]) => [name, ...values.slice(-3)]), [['errors', 1, 0, 4], ['4xx', 2, 0, 0], ['5xx', 0, 0, 10]], 'per second')
})

t.test('two runs over time, step by step', async (t) => {
  const other = { timeline: [{ time: 1, seconds: 1, requests: 7, p99: 9, max: 9 }, { time: 2, seconds: 1, requests: 8, p99: 5, max: 6 }, { time: 3, seconds: 1, requests: 9, p99: 4, max: 4 }], sampleInt: 1000 }
  const tables = overTimeOverlay([{ name: 'a', result: RESULT }, { name: 'b', result: other }]).map(({ chart: { table } }) => cellsOf(table))
  t.same(tables, [
    ['Until (s) | a | b', '1.0 | 10 | 7', '2.0 | 30 | 8', '3.0 | 40 | 9'],
    ['Until (s) | a | b', '1.0 | 13.00 | 9.00', '2.0 | 43.00 | 5.00', '3.0 | – | 4.00']
  ])
})

t.test('a row for each of the longest samples, if several runs have samples of different lengths and end in the middle of one', async (t) => {
  fc.assert(fc.property(fc.integer({ min: 2, max: 55 }), fc.constantFrom(1, 2, 3, 4, 5), fc.integer({ min: 1, max: 9 }), fc.boolean(), (count, parts, tenths, isFirst) => {
    // Of one run, each full sample is followed by one of a few tenths of its length, with which the run ends.
    const timelineOf = (each) => {
      const full = Array.from({ length: count * each }, (_, index) => ({ time: (index + 1) / each, seconds: 1 / each, requests: 12 / each, p99: index + 1, max: 99 }))
      const seconds = tenths / 10 / each
      return { timeline: [...full, { time: count + seconds, seconds, requests: 12 * seconds, p99: count * each + 1, max: 99 }], sampleInt: 1000 / each }
    }
    const results = [timelineOf(isFirst ? 1 : parts), timelineOf(isFirst ? parts : 1)]
    const runs = results.map((result, index) => ({ name: 'ab'[index], result }))
    const [rates, p99s] = overTimeOverlay(runs).map(({ chart: { table } }) => table.rows)
    for (const rows of [rates, p99s]) {
      const lasts = rows.map(([until]) => until)
      t.same(lasts.slice(0, count), Array.from({ length: count }, (_, index) => `${index + 1}.0`))
      t.notOk(rows.slice(0, count).flat().includes('–'), 'no row lacks a run')
    }
    t.ok(rates.every(([, ...values]) => values.every((value) => ['12', '–'].includes(value))))
  }))
  const untilsOf = (...all) => {
    const runs = all.map((lengths) => {
      const timeUntil = (index) => lengths.slice(0, index + 1).reduce((sum, seconds) => sum + seconds)
      return { name: 'a', result: { timeline: lengths.map((seconds, index) => ({ time: timeUntil(index), seconds, requests: 1, p99: 1, max: 1 })), sampleInt: 1000 } }
    })
    return overTimeOverlay(runs)[0].chart.table.rows.map(([until]) => Number(until))
  }
  const [steady, stalled, long] = [new Array(12).fill(1), [1, 1, 1, 7, 1, 1], new Array(300).fill(1)]
  t.same(untilsOf(stalled, stalled), [1, 2, 3, 10, 11, 12], 'one sample that took longer makes no row longer')
  t.same([untilsOf(stalled, steady), untilsOf(steady, stalled)], new Array(2).fill([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]), 'in the order of time, whichever run has them')
  t.same(untilsOf(long, stalled), Array.from({ length: 60 }, (_, index) => 5 * (index + 1)), 'no more rows than can be read')
})

t.test('thresholds, with what they were held against and by how much they were missed', async (t) => {
  const thresholds = [
    { threshold: 'p99 < 50ms', metric: 'latency.p99', operator: '<', unit: 'ms', limit: 50, actual: 43, passed: true, certain: true },
    { threshold: 'errors == 0', metric: 'errors', operator: '==', unit: '', limit: 0, actual: 3, passed: false, certain: true }
  ]
  const [heading, passed, failed] = cellsOf(thresholdTable([{ name: 'a', result: { thresholds } }]))
  t.equal(heading, 'Threshold | Actual | Limit | Missed by | Verdict')
  t.equal(passed, 'p99 < 50ms | 43 ms | < 50 ms |  | ✓ passed')
  t.equal(failed, 'errors == 0 | 3 | == 0 | 3 over | ✗ failed')
})

t.test('all charts of a page begin and end at the same times, even if a server or a process was there for a part of the run only', async (t) => {
  const rows = [1, 2, 3, 4].map((time) => ({ ...ROWS[0], time }))
  for (let set = 1; set < 16; set++) {
    const isThere = (index) => Boolean(set & (1 << index))
    const timeline = rows.map(({ monitor, server, ...row }, index) => isThere(index) ? { ...row, monitor, server } : row)
    const result = { ...RESULT, timeline, monitor: [{ pid: 71, cpu: { totalCount: 1, p50: 1, mean: 1, max: 1 }, memory: { p50: 1, mean: 1, max: 1 } }], diagnosis: { stalls: [{ pid: 71, at: 0.5, duration: 60, kind: 'code', stack: [] }], processes: [{ pid: 71 }] } }
    const charts = [...overTime(result), ...serverOverTime(result), ...processes([{ name: '', result }])].flatMap((part) => part?.chart ?? [])
    const ids = charts.map(({ id }) => id)
    for (const id of ['throughput-over-time', 'stalls-over-time', 'server-delay', 'server-busy', 'cpu-over-time', 'memory-over-time']) t.ok(ids.includes(id), id)
    t.same(charts.map(({ id, chart: { x: { min, max } } }) => [id, min, max]), ids.map((id) => [id, 0, 4]))
    const there = rows.flatMap(({ time }, index) => isThere(index) ? time : [])
    for (const { id, chart: { data: [times, ...lines] } } of charts.filter(({ id }) => /^(server|cpu|memory)-/.test(id))) {
      t.same(times, [there[0] - 1, ...there], id)
      for (const line of lines) t.equal(line.length, times.length)
    }
  }
})

t.test('copies over time are shown if any of the samples has one', async (t) => {
  for (let set = 0; set < 8; set++) {
    const timeline = [1, 2, 3].map((time, index) => ({ ...ROWS[0], time, messages: { sent: 5, received: 6, lastCopy: set & (1 << index) ? 7 + index : null } }))
    const [messages, copies] = messagesOverTime({ ...RESULT, timeline }).map((part) => part?.chart)
    const shown = timeline.map(({ messages: { lastCopy } }) => lastCopy)
    t.same(messages.chart.series.map(({ name }) => name), ['received', 'sent'])
    t.same(messages.table.columns.map(({ name }) => name), ['Until (s)', 'received/s', 'sent/s', ...(set === 0 ? [] : ['own copy, p50, ms', 'own copy, p99, ms', 'last copy, ms'])])
    t.same(copies?.chart.series.map(({ name }) => name), set === 0 ? undefined : ['own copy, p50', 'own copy, p99', 'last copy'])
    if (set > 0) t.same(copies.chart.data.at(-1), [shown[0], ...shown])
  }
})

t.test('a cell is marked as a bound only if it has a number', async (t) => {
  const cells = [[{ value: 5, isBound: true }, 'time', '≥ 5 ms'], [{ value: 5 }, 'time', '5 ms'], [5, 'time', '5 ms'], [{ value: null, isBound: true }, 'time', '–'], [{ isBound: true }, 'count', '–'], [{ value: NaN, isBound: true }, 'rate', '–'],
    [{ value: 0, isBound: true }, 'count', '≥ 0'], [{ value: 0.5, isBound: true }, 'percent', '≥ 50%'], [{ value: 'x', isBound: true }, 'time', 'x'], [{ value: 'x' }, undefined, 'x'], [null, 'time', '–'], [undefined, undefined, '']]
  for (const [cell, of, text] of cells) t.equal(inWords(cell, of), text, `${JSON.stringify(cell)} of ${of}`)
})

t.test('the stacks of a flame graph: calls that only pass on are one row, and of many names the first and the last three are shown', async (t) => {
  const chainOf = (count, more = []) => {
    const frames = Array.from({ length: count + 1 }, (_, index) => ({ function: index === 0 ? 'server.js' : `f${index}`, file: index === 0 ? null : `/p/node_modules/x/${index}.js`, line: 1, package: index === 0 ? null : 'x' }))
    return { diagnosis: { flame: { frames: [...frames, ...more.map(([frame]) => frame)], nodes: [...frames.map((_, index) => [index - 1, index, 100]), ...more.map(([, parent, time], index) => [parent, frames.length + index, time])] } } }
  }
  const namesIn = (result) => flameGraph(result).flame.table.rows.map(([{ value }]) => value.trim())
  const expected = { 1: 'f1', 2: 'f1 › f2', 4: 'f1 › f2 › f3 › f4', 5: 'f1 › … › f3 › f4 › f5', 9: 'f1 › … › f7 › f8 › f9' }
  for (const [count, names] of Object.entries(expected)) t.same(namesIn(chainOf(Number(count))), ['server.js', names], `${count} calls`)
  const own = { function: 'own', file: '/p/server.js', line: 2, package: null }
  t.same(namesIn(chainOf(2, [[own, 2, 100]])), ['server.js', 'f1 › f2', 'own'], "the program's own code has a row")
  t.same(namesIn(chainOf(2, [[{ ...own, package: 'y' }, 2, 97]])), ['server.js', 'f1 › f2', 'own'], 'more than 2% is its own')
  t.same(namesIn(chainOf(2, [[{ ...own, package: 'y' }, 2, 98]])), ['server.js', 'f1 › f2 › own'])
  t.same(namesIn(chainOf(1, [[{ ...own, package: 'y' }, 1, 60], [{ ...own, function: 'other' }, 1, 39]])), ['server.js', 'f1', 'own', 'other'])
})
