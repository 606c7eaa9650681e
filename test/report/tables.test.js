'use strict'

const fc = require('../support/fast-check')
const { createColors } = require('picocolors')
const t = require('tap')
const { playInWorld } = require('../support/play-in-world')
const { furtherPercentiles, latencyTable, percentileTable, ratesTable, statusCodeTable: tableOfCodes } = require('../../lib/report/tables')
const { withoutEscapes } = require('../../lib/report/text')
const healthy = require('./fixtures/healthy')
const sparse = require('./fixtures/sparse')
const { readResult } = require('../../lib/report/well-formed')
const trouble = require('./fixtures/trouble')

const statusCodeTable = (result, style) => tableOfCodes(readResult(result), style)

const plain = { width: 80, colors: createColors(false) }
const programs = { ...plain, width: 100, isForPrograms: true }
const tableOf = (text) => text.split('\n').filter((line) => /^[┌│├└]/.test(line)).join('\n')
const widthOf = (table) => Math.max(...table.split('\n').map((line) => line.length))
const cells = (table) => table.split('\n').filter((line) => line.startsWith('│'))
  .map((line) => line.slice(1, -1).split('│').map((cell) => cell.trim()))

t.test('the latency of a fast server is in microseconds', async (t) => {
  t.same(cells(latencyTable(healthy(), plain)), [
    ['Stat', '2.5%', '50%', '97.5%', '99%', 'Avg', 'Stdev', 'Max'],
    ['Latency', '41 µs', '54 µs', '91 µs', '120 µs', '56 µs', '28 µs', '4,210 µs']
  ])
})

t.test('the open model also has the service time; values that differ by a factor of a thousand have different units', async (t) => {
  const result = trouble()
  t.same(cells(latencyTable(result, plain)).slice(1), [
    ['Latency', '2.6 ms', '612 ms', '7.4 s', '9.81 s', '1.04 s', '1.88 s', '10 s'],
    ['Service time', '2.2 ms', '51.5 ms', '130 ms', '181 ms', '61 ms', '204 ms', '9.8 s']
  ])
  Object.assign(result, { serviceTime: healthy().serviceTime })
  t.same(cells(latencyTable(result, plain))[2].slice(0, 3), ['Service time', '41 µs', '54 µs'])
})

t.test("for programs there are autocannon's columns, in milliseconds and without separators", async (t) => {
  t.same(cells(latencyTable(trouble(), programs)), [
    ['Stat', '2.5%', '50%', '97.5%', '99%', 'Avg', 'Stdev', 'Max'],
    ['Latency', '2.6 ms', '612 ms', '7400 ms', '9812 ms', '1043 ms', '1877 ms', '10000 ms'],
    ['Service time', '2.2 ms', '51.5 ms', '130 ms', '181 ms', '61 ms', '204 ms', '9800 ms']
  ])
  t.same(cells(latencyTable(healthy(), programs))[1], ['Latency', '0.041 ms', '0.054 ms', '0.091 ms', '0.12 ms', '0.056 ms', '0.028 ms', '4.21 ms'])
})

t.test('percentiles without room in the table follow it in words', async (t) => {
  const words = (style, result = trouble()) => latencyTable(result, style).split('\n').filter((line) => !/^[┌│├└]/.test(line))
  t.same(words(plain), ['Latency: p90 2.48 s, p95 5.22 s, p99.9 10 s', 'Service time: p90 98.4 ms, p95 112 ms, p99.9 412 ms'])
  t.same(words(programs), [], 'programs count the lines of autocannon\'s tables')
  t.same(furtherPercentiles(trouble(), programs), ['Latency: p90 2480 ms, p95 5220 ms, p99.9 10000 ms', 'Service time: p90 98.4 ms, p95 112 ms, p99.9 412 ms'])
  t.same(furtherPercentiles({}, programs), [])
  t.same(words(plain, healthy()), ['Latency: p90 75 µs, p95 82 µs, p99.9 482 µs'])
  t.same(words({ ...plain, width: 100 }, healthy()), [], 'with 100 columns, 90% and 99.9% are in the table')
  t.same(cells(latencyTable(healthy(), { ...plain, width: 100 })), [
    ['Stat', '2.5%', '50%', '90%', '97.5%', '99%', '99.9%', 'Avg', 'Stdev', 'Max'],
    ['Latency', '41 µs', '54 µs', '75 µs', '91 µs', '120 µs', '482 µs', '56 µs', '28 µs', '4,210 µs']
  ])
  const { p95, ...latency } = sparse().latency
  t.notMatch(words(plain, { latency }).join(), 'p95', 'a result of autocannon has none')
})

t.test('a service time without a rate, or a rate without one, adds no row', async (t) => {
  t.equal(cells(latencyTable(healthy(), plain)).length, 2)
  t.equal(cells(latencyTable({ ...trouble(), serviceTime: undefined }, plain)).length, 2)
})

t.test('a missing value is not shown as zero', async (t) => {
  t.equal(latencyTable({}, plain), '')
  t.equal(latencyTable({ latency: {} }, plain), '')
  const zeros = Object.fromEntries(Object.keys(healthy().latency).map((key) => [key, 0]))
  t.equal(latencyTable({ latency: zeros }, plain), '', 'without values all statistics are 0')
  const halfEmpty = { ...trouble(), serviceTime: zeros }
  t.same(cells(latencyTable(halfEmpty, plain))[2], ['Service time', ...Array(7).fill('–')])
  t.same(cells(percentileTable({ latency: zeros }, plain))[1], ['0.001', '–'])
})

t.test('requests and bytes per second', async (t) => {
  t.same(cells(ratesTable(sparse(), plain)), [
    ['Stat', '1%', '2.5%', '50%', '97.5%', 'Avg', 'Stdev', 'Min'],
    ['Req/Sec', '30', '30', '30', '30', '30', '0', '30'],
    ['Bytes/Sec', '3.7 kB', '3.7 kB', '3.7 kB', '3.7 kB', '3.7 kB', '0 B', '3.7 kB']
  ])
  t.equal(ratesTable({}, plain), '')
  t.equal(ratesTable({ ...healthy(), requests: { average: 0, total: 0 } }, plain), '', 'of an unreachable server')
})

t.test('all percentiles of the result, in ascending order', async (t) => {
  const rows = cells(percentileTable(trouble(), plain))
  t.same(rows[0], ['Percentile', 'Latency (ms)', 'Service time (ms)'])
  t.same(rows.slice(1).map(([percent]) => percent), [
    '0.001', '0.01', '0.1', '1', '2.5', '10', '25', '50', '75', '90', '95', '97.5', '99', '99.9', '99.99', '99.999'
  ])
  t.same(rows[8], ['50', '612', '51.5'])
  t.same(cells(percentileTable(healthy(), plain))[8], ['50', '0.054'])
  t.equal(cells(percentileTable(sparse(), plain)).length, 16, 'without p95')
  t.equal(percentileTable({ latency: {} }, plain), '')
})

t.test('the status codes, and nothing else', async (t) => {
  t.same(cells(statusCodeTable(trouble(), plain)), [['Code', 'Count'], ['200', '5,200'], ['502', '12'], ['503', '200']])
  t.same(cells(statusCodeTable(trouble(), programs))[1], ['200', '5200'])
  t.same(cells(statusCodeTable({ statusCodeStats: { 200: { count: '500' } } }, plain))[1], ['200', '500'], 'saved by a program that writes texts')
  t.equal(statusCodeTable({}, plain), '')
  t.equal(statusCodeTable({ statusCodeStats: { undefined: { count: 4 }, '\u001b[2J': { count: 1 }, 200: {} } }, plain), '')
})

t.test('colors change nothing but the colors', async (t) => {
  const colored = { width: 80, colors: createColors(true) }
  for (const table of [latencyTable, ratesTable, percentileTable, statusCodeTable]) {
    const text = table(trouble(), colored)
    t.match(text, '\u001b[')
    t.equal(withoutEscapes(text), table(trouble(), plain))
  }
})

t.test('a table becomes more compact before it omits anything, and omits units before columns', async (t) => {
  const result = { ...trouble(), latency: { ...trouble().latency, p2_5: 12 } }
  const at = (width, of = result) => tableOf(latencyTable(of, { ...plain, width }))
  t.match(at(200), '│ Latency      │ 12 ms  │ 612 ms  │ 2.48 s  │')
  t.match(at(99), '│ Latency      │ 12 ms  │ 612 ms  │ 7.4 s  │')
  t.match(at(75), '│ Latency     │ 12 ms │ 612 ms │')
  t.match(at(64, { latency: { ...result.latency, p99_9: 9900, max: 9900 } }), /│ Latency \(ms\) ?│ 12 +│ 612 ?│ 7,400 ?│/)
  t.same(cells(at(50))[0], ['Stat', '50%', '99%', 'Avg', 'Max'])
  t.ok(widthOf(at(50)) <= 50)
})

t.test('no table is wider than 80 columns, from a microsecond to an hour and from 0.1/s to 10 million/s', async (t) => {
  const columns = ['p1', 'p2_5', 'p50', 'p97_5', 'p99', 'average', 'stddev', 'min', 'max']
  const statistics = (smallest, largest) => fc.tuple(...columns.map(() => fc.double({ min: smallest, max: largest, noNaN: true })))
    .map((values) => Object.fromEntries(columns.map((name, index) => [name, values[index]])))
  const anyOf = (...limits) => fc.oneof(...limits.map(([smallest, largest]) => statistics(smallest, largest)))
  const durations = anyOf([0.001, 1], [0.01, 100], [1, 1000], [100, 1e5], [1e6, 3.6e6])
  const rates = anyOf([0.1, 10], [1, 1e4], [1e4, 1e6], [1e6, 1e7])
  const bytes = anyOf([0, 1000], [1e3, 1e7], [1e7, 1e11])
  fc.assert(fc.property(durations, durations, rates, bytes, (latency, serviceTime, requests, throughput) => {
    const result = { rate: { offered: 1, achieved: 1 }, latency, serviceTime, requests, throughput }
    for (const table of [latencyTable(result, plain), latencyTable({ latency }, plain), ratesTable(result, plain)].map(tableOf)) {
      if (widthOf(table) > 80) throw new Error(`${widthOf(table)} columns:\n${table}`)
    }
    if (cells(ratesTable(result, plain))[0].length < 8) throw new Error('a column is missing')
  }), { numRuns: 100 })
})

t.test('a standard deviation that the requests without a response may have made smaller is not shown', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: ({ number }) => 5 + number % 17, answer: ({ number }) => number % 10 === 3 ? 'silence' : 200 }, { amount: 60, connections: 4, timeout: 0.05 })
  const [head, row] = cells(latencyTable(result, plain))
  t.match([row[head.indexOf('Stdev')], row[head.indexOf('Max')]], ['–', '≥ 21 ms'])
})
