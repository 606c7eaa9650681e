'use strict'

// The slowest requests in tables, and the heat map of a page.

const t = require('tap')
const { printResult, toHTML, toMarkdown } = require('../..')
const runDocument = require('../../lib/report/run')
const { widthOf } = require('../../lib/report/text')
const { playInWorld } = require('../support/play-in-world')

const terminal = { columns: 80, isTTY: true }
// eslint-disable-next-line no-control-regex
const plain = (text) => text.replace(/\x1b\[\d+m/g, '')
const shown = (result, options) => plain(printResult(result, { renderSlowestTable: true, outputStream: terminal, ...options }))
const heatOf = (result) => runDocument([result], {}).sections.flatMap(({ parts }) => parts).find((part) => part?.chart?.id === 'latency-heat-map')?.chart

async function result (t, opts = {}) {
  const { result } = await playInWorld(t, { serviceTime: ({ number }) => number === 5 ? 40 : 4 }, {
    connections: 1, overallRate: 100, duration: 1, sampleInt: 500, slowest: 3, requests: [{ path: '/' + 'x'.repeat(300) }, { method: 'POST', path: '/<b>|b', body: 'x' }], ...opts
  })
  return result
}

t.test('a table of 80 columns in the terminal, if it is asked for', async (t) => {
  const given = await result(t)
  const text = shown(given)
  const lines = text.split('\n')
  const from = lines.indexOf('The slowest requests')
  t.match(lines.slice(from), ['The slowest requests', /^┌/, /│ Latency *│ Service *│ Due at *│ Request *│ Status/, /^├/, /│ 40 ms *│ 40 ms *│ 0\.050 s *│ POST \/<b>\|b *│ 200/, /^├/, /│ 34 ms *│ 4 ms *│ 0\.060 s *│ GET \/x{30,}…/])
  t.ok(lines.every((line) => widthOf(line) <= 80))
  t.notMatch(plain(printResult(given, { outputStream: terminal })), 'The slowest requests')
  t.notMatch(shown(await result(t, { slowest: 0 })), 'The slowest requests')
})

t.test('Markdown and the page always have it', async (t) => {
  const given = await result(t)
  t.match(toMarkdown(given), /\| Latency \| Service time \| Due at \| Request \|.*\n.*\n\| 40 ms \| 40 ms \| .*0.050 s \| POST \/&#60;b&#62;&#124;b \| 200/)
  const page = toHTML(given)
  t.match(page, 'The slowest requests')
  t.match(page, 'POST /&lt;b&gt;|b')
  t.notMatch(page, '<b>|b')
})

t.test('which stall it waited for, and its trace', async (t) => {
  const given = await result(t)
  given.diagnosis = { processes: [], stalls: [{ pid: 1, at: 0.0501, duration: 35, kind: 'code', stack: [], waiting: 3 }], findings: [] }
  given.slowest[0].stall = 0
  given.slowest[1].traceId = 'ab'.repeat(16)
  t.match(shown(given, { outputStream: { columns: 160, isTTY: true } }), /│ Stall *│\n.*\n.*│ 35 ms at 0\.050 s *│/)
  t.match(toHTML(given), 'ab'.repeat(16))
})

t.test('messages have a path and no status', async (t) => {
  const { result } = await playInWorld(t, { websocket: 'echo', serviceTime: 4 }, { connections: 1, amount: 2, body: 'hello', websocket: {} })
  t.match(shown(result), /The slowest messages\n.*\n│ Latency │ Due at +│ Path │ Bytes │ Connection │/)
})

t.test('the heat map: a column for each sample, with the shares of its latencies', async (t) => {
  const given = await result(t, { ignoreCoordinatedOmission: true })
  const { note, summary, chart } = heatOf(given)
  const { bounds, columns } = chart.heat
  t.same(columns.map(({ from, to }) => [from, to]), [[0, 0.5], [0.5, 1]])
  t.strictSame([bounds[0], bounds.at(-1)], [3.16228, 42.1697])
  t.same(chart.y, { scale: 'log', min: 10 ** 0.5, max: 10 ** (13 / 8), label: 'latency (ms, logarithmic)', unit: 'ms' })
  const [first, second] = given.heat.counts.map((row) => row.map((count) => count / row.reduce((sum, each) => sum + each, 0)))
  t.same(columns[0].shares, first.map((share) => Number(share.toPrecision(3))))
  t.same(columns[1].shares, second)
  t.match(summary, /^Latencies between 3\.16 ms and 42\.2 ms; most of them, 99%, between 3\.16 ms and 4\.22 ms\.$/)
  t.notMatch(note, 'drain')
})

t.test('what the drain added is in the last column', async (t) => {
  const { result: given } = await playInWorld(t, { serviceTime: 100 }, { connections: 50, overallRate: 50, duration: 1 })
  const { note, chart: { heat: { columns } } } = heatOf(given)
  t.equal(given.heat.times.length, 2)
  t.same(columns.map(({ from, to }) => [from, to]), [[0, 1]])
  t.match(note, 'The last column includes those of the drain.')
})

t.test('many samples are joined, and latencies of 0 have a place on the axis', (t) => {
  const times = Array.from({ length: 1000 }, (_, index) => index + 1)
  const given = { latency: { p50: 1 }, requests: {}, duration: 1000, sampleInt: 1000, timeline: times.map((time) => ({ time, seconds: 1, requests: 1, errors: 0, p50: 1, p99: 1, max: 1 })) }
  const { chart: { heat: { bounds, columns } } } = heatOf({ ...given, heat: { times, bounds: [0, 1, 2], counts: times.map((time) => time <= 5 ? [1, 3] : [0, 1]) } })
  t.equal(columns.length, 200)
  t.same(columns.slice(0, 2), [{ from: 0, to: 5, shares: [0.25, 0.75] }, { from: 5, to: 10, shares: [0, 1] }])
  t.ok(bounds[0] > 0 && bounds[0] < bounds[1])
  t.end()
})

t.test('results of earlier versions, and those that somebody has changed', async (t) => {
  const given = await result(t)
  const { slowest, heat, ...older } = given
  for (const each of [older, { ...given, slowest: 5, heat: 'x' }, { ...given, slowest: [null, {}, { path: {}, stall: 7 }], heat: { times: [1], bounds: [1, 2], counts: [[1], [2]] } }, { ...given, heat: { times: [], bounds: [], counts: [] } }]) {
    for (const report of [toMarkdown, toHTML, shown]) t.equal(typeof report(each), 'string')
    t.equal(heatOf(each), undefined)
  }
})
