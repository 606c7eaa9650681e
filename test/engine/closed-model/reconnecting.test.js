'use strict'

const t = require('tap')
const { benchmark, between } = require('./benchmark')
const { playInWorld } = require('../../support/play-in-world')
const { httpServer } = require('../../support/servers')

t.test('with reconnectRate every response counts, and each connection has that many', async (t) => {
  for (const [reconnectRate, pipelining] of [[1, 1], [4, 1], [4, 4], [5, 2], [3, 8], [1000, 1]]) {
    const server = await httpServer(t)
    const result = await benchmark(t, { url: server.url, amount: 120, connections: 5, reconnectRate, pipelining })
    const name = `every ${reconnectRate}, ${pipelining} pipelined`
    t.match(result.accounting, { sent: 120, completed: 120, failed: 0 }, name)
    t.equal(server.requests, 120, name)
    t.equal(server.answered, 120, name)
    t.ok(server.requestsPerConnection.every((count) => count <= reconnectRate), name)
    const leastConnections = Math.ceil(120 / reconnectRate)
    between(t, server.connections, leastConnections, leastConnections + 10, `connections, ${name}`)
    t.equal(result.connectionStats.closedByServer, 0, name)
  }
})

t.test('reconnectRate by time: every response of the server is reported', async (t) => {
  const { result: { accounting, connectionStats } } = await playInWorld(t, { serviceTime: 10 }, { duration: 0.405, connections: 4, reconnectRate: 3 })
  // 40 on each connection, and the last request of each is unfinished.
  t.match(accounting, { completed: 160, failed: 0, unfinished: 4 })
  t.equal(connectionStats.opened, 4 * 14)
})

t.test('keep-alive disabled by a header: one connection for each request, none lost', async (t) => {
  const server = await httpServer(t)
  const result = await benchmark(t, { url: server.url, amount: 60, connections: 4, headers: { connection: 'close' } })
  t.match(result.accounting, { sent: 60, completed: 60, failed: 0 })
  t.equal(server.requests, 60)
  t.same(server.requestsPerConnection, new Array(60).fill(1))
  t.match(result.connectionStats, { closedByServer: 0 })
})

t.test('connecting is not part of latency, however often it happens', async (t) => {
  const server = await httpServer(t, (request, response) => setTimeout(() => response.end('ok'), 20))
  const result = await benchmark(t, { url: server.url, amount: 30, connections: 3, reconnectRate: 1 })
  t.equal(result.connectTime.totalCount, result.connectionStats.opened)
  t.ok(result.connectTime.totalCount >= 30)
  t.ok(result.latency.min >= 19, `latency.min ${result.latency.min}`)

  const { result: { latency, connectTime } } = await playInWorld(t, { link: { delay: 30 }, serviceTime: 20 }, { amount: 30, connections: 3, reconnectRate: 1 })
  t.match(latency, { min: 80, max: 80 })
  t.match(connectTime, { min: 60, max: 60, totalCount: 30 })
})
