'use strict'

const t = require('tap')
const { benchmark, between } = require('./benchmark')
const { playInWorld } = require('../../support/play-in-world')
const { httpServer, rawServer, reply } = require('../../support/servers')
const { until } = require('../../support/wait')

t.test('a server that closes after every tenth response: latency stays that of the server throughout the run', async (t) => {
  const settings = { serviceTime: 2, link: { delay: 0.5 }, answer: ({ numberOnConnection }) => numberOnConnection === 9 ? { then: 'end' } : 200 }
  const { result, server } = await playInWorld(t, settings, { connections: 4, duration: 1.2, sampleInt: 200 })
  const { accounting, latency, timeline } = result
  t.match(latency, { min: 3, max: 3 })
  // The first samples and the last ones agree: no delay builds up.
  t.match(timeline.at(-1), { p50: 3, max: 3 })
  // The server doesn't announce it, so the request after the last response is lost on each connection.
  between(t, accounting.failed, server.connections.length - 4, server.connections.length, 'failed')
  between(t, result.connectionStats.opened, accounting.completed / 10, accounting.completed / 10 + 4, 'connections')
  t.equal(result.connectionStats.opened, server.connections.length)
  t.match(result.connectTime, { min: 1, max: 1 })
})

t.test('a connection that breaks without a response loses the current request, and no others', async (t) => {
  for (const [breakOff, code] of [['end', 'CANNONADE_CLOSED_BY_SERVER'], ['reset', 'ECONNRESET']]) {
    const settings = { serviceTime: 1, answer: ({ number }) => number % 10 === 9 ? breakOff : 200 }
    const { result: { accounting, errorCodes, latency } } = await playInWorld(t, settings, { amount: 500, connections: 5 })
    t.match(accounting, { sent: 500, completed: 450, failed: 50 })
    t.match(errorCodes, { [code]: { count: 50, phase: 'receive' } })
    t.equal(latency.totalCount, 450)
  }
})

t.test('a response is never matched to another request, whatever was lost before', async (t) => {
  for (const breakOff of ['end', 'reset']) {
    let number = 0
    const wrong = []
    let right = 0
    const check = (body, expected) => body === expected ? right++ : wrong.push([expected, body])
    const requests = [
      {
        setupRequest: (request, context) => {
          context.path = `/first-${number++}`
          return { ...request, path: context.path }
        },
        onResponse: (status, body, context) => check(body, context.path)
      },
      {
        setupRequest: (request, context) => ({ ...request, path: `${context.path}-second` }),
        onResponse: (status, body, context) => check(body, `${context.path}-second`)
      }
    ]
    const answer = ({ number, path }) => number % 7 === 6 ? breakOff : { body: path }
    const { result: { accounting } } = await playInWorld(t, { serviceTime: 1, answer }, { amount: 300, connections: 4, pipelining: 3, requests })
    t.same(wrong, [])
    t.equal(right, accounting.completed)
    t.ok(accounting.completed > 150 && accounting.failed > 300 / 7, JSON.stringify(accounting))
  }
})

t.test('requests behind a lost one are failures with a code of their own', async (t) => {
  const errors = []
  const { result: { accounting, errorCodes } } = await playInWorld(t, { serviceTime: 20, answer: 'reset' }, { amount: 8, connections: 2, pipelining: 4 },
    (instance) => instance.on('reqError', (error) => errors.push(error.code)))
  t.match(accounting, { sent: 8, failed: 8, completed: 0 })
  t.match(errorCodes, { ECONNRESET: { count: 2 }, CANNONADE_LOST_IN_PIPELINE: { count: 6 } })
  t.equal(errors.length, 8, 'each is reported once')
})

t.test('a request limit per connection that the server announces loses no request', async (t) => {
  const { result, server } = await playInWorld(t, { serviceTime: 5, keepAlive: 20 }, { connections: 2, duration: 1.002 })
  const { accounting, latency, connectionStats } = result
  t.match(accounting, { completed: 400, failed: 0, timedOut: 0 })
  t.match(latency, { min: 5, max: 5 })
  t.same(server.connections.map(({ sent }) => sent), [...Array(20).fill(20), 0, 0])
  t.match(connectionStats, { opened: 22, closedByServer: 20 })
})

t.test('the server sends Connection: close and ignores the remaining pipelined requests', async (t) => {
  const server = await rawServer(t, (socket, request) => {
    if (request.indexOnConnection > 2) return
    const last = request.indexOnConnection === 2
    socket.write(reply('ok', { headers: last ? { Connection: 'close' } : {} }))
    if (last) socket.end()
  })
  const { accounting, errorCodes } = await benchmark(t, { url: server.url, amount: 60, connections: 2, pipelining: 4 })
  t.equal(accounting.sent, 60)
  between(t, accounting.completed, 24, 59, 'completed')
  t.equal(accounting.failed, 60 - accounting.completed)
  t.match(Object.keys(errorCodes).sort(), /CANNONADE_(CLOSED_BY_SERVER|LOST_IN_PIPELINE)/)
})

t.test('the server disappears during the run: earlier results remain, later connections are refused, and everything is reported', async (t) => {
  const { result, server } = await playInWorld(t, { serviceTime: 10 }, { connections: 4, duration: 1.2 }, (instance, world, server) => world.after(205, () => {
    server.resetAll()
    server.refuse()
  }))
  const { accounting, connectionStats, errorCodes, errors } = result
  t.match(accounting, { completed: 4 * 20, failed: 4, unfinished: 0 })
  t.equal(connectionStats.failed, server.attempts.refused)
  t.match(errorCodes, { ECONNRESET: { count: 4 }, ECONNREFUSED: { count: server.attempts.refused } })
  t.equal(errors, accounting.failed + connectionStats.failed)
})

t.test('a run by amount whose server disappears ends, and says why', async (t) => {
  const server = await httpServer(null)
  const result = await benchmark(t, { url: server.url, connections: 4, amount: 1e6, timeout: 0.5 },
    () => until(() => server.answered > 20).then(server.close))
  t.ok(result.accounting.completed > 0)
  t.ok(result.accounting.sent < 1e6)
  t.ok(result.duration >= 0.5)
  t.ok(result.warnings.some(({ code }) => code === 'NO_USABLE_CONNECTION'))
})

t.test('a request returned by a lost connection is sent by another one that had nothing left to send', async (t) => {
  let asked = 0
  let answered = 0
  const leaving = await httpServer(null)
  const staying = await rawServer(t, async (socket) => {
    await until(() => asked >= 3)
    socket.write(reply())
  })
  const requests = [{
    // The third request is the last one. The connection that the server closes takes it, and has no time to write it.
    setupRequest: (request) => ++asked === 3 ? new Promise(() => {}) : request,
    onResponse () {
      if (++answered === 2) leaving.close()
    }
  }]
  // An amount would be divided between the two.
  const opts = { url: [leaving.url, staying.url], connections: 2, maxOverallRequests: 3, duration: 600, requests }
  const { accounting } = await benchmark(t, opts, (instance) => {
    const patience = setTimeout(instance.stop, 30_000)
    instance.once('done', () => clearTimeout(patience))
  })
  t.match(accounting, { sent: 3, completed: 3 })
  t.same([leaving.requests, staying.requests], [1, 2])
})

t.test('a pause before reconnecting does not count as time without a usable connection', async (t) => {
  const { result: { accounting, warnings } } = await playInWorld(t, { answer: { bytes: 'nonsense\r\n\r\n' } }, { connections: 1, amount: 7, timeout: 0.2 })
  t.match(accounting, { sent: 7, failed: 7 })
  t.notOk(warnings.some(({ code }) => code === 'NO_USABLE_CONNECTION'), 'there was a usable connection')
})

t.test('a request that a hook was preparing when its connection closed is sent, although all that may be sent had been given to others', async (t) => {
  for (const connections of [2, 3, 4]) {
    for (const rows of [3, 4, 5, 6, 7, 8]) {
      const { result, world } = await playInWorld(t, { serviceTime: 2, keepAlive: 1 }, (world) => {
        const setupRequest = (request) => world.sleep(10).then(() => request)
        const feed = { rows: Array.from({ length: rows }, (_, index) => ({ number: index })), order: 'once' }
        return { connections, pipelining: 3, amount: 50, timeout: 0.5, feed, requests: [{ path: '/{{number}}', setupRequest }] }
      })
      t.same(world.log.map(({ path }) => path).sort(), feedPaths(rows), `${rows} rows, ${connections} connections`)
      t.match(result.accounting, { sent: rows, completed: rows })
      t.same(result.warnings.map(({ code }) => code).filter((code) => code === 'NO_USABLE_CONNECTION'), [])
    }
  }
})

function feedPaths (rows) {
  return Array.from({ length: rows }, (_, index) => `/${index}`)
}
