'use strict'

// What is sent with workers, by the server's count: exactly what one thread would send.

const t = require('tap')
const { run } = require('../..')
const { delayServer, httpServer } = require('../support/servers')
const { violations } = require('../support/accounts')
const { inOneOfThree } = require('../support/timely')
const { sleep, until } = require('../support/wait')

// When time is up, what each connection has just written may be lost with it.
const isNear = (sent, received, connections) => sent >= received && sent <= received + connections
const sum = (numbers) => numbers.reduce((all, each) => all + each, 0)

t.test('amount, with every kind of remainder', async (t) => {
  for (const [amount, connections, workers] of [[1000, 10, 2], [1001, 10, 3], [7, 5, 4], [3, 10, 4], [1, 8, 8], [50, 1, 3]]) {
    const server = await httpServer(t)
    const result = await run({ url: server.url, amount, connections, workers })
    const what = `${amount} requests, ${connections} connections, ${workers} workers`
    t.equal(server.requests, amount, what)
    t.equal(result.requests.sent, amount)
    t.equal(result.requests.total, amount)
    t.equal(result['2xx'], amount)
    t.equal(result.workers, workers)
    t.equal(result.connections, connections)
    t.ok(server.connections <= connections)
    t.same(violations(result), [], what)
  }
})

t.test('amount with pipelining', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, amount: 777, connections: 3, pipelining: 5, workers: 2 })
  t.equal(server.requests, 777)
  t.same(result.accounting, { scheduled: 777, unsent: 0, sent: 777, completed: 777, failed: 0, timedOut: 0, unfinished: 0 })
})

t.test('connections are shared out to the last one', async (t) => {
  for (const [connections, workers] of [[10, 4], [7, 3], [5, 5], [2, 4]]) {
    const server = await httpServer(t)
    const result = await run({ url: server.url, duration: 0.6, connections, workers })
    t.equal(server.connections, connections, `${connections} connections, ${workers} workers`)
    t.equal(result.connectionStats.opened, connections)
    t.equal(result.connectionStats.peak, connections)
    t.ok(isNear(result.requests.sent, server.requests, connections))
    t.same(violations(result), [])
  }
})

t.test('an amount is shared out as the connections are, so that no thread is alone at the end', async (t) => {
  // Each connection has 100 requests. With half of the amount the thread with one connection would have 150.
  const server = await delayServer(t, 5)
  await run({ url: server.url, amount: 300, connections: 3, workers: 2 })
  t.equal(server.requests, 300)
  t.ok(server.requestsPerConnection.every((requests) => requests >= 80), `${server.requestsPerConnection}`)
})

t.test('maxOverallRequests is of the whole run', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, maxOverallRequests: 101, duration: 10, connections: 4, workers: 3 })
  t.equal(server.requests, 101)
  t.equal(result.requests.total, 101)
  t.ok(result.duration < 5)
  t.same(violations(result), [])
})

t.test('maxConnectionRequests is of each connection', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, maxConnectionRequests: 9, duration: 10, connections: 5, workers: 2 })
  t.same(server.requestsPerConnection, [9, 9, 9, 9, 9])
  t.equal(result.requests.total, 45)
})

t.test('reconnectRate is of each connection', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, reconnectRate: 5, amount: 60, connections: 3, workers: 3 })
  t.equal(server.requests, 60)
  t.equal(server.connections, 12)
  t.equal(result.connectionStats.opened, 12)
  t.same(violations(result), [])
})

t.test('several URLs have the connections that they have without workers', async (t) => {
  const servers = [await httpServer(t), await httpServer(t), await httpServer(t)]
  const result = await run({ url: servers.map(({ url }) => url), amount: 600, connections: 7, workers: 2 })
  t.same(servers.map(({ connections }) => connections), [3, 2, 2])
  t.equal(sum(servers.map(({ requests }) => requests)), 600)
  t.same(result.url, servers.map(({ url }) => url))
  t.equal(result.requests.total, 600)
})

t.test('each request of a sequence is counted under its own', async (t) => {
  const server = await httpServer(t, (request, response) => {
    paths[request.url]++
    response.writeHead(request.url === '/b' ? 404 : 200).end('ok')
  })
  const paths = { '/a': 0, '/b': 0 }
  const result = await run({ url: server.url, amount: 200, connections: 4, workers: 3, requests: [{ path: '/a' }, { path: '/b' }] })
  t.same(result.endpoints.map(({ path, completed }) => [path, completed]), Object.entries(paths))
  t.equal(result['4xx'], paths['/b'])
  t.same(result.statusCodeStats, { 200: { count: paths['/a'] }, 404: { count: paths['/b'] } })
  t.same(violations(result), [])
})

t.test('connections that grow: each begins when it would without workers', (t) => inOneOfThree(t, async (timely) => {
  const server = await delayServer(t, 5)
  const began = []
  server.server.on('connection', () => began.push(performance.now()))
  const result = await run({ url: server.url, connections: { from: 2, to: 8, over: 0.6 }, duration: 1.2, workers: 3 })
  t.equal(server.connections, 8)
  t.equal(result.connections, 8)
  const offsets = began.map((at) => at - began[0])
  for (const [index, offset] of offsets.slice(2).entries()) {
    const due = (index + 1) * 100
    timely.ok(offset > due - 60 && offset < due + 400, `connection ${index + 2} at ${offset} ms, due at ${due} ms`)
  }
}))

t.test('a think time is not the same in all threads', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  await run({ url: server.url, connections: 2, thinkTime: [0.02, 0.2], seed: 3, duration: 1.2, workers: 2 })
  const gaps = server.arrivals.slice(2).map((at, index) => at - server.arrivals[index + 1])
  const together = gaps.filter((gap) => gap < 3).length
  timely.ok(server.requests >= 10, `${server.requests} requests`)
  timely.ok(together < gaps.length / 3, `${together} of ${gaps.length} came together`)
}))

t.test('nothing is sent when time is up', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, duration: 0.3, connections: 6, workers: 3 })
  // What was written before is still to arrive.
  await until(() => server.openConnections === 0)
  const { requests } = server
  await sleep(100)
  t.equal(server.requests, requests)
  t.ok(isNear(result.requests.sent, requests, 6))
})
