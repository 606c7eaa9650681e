'use strict'

// What is sent with workers, counted by the server: exactly what one thread would send. Threads are simulated here, except in the last
// test.

const t = require('tap')
const { run } = require('../../..')
const { playInWorld } = require('../../support/play-in-world')
const { httpServer } = require('../../support/servers')
const { violations } = require('../../support/accounts')
const { until } = require('../../support/wait')

const sum = (numbers) => numbers.reduce((all, each) => all + each, 0)

/** A run with servers of a simulated world. */
async function play (t, opts, settings = {}, servers = 1) {
  const { result, world, server } = await playInWorld(t, servers === 1 ? settings : new Array(servers).fill(settings), opts)
  t.equal(result.requests.sent, world.log.length)
  const perConnection = world.sockets.map((socket) => world.log.filter((entry) => entry.socket === socket).length)
  return { result, world, server, perConnection }
}

t.test('amount, with every remainder', async (t) => {
  for (const [amount, connections, workers] of [[1000, 10, 2], [1001, 10, 3], [7, 5, 4], [3, 10, 4], [1, 8, 8], [50, 1, 3]]) {
    const { result, server } = await play(t, { amount, connections, workers })
    t.equal(server.requests, amount, `${amount} requests, ${connections} connections, ${workers} workers`)
    t.equal(result.requests.total, amount)
    t.equal(result['2xx'], amount)
    t.equal(result.workers, workers)
    t.equal(result.connections, connections)
    t.ok(server.connections.length <= connections)
  }
})

t.test('amount with pipelining', async (t) => {
  const { result, server } = await play(t, { amount: 777, connections: 3, pipelining: 5, workers: 2 })
  t.equal(server.requests, 777)
  t.same(result.accounting, { scheduled: 777, unsent: 0, sent: 777, completed: 777, failed: 0, timedOut: 0, unfinished: 0 })
})

t.test('connections are divided exactly', async (t) => {
  for (const [connections, workers] of [[10, 4], [7, 3], [5, 5], [2, 4]]) {
    const { result, server } = await play(t, { duration: 0.1, connections, workers }, { serviceTime: 9 })
    t.equal(server.connections.length, connections, `${connections} connections, ${workers} workers`)
    t.equal(result.connectionStats.opened, connections)
    t.equal(result.connectionStats.peak, connections)
    // Sent at 0, 9, … 99 ms.
    t.equal(result.requests.sent, 12 * connections)
    t.equal(result.accounting.unfinished, connections)
  }
})

t.test('an amount is divided as the connections are, so that no thread is alone at the end', async (t) => {
  // Each connection has 100 requests. With half of the amount, the thread with one connection would have 150.
  const { result, perConnection } = await play(t, { amount: 300, connections: 3, workers: 2 }, { serviceTime: 5 })
  t.same(perConnection, [100, 100, 100])
  t.equal(result.duration, 0.5)
})

t.test('maxOverallRequests applies to the whole run', async (t) => {
  const { result, server } = await play(t, { maxOverallRequests: 101, duration: 10, connections: 4, workers: 3 }, { serviceTime: 1 })
  t.equal(server.requests, 101)
  t.equal(result.requests.total, 101)
  t.equal(result.duration, 0.026, 'one connection has 26 of them')
})

t.test('random think times of one thread are not those of another', async (t) => {
  for (const opts of [
    { thinkTime: [0.01, 0.1] },
    { thinkTime: { mean: 0.05 } },
    { requests: [{ path: '/', thinkTime: [0.01, 0.1] }] }
  ]) {
    const { world } = await play(t, { ...opts, duration: 2, connections: 3, workers: 3, seed: 7 }, { serviceTime: 10 })
    const [first] = world.log
    const histories = world.sockets.map((socket) => world.log.filter((entry) => entry.socket === socket).slice(0, 12).map(({ sentAt }) => sentAt - first.sentAt).join())
    t.equal(new Set(histories).size, 3, JSON.stringify(opts))
  }
})

t.test('maxConnectionRequests applies to each connection', async (t) => {
  const { result, perConnection } = await play(t, { maxConnectionRequests: 9, duration: 10, connections: 5, workers: 2 })
  t.same(perConnection, [9, 9, 9, 9, 9])
  t.equal(result.requests.total, 45)
})

t.test('reconnectRate applies to each connection', async (t) => {
  const { result, server, perConnection } = await play(t, { reconnectRate: 5, amount: 60, connections: 3, workers: 3 })
  t.equal(server.requests, 60)
  t.same(perConnection, new Array(12).fill(5))
  t.equal(result.connectionStats.opened, 12)
})

t.test('several URLs have the same connections as without workers', async (t) => {
  const { result, world } = await play(t, { amount: 600, connections: 7, workers: 2 }, {}, 3)
  t.same(world.servers.map(({ connections }) => connections.length), [3, 2, 2])
  t.equal(sum(world.servers.map(({ requests }) => requests)), 600)
  t.same(result.url, world.servers.map(({ url }) => url))
  t.equal(result.requests.total, 600)
})

t.test('each request of a sequence is counted separately', async (t) => {
  const { result, world } = await play(t, { amount: 200, connections: 4, workers: 3, requests: [{ path: '/a' }, { path: '/b' }] }, {
    answer: ({ path }) => path === '/b' ? 404 : 200
  })
  const count = (wanted) => world.log.filter(({ path }) => path === wanted).length
  t.same(result.endpoints.map(({ path, completed }) => [path, completed]), [['/a', count('/a')], ['/b', count('/b')]])
  t.equal(result['4xx'], count('/b'))
  t.same(result.statusCodeStats, { 200: { count: count('/a') }, 404: { count: count('/b') } })
})

t.test('a growing number of connections: each begins when it would without workers', async (t) => {
  const { result, world } = await play(t, { connections: { from: 2, to: 8, over: 0.6 }, duration: 1.2, workers: 3 }, { serviceTime: 5 })
  t.equal(result.connections, 8)
  const begun = world.sockets.map(({ begunAt }) => (begunAt - world.sockets[0].begunAt) / 1000)
  // Timers may fire up to a millisecond early.
  for (const [index, due] of [0, 0, 100, 200, 300, 400, 500, 600].entries()) t.ok(begun[index] > due - 1.1 && begun[index] < due + 0.1, `${begun[index]} ms, due at ${due} ms`)
})

t.test('think times differ between threads', async (t) => {
  const { world } = await play(t, { connections: 2, thinkTime: [0.02, 0.2], seed: 3, duration: 1.2, workers: 2 })
  const [one, other] = world.sockets.map((socket) => world.log.filter((entry) => entry.socket === socket).map(({ sentAt }) => sentAt))
  t.ok(one.length > 5 && other.length > 5)
  for (let index = 1; index < 5; index++) t.not(one[index] - one[index - 1], other[index] - other[index - 1])
})

t.test('nothing is sent after the end', async (t) => {
  const { result, world } = await play(t, { duration: 0.3, connections: 6, workers: 3 }, { serviceTime: 1 })
  const last = Math.max(...world.log.map(({ sentAt }) => sentAt)) / 1000
  t.ok(last <= world.log[0].sentAt / 1000 + 300, `${last} ms`)
  t.equal(result.duration, 0.3)
})

t.test('with real threads as well', async (t) => {
  const server = await httpServer(t)
  const amount = await run({ url: server.url, amount: 1001, connections: 7, pipelining: 2, workers: 3 })
  t.equal(server.requests, 1001)
  t.equal(amount.requests.total, 1001)
  t.same(violations(amount), [])

  const { connections, requests } = server
  const instance = run({ url: server.url, duration: 600, connections: 6, workers: 2 })
  await until(() => server.connections - connections >= 6)
  instance.stop()
  const timed = await instance
  await until(() => server.openConnections === 0)
  t.equal(server.connections - connections, 6)
  // What each connection has just written may be lost with it.
  const received = server.requests - requests
  t.ok(timed.requests.sent >= received && timed.requests.sent <= received + 6, `${timed.requests.sent} sent, ${received} received`)
  t.same(violations(timed), [])
})
