'use strict'

const crypto = require('node:crypto')
const t = require('tap')
const toHTML = require('../../lib/report/html')
const { livePage } = require('../../lib/report/html/live')
const { withLevels } = require('../../lib/report/run/thresholds')
const fixtures = require('./fixtures/hostile')
const diagnosed = require('./fixtures/diagnosed')
const healthy = require('./fixtures/healthy')
const measured = require('./fixtures/measured')
const sparse = require('./fixtures/sparse')
const { withoutPackage } = require('../support/without-package')

const { TEXTS, hostile } = fixtures

const parts = (page) => ({
  policy: /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page)[1].replaceAll('&#39;', "'"),
  style: /<style>([^]*?)<\/style>/.exec(page)[1],
  data: /<script type="application\/json" id="charts">([^]*?)<\/script>/.exec(page)[1],
  script: /<script>([^]*?)<\/script>/.exec(page)[1],
  body: page.replace(/<style>[^]*?<\/style>|<script[^]*?<\/script>/g, '')
})

t.test('one file that needs nothing else', async (t) => {
  const page = toHTML(measured())
  const { policy, style, data, script, body } = parts(page)
  t.match(page, /^<!DOCTYPE html>\n<html lang="en">/)
  t.notMatch(style, /url\(|@import/)
  t.notMatch(body, /\s(src|srcset|href|action|data)="(?!data:,)/, 'it refers to nothing else')
  t.match(body, '<meta name="viewport" content="width=device-width, initial-scale=1">')
  t.match(style, '@media print')
  t.match(style, 'prefers-color-scheme: dark')
  t.match(script, 'Permission is hereby granted', 'it contains the license of the library')
  t.same(JSON.parse(data).map(({ id }) => id), ['latency-distribution', 'latency-histogram', 'throughput-over-time', 'latency-over-time', 'trouble-over-time', 'connections-over-time'])

  const hash = (text) => `'sha256-${crypto.createHash('sha256').update(text).digest('base64')}'`
  t.match(policy, "default-src 'none'")
  t.match(policy, `script-src ${hash(script)};`, 'only its own script may run')
  t.match(policy, `style-src ${hash(style)};`)
  t.notMatch(body, / style="/)
})

t.test('failures are on the first screen, with their statuses, in red', async (t) => {
  const tile = (page) => /<div class="figure( bad)?"><dt>Failures<\/dt><dd class="value">([^<]*)<\/dd><dd class="more">([^<]*)</.exec(page)?.slice(1)
  const refused = { errors: 0, timeouts: 0, mismatches: 0, non2xx: 5412, '2xx': 0, '4xx': 5412, '5xx': 0, statusCodeStats: { 401: { count: 5412 } } }
  t.same(tile(toHTML(measured(refused))), [' bad', '5,412', '100% · 401: 5,412'], 'a wrong password')
  t.same(tile(toHTML(healthy())), [undefined, '0', '200: 219,600'])
  t.same(tile(toHTML(measured())), [' bad', '≥ 383', '≥ 6.86% · 503: 200, 502: 12 · 171 errors (38 timed out) · 4 unexpected bodies'], 'a body may belong to a status')
  t.same(tile(toHTML(measured({ ...refused, non2xx: 3, '3xx': 3, '4xx': 0, statusCodeStats: { 200: { count: 9 }, 302: { count: 3 } } }))), [undefined, '0', '200: 9, 302: 3'], 'redirects')
  t.match(toHTML([measured(refused), healthy()]), /Failures %<.*100%<.*−100 pp</)
})

t.test('the page of a run begins with its verdict', async (t) => {
  const verdict = (more) => /<p class="answer( fail)?">([^<]*)<\/p>/.exec(toHTML({ ...healthy(), ...more }))?.slice(1)
  const passing = { threshold: 'p99 < 1s', metric: 'latency.p99', operator: '<', limit: 1000, unit: 'ms', actual: 5, passed: true }
  const failing = { ...passing, threshold: 'p50 < 1ms', metric: 'latency.p50', limit: 1, passed: false }
  t.same(verdict(), [undefined, 'No request failed.'])
  t.same(verdict({ thresholds: [passing] }), [undefined, 'No request failed. The threshold was met.'])
  t.same(verdict({ thresholds: [passing, failing] }), [' fail', '1 of 2 thresholds was not met: p50 &lt; 1ms.'], 'what went well is left out then')
  t.same(verdict({ rate: { offered: 100, achieved: 99 } }), [undefined, 'No request failed. The rate was achieved.'])
  t.same(verdict({ rate: { offered: 100, achieved: 90 } }), [undefined, 'No request failed. Only 90% of the rate was achieved.'])
  const saturated = { ...healthy().generator, saturated: true, reasons: ['x'] }
  t.match(verdict({ generator: saturated })[1], 'The load generator was saturated, so the numbers show its limits as well as the server&#39;s.')
  t.match(verdict({ generator: { ...saturated, cause: 'machine' } })[1], 'Other programs held up the load generator')
  const none = { ...healthy().accounting, completed: 0 }
  t.same(verdict({ accounting: none, requests: { total: 0 } }), [' fail', 'No request was answered.'])
  t.equal(/<p class="answer( fail)?">([^<]*)</.exec(toHTML(measured()))[2], '≥ 6.86% of the requests failed. 1 of 2 thresholds was not met: p99 &lt; 500ms. Only 90.2% of the rate was achieved. The load generator was saturated, so the numbers show its limits as well as the server&#39;s.')
})

t.test('charts show limits of the latency, and unfinished requests only if they make a difference', async (t) => {
  const charts = (more) => JSON.parse(parts(toHTML(measured(more))).data)
  const byId = (all, id) => all.find((chart) => chart.id === id)
  for (const id of ['latency-distribution', 'latency-over-time']) t.same(byId(charts(), id).levels, [{ y: 500, label: 'p99 < 500ms', color: 'bad' }], id)
  const far = [{ threshold: 'p99 < 100s', metric: 'latency.p99', operator: '<', limit: 100_000, unit: 'ms', actual: 990, passed: true }]
  t.same(byId(charts({ thresholds: far }), 'latency-over-time').y, byId(charts({ thresholds: [] }), 'latency-over-time').y, 'one that is far away does not flatten the lines')
  const shown = [4, 4.01].map((factor) => withLevels([[1, 10, null, 2], [3]], [{ y: 10 * factor }]).at(-1))
  t.same(shown, [[40], []], 'far: more than four times the largest value, wherever that is')
  const names = (all) => byId(all, 'latency-distribution').series.map(({ name }) => name)
  t.same(names(charts()), ['Response time', 'Service time', 'With unfinished'])
  t.same(names(charts({ latencyWithUnfinished: measured().latency })), ['Response time', 'Service time'])
  const { latency } = measured()
  const unfinished = (max) => ({ latencyWithUnfinished: { ...latency, totalCount: latency.totalCount + 2, mean: latency.mean * 1.001, max } })
  t.same([1.009, 1.05].map((factor) => names(charts(unfinished(latency.max * factor))).length), [2, 3])
})

t.test('a reader without scripts sees all tables, expanded', async (t) => {
  const { body } = parts(toHTML(measured()))
  const count = (text) => body.split(text).length - 1
  t.equal(count('<details open>'), 2)
  t.equal(count('<table'), count('<caption'))
  t.equal(count('<table'), 8)
  t.equal(count('role="img" aria-label="'), 6)
  t.notMatch(body, /<t[hd][^>]*>(undefined|NaN|null|\[object)/)
})

t.test('text from outside stays text, in the page and in its data', async (t) => {
  for (const value of [hostile(measured()), hostile(measured(), { numbers: true, keys: true }), [hostile(measured()), hostile(measured(), { keys: true })]]) {
    // Texts in place of numbers change the result, but never become code.
    const latency = { ...[value].flat()[0].latency }
    const page = toHTML(value, { title: TEXTS[0], options: hostile({ url: 'x', headers: { a: 'x' }, servername: 'x' }, { keys: true }) })
    t.type(latency, 'object')
    const { body, data } = parts(page)
    t.notMatch(body, /<img|<iframe|<script|<svg onload|<body [^>]|<textarea/)
    t.notMatch(data, /[<>&\u2028\u2029]/)
    t.ok(Array.isArray(JSON.parse(data)))
    t.match(body, '&lt;img src=x onerror=&quot;window.pwned = 2&quot;&gt;', 'they can be read')
    t.equal(page.split('<script').length, 3 + (parts(page).script.split('<script').length - 1))
  }
})

t.test('bidirectional control characters are removed', async (t) => {
  const page = toHTML(measured({ title: 'a\u202eb\u0000c\u001b[31md' }))
  t.match(page, '<h1>abcd</h1>')
  t.match(toHTML(measured(), { title: 'a\u202eb\u0000c\u001b[31md' }), '<h1>abcd</h1>', 'nor in a given title')
})

t.test('user names, passwords and secrets are removed', async (t) => {
  const options = {
    url: 'http://admin:hunter2@localhost/',
    headers: { Authorization: 'Bearer hunter2', 'X-Api-Key': 'hunter2', cookie: 'id=hunter2', accept: 'text/plain' },
    requests: [{ headers: { authorization: 'hunter2' } }, { body: 'hunter2' }],
    body: 'hunter2',
    form: { password: { type: 'text', value: 'hunter2' } },
    proxy: 'http://me:hunter2@proxy.example:3128/?x=1',
    expectBody: 'fine',
    tlsOptions: { key: 'hunter2', cert: Buffer.from('hunter2') },
    initialContext: { token: 'hunter2', user: 7 },
    setupClient: function prepare () {},
    connections: 12,
    timeout: 4,
    overallRate: null
  }
  const page = toHTML(measured({ title: undefined, url: ['http://admin:hunter2@localhost/?q=shoes&access_token=hunter2#top', 'https://hunter2@example.org/'], endpoints: [{ path: '/?api_key=hunter2&page=2' }, {}] }), { options })
  t.notMatch(page, 'hunter2')
  t.notMatch(page, 'admin')
  const { body } = parts(page)
  t.match(body, 'http://***@localhost/')
  t.match(body, 'q=shoes&amp;access_token=***#top')
  t.match(body, '/?api_key=***&amp;page=2')
  t.match(body, 'http://***@proxy.example:3128/?x=1')
  const row = (name, value) => new RegExp(`<code>${name}</code></th><td[^>]*>${value}</td>`)
  t.match(body, row('headers', 'Authorization: \\*{3}; X-Api-Key: \\*{3}; cookie: \\*{3}; accept: text/plain'))
  t.match(body, row('requests', '2 in sequence'))
  t.match(body, row('body', '\\(7 bytes\\)'))
  t.match(body, row('tlsOptions', 'with key, cert'))
  t.match(body, row('initialContext', '{&quot;token&quot;:&quot;\\*{3}&quot;,&quot;user&quot;:7}'))
  t.match(body, row('setupClient', '\\(function prepare\\)'))
  t.match(body, row('connections', '12'))
  t.notMatch(body, '<code>overallRate</code>', 'options that were not given are not listed')
})

t.test('a result from JSON makes the same report as a live one', async (t) => {
  t.equal(toHTML(JSON.parse(JSON.stringify(measured()))), toHTML(measured()))
})

t.test("a long run doesn't make a large report, and its peaks remain", async (t) => {
  // A day in samples of ten seconds.
  const timeline = Array.from({ length: 8640 }, (_, index) => ({
    time: 10 * index + 10, seconds: 10, requests: 1000, bytes: 1, errors: index === 500 ? 1 : 0, p50: 1, p90: 2, p99: index === 7001 ? 777.5 : 3, max: 900, connections: 10
  }))
  const page = toHTML(measured({ timeline, duration: 86400 }))
  t.ok(page.length < 300000, `${page.length} characters`)
  const [, , throughput, latency] = JSON.parse(parts(page).data)
  t.ok(throughput.data[0].length <= 801)
  t.equal(throughput.data[0].at(-1), 86400)
  t.ok(throughput.data[1].every((rate) => rate === 100))
  t.equal(throughput.data[2].reduce((sum, errors) => sum + errors), 1)
  t.equal(Math.max(...latency.data[3]), 777.5)
  t.match(page, 'Each row combines 144 samples')
})

t.test('anything other than a result is one clear error', async (t) => {
  const values = [
    undefined, null, 7, 'result', [], {}, [healthy(), {}], { latency: {}, requests: {} }, { kind: 'sweep' }, { kind: 'capacity', steps: 3 },
    { kind: 'comparison', metrics: null, sides: [] }, new Error('x')
  ]
  for (const value of values) {
    t.throws(() => toHTML(value), { name: 'CannonadeError', code: 'CANNONADE_BAD_RESULT', message: /^a report needs [^\n]*; got [^\n]*$/ })
  }
})

t.test('a result with only the fields of autocannon, and one without requests', async (t) => {
  t.match(toHTML(sparse()), '<td class="number">300</td>')
  const nothing = { ...healthy(), latency: { ...healthy().latency, totalCount: 0 }, statusCodeStats: {}, accounting: undefined }
  t.match(toHTML(nothing), '<dd class="value">–</dd>')
})

t.test('histograms that cannot be decoded are replaced by percentiles', async (t) => {
  for (const latency of ['', 'AAAA', '!', 'HISTFAAA', 7, null, 'H'.repeat(5e6)]) {
    const [chart] = JSON.parse(parts(toHTML(measured({ histograms: { latency } }))).data)
    const [positions, values] = chart.data
    t.equal(values[positions.findIndex((position) => Math.abs(position - 100) < 1e-6)], measured().latency.p99)
  }
})

t.test('samples are drawn over the time they cover, from the start, and so is a stall', async (t) => {
  const sample = (time, requests, p50) => ({ time, seconds: 0.5, requests, bytes: 1, errors: 0, p50, p90: p50, p99: p50, max: p50, connections: 1, statuses: requests > 0 ? { '2xx': requests - 1, '5xx': 1 } : {} })
  const timeline = [sample(0.5, 50, 2), sample(1, 0, 0), sample(1.5, 100, 40)]
  const charts = Object.fromEntries(JSON.parse(parts(toHTML(measured({ timeline }))).data).map((chart) => [chart.id, chart]))
  t.match(charts['throughput-over-time'], { steps: 'before', data: [[0, 0.5, 1, 1.5], [100, 100, 0, 200]] })
  t.match(charts['latency-over-time'], { steps: 'before', data: [[0, 0.5, 1, 1, 1.5], [2, 2, null, 40, 40]] })
  t.match(charts['trouble-over-time'], { steps: 'before', series: [{ name: '5xx' }], data: [[0, 0.5, 1, 1.5], [2, 2, 0, 2]] })
})

t.test('two runs have a difference, with its sign; the histogram has all requests', async (t) => {
  const [a, b] = [measured({ title: 'a' }), measured({ title: 'b', latency: { ...measured().latency, p50: measured().latency.p50 * 2 }, non2xx: 0 })]
  const page = toHTML([a, b])
  t.match(page, /p50 ms<\/th><td[^>]*>500[^<]*<\/td><td[^>]*>1,000[^<]*<\/td><td[^>]*>\+100%<\/td>/)
  t.match(page, /Not 2xx<\/th>.*−100%<\/td>/)
  const histogram = JSON.parse(parts(page).data).find(({ id }) => id === 'latency-histogram')
  const sum = histogram.data[1].reduce((total, share) => total + share, 0)
  t.ok(Math.abs(sum - 100) < 0.1, `${sum}`)
})

t.test('the report says where its result was measured, and with which options', async (t) => {
  const environment = { version: '9.8.7', node: 'v99.0.0', os: 'Linux 6 x64', cpu: 'Abacus 3000', cores: 2, memory: 8e9 }
  const page = toHTML(measured({ environment, options: { connections: 12, headers: { authorization: 'hunter2' } } }))
  t.match(page, 'Cannonade 9.8.7, Node.js v99.0.0')
  t.match(page, 'Abacus 3000, 2 cores, 8 GB, Linux 6 x64')
  t.match(page, 'authorization: ***')
  t.notMatch(page, 'hunter2')
})

t.test('the length of a drain, also of a short one', async (t) => {
  const drained = (seconds, completed) => toHTML({ ...healthy(), drain: { seconds, completed } }).match(/[^>]* after the end, during which [^<]*/)[0]
  t.equal(drained(0.004, 1), '4 ms after the end, during which 1 more completed')
  t.equal(drained(2.5, 1200), '2.5 s after the end, during which 1,200 more completed')
})

const heaviest = ({ body }) => [...(/<caption[^>]*>The heaviest stacks[^]*?<\/table>/.exec(body)?.[0] ?? '').matchAll(/<tr>(<th scope="row"[^]*?)<\/tr>/g)]
  .map(([, row]) => [...row.matchAll(/>([^<]*)<\/t[hd]>/g)].map(([, text]) => text))

// Of a second: see the fixture. Calls of others that only pass on are one row.
const STACKS = [
  ['server.js, process 100', '', '100%', '0%'],
  ['\u2003processTicks › emit', 'node:events:471', '90%', '0%'],
  ['\u2003\u2003handle', '/app/server.js:10', '90%', '10%'],
  ['\u2003\u2003\u2003work', '/app/server.js:20', '60%', '60%'],
  ['\u2003\u2003\u2003parse', '/app/node_modules/outer/node_modules/@scope/fast/index.js:3', '20%', '20%'],
  ['\u2003(garbage collector)', '', '10%', '10%']
]

// Modules that another test of this process has loaded know which packages there are.
function loadedAnew (name) {
  const known = Object.entries(require.cache).filter(([file]) => file.includes('/lib/'))
  for (const [file] of known) delete require.cache[file]
  const loaded = require(name)
  for (const file of Object.keys(require.cache)) if (file.includes('/lib/')) delete require.cache[file]
  Object.assign(require.cache, Object.fromEntries(known))
  return loaded
}

t.test('a flame graph, with the heaviest stacks as a table; without its package, the table says how to get it', async (t) => {
  const restore = withoutPackage(t, 'd3-flame-graph')
  const without = parts(loadedAnew('../../lib/report/html')(diagnosed()))
  restore()
  t.match(without.body, /<figure id="flame"><figcaption>The heaviest stacks.*install the package d3-flame-graph \(npm install d3-flame-graph\)/)
  t.same(heaviest(without), STACKS)
  t.notMatch(without.data, '"flame"')

  const page = toHTML(diagnosed())
  const scripts = [...page.matchAll(/<script>([^]*?)<\/script>/g)].map(([, script]) => script)
  t.equal(scripts.length, 2)
  t.match(scripts[0], /Apache License[^]*Copyright 2010-\d+ Mike Bostock/, 'it contains the licenses of the libraries')
  const hash = (text) => `'sha256-${crypto.createHash('sha256').update(text).digest('base64')}'`
  t.match(parts(page).policy, `script-src ${scripts.map(hash).join(' ')};`)
  t.same(heaviest(parts(page)), STACKS)
  const { flame } = JSON.parse(parts(page).data).find(({ id }) => id === 'flame')
  t.same(flame.nodes.map(([parent, frame, ms]) => [parent, flame.frames[frame][0], flame.colors[flame.frames[frame][2]], ms]), [
    [-1, 'server.js, process 100', 'node', 1000], [0, 'processTicks', 'node', 900], [1, 'emit', 'node', 900], [2, 'handle', 'program', 900], [3, 'work', 'program', 600], [3, 'parse', 'package', 200], [0, '(garbage collector)', 'native', 100]
  ])
  t.same(scripts[1], parts(toHTML(measured())).script, 'the library is only in pages that draw one')
  for (const hasFlame of [true, false]) t.equal(livePage({ url: 'x', hasFlame }).policy.includes(hash(scripts[0])), hasFlame, 'a live page becomes the report')
})

t.test('a damaged flame graph shows what is left of it', async (t) => {
  const result = diagnosed()
  const { flame } = result.diagnosis
  flame.nodes[4] = [99, 1, 5]
  flame.nodes[5] = [3, 77, 5]
  flame.nodes[6] = [0, flame.nodes[6][1], -1]
  t.same(heaviest(parts(toHTML(result))).map(([name]) => name.trim()), ['server.js, process 100', 'processTicks › emit', 'handle'])
  t.equal(heaviest(parts(toHTML({ ...result, diagnosis: { ...result.diagnosis, flame: null } }))).length, 0)
})

t.test('stalls over the time of the run: from start to end, as high as they are long', async (t) => {
  const charts = JSON.parse(parts(toHTML(diagnosed())).data)
  const chart = (name) => charts.find(({ id }) => id === name)
  t.same(chart('stalls-over-time').data, [[0, 1, 1.8, 3.8, 4, 10], [0, 0, 800, 0, 200, 0]])
  t.match(chart('stalls-over-time'), { group: 'time', steps: 'before', x: chart('latency-over-time').x })
  const [first, second] = chart('server-busy').data[1].slice(1)
  t.same([first, second], [0, 80], 'percent')
})
