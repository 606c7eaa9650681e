'use strict'

const t = require('tap')
const { run } = require('../../..')
const { addsUp } = require('../../support/accounts')
const { playInWorld } = require('../../support/play-in-world')
const { httpServer, rawServer, reply } = require('../../support/servers')
const { answerTo, bothWays } = require('../numbered')

// The number of requests on each connection, in the order of the connections.
function countPerConnection (kept) {
  const counts = []
  for (const { connection } of kept) counts[connection] = (counts[connection] ?? 0) + 1
  return counts
}

// --- reconnectRate

for (const pipelining of [1, 4, 8]) {
  for (const reconnectRate of [1, 3, 4, 10]) {
    bothWays(t, `reconnectRate ${reconnectRate}, ${pipelining} pipelined`, (socket, request, index, answer) => socket.write(answer), {
      server: { keep: true },
      connections: 2,
      amount: 60,
      reconnectRate,
      pipelining
    }, (t, result, server) => {
      t.equal(result.accounting.completed, 60)
      t.strictSame(result.errorCodes, {})
      t.equal(server.requests, 60)
      const counts = countPerConnection(server.kept)
      t.ok(counts.every((count) => count <= reconnectRate), counts.join())
      t.ok(counts.filter((count) => count < reconnectRate).length <= 2, 'only the last ones may have fewer')
      const { opened, closedByServer, closedByClient } = result.connectionStats
      t.ok(opened >= 60 / reconnectRate)
      t.match({ closedByServer, closedByClient }, { closedByServer: 0, closedByClient: opened })
    })
  }
}

t.test('the response that ends a connection is counted', async (t) => {
  const { result, world } = await playInWorld(t, { serviceTime: 10 }, { connections: 5, duration: 0.505, reconnectRate: 1 })
  t.match(result.accounting, { completed: 250, unfinished: 5 })
  t.equal(world.sockets.length, 255)
})

t.test('reconnectRate with a server that closes as well', async (t) => {
  const server = await rawServer(t, (socket, request) => {
    if (request.indexOnConnection === 2) socket.end(reply('last', { headers: { Connection: 'close' } }))
    else socket.write(reply('ok'))
  })
  const result = await run({ url: server.url, connections: 2, amount: 60, reconnectRate: 3 })
  addsUp(t, result)
  t.equal(result.accounting.completed, 60)
  t.strictSame(result.errorCodes, {})
})

// --- maxConnectionRequests and maxOverallRequests

for (const pipelining of [1, 3]) {
  t.test(`maxConnectionRequests, ${pipelining} pipelined`, async (t) => {
    const server = await httpServer(t)
    const result = await run({ url: server.url, connections: 4, pipelining, maxConnectionRequests: 10, duration: 600 })
    addsUp(t, result)
    t.equal(result.accounting.completed, 40)
    t.strictSame(server.requestsPerConnection, [10, 10, 10, 10])
    t.ok(result.duration < 300, 'the run ends with the last response')
  })

  t.test(`maxOverallRequests, ${pipelining} pipelined`, async (t) => {
    const server = await httpServer(t)
    const result = await run({ url: server.url, connections: 4, pipelining, maxOverallRequests: 41, duration: 600 })
    addsUp(t, result)
    t.equal(result.accounting.completed, 41)
    t.equal(server.requests, 41)
    t.ok(result.duration < 300)
  })
}

t.test('maxConnectionRequests includes reconnects of the same connection', async (t) => {
  const server = await rawServer(t, (socket, request) => {
    if (request.indexOnConnection === 3) socket.resetAndDestroy()
    else socket.write(answerTo(request))
  }, { keep: true })
  const result = await run({ url: `${server.url}/0`, connections: 3, maxConnectionRequests: 10, duration: 600 })
  addsUp(t, result)
  t.equal(result.accounting.sent, 30)
  t.match(result.accounting, { completed: 24, failed: 6 })
  t.equal(server.requests, 30)
  t.ok(result.duration < 300)
})

t.test('maxConnectionRequests with reconnectRate', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 2, maxConnectionRequests: 10, reconnectRate: 4, duration: 600 })
  addsUp(t, result)
  t.equal(result.accounting.completed, 20)
  t.strictSame([...server.requestsPerConnection].sort(), [2, 2, 4, 4, 4, 4])
})

t.test('maxOverallRequests, when requests fail, counts those that were sent', async (t) => {
  const server = await rawServer(t, (socket, request, index) => {
    if (index % 5 === 4) socket.resetAndDestroy()
    else socket.write(reply('ok'))
  })
  const result = await run({ url: server.url, connections: 1, maxOverallRequests: 20, duration: 600 })
  addsUp(t, result)
  t.match(result.accounting, { sent: 20, completed: 16, failed: 4 })
  t.equal(server.requests, 20)
})

// --- amount

for (const pipelining of [1, 10]) {
  for (const connections of [1, 10]) {
    t.test(`an amount is exact: ${connections} connections, ${pipelining} pipelined`, async (t) => {
      const server = await httpServer(t)
      const result = await run({ url: server.url, connections, pipelining, amount: 103 })
      addsUp(t, result)
      t.equal(result.accounting.completed, 103)
      t.equal(server.requests, 103)
    })
  }
}
