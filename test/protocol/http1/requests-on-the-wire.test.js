'use strict'

const t = require('tap')
const run = require('../../..')
const { benchmark } = require('../../engine/closed-model/benchmark')
const { rawServer, httpServer, tlsServer, certificates, reply } = require('../../support/servers')
const { sleep } = require('../../support/wait')

async function sentBy (t, opts) {
  const server = await rawServer(t, (socket) => socket.write(reply()), { keep: true })
  const { accounting } = await benchmark(t, { url: server.url, amount: 5, connections: 1, ...opts })
  t.equal(accounting.completed, server.requests)
  return server.kept
}

const valuesOf = ({ headers }, wanted) => headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value)

t.test('a header of the user is sent once, whatever its case', async (t) => {
  for (const [name, value] of [['content-length', '5'], ['CONTENT-LENGTH', '5'], ['connection', 'keep-alive'], ['Connection', 'close'], ['HOST', 'other.test']]) {
    for (const request of await sentBy(t, { method: 'POST', body: 'hello', headers: { [name]: value } })) {
      t.same(valuesOf(request, name.toLowerCase()), [value], `${name}: ${value}`)
      t.equal(request.body.toString(), 'hello')
    }
  }
})

t.test('servers accept a length given by the user', async (t) => {
  const server = await httpServer(t)
  const { statusCodeStats } = await benchmark(t, { url: server.url, method: 'POST', body: 'hello', headers: { 'content-length': '5' }, amount: 20, connections: 2 })
  t.strictSame(statusCodeStats, { 200: { count: 20 } })
})

t.test('a timeout may be shorter than a second', async (t) => {
  const server = await rawServer(t, () => {})
  const result = await benchmark(t, { url: server.url, connections: 1, duration: 60, timeout: 0.15 }, (instance) => instance.once('reqError', instance.stop))
  t.equal(result.accounting.timedOut, 1)
  t.equal(result.latencyWithUnfinished.max, 150)
})

t.test('setupRequest may be asynchronous', async (t) => {
  let number = 0
  const setupRequest = async (request) => {
    await sleep(2)
    return { ...request, path: `/${number++}` }
  }
  for (const pipelining of [1, 4]) {
    number = 0
    const kept = await sentBy(t, { amount: 12, pipelining, requests: [{ setupRequest }] })
    t.same(kept.map(({ path }) => path), Array.from({ length: 12 }, (_, index) => `/${index}`))
  }
})

t.test('the time that a setupRequest takes is not part of latency', async (t) => {
  const server = await rawServer(t, (socket) => socket.write(reply()))
  const setupRequest = async (request) => sleep(60).then(() => request)
  const { latency } = await benchmark(t, { url: server.url, connections: 2, amount: 10, requests: [{ setupRequest }] })
  t.ok(latency.min < 58, `latency.min ${latency.min}`)
})

t.test('a URL without a scheme, and a host whose name begins with http', async (t) => {
  const server = await httpServer(t)
  const result = await benchmark(t, { url: `127.0.0.1:${server.port}/path`, amount: 3, connections: 1 })
  t.equal(result.accounting.completed, 3)
  t.equal(result.url, `http://127.0.0.1:${server.port}/path`)

  const instance = run({ url: 'httpbin:3000', duration: 1, signal: AbortSignal.abort() })
  t.equal(instance.opts.url, 'http://httpbin:3000')
  t.equal((await instance).url, 'http://httpbin:3000')
})

t.test('TLS options of the user override ours', async (t) => {
  const server = await tlsServer(t)
  const opts = { url: server.url.replace('127.0.0.1', 'localhost'), amount: 4, connections: 1 }

  const untold = await benchmark(t, opts)
  t.equal(untold.accounting.completed, 4)

  const strict = await benchmark(t, { ...opts, bailout: 1, tlsOptions: { rejectUnauthorized: true } })
  t.equal(strict.accounting.completed, 0)
  t.same(Object.keys(strict.errorCodes), ['SELF_SIGNED_CERT_IN_CHAIN'])

  const trusted = await benchmark(t, { ...opts, tlsOptions: { rejectUnauthorized: true, ca: certificates.ca } })
  t.equal(trusted.accounting.completed, 4)

  const named = await benchmark(t, { ...opts, servername: 'cannonade.test' })
  t.equal(named.accounting.completed, 4)
  t.equal(server.servernames.at(-1), 'cannonade.test')
})

t.test('ALPN offers HTTP/1.1', async (t) => {
  const offered = []
  const server = await tlsServer(t, undefined, {
    ALPNCallback: ({ protocols }) => {
      offered.push(...protocols)
      return protocols[0]
    }
  })
  t.equal((await benchmark(t, { url: server.url, amount: 2, connections: 1 })).accounting.completed, 2)
  t.same(offered, ['http/1.1'])
})

t.test('every request has a different id', async (t) => {
  const kept = await sentBy(t, { amount: 50, pipelining: 5, idReplacement: true, method: 'POST', body: '{"id":"[<id>]"}' })
  const ids = new Set(kept.map(({ body }) => JSON.parse(body).id))
  t.equal(ids.size, 50)
})
