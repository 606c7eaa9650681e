'use strict'

const t = require('tap')
const toHTML = require('../../lib/report/html')
const { look, picture, sizeOf, skip } = require('./browser')
const diagnosed = require('../report/fixtures/diagnosed')
const { hostile } = require('../report/fixtures/hostile')
const healthy = require('../report/fixtures/healthy')
const measured = require('../report/fixtures/measured')
const sparse = require('../report/fixtures/sparse')

// A browser takes a while to start, longer on a busy machine.
t.setTimeout(600_000)

const CHARTS = ['latency-distribution', 'latency-histogram', 'throughput-over-time', 'latency-over-time', 'trouble-over-time', 'connections-over-time']

t.test('the report of one result, in a browser', { skip }, async (t) => {
  const seen = await look(toHTML(measured()))

  t.same(seen.errors, [])
  t.same(seen.requests, [], 'no request was made')
  t.equal(seen.isTooWide, false)
  t.equal(seen.title, 'checkout under load')

  t.same(seen.figures, {
    'Requests/s': '90.2',
    'Median response': '500 ms',
    'p99 response': '990 ms',
    'Longest response': '1 s',
    Failures: '≥ 383',
    Completed: '5,412'
  })
  t.match(seen.words[0], /^Error: 91 × ECONNRESET/)
  t.ok(seen.words.some((text) => /^Warning: Only 90.198 of 100 requests per second/.test(text)))

  t.same(seen.charts.map(({ id }) => id), CHARTS)
  for (const chart of seen.charts) {
    t.ok(chart.isDrawn, chart.id)
    t.ok(chart.label.length > 40, chart.label)
  }
  t.same(seen.charts[0].legend.toSorted(), ['Response time', 'Service time', 'With unfinished', 'percentile'])
  t.same(seen.charts[3].legend.toSorted(), ['errors', 'max', 'p50', 'p90', 'p99', 'time'])
  t.same(seen.folded, [true, true], 'tables of charts are collapsed')
  checkTables(t, seen)
})

t.test('a screenshot of the report, under its own policy', { skip }, async (t) => {
  // Without the tables above the charts, so that the picture has some of them.
  const page = toHTML(measured({ endpoints: [], thresholds: [] }))
  const { png, console } = await picture(page)
  t.same(console, [], 'the policy forbids nothing that the page does')
  t.same(sizeOf(png), { width: 1280, height: 1200 })
  t.ok(png.length > 30000, `${png.length} bytes`)
  const withoutScript = await picture(page.replace('script-src', 'script-src-elem \'none\'; script-src'))
  t.match(withoutScript.console.join(), /policy/i)
  t.notOk(withoutScript.png.equals(png), 'without its script there are no charts')
  const dark = await picture(page, { isDark: true })
  t.notOk(dark.png.equals(png))
})

// The table below each chart repeats its values.
function checkTables (t, { tables }) {
  const latency = tables['Latency by percentile, in milliseconds']
  t.same(latency[0], ['Percentile', 'Response time, ms', 'Service time, ms', 'With unfinished, ms'])
  const rows = Object.fromEntries(latency.map(([name, ...cells]) => [name, cells.map((cell) => Math.round(cell.replaceAll(',', '')))]))
  t.same(rows.Shortest, [1, 1, 1])
  t.same(rows['50%'], [500, 250, 510])
  t.same(rows['99%'].slice(0, 2), [990, 495])
  t.match(rows['99%'][2], 5000)
  t.same(rows.Longest, [1000, 500, 5000])
  t.same(rows.Requests, [1000, 1000, 1020])
  t.same(tables['Thresholds and verdicts'].slice(1), [
    ['p99 < 500ms', '990 ms', '< 500 ms', '98% over', '✗ failed'],
    ['timeouts < 100', '38', '< 100', '', '✓ passed']
  ])
  t.same(tables['Throughput, latency and errors over time'][7], ['7.0', '700', '17.0', '40.0', '90.0', '700.0', '3', '50'])
  t.same(tables['Status codes'].slice(1).map(([code, , count]) => [code, count]), [['200', '5,200'], ['502', '12'], ['503', '200']])
  const accounting = tables['Came due = never sent + sent, and sent = completed + failed + timed out + unfinished']
  t.same(accounting.slice(1).map((row) => row[2]), ['6,000', '400', '5,600', '5,412', '100', '38', '50'])
}

t.test('on a phone, in dark mode', { skip }, async (t) => {
  const page = toHTML(measured())
  const light = await look(page, { width: 360, height: 1000 })
  const dark = await look(page, { width: 360, height: 1000, isDark: true })
  for (const seen of [light, dark]) {
    t.same(seen.paper, { widths: CHARTS.map(() => 680), isAllOpen: true, ink: '#191c21', isKeptOpen: true }, 'on paper it has the same width and a light theme, and all tables')
    t.same(seen.folded, [true, true], 'afterwards everything is as before')
    t.equal(seen.isTooWide, false, 'nothing overflows')
    t.notOk(seen.cut.some((caption) => caption === 'Thresholds and verdicts'), 'the verdicts are visible')
    t.same(seen.charts.map(({ isDrawn }) => isDrawn), CHARTS.map(() => true))
    for (const { width } of seen.charts) t.ok(width > 250 && width <= 360, `${width}`)
  }
  t.equal(light.background, 'rgb(255, 255, 255)')
  t.not(dark.background, light.background)
})

t.test('several results share one chart', { skip }, async (t) => {
  const seen = await look(toHTML([measured({ title: 'before' }), measured({ title: 'after' }), measured({ title: 'after' })]))
  t.same(seen.errors, [])
  t.equal(seen.title, '3 runs side by side')
  t.same(seen.charts.map(({ id }) => id), ['latency-distribution', 'latency-histogram', 'throughput-over-time', 'p99-over-time'])
  for (const chart of seen.charts) {
    t.ok(chart.isDrawn, chart.id)
    t.same(chart.legend.slice(1).toSorted(), ['after (2)', 'after (3)', 'before'])
  }
  t.same(seen.tables['Comparison of the runs'].slice(1).map(([name]) => name), ['before', 'after (2)', 'after (3)'])
})

t.test('results with missing fields still make a report', { skip }, async (t) => {
  const ofAutocannon = await look(toHTML(sparse()))
  t.same(ofAutocannon.errors, [])
  t.same(ofAutocannon.charts.map(({ id, isDrawn }) => [id, isDrawn]), [['latency-distribution', true]])
  t.equal(ofAutocannon.figures['p99 latency'], '300 ms')
  const empty = await look(toHTML({ ...healthy(), latency: { ...healthy().latency, totalCount: 0 }, serviceTime: undefined, latencyWithUnfinished: undefined }))
  t.same(empty.errors, [])
  t.equal(empty.figures['p99 latency'], '–', 'without values there is no latency')
  t.same(empty.charts, [])
})

t.test('text from outside stays text', { skip }, async (t) => {
  const pages = {
    texts: toHTML(hostile(measured())),
    'texts, numbers and names': toHTML(hostile({ ...measured(), title: 'x' }, { keys: true })),
    'several results': toHTML([hostile(measured()), hostile(measured(), { keys: true })]),
    'title and options': toHTML(measured(), { title: hostile('x'), options: hostile({ url: 'x', headers: { a: 'x' }, requests: [{ path: 'x' }, {}], expectBody: 'x' }, { keys: true }) })
  }
  for (const [name, page] of Object.entries(pages)) {
    const seen = await look(page)
    t.equal(seen.pwned, null, `${name}: no script ran`)
    t.same(seen.handlers, [], 'no element has a handler')
    t.same([seen.elements.img, seen.elements.iframe, seen.elements.body, seen.elements.style], [undefined, undefined, 1, 1])
    t.equal(seen.elements.script, 3, 'data, our script, and that of this test')
    t.same(seen.requests, [])
    t.same(seen.errors, [])
    t.ok(seen.charts.length >= 1 && seen.charts.every(({ isDrawn }) => isDrawn), 'the charts are drawn nevertheless')
  }
})

t.test('dragging zooms all charts of the same time range, and a double click zooms out', { skip }, async (t) => {
  const script = `<script>(${drag})()</script></body>`
  const { told, errors } = await look(toHTML(measured()).replace('</body>', () => script))
  t.same(errors, [])
  t.same(told, { picked: ['throughput-over-time', 'latency-over-time', 'trouble-over-time', 'connections-over-time'], left: [] })
})

// Runs in the page: drags over part of a chart as a hand would, then double-clicks.
/* global document, window */
function drag () {
  const over = document.querySelector('#throughput-over-time .u-over')
  const { left, top, width } = over.getBoundingClientRect()
  const act = (type, share, target = over) => target.dispatchEvent(new window.MouseEvent(type, {
    clientX: left + share * width, clientY: top + 20, bubbles: true, movementX: 5
  }))
  const picked = () => [...document.querySelectorAll('figure')].filter((figure) => figure.querySelector('.picked')).map(({ id }) => id)
  window.told = {}
  const steps = [
    () => act('mousemove', 0.2), () => act('mousedown', 0.2), () => act('mousemove', 0.5), () => act('mousemove', 0.6), () => act('mouseup', 0.6, document),
    () => { window.told.picked = picked() }, () => act('dblclick', 0.3), () => { window.told.left = picked() }
  ]
  window.until = new Promise((resolve) => [...steps, resolve].forEach((step, index) => window.setTimeout(step, 40 * (index + 1))))
}

t.test('a flame graph: zoom, search, paper, and names that are text', { skip }, async (t) => {
  const result = diagnosed()
  for (const frame of result.diagnosis.flame.frames) if (frame.function === 'parse') frame.function = '<img src=x onerror="window.pwned=1">parse'
  const page = toHTML(result)
  const { console } = await picture(page)
  t.same(console, [], 'the policy of the page forbids nothing that it does')
  const { told, errors, pwned, isTooWide, elements } = await look(page.replace('</body>', () => `<script>(${flame})()</script></body>`), { width: 360 })
  t.same({ errors, pwned, isTooWide, images: elements.img }, { errors: [], pwned: null, isTooWide: false, images: undefined })
  const { width } = told
  const bars = (shares) => Object.fromEntries(Object.entries(shares).map(([name, share]) => [name, Math.round(width * share)]))
  t.same(told.all, bars({ 'server.js, process 100': 1, processTicks: 0.9, emit: 0.9, handle: 0.9, work: 0.6, parse: 0.2, '(garbage collector)': 0.1 }))
  t.equal(told.pointed, 'work (/app/server.js:20): 60% of the busy time, 60% by itself')
  t.same(told.zoomed, bars({ 'server.js, process 100': 1, processTicks: 1, emit: 1, handle: 1, work: 1 }))
  t.same([told.found, told.highlighted], ['20% of the busy time', 1])
  t.same(told.again, told.all)
  t.ok(told.paper.svg > 600 && told.paper.svg === told.paper.place, 'as wide as the paper')
})

// Runs in the page: zooms in by a click, searches, and shows everything again.
function flame () {
  const graph = document.querySelector('.graph')
  const frames = () => [...graph.querySelectorAll('g.frame')]
  const nameOf = (frame) => frame.getAttribute('name').replace(/<.*>/, '')
  const widths = () => Object.fromEntries(frames().map((frame) => [nameOf(frame), Math.round(frame.querySelector('rect').getAttribute('width'))]).filter(([, width]) => width > 0).sort())
  const text = (selector) => document.querySelector(`#flame ${selector}`).textContent
  const work = () => frames().find((frame) => nameOf(frame) === 'work')
  const search = document.querySelector('#flame input')
  const fills = () => new Set(frames().map((frame) => frame.querySelector('rect').getAttribute('fill')))
  const settled = (isDone, turns = 1000) => new Promise((resolve) => { (function poll () { turns-- === 0 || isDone() ? resolve() : window.setTimeout(poll, 10) })() })
  const told = window.told = {}
  window.until = (async () => {
    told.width = graph.clientWidth
    await settled(() => widths()['server.js, process 100'] === told.width)
    told.all = widths()
    work().dispatchEvent(new window.MouseEvent('mouseover', { bubbles: true }))
    told.pointed = text('.pointed')
    work().dispatchEvent(new window.MouseEvent('click', { bubbles: true }))
    await settled(() => widths().work === told.width && !widths().parse)
    told.zoomed = widths()
    search.value = 'PARSE'
    search.dispatchEvent(new window.Event('input'))
    told.found = text('.found')
    document.querySelector('#flame button').click()
    await settled(() => JSON.stringify(widths()) === JSON.stringify(told.all) && fills().size === 4)
    told.again = widths()
    search.value = 'parse'
    search.dispatchEvent(new window.Event('input'))
    told.highlighted = frames().filter((frame) => frame.querySelector('rect').getAttribute('fill') === 'var(--flame-found)').length
    const sheet = [...document.styleSheets].flatMap((each) => [...each.cssRules]).find(({ conditionText, cssText }) => conditionText === 'print' && cssText.includes('.flame svg'))
    const style = document.createElement('style')
    style.textContent = [...sheet.cssRules].filter(({ selectorText }) => selectorText?.startsWith('.flame')).map(({ cssText }) => cssText).join('\n')
    document.head.append(style)
    document.querySelector('main').style.width = '640px'
    window.dispatchEvent(new window.Event('beforeprint'))
    told.paper = { svg: Math.round(graph.querySelector('svg').getBoundingClientRect().width), place: graph.clientWidth }
    window.dispatchEvent(new window.Event('afterprint'))
    document.querySelector('main').style.width = ''
    style.remove()
  })()
}
