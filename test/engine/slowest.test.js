'use strict'

// Which requests are the slowest, and what is said of them: with `slowest: 1000`, every request of a run is, and each must be one of the
// world's own log.

const path = require('node:path')
const t = require('tap')
const { aggregateResult, run } = require('../..')
const { playInWorld } = require('../support/play-in-world')

const serviceTime = ({ number }) => 5 + (number * 7) % 11
const PROTO = path.join(__dirname, '../protocol/grpc/shop.proto')

// What was sent, according to the world: the requests that were answered, the slowest first.
function sentIn ({ log }, isMessage) {
  const startedAt = Math.min(...log.map(({ sentAt }) => sentAt))
  const requests = isMessage ? log.filter(({ method }) => method === 'TEXT') : log
  // A frame has no time of its own at which it was received; the network takes none.
  return requests.filter(({ receivedAt, answeredAt }) => (isMessage ? answeredAt : receivedAt) !== null).map(({ method, path, sentAt, receivedAt, answeredAt }) => ({
    ...(!isMessage && { method, path: path.slice(0, 200) }),
    sentAt: sentAt - startedAt,
    serviceTime: (isMessage ? answeredAt : receivedAt) - sentAt
  }))
}

const inMicroseconds = (time, unit) => Math.round(time * unit)

function told ({ slowest }, isMessage) {
  const first = Math.min(...slowest.map(({ sentAt }) => sentAt))
  return slowest.map(({ method, path, sentAt, serviceTime }) => ({ ...(!isMessage && { method, path }), sentAt: inMicroseconds(sentAt - first, 1e6), serviceTime: inMicroseconds(serviceTime, 1e3) }))
}

const sorted = (list) => list.map((each) => JSON.stringify(each)).sort()

// Plays a run, and holds each of its requests against the log.
async function everyOne (t, settings, opts, ofWorld) {
  const { result, world } = await playInWorld(t, { serviceTime, ...settings }, { slowest: 1000, ...opts }, undefined, ofWorld)
  const isMessage = result.messages !== undefined
  const sent = sentIn(world, isMessage)
  t.ok(sent.length > 0)
  const offset = isMessage ? Math.min(...sent.map(({ sentAt }) => sentAt)) : 0
  t.strictSame(sorted(told(result, isMessage)), sorted(sent.map((each) => ({ ...each, sentAt: each.sentAt - offset }))))
  return result
}

const LONG = '/' + 'x'.repeat(300)

function pathOf (request, context) {
  context.number = (context.number ?? 0) + 1
  return { ...request, path: `/own/${context.number}` }
}

for (const [name, opts, settings = {}] of [
  ['HTTP/1.1, pipelined', { connections: 2, pipelining: 4, amount: 40 }],
  ['several requests in a sequence', { connections: 3, amount: 40, requests: [{ path: '/a' }, { method: 'PUT', path: '/b?c=d', body: 'x' }, { path: LONG }] }],
  ['ids in paths and bodies', { connections: 2, pipelining: 3, amount: 30, idReplacement: true, requests: [{ path: '/[<id>]/[<id>]' }, { method: 'POST', path: '/b', body: '[<id>]' }, { path: '/c' }] }],
  ['a hook that sets the path', { connections: 2, pipelining: 2, amount: 20, requests: [{ setupRequest: pathOf }] }],
  ['rows of a feed', { connections: 2, amount: 12, feed: { rows: [{ id: 'ä' }, { id: 'b c' }, { id: 7 }] }, requests: [{ path: '/{{id}}' }] }],
  ['redirects', { connections: 2, amount: 12, followRedirects: 3, requests: [{ path: '/old' }] }, { answer: ({ path }) => path === '/old' ? { status: 302, headers: { Location: '/new?x' } } : 200 }],
  ['a rate', { connections: 4, overallRate: 100, duration: 0.5, ignoreCoordinatedOmission: true }],
  ['a new connection for each request', { connections: 2, amount: 12, reconnectRate: 1 }],
  ['sessions', { connections: 3, sessions: { amount: 6, connections: 2 }, requests: [{ path: '/1' }, [{ path: '/2' }, { path: '/3' }], { path: '/4' }] }],
  ['users as code', { connections: 3, sessions: { amount: 5 }, user: async (user) => { await user.get(`/u/${user.index}`); await Promise.all([user.post('/p', { json: {} }), user.get('/q')]) } }],
  ['HTTP/2', { http2: true, connections: 2, pipelining: 4, amount: 40, idReplacement: true, requests: [{ path: '/[<id>]' }, { method: 'PUT', path: '/b', body: 'x' }] }, { http2: true }],
  ['HTTP/2 and a hook', { http2: true, connections: 2, pipelining: 3, amount: 20, requests: [{ setupRequest: pathOf }] }, { http2: true }],
  ['gRPC', { connections: 2, pipelining: 2, amount: 20, grpc: { proto: PROTO, method: 'shop.Shop/Find' } }, { grpc: true }],
  ['event streams', { connections: 2, amount: 10, stream: true }, { answer: { headers: { 'Content-Type': 'text/event-stream' }, body: 'data: 1\n\ndata: 2\n\n' } }],
  ['WebSocket', { connections: 3, amount: 30, body: 'hello', websocket: {} }, { websocket: 'echo' }],
  ['WebSocket with ids', { connections: 2, pipelining: 3, amount: 30, body: '[<id>]', idReplacement: true, websocket: { match: (text) => text } }, { websocket: 'echo' }],
  ['Socket.IO', { connections: 2, pipelining: 2, amount: 20, socketio: true, body: '1' }, { websocket: 'echo', socketio: '/' }],
  ['several threads', { connections: 5, pipelining: 2, amount: 60, workers: 3, requests: [{ path: '/a' }, { path: '/b' }] }]
]) {
  t.test(`every request of a run is told as it was sent: ${name}`, async (t) => {
    const result = await everyOne(t, settings, opts)
    const isClosed = opts.overallRate === undefined && opts.sessions === undefined
    t.ok(result.slowest.every(({ status, latency, serviceTime, dueAt, sentAt }) => status === (result.messages ? null : status) && latency >= serviceTime && (dueAt === sentAt || !isClosed)))
  })
}

t.test('what is said of a request', async (t) => {
  const { result, server } = await playInWorld(t, { serviceTime: ({ number }) => number === 5 ? 40 : 4, answer: ({ number }) => number === 5 ? 404 : 200 }, {
    connections: 1, overallRate: 100, duration: 0.2, slowest: 2, requests: [{ path: '/a', title: 'first' }, { path: '/b' }, { path: '/c', title: 'first' }]
  })
  // Request 5 is due at 50 ms, and the one behind it has to wait for its answer.
  const bytes = result.slowest[0].bytes
  t.strictSame(result.slowest, [
    { latency: 40, serviceTime: 40, dueAt: 0.05, sentAt: 0.05, endedAt: 0.09, method: 'GET', path: '/c', status: 404, bytes, endpoint: 0, connection: 1, traceId: null, stall: null },
    { latency: 34, serviceTime: 4, dueAt: 0.06, sentAt: 0.09, endedAt: 0.094, method: 'GET', path: '/a', status: 200, bytes: result.slowest[1].bytes, endpoint: 0, connection: 1, traceId: null, stall: null }
  ])
  t.ok(bytes > 0)
  t.equal(server.requests, 20)
})

t.test('messages have no status; their bytes are those of the answer, their path that of the handshake', async (t) => {
  const { result } = await playInWorld(t, { websocket: 'echo', serviceTime: 4 }, { connections: 1, amount: 2, body: 'hello', websocket: {} })
  t.match(result.slowest, [{ latency: 4, method: 'GET', path: '/', status: null, bytes: 5, endpoint: 0 }, {}])
})

t.test('the number of a connection is that of the TCP connection', async (t) => {
  const { result, world } = await playInWorld(t, { serviceTime }, { connections: 2, amount: 12, reconnectRate: 2, slowest: 1000 })
  const numbers = new Map()
  for (const { socket } of world.log) if (!numbers.has(socket)) numbers.set(socket, numbers.size + 1)
  const startedAt = Math.min(...world.log.map(({ sentAt }) => sentAt)) - Math.round(Math.min(...result.slowest.map(({ sentAt }) => sentAt)) * 1e6)
  for (const { sentAt, connection } of result.slowest) {
    t.ok(world.log.some((entry) => entry.sentAt - startedAt === Math.round(sentAt * 1e6) && numbers.get(entry.socket) === connection))
  }
  t.equal(new Set(result.slowest.map(({ connection }) => connection)).size, result.connectionStats.opened)
})

t.test('how many', async (t) => {
  for (const [slowest, expected] of [[undefined, 10], [0, 0], [3, 3], [1000, 20]]) {
    const { result } = await playInWorld(t, { serviceTime }, { connections: 2, amount: 20, slowest })
    t.equal(result.slowest.length, expected)
  }
})

t.test('a response that is left out of latency is not among the slowest', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: ({ number }) => number === 3 ? 50 : 5, answer: ({ number }) => number === 3 ? 500 : 200 }, (world) => ({ connections: 1, amount: 8, excludeErrorStats: true }))
  t.equal(result.slowest.length, 7)
  t.match(result.slowest[0], { latency: 5, status: 200 })
})

t.test('the warm-up has its own', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: ({ number }) => number === 3 ? 50 : 5 }, { connections: 1, amount: 8, warmup: { duration: 0.2 } })
  t.equal(result.slowest[0].latency, 5)
  t.equal(result.warmup.slowest[0].latency, 50)
})

t.test('results that are added up have the slowest of all of them, and heat maps of all', async (t) => {
  const results = []
  for (const slow of [40, 60]) {
    const { result } = await playInWorld(t, { serviceTime: ({ number }) => number === 3 ? slow : 5 }, { connections: 2, overallRate: 50, duration: 1, skipAggregateResult: true })
    results.push(result)
  }
  const whole = aggregateResult(results.map((result) => JSON.parse(JSON.stringify(result))))
  t.strictSame(whole.slowest.map(({ latency }) => latency).slice(0, 3), [60, 40, 5])
  t.equal(whole.slowest.length, 10)
  t.equal(whole.heat.counts.flat().reduce((sum, count) => sum + count, 0), 100)
  for (const result of results) result.mergeable.summaries.forEach((summary) => { delete summary.slowest; delete summary.heat })
  const older = aggregateResult(results)
  t.strictSame([older.slowest, older.heat], [undefined, undefined], 'those of an earlier version have none')
})

t.test('the heat map of a run whose latencies are known', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: ({ number }) => [1, 1.333, 1.334, 10, 99.999, 100][number % 6] }, { connections: 20, overallRate: 60, duration: 2, sampleInt: 500 })
  const bound = (eighths) => 10 ** (eighths / 8)
  const { times, bounds, counts } = result.heat
  t.strictSame(bounds, Array.from({ length: 18 }, (_, index) => bound(index)))
  const total = bounds.slice(1).map((_, index) => counts.reduce((sum, row) => sum + row[index], 0))
  t.strictSame(total, [40, 20, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 0, 0, 0, 20, 20])
  t.strictSame(times.slice(0, 4), [0.5, 1, 1.5, 2])
  // The last two answers of 100 ms, and what else was sent in the last tenth of a second.
  t.equal(counts[4].reduce((sum, count) => sum + count, 0), result.drain.completed)
})

t.test('examples of errors: the first three of each', async (t) => {
  const { result, world } = await playInWorld(t, {
    serviceTime: 5, answer: ({ number }) => number % 3 === 2 ? 'reset' : number === 3 ? { body: 'x'.repeat(50), cutAt: 60, then: 'end' } : number === 4 ? 'silence' : 200
  }, { connections: 1, amount: 15, timeout: 1, idReplacement: true, requests: [{ path: '/[<id>]' }, { method: 'PUT', path: '/b', body: 'x' }] })
  const startedAt = world.log[0].sentAt
  const expected = (number, after) => ({ at: Math.round(world.log[number].sentAt - startedAt + after * 1000) / 1e6, method: world.log[number].method, path: world.log[number].path, status: null, traceId: null })
  const { ECONNRESET, CANNONADE_TRUNCATED_RESPONSE: truncated, CANNONADE_RESPONSE_TIMEOUT: late } = result.errorCodes
  const after = result.slowest.length > 0 ? firstSend(result) : 0
  const since = (examples) => examples.map(({ at, ...example }) => ({ at: Math.round((at - after) * 1e6) / 1e6, ...example }))
  t.strictSame(since(ECONNRESET.examples), [2, 5, 8].map((number) => expected(number, 5)))
  t.strictSame(since(truncated.examples), [{ ...expected(3, 5), status: 200 }])
  t.strictSame(since(late.examples), [expected(4, 1000)])
})

const firstSend = ({ slowest }) => Math.min(...slowest.map(({ sentAt }) => sentAt))

t.test('examples of connections that failed have no request', async (t) => {
  const { result } = await playInWorld(t, { attempt: () => 'refuse' }, { duration: 0.4, connections: 4 })
  t.equal(result.errorCodes.ECONNREFUSED.examples.length, 3)
  t.match(result.errorCodes.ECONNREFUSED.examples[0], { method: null, path: null, status: null, traceId: null })
})

t.test('values that are refused', async (t) => {
  const allowed = /^slowest must be a whole number from 0 to 1000; got /
  for (const slowest of [-1, 1001, 1.5, 'many', true, []]) {
    await t.rejects(async () => run({ url: 'http://localhost:1', slowest }), { code: 'CANNONADE_BAD_OPTION', option: 'slowest', message: allowed })
  }
})
