'use strict'

// Sessions over HTTP/2: the streams of a connection belong to its session, and a failed stream is a failure of the session.

const http2 = require('node:http2')
const t = require('tap')
const { run } = require('../../..')
const { addsUp } = require('../../support/accounts')
const { track } = require('../../support/tracked')

async function streams (t) {
  const paths = []
  const server = http2.createServer((request, response) => {
    paths.push(request.url)
    if (request.url === '/reset') request.stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR)
    else response.end('ok')
  })
  return Object.assign(await track(t, server), { paths })
}

t.test('each session has its own connection, and its calls are streams', async (t) => {
  const server = await streams(t)
  const result = await run({ url: server.url, http2: true, connections: 2, sessions: { amount: 6, calls: 3 } })
  addsUp(t, result)
  t.match(result.sessions, { completed: 6, lengths: [0, 0, 0, 6] })
  t.equal(result.connectionStats.opened, 6)
  t.equal(server.paths.length, 18)
})

t.test('the size of a burst is limited by pipelining', async (t) => {
  const server = await streams(t)
  const burst = ['/1', '/2', '/3'].map((path) => ({ path }))
  const result = await run({ url: server.url, http2: true, connections: 1, pipelining: 3, sessions: { amount: 2 }, requests: [{ path: '/' }, burst] })
  addsUp(t, result)
  t.equal(result.connectionStats.opened, 2)
  t.same(server.paths.filter((path) => path === '/').length, 2)
})

t.test("a stream that is reset fails its session, and requests that are not due don't exist", async (t) => {
  const server = await streams(t)
  const result = await run({ url: server.url, http2: true, connections: 2, sessions: { amount: 4 }, requests: [{ path: '/' }, { path: '/reset' }, { path: '/never' }] })
  addsUp(t, result)
  t.match(result.sessions, { completed: 0, failed: 4, lengths: [0, 4] })
  t.equal(result.errorCodes.CANNONADE_STREAM_RESET.count, 4)
  t.notOk(server.paths.includes('/never'))
})

t.test('by a schedule, with think times', async (t) => {
  const server = await streams(t)
  const result = await run({ url: server.url, http2: true, overallRate: 50, duration: 0.2, sessions: { calls: 2 }, thinkTime: 0.03 })
  addsUp(t, result)
  t.match(result.sessions, { scheduled: 10, completed: 10 })
  t.ok(result.sessions.lifetime.min >= 30)
})
