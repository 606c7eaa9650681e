'use strict'

const t = require('tap')
const { run, compare, sweep, printResult, toHTML, toCSV, toTimelineCSV, toMarkdown } = require('../..')
const { simulate } = require('../simulation/world')
const { columnServer, COLUMNS } = require('../protocol/http2/columns')
const { playInWorld } = require('../support/play-in-world')
const { flawsOfResult, flawsOfStudy } = require('../support/schemas')

const event = (text) => `data: ${text}\n\n`
const PIECES = [[20, event('a')], [30, event('b') + event('c')]]

async function streamed (t, opts, pieces = PIECES) {
  const { result } = await playInWorld(t, { answer: { pieces } }, { connections: 2, amount: 40, sampleInt: 100, stream: true, ...opts }, undefined, { seed: 1 })
  return result
}

const text = (value, opts) => printResult(value, { outputStream: { columns: 120, isTTY: false }, ...opts })

t.test('results and studies match their schemas', async (t) => {
  t.same(flawsOfResult(await streamed(t, { stream: { limit: 1 }, skipAggregateResult: false })), [])
  t.same(flawsOfResult(await streamed(t, {}, [[1, 'no event']])), [])
})

t.test('tables, HTML report, Markdown and CSV have the events', async (t) => {
  const result = await streamed(t)
  const printed = text(result)
  t.match(printed, /First event +│ 20 ms/)
  t.match(printed, /Event gap +│ 0 ms/)
  t.match(printed, /120 events, 200 per second, 3 per response/)
  const page = toHTML(result)
  t.match(page, /<h2>Streams<\/h2>/)
  t.match(page, /id="events-over-time"/)
  t.match(page, /id="event-times-over-time"/)
  // The last sample has 24 events; of the others, the fourth has the most.
  t.match(toHTML({ ...result, timeline: result.timeline.slice(0, -1) }), /Events per second over time: at most 220 in a sample/)
  t.match(toHTML([result, result]), /Numbers of events/)
  t.match(toMarkdown(result), /\| First event \| 20 ms \|/)
  const [head, first] = toTimelineCSV(result).split('\n')
  t.match(head, /connections,events,eventRate,timeToFirstEventP50,timeToFirstEventP99,gapP50,gapP99$/)
  t.match(first, /,18,180,20,20,0,10$/, 'in the first 100 ms of each connection: three complete streams and the beginning of a fourth')
})

t.test('a run without streams has no events', async (t) => {
  const result = await streamed(t, { stream: undefined })
  for (const report of [text(result), toHTML(result), toMarkdown(result), toTimelineCSV(result)]) t.notMatch(report, /[Ee]vent gap|First event|events over time|Streams/)
})

const shown = (value) => value.toFixed(3)

t.test('comparisons have events', async (t) => {
  const results = [await streamed(t), await streamed(t, {}, [[30, event('a')], [60, event('b') + event('c')]])].map((result) => JSON.parse(JSON.stringify(result)))
  const { metrics, verdict } = await compare(results)
  t.strictSame(Object.keys(metrics), ['throughput', 'p50', 'p99', 'errorRate', 'eventRate', 'firstEventP50', 'firstEventP99', 'gapP50', 'gapP99'])
  t.strictSame([shown(metrics.firstEventP50.a), shown(metrics.firstEventP50.b), metrics.firstEventP50.verdict], ['20.000', '30.000', 'slower'])
  t.strictSame([shown(metrics.gapP99.a), shown(metrics.gapP99.b)], ['10.000', '30.000'])
  t.equal(verdict, 'slower')
  t.same(flawsOfStudy(await compare(results, { maxRegression: '5%' })), [])
  const plain = await streamed(t, { stream: undefined })
  t.strictSame(Object.keys((await compare([results[0], plain])).metrics), ['throughput', 'p50', 'p99', 'errorRate'], 'only if all have them')
  for (const stream of [5, {}, { rate: 1 }, { rate: 1, timeToFirstEvent: 'x', gap: null }]) {
    t.strictSame(Object.keys((await compare([results[0], { ...results[1], stream }])).metrics), ['throughput', 'p50', 'p99', 'errorRate'], 'a saved result may contain anything')
  }
  const judged = await compare(results, { maxRegression: { firstEventP50: '10%', eventRate: '90%' } })
  t.strictSame(judged.regression.checks.map(({ metric, verdict }) => [metric, verdict]), [['firstEventP50', 'failed'], ['eventRate', 'passed']])
  t.equal((await compare(results, { maxRegression: '10%' })).regression.checks.length, 9)
  const impossible = await compare([results[0], plain], { maxRegression: { firstEventP50: '10%' } })
  t.match(impossible.regression.checks, [{ metric: 'firstEventP50', verdict: 'inconclusive', passed: false }])
  const report = text(impossible)
  t.match(report, /INCONCLUSIVE/)
  t.match(text(judged), /First event p50 of B is 50% worse/)
  t.match(toHTML(judged), />First event p50</)
})

t.test('sweeps have events', async (t) => {
  const { value } = await simulate({ seed: 1 }, (world) => {
    const server = world.server({ answer: { pieces: PIECES } })
    return sweep({ url: server.url, connections: 20, stream: true }, { rates: [50, 100], duration: 0.5, arrivals: 'uniform', idle: 0 })
  })
  t.strictSame(value.rows.map(({ targets: [{ stream }] }) => [stream.timeToFirstEvent.p99, stream.gap.p99]), [[20, 10], [20, 10]])
  t.same(flawsOfStudy(value), [])
  t.match(toCSV(value).split('\n')[0], /reasons,events,eventRate,timeToFirstEvent\.p50/)
  t.match(text(value), /First event p99/)
  const { stream } = value.rows[0].targets[0]
  stream.timeToFirstEvent.p99 = 23
  stream.gap.p99 = 17
  const charts = JSON.parse(/<script type="application\/json" id="charts">([^<]*)</.exec(toHTML(value))[1])
  t.strictSame(charts.find(({ id }) => id === 'streams-by-rate').data, [[50, 100], [23, 20], [17, 10]])
})

t.test('Prometheus metrics have events', async (t) => {
  const { url } = await columnServer(t, COLUMNS[0], (request, response) => {
    response.write(event('a'))
    setImmediate(() => response.end(event('b')))
  })
  const pages = []
  const instance = run({ url, connections: 1, amount: 5, stream: true, prometheus: { port: 0, linger: 5 } })
  instance.on('prometheus', (address) => { pages.push(address.url) })
  const read = new Promise((resolve) => instance.on('linger', async () => resolve(await (await fetch(pages[0])).text())))
  const { stream } = await instance
  pages.push(await read)
  t.equal(stream.events, 10)
  t.match(pages[1], /^cannonade_stream_events_total 10$/m)
  t.match(pages[1], /^cannonade_time_to_first_event_seconds_count 5$/m)
  t.match(pages[1], /^cannonade_event_gap_seconds_count 5$/m)
})
