'use strict'

const { Readable } = require('node:stream')
const t = require('tap')
const { run, parseArguments } = require('../../..')
const { httpServer, tlsServer } = require('../../support/servers')
const { violations } = require('../../support/accounts')

t.test('without keepAlive each request has its own connection', async (t) => {
  for (const [how, options] of Object.entries({
    'closed model': { connections: 3 },
    'open model': { connections: 3, overallRate: 200, pacing: 'sleep' },
    pipelining: { connections: 2, pipelining: 4 },
    workers: { connections: 4, workers: 2 },
    hooks: { connections: 2, expectBody: 'ok' },
    'a streamed body': { connections: 2, method: 'POST', body: () => Readable.from(['a', 'b']) },
    'hooks and pipelining': { connections: 2, expectBody: 'ok', pipelining: 4 },
    'a sequence': { connections: 2, requests: [{ path: '/a' }, { method: 'POST', body: 'x', path: '/b' }] }
  })) {
    const said = new Set()
    const server = await httpServer(t, (request, response) => {
      said.add(request.headers.connection)
      response.end('ok')
    })
    const result = await run({ url: server.url, amount: 40, keepAlive: false, ...options })
    t.same(violations(result), [], how)
    t.equal(result.accounting.completed, 40, how)
    t.equal(server.requests, 40, how)
    t.same([...said], ['close'], how)
    t.same(server.requestsPerConnection, Array(40).fill(1), how)
    t.equal(result.errors, 0, how)
    t.equal(result.mismatches, 0, how)
    t.ok(result.connectionStats.opened >= 40, `${how}: ${result.connectionStats.opened} opened`)
    t.equal(result.connectTime.totalCount, result.connectionStats.opened, how)
  }
})

t.test('with TLS each request has its own handshake', async (t) => {
  const server = await tlsServer(t)
  const result = await run({ url: server.url, amount: 10, connections: 2, keepAlive: false })
  t.equal(result.accounting.completed, 10)
  t.same(server.requestsPerConnection, Array(10).fill(1))
  t.ok(result.connectTime.tls.totalCount >= 10)
})

t.test('a Connection header of the user overrides keepAlive', async (t) => {
  const server = await httpServer(t)
  const options = { url: server.url, amount: 20, connections: 2, keepAlive: false }
  const result = await run({ ...options, headers: { connection: 'keep-alive' } })
  t.equal(result.accounting.completed, 20)
  t.equal(server.connections, 2)

  // One request of two keeps its connection, the other closes it.
  const mixed = await httpServer(t)
  await run({ ...options, url: mixed.url, connections: 1, requests: [{ headers: { Connection: 'keep-alive' } }, {}] })
  t.same(mixed.requestsPerConnection, Array(10).fill(2))
})

t.test('also requests from setupRequest, and those with rows of a feed', async (t) => {
  const server = await httpServer(t)
  const setupRequest = (request) => ({ ...request, path: '/made' })
  t.equal((await run({ url: server.url, amount: 6, connections: 2, keepAlive: false, requests: [{ setupRequest }] })).errors, 0)
  t.same(server.requestsPerConnection, Array(6).fill(1))

  const fed = await httpServer(t)
  const feed = { rows: [{ id: 1 }, { id: 2 }] }
  t.equal((await run({ url: `${fed.url}/{{id}}`, amount: 6, connections: 2, keepAlive: false, feed })).errors, 0)
  t.same(fed.requestsPerConnection, Array(6).fill(1))
})

t.test('on the command line', async (t) => {
  for (const way of [['--no-keep-alive'], ['--keepAlive', 'false'], ['--keep-alive=false'], ['--noKeepAlive']]) {
    t.equal(parseArguments([...way, 'localhost']).keepAlive, false, way.join(' '))
  }
  t.equal(parseArguments(['localhost']).keepAlive, undefined)
  await t.rejects(run({ url: 'localhost', keepAlive: 'maybe' }), { code: 'CANNONADE_BAD_OPTION', option: 'keepAlive' })
})
