'use strict'

const t = require('tap')
const run = require('../..')
const { playInWorld } = require('../support/play-in-world')
const { delayServer, rawServer, httpServer, closedPort, reply, chunkedReply } = require('../support/servers')
const { sleep, until } = require('../support/wait')
const { keepingServer, ownHeaders } = require('../support/keeping-server')

const TICK_FIELDS = ['counter', 'bytes', 'time', 'requests', 'sent', 'settled', 'errors', 'statuses', 'timeouts', 'connections', 'p50', 'p99']

t.test('start comes first, done last, and ticks between them', async (t) => {
  const server = await httpServer(t)
  const events = []
  const instance = run({ url: server.url, connections: 2, duration: 60, sampleInt: 100 })
  for (const event of ['start', 'tick', 'response', 'done']) instance.on(event, () => events.push(event))
  await until(() => events.filter((event) => event === 'tick').length >= 2)
  instance.stop()
  await instance
  t.equal(events[0], 'start')
  t.equal(events.at(-1), 'done')
  t.equal(events.filter((event) => event === 'start').length, 1)
})

t.test('start has no arguments, done has the result', async (t) => {
  const server = await httpServer(t)
  const instance = run({ url: server.url, connections: 1, amount: 1 })
  const args = {}
  for (const event of ['start', 'done']) instance.on(event, (...given) => { args[event] = given })
  const result = await instance
  t.same(args.start, [])
  t.equal(args.done.length, 1)
  t.equal(args.done[0], result)
})

t.test('a warm-up emits only its start: all other events belong to the run', async (t) => {
  const counts = { start: 0, response: 0, reqMismatch: 0, warmup: 0 }
  let requestsAtStart
  let ticked = 0
  const opts = { connections: 2, amount: 20, warmup: { duration: 1 }, expectBody: 'other' }
  const { result } = await playInWorld(t, { serviceTime: 9 }, opts, (instance, world) => {
    for (const event of Object.keys(counts)) instance.on(event, () => counts[event]++)
    instance.on('start', () => { requestsAtStart = world.log.length })
    instance.on('warmup', (warmup) => {
      t.same(warmup, { connections: 2, duration: 1 })
      t.equal(counts.start + world.log.length, 0, 'it comes first')
    })
    instance.on('tick', ({ counter }) => { ticked += counter })
  })
  t.same(counts, { start: 1, response: 20, reqMismatch: 20, warmup: 1 })
  t.equal(ticked, 20)
  t.equal(requestsAtStart, result.warmup.requests.sent)
  t.equal(requestsAtStart, 2 * 112, 'each of two connections sent one every 9 ms')
})

t.test('response times in events are those that latency counts: integer microseconds that add up to its total', async (t) => {
  const server = await delayServer(t, 2)
  for (const load of [{}, { pipelining: 3 }, { overallRate: 400 }, { overallRate: 400, ignoreCoordinatedOmission: true }, { workers: 2 }, { expectBody: 'ok' }]) {
    const instance = run({ url: server.url, connections: 3, amount: 40, ...load })
    const times = []
    instance.on('response', (client, status, bytes, time) => times.push(time))
    const { latency } = await instance
    t.equal(times.length, 40)
    t.same(times.filter((time) => time !== Math.round(time * 1000) / 1000), [], JSON.stringify(load))
    t.equal(Math.round(times.reduce((sum, time) => sum + time * 1000, 0)), Math.round(latency.total * 1000))
  }
  const heard = []
  const { latency } = await run({ url: server.url, connections: 1, amount: 5, setupClient: (client) => client.on('response', (status, bytes, time) => heard.push(time)) })
  t.equal(Math.round(heard.reduce((sum, time) => sum + time * 1000, 0)), Math.round(latency.total * 1000))
})

t.test('the sum of the ticks is the result', async (t) => {
  const ticks = []
  const { result } = await playInWorld(t, { serviceTime: 9 }, { connections: 3, duration: 0.55, sampleInt: 100 }, (instance) => instance.on('tick', (tick) => ticks.push(tick)))
  t.same(ticks.map(({ time }) => time), [0.1, 0.2, 0.3, 0.4, 0.5, 0.55])
  const sum = (name) => ticks.reduce((total, tick) => total + tick[name], 0)
  for (const tick of ticks) t.same(Object.keys(tick).sort(), [...TICK_FIELDS].sort())
  t.equal(sum('counter'), result.requests.total)
  t.equal(sum('bytes'), result.throughput.total)
  const last = ticks.at(-1)
  t.equal(last.requests, result.requests.total)
  t.equal(last.sent, result.requests.sent)
  t.equal(last.settled, result.requests.total)
  t.match(last, { errors: 0, timeouts: 0, connections: 3 })
  t.strictSame(last.statuses, { '2xx': result['2xx'] })
  for (const [index, { p50, p99, requests, counter }] of ticks.entries()) {
    t.same([p50, p99], [9, 9])
    t.equal(requests, (ticks[index - 1]?.requests ?? 0) + counter)
  }
})

t.test('ticks count errors', async (t) => {
  let last
  await playInWorld(t, { answer: 'silence' }, { connections: 2, amount: 2, timeout: 1 }, (instance) => instance.on('tick', (tick) => { last = tick }))
  t.match(last, { counter: 0, requests: 0, sent: 2, settled: 2, errors: 2, timeouts: 2 })
})

t.test('response: the client, the status, the exact number of bytes, the time', async (t) => {
  const replies = [
    reply('ok'),
    reply('', { status: 404 }),
    reply('x'.repeat(100000), { headers: { 'X-Long': 'y'.repeat(500) } }),
    chunkedReply(['one', 'two', 'three'], { extension: ';a=b', trailers: { 'X-End': 'yes' } }),
    reply('', { status: 204, length: null }),
    reply('created', { status: 201 })
  ]
  const server = await keepingServer(t, (request, index) => replies[index % replies.length])
  const seen = []
  const instance = run({ url: server.url, connections: 1, amount: replies.length })
  instance.on('response', (...args) => seen.push(args))
  const result = await instance
  t.same(seen.map(([, status]) => status), [200, 404, 200, 200, 204, 201])
  t.same(seen.map(([, , bytes]) => bytes), replies.map(({ length }) => length))
  t.equal(result.bytes.read, server.bytesOut)
  t.equal(new Set(seen.map(([client]) => client)).size, 1, 'one connection, one client')
  const times = seen.map(([, , , time]) => time)
  t.ok(times.every((time) => typeof time === 'number' && time > 0))
  t.ok(Math.abs(Math.max(...times) - result.latency.max) < 0.002 + result.latency.max / 100, 'the time that latency counts')
})

t.test('each response is emitted once, also if pipelined or split', async (t) => {
  const answer = reply('hello')
  const server = await rawServer(t, (socket, request, index) => {
    // Three responses in one packet, split within the third.
    if (index % 4 === 3) {
      socket.write(Buffer.concat([answer, answer, answer.subarray(0, 20)]))
      setTimeout(() => socket.write(Buffer.concat([answer.subarray(20), answer])), 2)
    }
  })
  const bytes = []
  const instance = run({ url: server.url, connections: 1, pipelining: 4, amount: 40 })
  instance.on('response', (client, status, resBytes) => bytes.push(resBytes))
  await instance
  t.same(bytes, new Array(40).fill(answer.length))
})

t.test('a listener of response that is added during the run', async (t) => {
  for (const pipelining of [1, 4]) {
    const server = await keepingServer(t)
    const requests = ['/a', '/b', '/c'].map((path) => ({ path }))
    const instance = run({ url: server.url, connections: 2, pipelining, duration: 600, requests })
    await until(() => server.requests > 50)
    let heard = 0
    const answeredBefore = server.requests
    instance.on('response', () => heard++)
    await until(() => heard > 50)
    instance.removeAllListeners('response')
    const atRemoval = heard
    await until(() => server.requests > answeredBefore + 300)
    instance.stop()
    const result = await instance
    t.equal(heard, atRemoval)
    for (const connection of [0, 1]) {
      const paths = server.of(connection).map(({ path }) => path)
      t.same(paths, paths.map((_, index) => requests[index % 3].path), `pipelining ${pipelining}: the order is kept`)
    }
    t.equal(result.errors, 0)
    t.equal(result.requests.total + result.accounting.unfinished, result.requests.sent)
    t.equal(result.endpoints.reduce((sum, { completed }) => sum + completed, 0), result.requests.total)
  }
})

t.test('a listener that changes what is sent from then on', async (t) => {
  const server = await keepingServer(t)
  const instance = run({ url: server.url, connections: 1, duration: 600, requests: [{ path: '/a' }, { path: '/b' }] })
  await until(() => server.requests > 20)
  let changed = null
  instance.on('response', (client) => {
    if (changed !== null) return
    client.setHeaders({ late: 'yes' })
    changed = server.requests
  })
  await until(() => changed !== null && server.requests > changed + 20)
  instance.stop()
  await instance
  const path = server.kept[changed - 1].path
  for (const [index, request] of server.kept.entries()) {
    const expected = index >= changed && request.path === path ? { late: 'yes' } : {}
    t.same(ownHeaders(request), expected, `request ${index}`)
  }
})

t.test('reqError: one for each failure, with its code', async (t) => {
  const { url } = await closedPort(t)
  const errors = []
  const instance = run({ url, connections: 2, duration: 60 })
  instance.on('reqError', (error) => {
    if (errors.push(error) === 5) instance.stop()
  })
  const result = await instance
  t.ok(errors.length >= 5)
  t.equal(errors.length, result.errors)
  for (const error of errors) {
    t.ok(error instanceof Error)
    t.equal(error.code, 'ECONNREFUSED')
  }
})

t.test('reqError: a timeout, and each request that was lost behind it', async (t) => {
  const codes = []
  const { result } = await playInWorld(t, { answer: 'silence' }, { connections: 1, pipelining: 3, amount: 3, timeout: 1 }, (instance) => {
    instance.on('reqError', (error) => codes.push([error.code, error.message.includes('request timed out')]))
  })
  t.same(codes, [['CANNONADE_RESPONSE_TIMEOUT', true], ['CANNONADE_LOST_IN_PIPELINE', false], ['CANNONADE_LOST_IN_PIPELINE', false]])
  t.equal(result.errors, 3)
  t.equal(result.timeouts, 1)
})

t.test('reqMismatch: the unexpected body', async (t) => {
  const server = await keepingServer(t, (request, index) => reply(`body ${index}`))
  const bodies = []
  const instance = run({ url: server.url, connections: 1, amount: 3, expectBody: 'body 1' })
  instance.on('reqMismatch', (body) => bodies.push(body))
  const result = await instance
  t.same(bodies, ['body 0', 'body 2'])
  t.equal(result.mismatches, 2)
})

t.test('once, off and other EventEmitter methods work', async (t) => {
  const server = await httpServer(t)
  const instance = run({ url: server.url, connections: 1, amount: 10 })
  const heard = { once: 0, off: 0, prepended: [] }
  const gone = () => heard.off++
  t.equal(instance.on('response', gone), instance)
  t.equal(instance.off('response', gone), instance)
  instance.once('response', () => heard.once++)
  instance.on('done', () => heard.prepended.push(2))
  instance.prependListener('done', () => heard.prepended.push(1))
  await instance
  t.same(heard, { once: 1, off: 0, prepended: [1, 2] })
})

t.test('nothing is emitted after done', async (t) => {
  const server = await httpServer(t)
  const after = []
  const instance = run({ url: server.url, connections: 5, duration: 0.2, sampleInt: 50 })
  let isDone = false
  for (const event of ['start', 'tick', 'response', 'reqError', 'done']) {
    instance.on(event, () => {
      if (isDone) after.push(event)
      if (event === 'done') isDone = true
    })
  }
  await instance
  await sleep(150)
  t.same(after, [])
})

t.test('there is no tick for an interval of zero length', async (t) => {
  for (const opts of [{ overallRate: 20 }, { connections: 2 }]) {
    const ticks = []
    const { result: { requests, drain } } = await playInWorld(t, { serviceTime: 145 }, { duration: 0.4, sampleInt: 200, ...opts }, (instance) => instance.on('tick', (tick) => ticks.push(tick)))
    t.same(ticks.map(({ time }) => time), [0.2, 0.4], JSON.stringify(opts))
    t.equal(ticks.reduce((sum, { counter }) => sum + counter, 0), requests.total - drain.completed, 'and none is lost')
  }
})
