'use strict'

const t = require('tap')
const run = require('../..')
const Script = require('../../lib/script/script')
const { VisitSequence } = require('../../lib/script/visit-sequence')
const { playInWorld } = require('../support/play-in-world')
const { httpServer, rawServer, reply } = require('../support/servers')
const { sleep } = require('../support/wait')
const { keepingServer, ownHeaders } = require('../support/keeping-server')

const PATHS = ['/a', '/b', '/c']
const inTurn = (count, of = PATHS) => Array.from({ length: count }, (_, index) => of[index % of.length])

t.test('each connection cycles through the requests in order', async (t) => {
  for (const opts of [{}, { pipelining: 4 }, { overallRate: 500 }, { requests: PATHS.map((path) => ({ path, setupRequest: (request) => request })), pipelining: 4 }]) {
    const server = await keepingServer(t)
    const result = await run({ url: server.url, connections: 3, amount: 60, requests: PATHS.map((path) => ({ path })), ...opts })
    t.equal(result.requests.total, 60)
    for (const connection of [0, 1, 2]) {
      const paths = server.of(connection).map(({ path }) => path)
      t.same(paths, inTurn(paths.length), JSON.stringify(opts))
    }
  }
})

t.test('each request has its own method, path, headers and body, or those of the run', async (t) => {
  const server = await keepingServer(t)
  await run({
    url: server.url + '/base?q=1',
    connections: 1,
    amount: 5,
    method: 'PUT',
    headers: { common: 'C', replaced: 'no', removed: 'no' },
    body: 'B',
    requests: [
      {},
      { method: 'post', path: '/x', headers: { Replaced: 'yes', removed: null, own: 'O' }, body: Buffer.from('€') },
      { method: 'GET', path: 'without slash', body: null },
      { path: '/x?a=b#c', body: 'other' },
      { method: 'HEAD', body: null }
    ]
  })
  t.same(server.kept.map(({ method, path, body }) => [method, path, body.toString()]), [
    ['PUT', '/base?q=1', 'B'],
    ['POST', '/x', '€'],
    ['GET', '/without%20slash', ''],
    ['PUT', '/x?a=b', 'other'],
    ['HEAD', '/base?q=1', '']
  ])
  const common = { common: 'C', replaced: 'no', removed: 'no' }
  t.same(server.kept.map(ownHeaders), [common, { common: 'C', Replaced: 'yes', own: 'O' }, common, common, common])
})

t.test('a setupRequest may change only the path: the rest is sent as it was, byte for byte', async (t) => {
  const server = await keepingServer(t)
  const body = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  const given = ['/plain?a=[1]&b=~!"', '/x y', '/ü', '/x#y', 'no-slash', '/', '/\x7f']
  const paths = given.slice()
  const setupRequest = (request) => Object.assign(request, { path: paths.shift() })
  await run({ url: server.url, connections: 1, amount: given.length, method: 'POST', headers: { name: 'ü' }, body, requests: [{ setupRequest }] })
  t.same(server.paths, ['/plain?a=[1]&b=~!"', '/x%20y', '/%C3%BC', '/x', '/no-slash', '/', '/%7F'])
  t.ok(server.kept.every((request) => body.equals(request.body) && ownHeaders(request).name === 'ü'))
})

t.test('the result has an endpoint for each request', async (t) => {
  const server = await httpServer(t, (request, response) => {
    const delay = request.url === '/slow' ? 20 : 0
    setTimeout(() => response.writeHead(request.url === '/missing' ? 404 : 200).end('ok'), delay)
  })
  const { endpoints, latency } = await run({
    url: server.url,
    connections: 1,
    amount: 30,
    requests: [{ title: 'the fast one' }, { path: '/slow', method: 'POST' }, { path: '/missing' }]
  })
  t.same(endpoints.map(({ title, method, path, completed, failed, statusCodeStats }) => ({ title, method, path, completed, failed, statusCodeStats })), [
    { title: 'the fast one', method: 'GET', path: '/', completed: 10, failed: 0, statusCodeStats: { 200: { count: 10 } } },
    { title: undefined, method: 'POST', path: '/slow', completed: 10, failed: 0, statusCodeStats: { 200: { count: 10 } } },
    { title: undefined, method: 'GET', path: '/missing', completed: 10, failed: 0, statusCodeStats: { 404: { count: 10 } } }
  ])
  t.ok(endpoints[1].latency.min >= 19)
  t.ok(endpoints[0].latency.min < endpoints[1].latency.min)
  t.equal(endpoints.reduce((sum, { latency }) => sum + latency.totalCount, 0), latency.totalCount)
})

t.test('setupRequest receives a complete copy of the request, and returns what is sent', async (t) => {
  const server = await keepingServer(t)
  const given = []
  await run({
    url: server.url,
    connections: 1,
    amount: 3,
    method: 'POST',
    headers: { top: 'T', twice: ['1', '2'] },
    body: 'B',
    requests: [{
      path: '/a',
      title: 'named',
      setupRequest (request) {
        given.push(JSON.parse(JSON.stringify(request)))
        request.method = 'PUT'
        request.path = `/${given.length}`
        request.headers.number = given.length
        delete request.headers.top
        request.body += given.length
        return request
      }
    }]
  })
  const original = { method: 'POST', path: '/a', headers: { top: 'T', twice: ['1', '2'] }, body: 'B', title: 'named' }
  t.same(given, [original, original, original], 'changes are not kept')
  t.same(server.kept.map(({ method, path, body }) => `${method} ${path} ${body}`), ['PUT /1 B1', 'PUT /2 B2', 'PUT /3 B3'])
  t.same(server.kept.map(({ headers }) => headers.filter(([name]) => ['twice', 'number', 'top'].includes(name))), ['1', '2', '3'].map((number) =>
    [['twice', '1'], ['twice', '2'], ['number', number]]))
})

t.test('properties that the returned request omits', async (t) => {
  const template = { method: 'POST', path: '/a', headers: { own: 'O' }, body: 'B' }
  const cases = [
    [(request) => request, 'POST /a {"own":"O"} B'],
    [(request) => ({ ...request, path: '/b' }), 'POST /b {"own":"O"} B'],
    [() => ({ path: '/b' }), 'POST /b {"own":"O"} '],
    [() => ({}), 'POST /a {"own":"O"} '],
    [(request) => ({ ...request, headers: {} }), 'POST /a {} B'],
    [(request) => ({ ...request, headers: undefined }), 'POST /a {"own":"O"} B'],
    [(request) => ({ ...request, headers: new Map([['m', '1']]) }), 'POST /a {"m":"1"} B'],
    [(request) => ({ ...request, headers: new Headers({ h: '1' }) }), 'POST /a {"h":"1"} B'],
    [(request) => ({ ...request, body: undefined }), 'POST /a {"own":"O"} '],
    [(request) => { delete request.body; return request }, 'POST /a {"own":"O"} '],
    [(request) => ({ ...request, body: Buffer.from('bytes') }), 'POST /a {"own":"O"} bytes'],
    [(request) => ({ ...request, method: 'delete', extra: 'ignored' }), 'DELETE /a {"own":"O"} B']
  ]
  for (const [setupRequest, expected] of cases) {
    const server = await keepingServer(t)
    await run({ url: server.url, connections: 1, amount: 1, requests: [{ ...template, setupRequest }] })
    const [request] = server.kept
    t.equal(`${request.method} ${request.path} ${JSON.stringify(ownHeaders(request))} ${request.body}`, expected, setupRequest.toString())
    t.equal(Number(request.header('content-length') ?? 0), request.body.length)
  }
})

t.test('a Map of headers counts as a change for a request without headers', async (t) => {
  const server = await keepingServer(t)
  const setupRequest = (request) => ({ ...request, headers: new Map([['m', '1']]) })
  await run({ url: server.url, connections: 1, amount: 1, requests: [{ setupRequest }] })
  t.equal(server.kept[0].header('m'), '1')
})

t.test('headers with names that every object has', async (t) => {
  const server = await keepingServer(t)
  const headers = { constructor: 'c', toString: 't', hasOwnProperty: 'h' }
  await run({ url: server.url, connections: 1, amount: 1, headers, requests: [{ setupRequest: (request) => ({ ...request, path: '/x' }) }] })
  t.same(ownHeaders(server.kept[0]), headers)
})

t.test('onResponse receives status, body, context and headers', async (t) => {
  const answer = reply('a body', {
    status: 201,
    headers: [['X-One', '1'], ['Set-Cookie', 'a=1'], ['set-cookie', 'b=2'], ['x-small', 's'], ['constructor', 'c'], ['__proto__', 'p']]
  })
  const server = await keepingServer(t, () => answer)
  let args
  await run({ url: server.url, connections: 1, amount: 1, requests: [{ onResponse: (...given) => { args = given } }] })
  const [status, body, context, headers] = args
  t.equal(args.length, 4)
  t.equal(status, 201)
  t.equal(body, 'a body')
  t.same(context, {})
  t.same(Object.keys(headers), ['X-One', 'Set-Cookie', 'x-small', 'constructor', '__proto__', 'Content-Length'])
  t.equal(headers['X-One'], '1')
  t.equal(headers['x-one'], '1', 'in lower case as well')
  t.same(headers['Set-Cookie'], ['a=1', 'b=2'])
  t.same(headers['set-cookie'], ['a=1', 'b=2'])
  t.equal(headers['content-length'], '6')
  t.equal(headers.constructor, 'c')
  t.ok(headers instanceof Object)
})

t.test('bodies may be split anywhere, even within a character', async (t) => {
  const text = 'Grüße, 世界, 🎉 €'
  const bytes = reply(text)
  for (const size of [1, 2, 3, 7]) {
    const server = await rawServer(t, async (socket) => {
      for (let start = 0; start < bytes.length; start += size) {
        socket.write(bytes.subarray(start, start + size))
        await new Promise(setImmediate)
      }
    })
    const bodies = []
    const result = await run({ url: server.url, connections: 1, amount: 2, expectBody: text, requests: [{ onResponse: (status, body) => { bodies.push(body) } }] })
    t.same(bodies, [text, text])
    t.equal(result.mismatches, 0)
  }
})

for (const pipelining of [1, 4]) {
  t.test(`asynchronous hooks, pipelining ${pipelining}: the order is kept`, async (t) => {
    const server = await keepingServer(t, ({ path }) => reply(path))
    const order = []
    let active = 0
    let most = 0
    const requests = PATHS.map((path) => ({
      path,
      async setupRequest (request) {
        active++
        most = Math.max(most, active)
        // The later one is faster, so a wrong order would be visible.
        await sleep(path === '/a' ? 6 : 1)
        active--
        return request
      },
      async onResponse (status, body) {
        await sleep(2)
        order.push(body)
      }
    }))
    const result = await run({ url: server.url, connections: 1, pipelining, amount: 12, requests })
    t.equal(result.requests.total, 12)
    t.same(server.paths, inTurn(12))
    t.same(order, inTurn(12))
    t.equal(most, 1, 'requests of a connection are set up one after another')
  })
}

t.test('the next request waits until onResponse of the previous one has finished', async (t) => {
  for (const opts of [{}, { overallRate: 400 }]) {
    const server = await keepingServer(t)
    const log = []
    await run({
      url: server.url,
      connections: 1,
      amount: 6,
      requests: [{
        setupRequest: async (request, context) => { log.push('setup'); await sleep(1); return request },
        onResponse: async () => { log.push('begin'); await sleep(10); log.push('end') }
      }],
      ...opts
    })
    t.same(log, inTurn(18, ['setup', 'begin', 'end']))
  }
})

t.test('a run by amount waits for the hooks of its last response', async (t) => {
  const server = await httpServer(t)
  let ended = 0
  const { requests } = await run({
    url: server.url,
    connections: 2,
    amount: 4,
    requests: [{ onResponse: async () => { await sleep(50); ended++ } }]
  })
  t.equal(requests.total, 4)
  t.equal(ended, 4)
})

t.test('an onResponse of the warm-up that finishes during the run does not disturb its end', async (t) => {
  const server = await httpServer(t)
  let calls = 0
  const result = await run({
    url: server.url,
    connections: 1,
    amount: 5,
    warmup: { duration: 0.1 },
    requests: [{ onResponse: () => ++calls === 1 ? sleep(200) : undefined }]
  })
  t.equal(result.requests.total, 5)
})

t.test('a thenable that is not a Promise is awaited as well', async (t) => {
  const server = await keepingServer(t)
  const later = (value) => ({ then: (resolve) => { setTimeout(resolve, 1, value) } })
  const result = await run({
    url: server.url,
    connections: 1,
    amount: 3,
    requests: [{ setupRequest: (request) => later({ ...request, path: '/later' }), onResponse: () => later() }],
    verifyBody: () => later(false)
  })
  t.same(server.paths, inTurn(3, ['/later']))
  t.equal(result.mismatches, 3)
})

t.test('a request that closes its connection, among pipelined ones', async (t) => {
  const server = await keepingServer(t)
  let count = 0
  const setupRequest = (request) => ++count % 3 === 0 ? { ...request, headers: { connection: 'close' } } : request
  const result = await run({ url: server.url, connections: 1, pipelining: 4, amount: 30, requests: [{ setupRequest }] })
  t.equal(result.requests.total, 30)
  t.equal(result.errors, 0)
  t.equal(server.requests, 30)
  const lengths = Array.from({ length: server.connections }, (_, connection) => server.of(connection).length)
  t.same(lengths, new Array(10).fill(3))
})

t.test('while a hook prepares a request that closes its connection, nothing is added behind it', async (t) => {
  let slowly
  const { result } = await playInWorld(t, { serviceTime: 20, link: { delay: 2 } }, {
    connections: 2, pipelining: 3, overallRate: 1000, amount: 12, requests: [{ path: '/x' }, { path: '/y', headers: { Connection: 'close' } }], setupRequest: (request) => slowly(request)
  }, (instance, world) => { slowly = (request) => world.sleep(10).then(() => request) })
  t.equal(result.connectionStats.opened, 6, 'each has one of either')
})

t.test('of the requests that wait to be sent again, a connection gets the one that was due then', (t) => {
  const sequence = new VisitSequence({ steps: [{}] }, {}, () => {}, null)
  for (const dueAt of [5, 3, 4]) sequence.keep(`due at ${dueAt}`, dueAt)
  t.same([4, 6, 3, 4, 5].map((dueAt) => sequence.takeKept(dueAt)), ['due at 4', null, 'due at 3', null, 'due at 5'])
  for (const dueAt of [5, 7, 5]) sequence.keep(`due at ${dueAt}`, dueAt)
  t.same([4.9, 6, 7, 5, 5, 5].map((dueAt) => sequence.takeKept(dueAt)), [null, null, 'due at 7', 'due at 5', 'due at 5', null], 'neither one that was due before nor one after it')
  t.end()
})

t.test('hooks survive connections that break', async (t) => {
  const server = await rawServer(t, (socket, request, index) => {
    if (index % 7 === 3) socket.resetAndDestroy()
    else if (index % 7 === 5) socket.end()
    else socket.write(reply('ok'))
  })
  const result = await run({
    url: server.url,
    connections: 3,
    pipelining: 2,
    amount: 100,
    requests: [{
      setupRequest: async (request) => { await sleep(1); return request },
      onResponse: async () => { await sleep(1) }
    }, { setupRequest: (request) => request }]
  })
  const { sent, completed, failed } = result.accounting
  t.equal(sent, 100)
  t.equal(completed + failed, 100)
  t.ok(failed >= 20)
})

t.test('a client can change the first request of the sequence that it has just set', async (t) => {
  let responses = 0
  const setupClient = (client) => client.on('response', () => {
    if (++responses !== 2) return
    client.setRequests([{ path: '/c' }])
    client.setRequest({ path: '/d' })
  })
  const { world } = await playInWorld(t, {}, { connections: 1, amount: 4, setupClient, requests: [{ path: '/a' }, { path: '/b' }] })
  t.same(world.log.map(({ path }) => path), ['/a', '/b', '/d', '/d'])
})

t.test('how many requests go out until the connection closes: redirects first, then what is set up, then the sequence', async (t) => {
  const [stays, closes] = [false, true].map((closes) => ({ encoded: { closes } }))
  const script = (redirects, setUp, inSequence, again = []) => Object.assign(Object.create(Script.prototype), {
    navigation: redirects && { waiting: redirects }, setUp, again, outgoing: new Map(), connection: { depth: 5 }, sequence: { left: 7, untilClosing: (within) => inSequence ?? within + 100 }
  })
  for (const [redirects, setUp, inSequence, untilClosing, supply] of [
    [null, null, 1, 1, 7], [null, null, undefined, 105, 7], [null, stays, 1, 2, 8], [null, closes, 4, 1, 8],
    [[], closes, 4, 1, 8], [[stays], null, 2, 3, 8], [[stays, closes], stays, 2, 2, 10], [[stays, stays], closes, 2, 3, 10], [[stays, stays], stays, 2, 5, 10]
  ]) {
    const its = script(redirects, setUp, inSequence)
    t.same([its.untilClosing, its.supply], [untilClosing, supply], JSON.stringify([redirects, setUp, inSequence]))
  }
  t.equal(script(null, null, 1, [stays, stays]).supply, 9, 'what the server refused is sent again')
})
