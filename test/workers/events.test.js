'use strict'

// The events of an instance with workers: those of one thread, some of them a little later.

const t = require('tap')
const { run } = require('../..')
const { closedPort, delayServer, httpServer } = require('../support/servers')
const { moodyServer } = require('../support/moody-server')
const { inOneOfThree } = require('../support/timely')
const { until } = require('../support/wait')

const TICK_FIELDS = ['counter', 'bytes', 'time', 'requests', 'sent', 'settled', 'errors', 'timeouts', 'connections', 'p50', 'p99']

function count (instance, events) {
  const counts = Object.fromEntries(events.map((event) => [event, 0]))
  for (const event of events) instance.on(event, () => counts[event]++)
  return counts
}

t.test('start, ticks, done', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  const events = []
  const ticks = []
  const instance = run({ url: server.url, connections: 5, duration: 0.5, sampleInt: 100, workers: 2 })
  for (const event of ['start', 'tick', 'done']) instance.on(event, () => events.push(event))
  instance.on('tick', (tick) => ticks.push(tick))
  const result = await instance
  t.equal(events[0], 'start')
  t.equal(events.at(-1), 'done')
  t.same(events.slice(1, -1), ticks.map(() => 'tick'))
  timely.ok(ticks.length >= 3, `${ticks.length} ticks`)

  const sum = (name) => ticks.reduce((total, tick) => total + tick[name], 0)
  t.equal(sum('counter'), result.requests.total)
  t.equal(sum('bytes'), result.throughput.total)
  for (const [index, tick] of ticks.entries()) {
    t.same(Object.keys(tick).sort(), [...TICK_FIELDS].sort())
    t.ok(tick.p50 <= tick.p99)
    timely.ok(tick.p50 > 0, `p50 ${tick.p50}`)
    timely.equal(tick.connections, 5, 'connections')
    if (index > 0) t.ok(tick.time > ticks[index - 1].time && tick.sent >= ticks[index - 1].sent)
  }
  t.equal(ticks.at(-1).requests, result.requests.total)
  // Threads end a moment apart. A rest in which nothing more happened is no tick.
  t.ok(ticks.at(-1).time <= result.duration)
}))

t.test('start comes when the hooks are loaded and before anything is sent', async (t) => {
  const server = await httpServer(t)
  const instance = run({ url: server.url, connections: 2, amount: 10, workers: 2 })
  let atStart
  instance.on('start', () => { atStart = server.requests })
  await instance
  t.equal(atStart, 0)
})

t.test('response: once for each, with what it tells without workers', async (t) => {
  const server = await httpServer(t, (request, response, index) => response.writeHead(index % 2 ? 404 : 200).end('four'))
  const seen = []
  const instance = run({ url: server.url, connections: 3, amount: 200, workers: 2 })
  instance.on('response', (...args) => seen.push(args))
  const result = await instance
  t.equal(seen.length, 200)
  t.equal(seen.filter(([, status]) => status === 200).length, result['2xx'])
  t.equal(seen.reduce((sum, [, , bytes]) => sum + bytes, 0), result.bytes.read)
  const times = seen.map(([, , , time]) => time)
  t.ok(Math.abs(Math.max(...times) - result.latency.max) < 0.002 + result.latency.max / 100)
})

t.test('response: its client is in another thread, and says so', async (t) => {
  const server = await httpServer(t)
  const instance = run({ url: server.url, connections: 1, amount: 2, workers: 1 })
  const errors = []
  instance.on('response', (client) => {
    for (const use of [
      () => client.setHeaders({}), () => client.setBody(''), () => client.setHeadersAndBody({}, ''),
      () => client.setRequest({}), () => client.setRequests([{}]), () => client.on('body', () => {}), () => client.once('headers', () => {})
    ]) {
      try {
        use()
        errors.push(null)
      } catch (error) {
        errors.push(error)
      }
    }
  })
  await instance
  t.equal(errors.length, 14)
  for (const error of errors) t.match(error, { code: 'CANNONADE_CLIENT_MISUSE', message: /in another thread: .*setupClient/ })
})

t.test('a listener that is too slow holds up neither the run nor its end, and what it did not hear is counted', async (t) => {
  const server = await httpServer(t)
  const instance = run({ url: server.url, connections: 20, amount: 400, workers: 2 })
  let heard = 0
  instance.on('response', () => {
    heard++
    const end = performance.now() + 25
    while (performance.now() < end);
  })
  const { accounting, warnings } = await instance
  t.equal(accounting.completed, 400)
  const [{ message }] = warnings.filter(({ code }) => code === 'EVENTS_LEFT_OUT')
  const leftOut = Number(message.match(/([\d,]+) events were not told/)[1].replaceAll(',', ''))
  t.equal(heard + leftOut, 400)
})

t.test('reqError: once for each, an error with its code', async (t) => {
  const server = await moodyServer(t, ['rst', 'garbage', 'cutBody', 'fin'])
  const errors = []
  const instance = run({ url: server.url, connections: 4, amount: 60, workers: 2 })
  instance.on('reqError', (error) => errors.push(error))
  const result = await instance
  t.equal(errors.length, result.errors)
  const byCode = {}
  for (const error of errors) {
    t.ok(error instanceof Error)
    byCode[error.code] = (byCode[error.code] ?? 0) + 1
  }
  for (const [code, { count }] of Object.entries(result.errorCodes)) t.equal(byCode[code], count, code)
})

t.test('reqError: connections that fail while the open model waits for them', async (t) => {
  const { url } = await closedPort(t)
  const instance = run({ url, connections: 4, overallRate: 10, duration: 0.3, workers: 2 })
  const events = []
  for (const event of ['start', 'reqError', 'done']) instance.on(event, () => events.push(event))
  const { errors } = await instance
  t.equal(events[0], 'start')
  t.equal(events.filter((event) => event === 'reqError').length, errors)
  t.ok(errors >= 4)
})

t.test('reqMismatch: the body', async (t) => {
  const server = await httpServer(t)
  const bodies = []
  const instance = run({ url: server.url, connections: 2, amount: 30, expectBody: 'other', workers: 2 })
  instance.on('reqMismatch', (body) => bodies.push(body))
  const result = await instance
  t.same(bodies, new Array(30).fill('ok'))
  t.equal(result.mismatches, 30)
})

t.test('a warm-up is not heard of', async (t) => {
  const server = await httpServer(t)
  const instance = run({ url: server.url, connections: 2, amount: 40, warmup: 0.3, expectBody: 'other', workers: 2 })
  const counts = count(instance, ['start', 'response', 'reqMismatch', 'done'])
  let ticked = 0
  instance.on('tick', ({ counter }) => { ticked += counter })
  await instance
  t.same(counts, { start: 1, response: 40, reqMismatch: 40, done: 1 })
  t.equal(ticked, 40)
})

t.test('a listener that comes late, and one that goes', async (t) => {
  const server = await delayServer(t, 3)
  // One sample is as long as the run: listeners must not have to wait for the next one.
  const instance = run({ url: server.url, connections: 2, duration: 60, sampleInt: 60_000, workers: 2 })
  await until(() => server.requests > 20, 20_000)
  let responses = 0
  const listener = () => responses++
  instance.on('response', listener)
  await until(() => responses > 10, 20_000)
  instance.removeListener('response', listener)
  const atRemoval = responses
  let atOnce = 0
  instance.once('response', () => atOnce++)
  await until(() => atOnce === 1, 20_000)
  instance.stop()
  await instance
  t.equal(responses, atRemoval)
  t.equal(atOnce, 1)
  t.same(instance.eventNames(), [], 'nothing of ours is left on the instance')
})

t.test('a listener that throws ends the run with an error', async (t) => {
  const server = await delayServer(t, 3)
  for (const event of ['start', 'tick', 'response']) {
    const instance = run({ url: server.url, connections: 2, duration: 60, sampleInt: 100, workers: 2 })
    instance.on(event, () => { throw new Error(`not this ${event}`) })
    const error = await instance.then(() => null, (error) => error)
    t.match(error, { code: 'CANNONADE_HOOK_FAILED', message: new RegExp(`not this ${event}`) })
    t.equal(error.result.accounting.sent, error.result.requests.sent)
  }
})

t.test('--debug prints what happens in the threads', async (t) => {
  const { url } = await closedPort(t)
  const written = []
  const { write } = process.stderr
  process.stderr.write = (text) => written.push(text)
  t.teardown(() => { process.stderr.write = write })
  const { errors } = await run({ url, connections: 2, duration: 0.2, debug: true, workers: 2 })
  process.stderr.write = write
  t.equal(written.filter((text) => text.startsWith('ECONNREFUSED: ')).length, errors)
})
