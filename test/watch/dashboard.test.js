'use strict'

const { EventEmitter } = require('node:events')
const http = require('node:http')
const net = require('node:net')
const os = require('node:os')
const t = require('tap')
const { run, compare, findCapacity, sweep, toHTML } = require('../..')
const Dashboard = require('../../lib/watch/dashboard')
const { progressInWords, thresholdsInWords } = require('../../lib/report/html/live-progress')
const { createPlan } = require('../../lib/plan')
const { parseThresholds } = require('../../lib/thresholds')
const { isOwnHost } = require('../../lib/watch/dashboard/page-server')
const Pages = require('../../lib/watch/dashboard/pages')
const { runCommand, startCommand } = require('../cli/command')
const { request } = require('../support/http-client')
const { httpServer } = require('../support/servers')
const { until } = require('../support/wait')

// The dashboard's URL of a run or a study, which is announced before anything is sent.
const addressOf = (instance) => new Promise((resolve) => instance.once('dashboard', resolve))

/** Connects to a dashboard as a browser does. `told` has all events so far; `next(name, test)` waits for one. */
function listen (t, url) {
  const told = []
  const waiting = new Set()
  let rest = ''
  const asked = http.get(`${url}/events`, (response) => {
    response.setEncoding('utf8').on('data', (text) => {
      const messages = (rest + text).split('\n\n')
      rest = messages.pop()
      for (const message of messages) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(message)
        told.push({ event, data: JSON.parse(data) })
      }
      for (const look of waiting) look()
    })
    response.on('error', () => {})
  })
  asked.on('error', () => {})
  const leave = () => asked.destroy()
  t.teardown(leave)
  function next (event, test = () => true) {
    return new Promise((resolve) => {
      const look = () => {
        const found = told.find((each) => each.event === event && test(each.data))
        if (found === undefined) return
        waiting.delete(look)
        resolve(found.data)
      }
      waiting.add(look)
      look()
    })
  }
  return { told, next, leave }
}

/** A server that answers the first requests, and the others when told to. */
async function gatedServer (t, most) {
  const held = []
  const server = await httpServer(t, (request, response) => {
    if (--most >= 0) response.end('ok')
    else held.push(response)
  })
  return Object.assign(server, {
    hold () {
      most = 0
    },
    open () {
      most = Infinity
      for (const response of held.splice(0)) response.end('ok')
    }
  })
}

t.test('a dashboard is informed of a run from its start, and gets the report at its end', async (t) => {
  const server = await gatedServer(t, 100)
  const instance = run({ url: server.url, connections: 2, amount: 150, sampleInt: 100, title: 'orders', dashboard: 0 })
  const { url, host, port } = await addressOf(instance)
  t.strictSame([url, host], [`http://127.0.0.1:${port}`, '127.0.0.1'])
  t.equal(server.requests, 0, 'the page is available before anything is sent')

  const page = await request(url)
  t.equal(page.status, 200)
  t.match(page.headers['content-type'], 'text/html')
  const policy = page.headers['content-security-policy']
  t.match(policy, /default-src 'none'; script-src(?: 'sha256-\S+){2,}; .*connect-src 'self'/)
  t.notMatch(policy, /unsafe/)
  t.match(page.headers, { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' })
  t.equal((await request(`${url}/report`)).status, 404, 'there is no report yet')

  const early = listen(t, url)
  await early.next('state', ({ figures }) => figures.requests === '100')
  const late = listen(t, url)
  const state = await late.next('state', ({ run }) => run !== null)
  t.match(state, { title: 'orders', status: /^Running, 100 of 150 requests after [\d.]+ .*\.$/, thresholds: [], figures: { offered: 'in the last sample', requests: '100', failures: '0', kinds: 'so far', connections: '2' }, study: null })
  const [throughput, latency, connections] = state.run.charts
  t.strictSame([throughput.id, latency.id, connections.id], ['throughput-over-time', 'latency-over-time', 'connections-over-time'])
  const { data: [times, rates] } = throughput
  t.equal(times[0], 0, 'a page that connects later sees it from the start')
  const answered = rates.slice(1).reduce((sum, rate, index) => sum + rate * (times[index + 1] - times[index]), 0)
  t.ok(Math.abs(answered - 100) < 3, `the chart has ${answered} of 100 requests`)

  server.open()
  const over = await early.next('over')
  t.match(over, { hasReport: true, message: null, mark: /^[\w-]{36}$/ })
  const report = await request(`${url}/report?${over.mark}`)
  early.leave()
  await request(`${url}/report?${(await late.next('over')).mark}`)
  late.leave()
  const result = await instance
  t.equal(result.accounting.completed, 150)
  t.ok(report.body === toHTML(result), 'it is the report of the result')
  await t.rejects(request(url), { code: 'ECONNREFUSED' }, 'the server has ended with the run')
})

t.test('requests from other hosts and origins are rejected', async (t) => {
  const server = await gatedServer(t, 0)
  const instance = run({ url: server.url, connections: 1, amount: 1, dashboard: { port: 0 } })
  const { url, port } = await addressOf(instance)
  const status = async (path, opts) => (await request(url + path, opts)).status
  for (const Host of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1:${port + 1}`, `localhost.evil.example:${port}`, `user@localhost:${port}`]) {
    for (const path of ['/', '/events', '/report']) t.equal(await status(path, { headers: { Host } }), 403, `${Host}${path}`)
  }
  for (const Host of [`localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`, `${os.hostname()}:${port}`]) t.equal(await status('/', { headers: { Host } }), 200, Host)
  t.equal(await status('/', { method: 'POST' }), 405)
  t.equal(await status('/', { method: 'HEAD' }), 200)
  t.equal(await status('/../etc/passwd'), 404)
  const raw = await new Promise((resolve) => net.connect(port, '127.0.0.1', function () { this.end('GET / HTTP/1.0\r\n\r\n') }).setEncoding('utf8').once('data', resolve))
  t.match(raw, /^HTTP\/1\.1 403 /, 'and so are requests without a host')
  server.open()
  await instance
})

t.test('for a server on all addresses, the requested host counts', async (t) => {
  const socket = { localAddress: '::ffff:10.1.2.3', localPort: 80 }
  const ask = (host) => isOwnHost({ headers: { host }, socket }, '0.0.0.0')
  t.strictSame(['10.1.2.3', '10.1.2.3:80', os.hostname(), '10.1.2.3:81', '10.1.2.4', 'localhost', 'evil.example', '', undefined].map(ask), [true, true, true, false, false, false, false, false, false])
})

t.test('a port in use is an error of the options, and nothing is sent', async (t) => {
  const server = await httpServer(t)
  const expected = { code: 'CANNONADE_SERVER_FAILED', option: 'dashboard', message: new RegExp(`^dashboard: port ${server.port} .* already in use`) }
  await t.rejects(run({ url: server.url, amount: 1, dashboard: server.port }), expected)
  await t.rejects(sweep({ url: server.url, dashboard: server.port }, { rates: [10] }), expected)
  t.equal(server.requests, 0)
})

t.test('without an open page a run ends at once', async (t) => {
  const server = await httpServer(t)
  const instance = run({ url: server.url, connections: 1, amount: 1, dashboard: 0 })
  const { url } = await addressOf(instance)
  await instance
  await t.rejects(request(url), { code: 'ECONNREFUSED' })
})

t.test('a slow page delays the end by at most four seconds, and not at all if the run is stopped', async (t) => {
  const begin = async () => {
    const server = await gatedServer(t, 0)
    const instance = run({ url: server.url, connections: 1, amount: 1, dashboard: 0 })
    const { url } = await addressOf(instance)
    const page = listen(t, url)
    await page.next('state')
    const openedAt = performance.now()
    server.open()
    await page.next('over')
    return { instance, url, page, openedAt }
  }
  const { instance: stopped } = await begin()
  let isOver = false
  stopped.then(() => { isOver = true })
  await new Promise((resolve) => setTimeout(resolve, 50))
  t.notOk(isOver, 'it waits until the page has read the report')
  stopped.stop()
  await stopped

  const { instance: patient, url, page, openedAt } = await begin()
  // Another client that reads the report, or only sends HEAD, is not the page that is waited for.
  await request(`${url}/report`)
  const { mark } = page.told.find(({ event }) => event === 'over').data
  await request(`${url}/report?${mark}`, { method: 'HEAD' })
  await request(`${url}/report?${'0'.repeat(36)}`)
  await patient
  // From before the run ended: however slow this machine is, it has not waited for less.
  const waited = performance.now() - openedAt
  t.ok(waited > 3000, `${waited} ms`)
})

t.test('a page gets events no more often than useful, and what it missed at once', async (t) => {
  let asked = 0
  const pages = new Pages(() => ({ asked: ++asked }))
  for (let change = 0; change < 100; change++) pages.changed()
  t.equal(asked, 0, 'without a page nothing is computed')
  const written = []
  const response = Object.assign(new EventEmitter(), { writeHead () {}, write: (text) => written.push(text), end () { this.emit('close') }, writableNeedDrain: false })
  pages.add(response, {})
  for (let change = 0; change < 100; change++) pages.changed()
  t.ok(asked <= 2, 'many changes are sent as one')
  response.writableNeedDrain = true
  pages.sendToAll()
  const before = written.length
  pages.sendToAll()
  t.equal(written.length, before, 'a page that has not read the last update gets no more')
  response.writableNeedDrain = false
  response.emit('drain')
  t.match(written.at(-1), new RegExp(`^event: state\ndata: {"asked":${asked}}\n\n$`))
  const end = pages.end({ hasReport: false }, 10000)
  t.match(written.at(-1), /^event: over/)
  response.emit('close')
  await end
})

t.test('a page that listens is no longer expected; others still are', async (t) => {
  const pages = new Pages(() => ({}))
  const page = () => Object.assign(new EventEmitter(), { writeHead () {}, write () {}, end () { this.emit('close') } })
  pages.expect(60_000)
  pages.expect(60_000)
  t.ok(pages.add(page(), {}))
  t.equal(pages.expected.size, 1)
  pages.add(page(), {})
  t.equal(pages.expected.size, 0)
  const [one, other] = pages.open
  other.emit('close')
  t.equal(pages.open.size, 1)
  const ended = pages.end({ hasReport: false }, 60_000)
  one.emit('close')
  await ended
})

t.test('a page that begins to listen after the end is told that at once, and nothing else', async (t) => {
  for (const hasReport of [true, false]) {
    const pages = new Pages(() => ({}))
    const page = () => Object.assign(new EventEmitter(), { told: [], writeHead () {}, write (text) { this.told.push(text) }, end () {} })
    const [early, late] = [page(), page()]
    pages.add(early, {})
    const ended = pages.end({ hasReport, message: 'why' }, 60_000)
    pages.add(late, {})
    t.equal(late.told.length, 1)
    const [, data] = /^event: over\ndata: (.*)\n\n$/.exec(late.told[0])
    const { mark, ...over } = JSON.parse(data)
    t.same(over, { hasReport, message: 'why' })
    t.equal(typeof mark, hasReport ? 'string' : 'undefined')
    pages.changed()
    pages.sendToAll()
    t.equal(late.told.length, 1)
    for (const each of [early, late]) each.emit('close')
    for (const each of [...pages.unread]) pages.reportRead(each)
    await ended
  }
})

/** A dashboard without a run, and a page of it. `stateAfter(parts)` tells it of a sample, and returns what the page then shows. */
async function fedDashboard (t) {
  const dashboard = new Dashboard({ host: '127.0.0.1', port: 0 }, { url: 'http://a' })
  const { url } = await dashboard.open()
  const page = listen(t, url)
  let requests = 0
  const stateAfter = (parts) => {
    requests++
    const row = { bytes: 0, errors: 0, p50: 1, p90: 1, p99: 1, max: 1, connections: 1, ...parts }
    dashboard.sampled({ timeline: { lastRow: row, samples: [row] }, sampleInt: 1000, totals: { requests, errors: 0, statuses: {} }, connections: 1 })
    return page.next('state', (state) => state.figures.requests === String(requests))
  }
  return { dashboard, page, stateAfter }
}

t.test('the offered rate of a sample: of requests that come due at a rate, but not of recorded ones, nor of sessions', async (t) => {
  const { dashboard, page, stateAfter } = await fedDashboard(t)
  const offered = async (options, more) => {
    const { plan } = createPlan({ url: 'http://localhost:1', duration: 10, ...options })
    dashboard.started({ ...plan, ...more?.plan }, false)
    const { figures } = await stateAfter({ time: 4, seconds: 2, requests: 30, ...more?.row })
    return figures.offered
  }
  t.equal(await offered({}), 'in the last sample')
  t.equal(await offered({ overallRate: 20 }), 'of 20/s offered')
  t.equal(await offered({ stages: '3s:10, 5s:30' }), 'of 20/s offered')
  t.equal(await offered({ overallRate: 20, sessions: true }), 'in the last sample')
  t.equal(await offered({ overallRate: 20 }, { plan: { schedule: { kind: 'recorded' } } }), 'in the last sample')
  t.equal(await offered({ overallRate: 20 }, { row: { time: 1, seconds: 2 } }), 'in the last sample', 'longer than the run until then, as after a restart')
  page.leave()
  await dashboard.finish({})
})

t.test('the end waits for each page that has not read the report, and no longer than for the last of them', async (t) => {
  const pages = new Pages(() => ({}))
  let ends = 0
  pages.hurry = () => { ends++ }
  const open = () => {
    const page = Object.assign(new EventEmitter(), { writeHead () {}, write (text) { page.mark = /"mark":"([^"]+)"/.exec(text)?.[1] }, end () {} })
    pages.add(page, {})
    return page
  }
  const [one, other, third] = [open(), open(), open()]
  const ended = pages.end({ hasReport: true }, 10_000)
  const marks = [one, other, third].map(({ mark }) => mark)
  t.equal(new Set(marks).size, 3)
  one.emit('close')
  other.emit('close')
  pages.reportRead(marks[2])
  third.emit('close')
  pages.reportRead(marks[0])
  pages.reportRead(marks[0])
  t.equal(ends, 0, 'one page has closed its connection to read the report')
  pages.reportRead(marks[1])
  t.equal(ends, 1)
  Pages.prototype.hurry.call(pages)
  await ended
})

t.test('a run that fails says why, and endless rounds continue', async (t) => {
  const server = await gatedServer(t, 0)
  const failing = run({ url: server.url, connections: 1, amount: 5, dashboard: 0, requests: [{ onResponse () { throw new Error('oh') } }] })
  const page = listen(t, (await addressOf(failing)).url)
  await page.next('state')
  server.open()
  t.match(await page.next('over'), { hasReport: true, message: /onResponse/ })
  page.leave()
  await t.rejects(failing, { code: 'CANNONADE_HOOK_FAILED' })

  const forever = run({ url: server.url, connections: 1, amount: 5, forever: true, dashboard: 0 })
  const watching = listen(t, (await addressOf(forever)).url)
  let rounds = 0
  await new Promise((resolve) => forever.on('done', () => { if (++rounds === 3) resolve() }))
  t.notOk(watching.told.some(({ event }) => event === 'over'))
  forever.stop()
  t.match(await watching.next('over'), { hasReport: true })
  watching.leave()
})

t.test('failures so far are a bound if bodies are verified, or gRPC has its own failures', async (t) => {
  const { dashboard, page, stateAfter } = await fedDashboard(t)
  for (const [grpc, verifiesBodies, text] of [[null, false, '0 so far'], [null, true, '≥ 0 so far'], [{ proto: 'a.proto' }, false, '≥ 0 so far']]) {
    dashboard.started({ ...createPlan({ url: 'http://localhost:1', thresholds: 'failures < 10' }).plan, grpc }, verifiesBodies)
    const { thresholds } = await stateAfter({ time: 1, seconds: 1, requests: 1 })
    t.match(thresholds[0].text, text)
    t.equal(thresholds[0].text.includes('≥'), text.includes('≥'))
  }
  const finished = dashboard.finish({ result: {} })
  page.leave()
  await finished
})

t.test('the cost of a sample in the load thread does not grow with the run', async (t) => {
  const dashboard = new Dashboard({ port: 0, host: '127.0.0.1' }, { title: 'an hour' })
  const { url } = await dashboard.open()
  const page = listen(t, url)
  await page.next('state')
  dashboard.started({ duration: 2000, amount: null, schedule: { kind: 'constant', rate: 125 }, sessions: null, thresholds: parseThresholds('p99 < 5ms') })
  let read = 0
  const timeline = {
    samples: [],
    get lastRow () {
      read++
      const time = this.samples.length / 10
      return { time, seconds: 0.1, requests: 10, bytes: 100, errors: 0, connections: 3, p50: 1, p90: 2, p99: 3, max: time, statuses: { '2xx': 10 } }
    },
    toResult () { throw new Error('the whole timeline was asked for') }
  }
  for (let count = 1; count <= 20000; count++) {
    timeline.samples.push(null)
    dashboard.sampled({ timeline, sampleInt: 100, totals: { requests: 10 * count, errors: 0, statuses: {} }, connections: 3 })
  }
  t.equal(read, 20000, 'each sample is read once, when it is over')
  const { run, status, thresholds, figures: { offered } } = await page.next('state', ({ figures, run }) => run !== null && figures.requests === '200,000')
  t.same([status, offered, thresholds], ['Running, 33 min 20 s of 33 min 20 s, waiting for the last responses.', 'of 125/s offered', [{ text: 'p99 < 5ms: 3 ms in the last sample', state: 'pass' }]])
  for (const { id, data } of run.charts) t.ok(data.every((values) => values.length <= 2000), `${id}: ${data[0].length} points`)
  const { data: [times, , , , highest] } = run.charts.find(({ id }) => id === 'latency-over-time')
  t.strictSame([times.at(-1), highest.at(-1)], [2000, 2000], 'no peak is lost')
  const sampledOnce = (requests) => dashboard.sampled({ timeline: { samples: [null], get lastRow () { return { ...timeline.lastRow, time: 0.1 } } }, sampleInt: 100, totals: { requests, errors: 0, statuses: {} }, connections: 3 })
  sampledOnce(7)
  const { run: { charts: [{ data }] } } = await page.next('state', ({ figures }) => figures.requests === '7')
  t.equal(data[0].at(-1), 0.1, 'another round begins with its first sample')
  dashboard.begins('the next run of a study')
  t.match(await page.next('state', (state) => state.status === 'the next run of a study.'), { run: null, figures: { requests: '0' } })
  const finished = dashboard.finish({})
  await page.next('over')
  page.leave()
  await finished
})

t.test('if a chart cannot be drawn, the run continues', async (t) => {
  const dashboard = new Dashboard({ port: 0, host: '127.0.0.1' }, {})
  const { url } = await dashboard.open()
  const page = listen(t, url)
  dashboard.begins('one')
  dashboard.started({ duration: 1, amount: null, schedule: null, sessions: null, thresholds: [] })
  const timeline = { samples: [null], lastRow: { time: 0, seconds: 0, requests: 1 } }
  dashboard.sampled({ timeline, sampleInt: 100, totals: { requests: 1, errors: 0 }, connections: 1 })
  dashboard.grew(() => ({ kind: 'sweep' }))
  dashboard.grew(() => { throw new Error('oh') })
  t.match(await page.next('state', ({ figures }) => figures.requests === '1'), { study: null, title: 'A run' })
  const finished = dashboard.finish({ result: {} })
  await page.next('over')
  t.match(await request(`${url}/report`), { status: 500, body: /^There is no report: / })
  page.leave()
  await finished
})

t.test('a warm-up is announced, and is not in the charts', async (t) => {
  const server = await gatedServer(t, 0)
  const instance = run({ url: server.url, connections: 1, amount: 1, warmup: { duration: 0.05 }, dashboard: 0, timeout: 60 })
  const page = listen(t, (await addressOf(instance)).url)
  t.match(await page.next('state', ({ status }) => status === 'Warming up.'), { run: null, figures: { requests: '0' } })
  server.open()
  await page.next('over')
  page.leave()
  await instance
})

t.test("the command prints the dashboard's URL", async (t) => {
  const server = await gatedServer(t, 0)
  const { output, ended } = startCommand(t, ['-a', '4', '-c', '1', '--dashboard', '0', server.url])
  const [, url] = await until(() => /^Dashboard at (\S+)$/m.exec(output.stderr))
  t.equal((await request(url)).status, 200)
  server.open()
  t.match(await ended, { code: 0, stderr: /Req\/Sec/ })
  const quiet = await runCommand(t, ['-j', '-n', '-a', '4', '--dashboard', '0', server.url])
  t.equal(quiet.stderr, '', '--no-progress')
  t.equal(JSON.parse(quiet.stdout).accounting.sent, 4)
  t.match(await runCommand(t, ['-a', '4', '--dashboard', `127.0.0.1:${server.port}`, server.url]), { code: 2, stderr: /^dashboard: port \d+ .* in use/ })
})

t.test('studies are shown as they progress', async (t) => {
  const server = await gatedServer(t, Infinity)
  const opts = { url: server.url, connections: 5, title: 'shop', timeout: 100 }
  const studies = {
    'Sweep of shop': [() => sweep({ ...opts, dashboard: 0 }, { rates: [50, 100, 150], duration: 0.1, pause: 0 }), 'achieved-by-rate', 2, /requests per second/],
    'Capacity of shop': [() => findCapacity({ ...opts, dashboard: 0 }, { rates: { from: 50, to: 100 }, duration: 0.1, pause: 0, slo: 'errors == 0' }), 'achieved-by-rate', 2, /climb/],
    'Comparison of shop and market': [() => compare([{ ...opts, dashboard: 0 }, { ...opts, title: 'market' }], { rounds: 3, duration: 0.1, warmup: 0, pause: 0 }), 'throughput-by-round', null, /^(shop|market), round \d/]
  }
  for (const [title, [begin, chart, held, status]] of Object.entries(studies)) {
    const study = begin()
    const events = []
    study.on('begin', (instance) => {
      // This run waits until events are delivered, however slow the page is; a run in the closed model would not wait.
      if (events.push(instance.opts.dashboard) === held) server.hold()
    })
    const page = listen(t, (await addressOf(study)).url)
    t.strictSame(events, [], 'the page is available before the first run')
    const { study: part, title: shown } = await page.next('state', ({ study }) => study?.charts.some(({ id }) => id === chart))
    t.equal(shown, title)
    t.notMatch(part.markup, /class="answer"/, 'there is no result before the end')
    t.match(await page.next('state', (state) => status.test(state.status)), { status })
    server.open()
    t.match(await page.next('over'), { hasReport: true, message: null })
    page.leave()
    const answer = await study
    t.ok(events.every((dashboard) => dashboard === undefined || dashboard === null), 'the runs have no pages of their own')
    t.match(toHTML(answer), /<h1>/)
  }
})

t.test('how far a run is, and what is known of its thresholds so far', async (t) => {
  const after = (time, extent, requests = 40) => progressInWords({ amount: null, duration: 60, ...extent }, { time }, { requests }, { url: 'http://a' })
  t.same([after(12), after(59.2), after(60.1), after(3, { amount: 500 }), after(3, { amount: 1 }, 0)], [
    '12 s of 1 min, 48 s left', '59 s of 1 min, 1 s left', '1 min of 1 min, waiting for the last responses', '40 of 500 requests after 3 s', '0 of 1 request after 3 s'
  ])
  const texts = ['p99 < 50ms', 'p50 < 50ms', 'p90 > 20ms', 'failures.rate < 1%', 'failures == 12', 'errors <= 2', 'errorRate < 1%', '5xx < 5%', '4xx == 0', 'non2xx == 0', 'serviceTime.p99 < 9ms', 'latency.max < 1s']
  const row = { p50: 10, p90: 20, p99: 40, max: 90, latencyBounds: { smallest: 40 } }
  const totals = { requests: 198, errors: 2, statuses: { '2xx': 188, '5xx': 10 } }
  const wordsOf = (texts, sample = row, hasOtherFailures = false) => thresholdsInWords(sample, totals, { thresholds: parseThresholds(texts), hasOtherFailures }).map(({ text, state }) => [text, state])
  t.same(wordsOf(texts), [
    ['p99 < 50ms: ≥ 40 ms in the last sample', 'unsure'],
    ['p50 < 50ms: 10 ms in the last sample', 'pass'],
    ['p90 > 20ms: 20 ms in the last sample', 'fail'],
    ['failures.rate < 1%: 6% so far', 'fail'],
    ['failures == 12: 12 so far', 'pass'],
    ['errors <= 2: 2 so far', 'pass'],
    ['errorRate < 1%: 1% so far', 'fail'],
    ['5xx < 5%: 5.05% so far', 'fail'],
    ['4xx == 0: 0 so far', 'pass'],
    ['non2xx == 0: 10 so far', 'fail'],
    ['serviceTime.p99 < 9ms: checked at the end', 'unknown'],
    ['latency.max < 1s: ≥ 90 ms in the last sample', 'unsure']
  ])
  t.same(wordsOf('p99 < 50ms', { ...row, max: 0 })[0][1], 'unknown', 'a sample without responses has no latency')
  t.same(wordsOf(['failures == 12', 'failures < 12', 'errors <= 2'], row, true), [
    ['failures == 12: ≥ 12 so far', 'unsure'], ['failures < 12: ≥ 12 so far', 'fail'], ['errors <= 2: 2 so far', 'pass']
  ], 'bodies and gRPC statuses are counted at the end')
})
