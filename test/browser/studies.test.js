'use strict'

const t = require('tap')
const toHTML = require('../../lib/report/html')
const findCapacity = require('../../lib/study/capacity')
const compare = require('../../lib/study/compare')
const sweep = require('../../lib/study/sweep')
const { simulate } = require('../simulation/world')
const { look, skip } = require('./browser')
const { hostile } = require('../report/fixtures/hostile')

t.setTimeout(600_000)

const ATTACKS = /<img|<iframe|<svg onload|<body [^>]|<textarea/
const bodyOf = (page) => page.replace(/<style>[^]*?<\/style>|<script[^]*?<\/script>/g, '')
const rate = (value) => value.toLocaleString('en-US', { maximumFractionDigits: value >= 1000 ? 0 : 1 })

// Checks that apply to the page of any study.
async function checkPage (t, study, charts) {
  const page = toHTML(JSON.parse(JSON.stringify(study)))
  t.equal(page, toHTML(study), 'the same from JSON')
  t.notMatch(bodyOf(page), /(undefined|NaN|\[object)/)
  for (const where of [{}, { keys: true }, { numbers: true, keys: true }]) {
    t.notMatch(bodyOf(toHTML(hostile(study, where))), ATTACKS)
  }
  if (skip) return { page, seen: null }

  const [seen, attacked] = [await look(page), await look(toHTML(hostile(study, { keys: true })))]
  t.same(seen.errors, [])
  t.same(seen.charts.map(({ id, isDrawn }) => [id, isDrawn]), charts.map((id) => [id, true]))
  t.equal(seen.isTooWide, false)
  t.equal(attacked.pwned, null)
  t.same(attacked.handlers, [])
  t.same(attacked.errors, [])
  return { page, seen }
}

t.test('the page of a sweep', async (t) => {
  const { value: result } = await simulate({ seed: 1 }, (world) => {
    const servers = [5, 10].map((serviceTime, index) => world.server({ host: `10.0.0.${index}`, serviceTime }))
    const targets = servers.map(({ url }, index) => ({ url, connections: 1, timeout: 1, drain: 0.2, title: `server ${index + 1}` }))
    return sweep(targets, { rates: { from: 40, to: 240, step: 100 }, duration: 0.5, pause: 0 })
  })
  const { page, seen } = await checkPage(t, result, ['achieved-by-rate', 'latency-by-rate'])
  t.match(page, '<h1>Sweep of server 1 and server 2</h1>')
  if (seen === null) return
  const rows = seen.tables['Results at each rate'].slice(1)
  t.same(rows.map(([demanded, name]) => [demanded, name]), [40, 140, 240].flatMap((demanded) => [[String(demanded), 'server 1'], [String(demanded), 'server 2']]))
  const flat = result.rows.flatMap(({ targets }) => targets)
  t.same(rows.map((row) => row[2]), flat.map(({ achieved }) => rate(achieved)))
  t.same(seen.answers.length, result.knee.filter(Boolean).length)
  t.same(seen.charts[0].legend.toSorted(), ['as demanded', 'demanded', 'server 1', 'server 2'])
})

t.test('a knee is marked in the chart and stated in the text', async (t) => {
  const point = (demanded, more) => ({
    demanded,
    targets: [{ name: 'shop', achieved: demanded, keepsUp: true, saturated: false, limitedBy: null, p50: 2, p90: 3, p99: 5, p99_9: 8, errors: 0, unsent: 0, ...more }]
  })
  const rows = [point(100), point(200), point(300, { saturated: true }), point(400, { achieved: 310, keepsUp: false, limitedBy: 'server', p50: 80, p99: 900, errors: 3, unsent: 12 })]
  const result = {
    kind: 'sweep',
    rows,
    knee: { name: 'shop', rate: 300, achieved: 300, p50: 2, p99: 5, beyond: 400, reason: 'rate', limitedBy: 'server' },
    stoppedBy: 'errorRate',
    targets: [{ name: 'shop', url: 'http://shop.example/' }],
    duration: 5,
    warnings: [{ code: 'X', message: 'Mind the gap.' }],
    start: new Date('2024-05-01T10:00:00Z')
  }
  const { page, seen } = await checkPage(t, result, ['achieved-by-rate', 'latency-by-rate'])
  t.match(page, 'The knee of shop is at 300 requests per second (p50 2 ms, p99 5 ms): at 400 the achieved rate falls behind.<')
  t.match(page, 'ended early: errorRate')
  const [achieved, latency] = JSON.parse(/id="charts">([^]*?)<\/script>/.exec(page)[1])
  t.same(achieved.data, [[100, 200, 300, 400], [100, 200, 300, 310], [100, 200, 300, 400]])
  t.same(achieved.lines.map(({ x, label }) => [x, label]), [[300, 'knee 300/s']])
  t.same(achieved.hollow.map(({ x, y }) => [x, y]), [[300, 300]], 'points are hollow where the generator was saturated')
  t.equal(latency.y.scale, 'log')
  if (seen === null) return
  t.match(seen.words, ['Warning: Mind the gap.'])
  const verdicts = seen.tables['Results at each rate'].slice(1).map((row) => row.at(-1))
  t.same(verdicts, ['yes', 'yes', 'yes, generator saturated', 'no'])
})

t.test("the knee of one of two targets is stated with the target's name", async (t) => {
  const point = (name, keepsUp) => ({ name, achieved: 100, keepsUp, saturated: !keepsUp, limitedBy: keepsUp ? null : 'both', p50: 1, p90: 1, p99: 1, p99_9: 1, errors: 0, unsent: 0 })
  const page = toHTML({
    kind: 'sweep',
    rows: [100, 200].map((demanded) => ({ demanded, targets: [point('old', demanded < 200), point('new', true)] })),
    knee: [{ name: 'old', rate: 100, achieved: 100, p50: 1, p99: 1, beyond: 200, reason: 'rate', limitedBy: 'both' }, null],
    targets: [{ name: 'old', url: 'http://a/' }, { name: 'new', url: 'http://b/' }],
    stoppedBy: null,
    warnings: []
  })
  t.match(page, '<p class="answer">The knee of old is at 100 requests per second')
  t.match(page, 'The limit was both the server and the load generator.')
  t.match(page, 'no: server and generator')
  const charts = JSON.parse(/id="charts">([^]*?)<\/script>/.exec(page)[1])
  for (const { lines, series } of charts) t.match(lines, [{ x: 100, label: 'knee of old', color: series[0].color }])
})

t.test('the page of a capacity search', async (t) => {
  const { value: result } = await simulate({ seed: 1 }, (world) => {
    const { url } = world.server({ serviceTime: 5 })
    return findCapacity({ url, connections: 1, timeout: 1 }, { slo: ['p99 < 500ms'], rates: { from: 40, to: 1000 }, duration: 0.5, precision: 0.5 })
  })
  const { page, seen } = await checkPage(t, result, ['achieved-by-rate', 'latency-by-rate'])
  t.match(page, '<h1>Capacity of ')
  if (seen === null) return
  t.equal(seen.figures.Capacity, `${rate(result.capacity)} /s`)
  t.match(seen.answers[0], rate(result.capacity))
  const rows = seen.tables['All steps, in the order they were run'].slice(1)
  t.same(rows.map((row) => [row[1], row[8].split(':')[0]]), result.steps.map(({ rate: asked, passed }) => [rate(asked), passed ? 'yes' : 'no']))
})

t.test('a rate that was tried several times is one point, with all of its verdicts', async (t) => {
  const step = (rate, passed, phase) => ({ rate, phase, passed, missed: passed ? [] : ['p99 < 9ms'], achieved: rate, p50: 2, p99: passed ? 3 : 30, failures: 0, duration: 1 })
  const study = {
    kind: 'capacity',
    ratesOf: 'sessions',
    capacity: 200,
    interval: [200, 212.5],
    limitedBy: 'server',
    limitingThreshold: 'p99 < 9ms',
    isConfirmed: true,
    slo: ['p99 < 9ms'],
    steps: [step(100, true, 'climb'), step(200, true, 'climb'), step(400, false, 'climb'), step(212.5, true, 'bisect'), step(212.5, false, 'confirm'), step(212.5, false, 'confirm'), step(200, true, 'confirm')]
  }
  const page = toHTML(study)
  const [achieved, latency] = JSON.parse(/id="charts">([^]*?)<\/script>/.exec(page)[1])
  t.same([achieved.x.labels, achieved.x.label, latency.data], [['100', '200', '212.5', '400'], 'demanded sessions per second', [[1, 2, 3, 4], [3, 3, 30, 30], [2, 2, 2, 2]]])
  t.same([achieved.lines.map(({ x, label }) => [x, label]), achieved.hollow.map(({ x, y }) => [x, y])], [[[2, 'capacity 200/s']], [[3, 212.5], [4, 400]]])
  t.match(page, /data-label="Runs"[^>]*>passed, failed \(longer\), failed \(longer\)</)
  t.match(page, '<small>sessions/s</small>')
  const knee = (rate, beyond, reason) => /<li>([^<]*knee[^<]*|Beyond[^<]*)<\/li>/.exec(toHTML({ ...study, knee: { name: 'a', rate, achieved: rate, p50: 2, p99: 3, beyond, reason } }))[1]
  t.same([knee(200, 212.5, 'rate'), knee(100, 200, 'latency'), knee(400, 800, 'rate')], [
    'The capacity is also the knee: at 212.5 the achieved rate falls behind.',
    'Below the capacity, latency is lowest in relation to throughput at up to 100 sessions per second (p50 2 ms, p99 3 ms), the knee: at 200 the median latency has doubled.',
    'Beyond the capacity, the server kept up with 400 sessions per second (p50 2 ms, p99 3 ms), but did not meet the SLO (p99 &lt; 9ms): at 800 the achieved rate falls behind.'
  ])
})

t.test('the summaries of a capacity search', async (t) => {
  const answer = (more) => /<p class="answer">([^<]*)</.exec(toHTML({ kind: 'capacity', capacity: 500, interval: [500, 520], steps: [], slo: ['p99 < 9ms'], limitedBy: 'server', limitingThreshold: 'p99 < 9ms', isConfirmed: true, ...more }))[1]
  t.equal(answer(), 'The capacity is 500 requests per second (between 500 and 520, confirmed by a longer run). It is limited by the server: beyond it, p99 &lt; 9ms is not met.')
  t.match(answer({ limitedBy: 'generator' }), 'It is limited by the load generator: ')
  t.match(answer({ limitedBy: 'connections' }), 'It is limited by the number of connections: ')
  t.equal(answer({ capacity: 0, interval: [0, null], limitedBy: null }), 'The capacity is unknown: the search ended before its first run was complete.')
  t.equal(answer({ capacity: 0, interval: [0, 50], limitedBy: null, steps: [{ rate: 50, completed: 0 }] }), 'There were no responses, not even at 50 requests per second.')
  t.match(answer({ limitedBy: 'maximum asked for', interval: [500, null], limitingThreshold: null }), 'That is the maximum rate of the search.')
  t.match(answer({ isConfirmed: false }), '(between 500 and 520, not confirmed)')
  t.equal(answer({ capacity: 0, interval: [0, 50] }), 'No rate passed: even 50 requests per second failed (p99 &lt; 9ms was not met).')
  t.equal(answer({ interval: [500, null], limitedBy: null, limitingThreshold: null }), 'The capacity is 500 requests per second (or more, confirmed by a longer run).')
})

t.test('the stated precision is that of the interval that was reached, not the one that was requested', async (t) => {
  const page = (more) => toHTML({ kind: 'capacity', capacity: 200, interval: [200, 259.7], precision: 0.05, steps: [], slo: [], limitedBy: 'server', ...more })
  t.match(page(), 'within 29.9%')
  t.match(page(), 'limited by: the server')
  t.notMatch(page(), 'within 5%')
  for (const none of [{ interval: [200, null] }, { capacity: 0, interval: [0, 50] }]) t.notMatch(page(none), /within \d/)
})

t.test('the page of a comparison that was stopped before a round was complete', async (t) => {
  const metric = { a: null, b: null, unit: 'ms', scale: 'relative', difference: null, interval: null, smallestDifference: null, verdict: 'no difference shown' }
  const page = toHTML({
    kind: 'comparison',
    verdict: 'no difference shown',
    metrics: { p50: metric },
    comparisons: [{ name: 'B', comparedWith: 'A', verdict: 'no difference shown', metrics: { p50: metric } }],
    sides: [{ name: 'A', url: 'http://a/', runs: 0 }, { name: 'B', url: 'http://b/', runs: 0 }],
    confidence: 0.95,
    falseAlarmRate: null,
    method: 'block bootstrap within a single run',
    runs: [],
    warnings: []
  })
  t.match(page, '<p class="answer">Nothing was compared: no round was completed.</p>')
  t.notMatch(bodyOf(page), /bootstrap|Confidence|No difference/)
})

t.test('the page of a comparison', async (t) => {
  const { value: result } = await simulate({ seed: 3, link: { delay: 0.1, jitter: 0.5 } }, (world) => {
    const servers = [2, 50].map((serviceTime, index) => world.server({ host: `10.0.0.${index}`, serviceTime }))
    const sides = servers.map(({ url }, index) => ({ url, connections: 2, title: ['before', 'after'][index] }))
    return compare(sides, { rounds: 4, duration: 0.4, warmup: 0.1, maxRegression: '5%' })
  })
  const { page, seen } = await checkPage(t, result, ['throughput-by-round', 'p99-by-round'])
  t.match(page, '<h1>before against after</h1>')
  if (seen === null) return
  t.equal(result.verdict, 'slower')
  t.match(seen.answers, [/^after is slower than before: p50 \+/])
  t.equal(seen.answers.length, 1)
  t.match(seen.words.find((text) => text.includes('p50')), /Regression check FAILED: Latency p50 of after is .*% worse than that of before \(allowed: 5%\)\.$/)
  const [, differences] = Object.entries(seen.tables).find(([caption]) => caption.startsWith('Differences of after from before'))
  const throughput = differences.find(([name]) => name.startsWith('Throughput'))
  t.equal(throughput.at(-1), '▼ slower')
  t.match(throughput[4], /^−[\d.]+% … −[\d.]+%$/)
  t.same(seen.tables['All rounds'].slice(1).map(([round, name]) => [round, name]), [1, 2, 3, 4].flatMap((round) => [[String(round), 'before'], [String(round), 'after']]))
  t.same(seen.folded, [true], 'only the table of all rounds is folded')
})

t.test('verdicts and intervals are visible without scrolling, on a phone and beside long names', { skip }, async (t) => {
  const metric = { a: 1234.5, b: 1345.6, unit: 'ms', better: 'lower', scale: 'relative', difference: 0.01, interval: [-0.0234, 0.0412], smallestDifference: 0.0312, verdict: 'no difference shown' }
  const metrics = { throughput: metric, p50: metric, p99: metric, errorRate: { ...metric, scale: 'absolute' } }
  const names = ['A', 'B'].map((name) => `service-${name}.example.com:8080/a/long/path`)
  const page = toHTML({
    kind: 'comparison',
    verdict: 'no difference shown',
    metrics,
    comparisons: [{ name: names[1], comparedWith: names[0], verdict: 'no difference shown', metrics, regression: { checks: [{ metric: 'p99', limit: 0.05, regression: 0.01, passed: true }] } }],
    sides: names.map((name) => ({ name, url: `http://${name}`, runs: 3 })),
    confidence: 0.95,
    falseAlarmRate: 0.05,
    runs: [],
    warnings: []
  })
  for (const width of [360, 1100]) {
    const { cut, tables } = await look(page, { width, height: 1000 })
    t.same(cut, [], `at ${width} pixels`)
    t.same(tables[`Differences of B (${names[1]}) from A (${names[0]}). The bar is the interval; the dashed line marks no difference.`][0].slice(1, 3), ['A', 'B'])
  }
})

t.test('the options that all runs had', async (t) => {
  const empty = { warnings: [], rows: [], targets: [], steps: [], runs: [], sides: [], comparisons: [], metrics: {} }
  for (const kind of ['sweep', 'capacity', 'comparison']) {
    const page = toHTML({ ...empty, kind }, { options: { connections: 77, headers: { authorization: 'hush' } } })
    t.match(page, 'Options used', kind)
    t.match(page, '>77<')
    t.notMatch(page, 'hush')
    t.notMatch(toHTML({ ...empty, kind }), 'Options used')
  }
})

t.test('"no difference shown" says which difference would have been detected', async (t) => {
  const metric = { a: 10, b: 10.1, unit: 'ms', better: 'lower', scale: 'relative', difference: 0.01, interval: [-0.02, 0.041], smallestDifference: 0.031, verdict: 'no difference shown' }
  const unknown = { ...metric, interval: null, smallestDifference: null, difference: null, a: null }
  const page = toHTML({
    kind: 'comparison',
    verdict: 'no difference shown',
    metrics: {},
    comparisons: [{ name: 'B', comparedWith: 'A', verdict: 'no difference shown', metrics: { p50: metric, p99: unknown, p90: { ...metric, interval: [-0.999, 9e7], smallestDifference: 9e7 }, errorRate: { ...metric, interval: [-0.5, null] } } }],
    sides: [{ name: 'A', url: 'http://a/', runs: 1, isSaved: true }, { name: 'B', url: 'http://b/', runs: 1 }],
    confidence: 0.95,
    falseAlarmRate: null,
    runs: [],
    warnings: []
  })
  t.match(page, 'No difference between A and B is shown.')
  t.match(page, 'of 3.1% or more')
  t.match(page, 'of over 1,000-fold<')
  t.match(page, '−99.9% … more')
  t.match(page, '−2% … +4.1%')
  t.match(page, 'unknown')
  t.match(page, '−50% … more')
  t.match(page, 'saved result')
  // Intervals are drawn to their ends. The longest one fills half of a logarithmic scale, up to its margin; two have no upper end.
  const ends = [...page.matchAll(/class="range" x1="(-?[\d.]+)%" x2="(-?[\d.]+)%"/g)].map(([, from, to]) => [Number(from), Number(to)])
  t.same(ends, [[49.87, 50.26], [4.55, 100], [45.44, 100]])
  t.equal([...page.matchAll(/<svg x="100%" y="50%">/g)].length, 2)
})
