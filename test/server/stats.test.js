'use strict'

const t = require('tap')
const net = require('node:net')
const { startServer } = require('../../lib/server')
const { request, keepAliveAgent } = require('../support/http-client')
const { until } = require('../support/wait')

async function statsOverHttp (url) {
  return JSON.parse((await request(`${url}/_stats`, { agent: false })).body)
}

for (const workers of [1, 2]) {
  t.test(`counts are exact under concurrent load, workers: ${workers}`, async (t) => {
    const { url, stats, close } = await startServer({ port: 0, workers, delay: '0-2', errorRate: '10%' })
    t.teardown(close)
    const agent = keepAliveAgent(t, 20)
    let next = 0
    const answers = []
    await Promise.all(Array.from({ length: 20 }, async () => {
      while (next++ < 1000) answers.push(await request(`${url}/x`, { agent, method: next % 3 ? 'GET' : 'POST', body: next % 3 ? '' : 'abc' }))
    }))

    const byCall = await stats()
    t.equal(byCall.requests, 1000)
    t.equal(byCall.unanswered, 0)
    t.equal(byCall.connections, 20)
    t.equal(byCall.openConnections, 20)
    const failed = answers.filter(({ status }) => status === 500).length
    t.same(byCall.statusCodeStats, { 200: { count: 1000 - failed }, 500: { count: failed } })
    t.ok(Math.abs(failed - 100) < workers, `${failed} failed`)
    t.equal(new Set(answers.map(({ body }) => body)).size, 1000, 'each number is unique')

    t.equal(byCall.processes.length, workers)
    t.equal(byCall.processes.reduce((sum, { requests }) => sum + requests, 0), 1000)
    t.same(await statsOverHttp(url), byCall, 'GET /_stats returns the same and counts neither itself nor its connection')
    t.same(await statsOverHttp(url), byCall)

    agent.destroy()
    await until(async () => (await stats()).openConnections === 0)
    const afterwards = await stats()
    t.equal(afterwards.connections, 20)
    t.same(afterwards.bytes, byCall.bytes, 'bytes of closed connections are kept')
    await close()
    t.same(await stats(), afterwards, 'the last counts remain readable')
  })
}

t.test('bytes are those on the wire', async (t) => {
  const { port, stats, close } = await startServer({ port: 0, bodySize: 100000 })
  t.teardown(close)
  const text = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc'
  const socket = net.connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  let received = 0
  socket.on('data', (chunk) => { received += chunk.length })
  socket.write(text.repeat(5))
  await until(() => received > 500000)
  await until(async () => (await stats()).bytes.written === received)
  t.equal((await stats()).bytes.read, 5 * text.length)
})

t.test('a connection used for load and for /_stats counts as load', async (t) => {
  const { url, stats, close } = await startServer({ port: 0 })
  t.teardown(close)
  const agent = keepAliveAgent(t, 1)
  await request(`${url}/_stats`, { agent })
  t.match(await stats(), { requests: 0, connections: 0, openConnections: 0 })
  await request(url, { agent })
  await request(`${url}/_stats`, { agent })
  t.match(await stats(), { requests: 1, connections: 1, openConnections: 1 })
  await request(`${url}/_stats2`, { agent })
  t.match(await stats(), { requests: 2 })
})

t.test('a request whose client disconnected stays unanswered', async (t) => {
  const { port, stats, close } = await startServer({ port: 0, delay: 60_000 })
  t.teardown(close)
  const socket = net.connect(port, '127.0.0.1').on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3))
  await until(async () => (await stats()).requests === 3)
  socket.destroy()
  await until(async () => (await stats()).openConnections === 0)
  t.match(await stats(), { requests: 3, unanswered: 3, statusCodeStats: {} })
})
