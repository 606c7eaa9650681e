'use strict'

const path = require('node:path')
const t = require('tap')
const { run } = require('../../..')
const TraceIds = require('../../../lib/world/trace-ids')
const { playInWorld } = require('../../support/play-in-world')
const { rawServer, reply } = require('../../support/servers')

const VALID = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-01$/
const SHOP = path.join(__dirname, '../grpc/shop.proto')

/** Checks that each request carries a traceparent of its own. */
function areUnique (t, values, count) {
  t.strictSame(values.filter((value) => !VALID.test(value)), [])
  t.equal(values.length, count)
  t.equal(new Set(values.map((value) => value.slice(3, 35))).size, count, 'trace ids')
  t.equal(new Set(values.map((value) => value.slice(36, 52))).size, count, 'span ids')
}

t.test('ids of different threads never collide, and no span id is 0', async (t) => {
  const key = [1, 2, 3, 4]
  const threads = [0, 1, 2, 4095, 1e6].map((thread) => new TraceIds(key, thread))
  const serials = [1, 2, 3, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 2 ** 33 + 1, 2 ** 43]
  areUnique(t, threads.flatMap((ids) => serials.map((serial) => ids.headerOf(serial))), 45)
  t.equal(threads[0].headerOf(5), new TraceIds(key, 0).headerOf(5), 'a serial number always has the same ids')
  t.equal(threads[0].idOf(5), threads[0].headerOf(5).slice(3, 35))
  t.notOk(TraceIds.createKey(() => 0).includes(0), 'no word of a key is 0, so no trace id is')
  // With this key, the trace id of this serial number ends in 16 zeros, and its span id would be 0.
  t.match(new TraceIds([1, 1, 3423425485, 5], 0).headerOf(3423425485), /^00-0000000100000001(0{16})-(?!0{16})[0-9a-f]{16}-01$/)
})

t.test('the last digits of trace ids, by which tracing backends sample, are evenly distributed', async (t) => {
  const ids = new TraceIds([7, 8, 9, 10], 0)
  const counts = new Array(16).fill(0)
  for (let serial = 1; serial <= 16000; serial++) counts[parseInt(ids.idOf(serial).at(-1), 16)]++
  t.ok(counts.every((count) => Math.abs(count - 1000) < 150), counts.join(' '))
})

const WORLDS = {
  'HTTP/1.1': [{}, { pipelining: 3, connections: 2 }],
  'a header that grows the list of pipelined requests': [{ serviceTime: ({ number }) => number % 7 }, { pipelining: 9, connections: 1, requests: [{ path: '/a' }, { path: '/longer' }, { path: '/b' }] }],
  'requests by weight': [{}, { pipelining: 4, connections: 1, requests: [{ path: '/a', weight: 3 }, { path: '/b' }] }],
  'an id in the request': [{}, { pipelining: 2, idReplacement: true, method: 'POST', body: '[<id>]' }],
  'rows of a feed': [{}, { feed: [{ a: 'x' }, { a: 'longer' }], method: 'POST', requests: [{ path: '/{{a}}', body: '{{a}}' }] }],
  setupRequest: [{}, { pipelining: 2, requests: [{ setupRequest: (request) => ({ ...request, path: `/${Math.floor(request.path.length)}more` }) }] }],
  'the open model': [{}, { overallRate: 1000, connections: 3 }],
  threads: [{}, { workers: 3, connections: 5 }],
  'HTTP/2': [{ http2: true }, { http2: true, pipelining: 5, connections: 2 }],
  'a header block that is split': [{ http2: true }, { http2: true, headers: { padding: '~'.repeat(16330) } }],
  'a body that is sent in several frames': [{ http2: true }, { http2: true, method: 'POST', body: 'x'.repeat(40000) }],
  gRPC: [{ grpc: true }, { http2: true, grpc: { proto: SHOP, method: 'shop.Shop/Find', message: { user_name: 'ann' } } }]
}

for (const [name, [settings, opts]] of Object.entries(WORLDS)) {
  t.test(`each request has a traceparent of its own: ${name}`, async (t) => {
    const { world } = await playInWorld(t, settings, { amount: 60, traceparent: true, ...opts })
    areUnique(t, world.log.flatMap(({ traceparents }) => traceparents), 60)
  })
}

t.test('requests that are written together have a traceparent of their own each, however many were written together before', async (t) => {
  // While the server stalls, few or many requests come due beyond the pipeline; they are written together once it has room again.
  const serviceTime = ({ number }) => number % 40 !== 20 ? 0 : number === 140 ? 45 : 22
  const { world } = await playInWorld(t, { serviceTime }, { overallRate: 1000, amount: 400, connections: 1, pipelining: 20, traceparent: true })
  areUnique(t, world.log.flatMap(({ traceparents }) => traceparents), 400)
})

t.test('redirects, and calls of users, are requests with a traceparent of their own', async (t) => {
  const answer = ({ path }) => path === '/end' ? {} : { status: 302, headers: { location: '/end', 'set-cookie': 'a=1' } }
  for (const http2 of [false, true]) {
    const { world } = await playInWorld(t, { http2, answer }, { http2, amount: 20, cookies: true, followRedirects: 1, traceparent: true, method: 'POST', body: '[<id>]', idReplacement: true })
    areUnique(t, world.log.flatMap(({ traceparents }) => traceparents), 20)
    const user = async (user) => {
      await user.get('/first')
      await Promise.all([user.get('/second'), user.post('/third', { json: {} })])
    }
    const called = await playInWorld(t, { http2, answer }, { http2, sessions: { amount: 5 }, traceparent: true, followRedirects: 1, user })
    areUnique(t, called.world.log.flatMap(({ traceparents }) => traceparents), 30)
  }
})

t.test('a WebSocket handshake carries it, and so does that of Socket.IO', async (t) => {
  for (const [server, opts] of [[{ websocket: 'echo' }, {}], [{ websocket: 'echo', socketio: '/' }, { socketio: { event: 'm' } }]]) {
    const { world } = await playInWorld(t, server, { amount: 20, connections: 4, reconnectRate: 5, body: '[1]', traceparent: true, ...opts })
    areUnique(t, world.log.flatMap(({ traceparents }) => traceparents), 4)
  }
})

t.test('bytes that the system has not accepted yet keep their traceparents', async (t) => {
  const waiting = []
  const server = await rawServer(t, (socket) => socket.write(reply('ok')), {
    keep: true,
    onConnection (socket) {
      socket.pause()
      waiting.push(socket)
      // More than the system buffers for a connection is written before the server reads any of it.
      if (waiting.length === 3) setTimeout(() => waiting.forEach((each) => each.resume()), 20)
    }
  })
  await run({ url: server.url, connections: 3, pipelining: 250, amount: 750, traceparent: true, method: 'POST', body: 'x'.repeat(50_000) })
  areUnique(t, server.kept.map(({ header }) => header('traceparent')), 750)
})

for (const [name, opts] of Object.entries({ single: {}, joined: { pipelining: 5, requests: [{ path: '/a' }, { path: '/longer' }, { path: '/b' }] }, large: { pipelining: 2, body: 'x'.repeat(20_000) } })) {
  t.test(`bytes that were given to the system are not changed before it has accepted them: ${name} requests`, async (t) => {
    const given = []
    const { world } = await playInWorld(t, {}, (world) => {
      const { connect } = world.client
      world.client.connect = (...args) => {
        const socket = connect.apply(world.client, args)
        const { write } = socket
        socket.write = (bytes) => {
          given.push([bytes, bytes.toString('latin1')])
          return write.call(socket, bytes)
        }
        // It never accepts anything at once.
        return Object.defineProperty(socket, 'writableLength', { value: 1 })
      }
      return { connections: 2, amount: 60, traceparent: true, method: 'POST', ...opts }
    })
    areUnique(t, world.log.flatMap(({ traceparents }) => traceparents), 60)
    t.equal(given.filter(([bytes, text]) => bytes.toString('latin1') !== text).length, 0)
  })
}

t.test('rounds of forever have other ids each', async (t) => {
  const rounds = []
  const { world } = await playInWorld(t, {}, { amount: 30, traceparent: true, forever: true, connections: 2, slowest: 30 }, (instance) => {
    instance.on('done', (result) => { if (rounds.push(result) === 3) instance.stop() })
  }, { lasting: 10 })
  const sent = world.log.flatMap(({ traceparents }) => traceparents)
  areUnique(t, sent, 90)
  const ids = sent.map((value) => value.slice(3, 35))
  for (const [round, { slowest }] of rounds.entries()) {
    const own = ids.slice(30 * round, 30 * (round + 1))
    t.same(slowest.map(({ traceId }) => traceId).sort(), own.toSorted(), 'what is reported is what was sent')
    t.equal(new Set(own.map((id) => id.slice(0, 16))).size, 1, 'the first half is that of the round')
  }
  t.equal(new Set(ids.map((id) => id.slice(0, 16))).size, 3)
})

t.test('a run without hooks sends the same as without the option, except for the header', async (t) => {
  const server = await rawServer(t, (socket) => socket.write(reply('ok')), { keep: true })
  await run({ url: `${server.url}/x`, amount: 3, connections: 1, traceparent: true })
  const raw = server.kept.map(({ raw }) => raw.toString())
  const expected = `GET /x HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: keep-alive\r\ntraceparent: `
  t.ok(raw.every((text) => text.startsWith(expected) && text.slice(expected.length).match(/^00-\w{32}-\w{16}-01\r\n\r\n$/)), raw[0])
})

t.test('a traceparent header together with the option is an error', async (t) => {
  const url = 'http://h.test'
  const headers = { TraceParent: '00-1' }
  const places = {
    'headers.traceparent': { headers },
    'requests[1].headers.traceparent': { requests: [{}, { headers }] },
    'scenarios[0].requests[0].headers.traceparent': { scenarios: [{ name: 'a', requests: [{ headers }] }] },
    'websocket.headers.traceparent': { url: 'ws://h.test', websocket: { headers } },
    'grpc.metadata.traceparent': { http2: true, grpc: { proto: SHOP, method: 'shop.Shop/Find', metadata: headers } },
    'requests[0].grpc.metadata.traceparent': { http2: true, grpc: { proto: SHOP, method: 'shop.Shop/Find' }, requests: [{ grpc: { metadata: headers } }] }
  }
  for (const [name, opts] of Object.entries(places)) {
    await t.rejects(run({ url, traceparent: true, ...opts }), { code: 'CANNONADE_BAD_OPTION', option: 'traceparent', message: `traceparent and ${name} cannot be given together: each request gets a header of its own` }, name)
  }
  const { result } = await playInWorld(t, {}, { amount: 1, headers, traceparent: false })
  t.equal(result.accounting.completed, 1)
})

t.test('one that a hook or a client sets during the run ends the run; one that a call sets rejects the call', async (t) => {
  const headers = { traceparent: '00-1' }
  const bad = (where) => ({ message: new RegExp(`traceparent and ${where}\\.headers\\.traceparent cannot be given together`) })
  await t.rejects(playInWorld(t, {}, { amount: 3, traceparent: true, requests: [{ setupRequest: (request) => ({ ...request, headers }) }] }), bad('requests.0..setupRequest..'))
  const clients = { 'setHeaders..': (client) => client.setHeaders(headers), 'setRequest..': (client) => client.setRequest({ headers }), 'setRequests...0.': (client) => client.setRequests([{ headers }]) }
  for (const [where, setupClient] of Object.entries(clients)) await t.rejects(playInWorld(t, {}, { amount: 3, traceparent: true, setupClient }), bad(where), where)
  const errors = []
  const user = async (user) => { await user.get('/', { headers }).catch((error) => errors.push(error)) }
  const { result } = await playInWorld(t, {}, { sessions: { amount: 1 }, traceparent: true, user })
  t.match(errors, [{ code: 'CANNONADE_BAD_OPTION', message: 'traceparent and headers.traceparent cannot be given together: each request gets a header of its own' }])
  t.equal(result.accounting.scheduled, 0)
})

t.test('a recorded traceparent is replaced', async (t) => {
  const entry = (path) => ({ startedDateTime: '2026-01-01T00:00:00Z', time: 1, request: { method: 'GET', url: `http://10.0.0.1${path}`, headers: [{ name: 'traceparent', value: '00-1' }, { name: 'x', value: '1' }] } })
  const har = { log: { entries: [entry('/a'), entry('/b')] } }
  const { world } = await playInWorld(t, { port: 80 }, { har, amount: 10, traceparent: true })
  areUnique(t, world.log.flatMap(({ traceparents }) => traceparents), 10)
})

t.test('the slowest requests, and the examples of errors, have the trace ids that were sent', async (t) => {
  for (const [settings, opts] of [[{}, {}], [{}, { pipelining: 4 }], [{ http2: true }, { http2: true, pipelining: 4 }]]) {
    const { result, world } = await playInWorld(
      t, { ...settings, serviceTime: ({ number }) => number % 11, answer: ({ number }) => number % 10 === 9 ? 'reset' : 200 },
      { amount: 60, connections: 3, traceparent: true, slowest: 20, ...opts }
    )
    const sent = new Map(world.log.map((entry) => [entry.traceparents[0].slice(3, 35), entry]))
    t.equal(result.slowest.length, 20)
    for (const { traceId, serviceTime } of result.slowest) {
      const { sentAt, receivedAt } = sent.get(traceId)
      t.ok(Math.abs((receivedAt - sentAt) / 1000 - serviceTime) < 1e-6, traceId)
    }
    const examples = Object.values(result.errorCodes).flatMap((code) => code.examples)
    t.ok(examples.length > 0)
    t.ok(examples.every(({ traceId }) => sent.get(traceId).receivedAt === null))
  }
  const { result } = await playInWorld(t, {}, { amount: 3 })
  t.strictSame(result.slowest.map(({ traceId }) => traceId), [null, null, null])
})
