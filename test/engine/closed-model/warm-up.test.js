'use strict'

const t = require('tap')
const run = require('../../..')
const { benchmark, between } = require('./benchmark')
const { playInWorld } = require('../../support/play-in-world')
const { httpServer } = require('../../support/servers')
const { violations } = require('../../support/accounts')
const { until } = require('../../support/wait')

t.test("the warm-up uses the run's connections, and none of it is in the result", async (t) => {
  const { result, world } = await playInWorld(t, { serviceTime: 7 }, { connections: 4, duration: 0.4, warmup: { duration: 0.3 } })
  t.equal(world.sockets.length, 4)
  t.match(result.warmup, { connectionStats: { opened: 4 }, accounting: { unfinished: 0 } }, 'it waits for its responses, so that the connections are free')
  t.match(result.connectionStats, { opened: 0, peak: 4 })
  // Until 301 and 399 ms.
  t.equal(result.warmup.accounting.completed, 4 * 43)
  t.equal(result.accounting.completed, 4 * 57)
  between(t, result.duration, 0.4, 0.402, 'duration')
  between(t, result.warmup.duration, 0.3, 0.302, 'duration of the warm-up')
  between(t, world.elapsed, 701, 705, 'ms in all')
})

t.test('the same with asynchronous hooks, and with pipelining', async (t) => {
  const hooks = (world) => [{ setupRequest: (request) => world.sleep(2).then(() => request), onResponse: () => world.sleep(2) }]
  for (const make of [(world) => ({ requests: hooks(world) }), () => ({ pipelining: 3 }), (world) => ({ requests: hooks(world), pipelining: 3 })]) {
    const { result, world } = await playInWorld(t, { serviceTime: 1 }, (world) => ({ connections: 3, duration: 0.2, warmup: { duration: 0.2 }, ...make(world) }))
    t.equal(world.sockets.length, 3)
    t.match(result.connectionStats, { opened: 0, peak: 3 })
  }
})

t.test('a warm-up with other connections than the run', async (t) => {
  const { result, world } = await playInWorld(t, { serviceTime: 1 }, { connections: 2, duration: 0.2, warmup: { connections: 5, duration: 0.2 } })
  t.equal(world.sockets.length, 7)
  t.equal(result.warmup.connections, 5)
  t.equal(result.connections, 2)
})

t.test('the cost of the first requests is not in the numbers', async (t) => {
  // The first request of each connection is slow, and so is its handshake.
  const settings = { secure: true, handshake: 20, serviceTime: ({ numberOnConnection }) => numberOnConnection === 0 ? 200 : 1 }
  const { result } = await playInWorld(t, settings, { connections: 3, duration: 0.4, warmup: { duration: 0.4 } })
  t.match(result.latency, { min: 1, max: 1 })
  t.match(result.warmup.latency, { min: 1, max: 200 })
  t.equal(result.warmup.connectTime.max, 20)
  t.equal(result.connectTime.totalCount, 0)
})

// What is said once of a run is said of it even if it was true of its warm-up already, on the same connections and in the same threads.
const SAID = {
  STREAM_LIMIT: [{ http2: true, habits: { settings: { MAX_CONCURRENT_STREAMS: 2 } } }, { http2: true, pipelining: 5 }],
  'REDIRECT_NOT_FOLLOWED, to another origin': [{ answer: { status: 302, headers: { Location: 'http://elsewhere/' } } }, { followRedirects: 1 }],
  'REDIRECT_NOT_FOLLOWED, over HTTP/2': [{ http2: true, answer: { status: 302, headers: { Location: '/again' } } }, { followRedirects: 1, http2: true }],
  BODY_NOT_DECODED: [{ answer: { body: 'not gzip', headers: { 'Content-Encoding': 'gzip' } } }, { expectBody: 'x' }],
  STREAM_NOT_DECODED: [{ answer: { body: 'data: x\n\n', headers: { 'Content-Encoding': 'gzip' } } }, { stream: true }],
  'STREAM_NOT_DECODED, over HTTP/2': [{ http2: true, answer: { body: 'data: x\n\n', headers: { 'Content-Encoding': 'gzip' } } }, { stream: true, http2: true }]
}

for (const [name, [settings, opts]] of Object.entries(SAID)) {
  t.test(`a warm-up takes no warning from its run: ${name}`, async (t) => {
    const [code] = name.split(',')
    for (const more of [{}, { workers: 2 }, { overallRate: 100 }]) {
      const warningsWith = async (warmup) => {
        const { result } = await playInWorld(t, { serviceTime: 5, ...settings }, { connections: 2, duration: 0.2, ...opts, ...more, warmup })
        t.equal(result.warnings.filter((warning) => warning.code === code).length, more.overallRate > 0 && code === 'STREAM_LIMIT' ? 0 : 1, JSON.stringify(more))
        return result.warnings.filter((warning) => warning.code === code)
      }
      t.same(await warningsWith({ duration: 0.1 }), await warningsWith(undefined))
    }
  })
}

t.test('what an HTTP/2 server refused in the warm-up, and was not sent again there, is not sent in the run', async (t) => {
  const paths = Array.from({ length: 7 }, (_, index) => `/${index}`)
  for (const [name, more] of Object.entries({ plain: {}, 'with hooks': { onResponse () {} }, 'with an asynchronous hook': { setupRequest: async (request) => request } })) {
    const requests = paths.map((path) => ({ path, ...more }))
    const { result, world } = await playInWorld(t, { http2: true, serviceTime: 10 }, (world) => {
      const [server] = world.servers
      world.after(95, () => {
        server.goAwayAll({ untaken: 2 })
        server.refuse()
      })
      world.after(150, () => server.accept())
      return { http2: true, connections: 1, pipelining: 3, duration: 0.1, warmup: { duration: 0.1 }, requests }
    })
    t.match(result.warmup.accounting, { completed: 28, unfinished: 2 }, name)
    t.match(result.accounting, { completed: 6, unfinished: 3 }, name)
    t.same(world.log.map(({ path }) => path), world.log.map((entry, index) => paths[index % paths.length]), `${name}: the sequence continues`)
  }
})

t.test('with every way to start a run', async (t) => {
  const server = await httpServer(t)
  const opts = { url: server.url, connections: 2, amount: 20, warmup: { duration: 0.4 } }
  const result = await new Promise((resolve, reject) => run(opts, (error, result) => error ? reject(error) : resolve(result)))
  t.equal(result.accounting.completed, 20)
  t.same(violations(result), [])
})

t.test('stop during the warm-up', async (t) => {
  const { result, world } = await playInWorld(t, { serviceTime: 7 }, { connections: 2, duration: 20, warmup: { duration: 20 } }, (instance, world) => world.afterForClient(100, instance.stop))
  t.equal(result.warmup.accounting.completed, 28)
  t.match(result.accounting, { scheduled: 0, sent: 0 })
  between(t, world.elapsed, 100, 102, 'ms in all')
})

t.test('with real sockets as well: an amount is that of the run alone', async (t) => {
  const server = await httpServer(t)
  const result = await benchmark(t, { url: server.url, connections: 3, amount: 100, warmup: { duration: 0.4 } })
  await until(() => server.openConnections === 0)
  t.match(result.accounting, { sent: 100, completed: 100 })
  t.equal(server.requests, 100 + result.warmup.accounting.sent)
  // If the machine stalls, the warm-up ends before its connections are open.
  between(t, server.connections, 3, 6, 'connections')
})
