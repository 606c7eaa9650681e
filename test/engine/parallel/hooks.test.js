'use strict'

const path = require('node:path')
const { pathToFileURL } = require('node:url')
const t = require('tap')
const { run } = require('../../..')
const { httpServer, readBody } = require('../../support/servers')

const fixture = (name) => path.join(__dirname, 'fixtures', name)
const asUrl = (name) => pathToFileURL(fixture(name))

async function server (t, kept) {
  return httpServer(t, async (request, response) => {
    const body = await readBody(request)
    kept.push({ path: request.url, headers: request.headers, body: body.toString() })
    response.setHeader('X-Kind', 'a')
    response.end('ok')
  })
}

t.test('setupClient: each thread loads the module, and calls it for its own connections', async (t) => {
  const clientsPerThread = async (opts) => {
    const kept = []
    const { url } = await server(t, kept)
    await run({ url, amount: 50, ...opts })
    const perThread = new Map()
    for (const { headers } of kept) {
      if (!perThread.has(headers.thread)) perThread.set(headers.thread, new Set())
      perThread.get(headers.thread).add(headers.client)
    }
    return [...perThread.values()].map((clients) => [...clients].sort()).sort()
  }
  t.same(await clientsPerThread({ connections: 5, workers: 2, setupClient: fixture('client-per-thread.cjs') }), [['0', '1'], ['0', '1', '2']])
  for (const setupClient of [asUrl('client-per-thread.cjs').href, asUrl('client-per-thread.cjs'), path.relative(process.cwd(), fixture('client-per-thread.cjs'))]) {
    t.same(await clientsPerThread({ connections: 2, workers: 1, setupClient }), [['0', '1']])
  }
})

t.test('setupClient, asynchronous, of an ES module', async (t) => {
  const kept = []
  const { url } = await server(t, kept)
  await run({ url, connections: 2, amount: 20, workers: 1, setupClient: fixture('client-later.mjs') })
  t.same(kept.map(({ headers }) => headers.late), new Array(20).fill('yes'))
})

t.test('verifyBody', async (t) => {
  const { url } = await httpServer(t, (request, response, index) => response.end(index < 30 ? 'other' : 'ok'))
  for (const verifyBody of [fixture('is-ok.mjs'), asUrl('is-ok.mjs')]) {
    const { mismatches, requests } = await run({ url, connections: 2, amount: 40, workers: 1, verifyBody })
    t.equal(requests.total, 40)
    t.equal(mismatches, verifyBody instanceof URL ? 0 : 30)
  }
})

t.test('setupRequest and onResponse, with a context for each connection', async (t) => {
  const kept = []
  const { url } = await server(t, kept)
  const result = await run({
    url,
    connections: 2,
    amount: 80,
    workers: 2,
    initialContext: { from: 'context', nested: { map: new Map([['a', 1]]) } },
    requests: [
      { path: '/first', onResponse: fixture('remember-path.mjs') },
      { path: '/second', setupRequest: fixture('next-path.cjs') }
    ]
  })
  const second = kept.filter(({ path }) => path !== '/first')
  t.same(second.map(({ path }) => path), new Array(40).fill('/ok/a/context'))
  t.same(result.endpoints.map(({ completed }) => completed), [40, 40])
})

t.test('a body given as a Buffer is a Buffer in the thread as well', async (t) => {
  const kept = []
  const { url } = await server(t, kept)
  const body = Buffer.from('grün')
  const setupRequest = fixture('double-body.cjs')
  const requests = [{ setupRequest }, { body: Buffer.from('x'), setupRequest }]
  await run({ url, method: 'POST', body, connections: 1, amount: 8, workers: 1, requests })
  t.same(kept.map(({ body }) => body).sort(), [...new Array(4).fill('grüngrün'), ...new Array(4).fill('xx')])
})

t.test('resets of all threads', async (t) => {
  const { url } = await httpServer(t)
  const { resets, requests } = await run({
    url, connections: 2, amount: 60, workers: 2, requests: [{}, { setupRequest: fixture('every-third-resets.cjs') }]
  })
  t.equal(requests.total, 60)
  t.ok(resets >= 10 && resets <= 20, `${resets}`)
})

t.test('functions are rejected, before anything is opened', async (t) => {
  const { url, ...server } = await httpServer(t)
  const hook = () => {}
  for (const [opts, option] of [
    [{ setupClient: hook }, 'setupClient'],
    [{ verifyBody: hook }, 'verifyBody'],
    [{ requests: [{}, { setupRequest: hook }] }, 'requests[1].setupRequest'],
    [{ requests: [{ onResponse: hook }] }, 'requests[0].onResponse'],
    [{ initialContext: { hook } }, 'initialContext']
  ]) {
    await t.rejects(run({ url, workers: 2, ...opts }), { code: 'CANNONADE_BAD_OPTION', option, message: /workers/ })
  }
  t.equal(server.connections, 0)
})
