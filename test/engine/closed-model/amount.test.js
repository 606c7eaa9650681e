'use strict'

const t = require('tap')
const { benchmark, between } = require('./benchmark')
const { playInWorld } = require('../../support/play-in-world')
const { httpServer } = require('../../support/servers')
const { moodyServer } = require('../../support/moody-server')
const { sleep, until } = require('../../support/wait')

t.test('exactly that many requests are sent, answered and reported, with any pipelining', async (t) => {
  for (const [amount, connections, pipelining] of [[100, 1, 10], [1000, 10, 10], [50, 3, 7], [1000, 10, 1], [3, 4, 16], [1, 1, 1]]) {
    const server = await httpServer(t)
    const result = await benchmark(t, { url: server.url, amount, connections, pipelining })
    const name = `${amount} over ${connections} connections, ${pipelining} pipelined`
    t.match(result.accounting, { sent: amount, completed: amount, failed: 0, timedOut: 0, unfinished: 0 }, name)
    t.match(result, { errors: 0, '2xx': amount, requests: { sent: amount, total: amount } }, name)
    t.equal(server.requests, amount, name)
    t.equal(server.answered, amount, name)
  }
})

t.test('fewer requests than connections are not an error', async (t) => {
  const server = await httpServer(t)
  const result = await benchmark(t, { url: server.url, amount: 3, connections: 20 })
  t.equal(result.accounting.completed, 3)
  t.equal(server.requests, 3)
})

t.test('a failed request counts towards the amount, and so does each request lost behind it', async (t) => {
  const answers = [200, 200, 200, 'reset', 200, 'end', 200, { cutAt: 30, then: 'end' }]
  for (const pipelining of [1, 4]) {
    const { result, world } = await playInWorld(t, { serviceTime: 1, answer: ({ number }) => answers[number % 8] }, { amount: 80, connections: 4, pipelining })
    const { sent, completed, failed } = result.accounting
    t.equal(sent, 80)
    t.equal(completed + failed, 80)
    t.equal(result.errors, failed)
    t.equal(completed, world.log.filter(({ receivedAt }) => receivedAt !== null).length)
    if (pipelining === 1) t.equal(failed, 30)
    else between(t, failed, 30, 79, 'failed')
  }
})

t.test('a request that was never written does not count: another one is sent instead', async (t) => {
  // The server closes after each response, while the next request is still being set up.
  const setupRequest = async (request) => sleep(3).then(() => request)
  for (const pipelining of [1, 3]) {
    const server = await moodyServer(t, ['last'])
    const { accounting } = await benchmark(t, { url: server.url, amount: 30, connections: 3, pipelining, requests: [{ setupRequest }] })
    t.equal(accounting.sent, 30)
    t.equal(accounting.completed + accounting.failed, 30)
    between(t, server.requests, accounting.completed, 30, 'received')
  }
})

t.test('requests that time out count towards the amount', async (t) => {
  const { result, server } = await playInWorld(t, { answer: ({ number }) => number % 4 === 3 ? 'silence' : 200 }, { amount: 40, connections: 5, timeout: 0.8 })
  t.match(result.accounting, { sent: 40, completed: 30, timedOut: 10, failed: 0 })
  t.equal(server.requests, 40)
})

t.test('maxOverallRequests and maxConnectionRequests limit what is sent', async (t) => {
  for (const pipelining of [1, 3]) {
    const overall = await httpServer(t)
    const result = await benchmark(t, { url: overall.url, maxOverallRequests: 25, connections: 4, pipelining, duration: 600 })
    t.match(result.accounting, { sent: 25, completed: 25 })
    t.equal(overall.requests, 25)
    between(t, result.duration, 0, 300, 'it ends when all are answered')

    const each = await httpServer(t)
    const { accounting } = await benchmark(t, { url: each.url, maxConnectionRequests: 7, connections: 4, pipelining, duration: 600 })
    t.match(accounting, { sent: 28, completed: 28 })
    t.same(each.requestsPerConnection, [7, 7, 7, 7])
  }
})

t.test('a limit that cannot be reached in time is not reached', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 50 }, { maxOverallRequests: 1000, connections: 2, duration: 0.51 })
  t.match(result, { duration: 0.51, accounting: { completed: 20, unfinished: 2 } })
})

t.test('without any response, sent is exactly what was written', async (t) => {
  for (const [connections, pipelining] of [[10, 1], [5, 3], [1, 20]]) {
    const { result: { accounting, requests }, server } = await playInWorld(t, { answer: 'silence' }, { connections, pipelining, duration: 0.3 })
    const expected = connections * pipelining
    t.match(accounting, { sent: expected, unfinished: expected, completed: 0 })
    t.equal(requests.sent, expected)
    t.equal(server.requests, expected)
  }
})

t.test('sent is what the server received, after a run by time', async (t) => {
  for (const pipelining of [1, 8]) {
    const server = await moodyServer(t, ['ok'])
    const { accounting } = await benchmark(t, { url: server.url, connections: 6, pipelining, duration: 0.3 })
    await until(() => server.openConnections === 0)
    t.equal(accounting.sent, accounting.completed + accounting.unfinished)
    t.ok(accounting.unfinished <= 6 * pipelining)
    between(t, server.requests, accounting.completed, accounting.sent, 'received')
    between(t, server.answered, accounting.completed, accounting.sent, 'answered')
  }
})
