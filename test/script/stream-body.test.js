'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { Readable } = require('node:stream')
const { setTimeout: sleep } = require('node:timers/promises')
const { pathToFileURL } = require('node:url')
const t = require('tap')
const { run } = require('../..')
const { playInWorld } = require('../support/play-in-world')
const { httpServer, rawServer, reply } = require('../support/servers')
const { until } = require('../support/wait')
const { parsingServer } = require('../support/parsing-server')

const fixture = (name) => path.join(__dirname, 'fixtures', name)
const never = () => new Promise(() => {})

t.test('streams of every kind arrive completely, in chunks, one for each request', async (t) => {
  const file = path.join(t.testdir({ 'body.bin': Buffer.alloc(300_000, 'ü\r\n0\r\n\r\n') }), 'body.bin')
  const sources = {
    'a readable': [() => Readable.from(['a', Buffer.from('b'), '€']), 'ab€'],
    'a file': [() => fs.createReadStream(file), fs.readFileSync(file, 'utf8')],
    'a generator': [async function * () { yield 'x'; await sleep(2); yield 'y' }, 'xy'],
    'a generator that never waits': [function * () { for (let i = 0; i < 2000; i++) yield 'line\r\n'.repeat(50) }, 'line\r\n'.repeat(100_000)],
    'a web stream': [() => new Blob(['a', 'b']).stream(), 'ab'],
    'an array': [() => ['a', 'b'], 'ab'],
    'a promise of one': [async () => { await sleep(2); return Readable.from(['late']) }, 'late'],
    'empty pieces': [() => ['', 'a', Buffer.alloc(0), 'b', ''], 'ab'],
    'nothing at all': [() => [], ''],
    'nothing at all, later': [async function * () { await sleep(1) }, '']
  }
  for (const [name, [source, expected]] of Object.entries(sources)) {
    const server = await parsingServer(t)
    let calls = 0
    const body = (context) => {
      calls++
      t.same(context, { x: 1 })
      return source()
    }
    const { accounting, bytes, connectionStats } = await run({ url: server.url, method: 'POST', connections: 2, amount: 5, initialContext: { x: 1 }, body })
    t.match(accounting, { sent: 5, completed: 5 }, name)
    t.equal(calls, 5)
    t.equal(connectionStats.opened, 2, 'connections are reused')
    t.equal(server.seen.length, 5)
    for (const { headers, body: received } of server.seen) {
      t.ok(received.toString() === expected, 'the same bytes')
      t.same([headers['transfer-encoding'], headers['content-length']], ['chunked', undefined])
    }
    t.ok(bytes.written > 5 * Buffer.byteLength(expected))
  }
})

t.test('written bytes are counted exactly', async (t) => {
  let received = 0
  const server = await httpServer(t, (request, response) => request.resume().on('end', () => response.end()))
  server.server.on('connection', (socket) => socket.on('close', () => { received += socket.bytesRead }))
  const { bytes } = await run({ url: server.url, method: 'PUT', connections: 1, amount: 3, body: () => ['a'.repeat(1000), '', 'bc'] })
  await until(() => received > 0)
  t.equal(bytes.written, received)
})

t.test('with a Content-Length the body is sent without chunked encoding', async (t) => {
  const server = await parsingServer(t)
  await run({ url: server.url, method: 'POST', headers: { 'Content-Length': 4 }, connections: 1, amount: 2, body: () => ['ab', 'cd'] })
  for (const { headers, body } of server.seen) {
    t.same([headers['transfer-encoding'], headers['content-length'], body.toString()], [undefined, '4', 'abcd'])
  }
  for (const [pieces, message] of [[['abc'], /yields 3 bytes, less than the 4 of its Content-Length/], [['abc', 'de'], /yields more than the 4 bytes/]]) {
    await t.rejects(run({ url: server.url, method: 'POST', headers: { 'content-length': '4' }, connections: 1, amount: 2, body: () => pieces }), {
      code: 'CANNONADE_HOOK_FAILED', message
    })
  }
})

t.test('a server that does not read causes back-pressure, and the end of the run ends the stream', async (t) => {
  const server = await httpServer(t, () => {})
  let given = 0
  let ended = 0
  const piece = Buffer.alloc(256 * 1024)
  const body = async function * () {
    try {
      for (;;) {
        given += piece.length
        yield piece
      }
    } finally {
      ended++
    }
  }
  const instance = run({ url: server.url, method: 'POST', connections: 2, duration: 60, body })
  await until(() => given > 0)
  // The system's buffers have limits of unknown size.
  let before = -1
  await until(async () => {
    const isHeldUp = given === before
    before = given
    await sleep(100)
    return isHeldUp
  }, 20_000)
  t.ok(given < 500 * 1024 * 1024)
  instance.stop()
  const { accounting } = await instance
  t.match(accounting, { sent: 2, unfinished: 2 })
  await until(() => ended === 2)
})

t.test('a response before the end of the body counts, and then the connection is closed', async (t) => {
  const server = await httpServer(t, (request, response) => response.writeHead(413).end('too large'))
  let destroyed = 0
  const body = () => new Readable({
    read () { setTimeout(() => this.push('x'), 1) },
    destroy (error, done) { destroyed++; done(error) }
  })
  for (const opts of [{}, { overallRate: 100 }, { pipelining: 3 }]) {
    const { accounting, non2xx, errors, connectionStats } = await run({ url: server.url, method: 'POST', connections: 2, amount: 6, body, ...opts })
    t.match(accounting, { sent: 6, completed: 6, failed: 0 })
    t.same([non2xx, errors], [6, 0])
    t.ok(connectionStats.opened >= 6)
  }
  t.same(server.requestsPerConnection, new Array(18).fill(1), 'each request had its own connection')
  await until(() => destroyed === 18)
})

t.test('with HTTP/2, the stream of a request that the server resets is ended', async (t) => {
  let cutShort = 0
  const body = () => {
    let left = 200
    return new Readable({
      read () { this.push(left-- > 0 ? Buffer.alloc(1000) : null) },
      destroy (error, done) {
        if (left > 0) cutShort++
        done(error)
      }
    })
  }
  const { result } = await playInWorld(t, { http2: true, habits: { early: { every: 1, after: 5000, rst: 8 } } }, { http2: true, connections: 1, amount: 4, method: 'POST', body })
  t.same([result.accounting.failed, cutShort], [4, 4])
})

t.test("a stream that fails, or a value that isn't one, ends the run with an error that names it", async (t) => {
  const server = await parsingServer(t)
  const failing = async function * () {
    yield 'x'
    throw new Error('out of paper')
  }
  const cases = [
    [failing, 'out of paper'],
    [() => new Readable({ read () { this.destroy(new Error('out of ink')) } }), 'out of ink'],
    [() => fs.createReadStream('/no/such/file'), 'ENOENT'],
    [() => { throw new Error('thrown') }, 'thrown'],
    [async () => { throw new Error('rejected') }, 'rejected'],
    [() => 'a text', 'it must return a readable stream or another iterable of strings and bytes'],
    [() => undefined, 'it must return a readable stream'],
    [() => Buffer.from('bytes'), 'it must return a readable stream'],
    [() => [5], 'it must yield strings or bytes'],
    [() => [null], 'it must yield strings or bytes']
  ]
  for (const [body, message] of cases) {
    let calls = 0
    const second = () => ++calls < 3 ? ['fine'] : body()
    const error = await run({ url: server.url, method: 'POST', connections: 1, duration: 30, requests: [{ body: 'a' }, { body: second }] }).catch((error) => error)
    t.equal(error.code, 'CANNONADE_HOOK_FAILED', message)
    t.match(error.message, `requests[1].body failed: ${message}`)
    t.match(error.result.accounting, { completed: 5, unfinished: 1 })
  }
})

t.test('a server that closes early, and one that never responds', async (t) => {
  const breaking = await httpServer(t, (request) => request.once('data', () => request.socket.destroy()))
  const endless = async function * () { for (;;) { yield 'x'; await sleep(1) } }
  const broken = await run({ url: breaking.url, method: 'POST', connections: 2, amount: 4, body: endless })
  t.match(broken.accounting, { sent: 4, failed: 4 })

  const silent = await httpServer(t, () => {})
  const late = run({ url: silent.url, method: 'POST', connections: 1, duration: 60, timeout: 0.5, body: async function * () { yield 'x'; await never() } })
  late.once('reqError', late.stop)
  t.match((await late).accounting, { sent: 1, timedOut: 1 })
})

t.test('pipelined: a request waits for the end of the previous body', async (t) => {
  const server = await rawServer(t, (socket) => socket.write(reply()), { keep: true })
  const requests = [
    { path: '/stream', method: 'POST', body: async function * () { yield 'a'; await sleep(5); yield 'b' } },
    { path: '/plain', method: 'POST', body: 'c' }
  ]
  for (const opts of [{}, { overallRate: 1000 }]) {
    server.kept.length = 0
    const { accounting } = await run({ url: server.url, connections: 1, pipelining: 4, amount: 12, requests, ...opts })
    t.equal(accounting.completed, 12)
    t.same(server.malformed, [])
    t.same(server.kept.map(({ path, body }) => `${path} ${body}`), Array.from({ length: 12 }, (_, i) => i % 2 === 0 ? '/stream ab' : '/plain c'))
  }
})

t.test('each request may override it', async (t) => {
  const server = await parsingServer(t)
  const requests = [{}, { body: 'text' }, { body: null }, { body: () => ['own'] }]
  await run({ url: server.url, method: 'POST', connections: 1, amount: 4, body: () => ['common'], requests })
  t.same(server.seen.map(({ body }) => body.toString()), ['common', 'text', '', 'own'])
})

t.test('hooks and clients receive it, and may replace it', async (t) => {
  const server = await parsingServer(t)
  const common = () => ['common']
  const bodies = () => server.seen.splice(0).map(({ body }) => body.toString())
  const base = { url: server.url, method: 'POST', connections: 1, amount: 2, body: common }

  await run({ ...base, requests: [{ setupRequest: (request) => { t.equal(request.body, common); return request } }] })
  t.same(bodies(), ['common', 'common'])
  await run({ ...base, requests: [{ setupRequest: (request) => ({ ...request, body: () => ['hook'] }) }] })
  t.same(bodies(), ['hook', 'hook'])
  await run({ ...base, requests: [{ setupRequest: (request) => ({ ...request, body: 'text' }) }] })
  t.same(bodies(), ['text', 'text'])
  await run({ ...base, setupClient: (client) => client.setBody(() => ['client']) })
  t.same(bodies(), ['client', 'client'])
  await run({ ...base, setupClient: (client) => client.setBody('text') })
  t.same(bodies(), ['text', 'text'])
  await run({ ...base, setupClient: (client) => client.setRequest({ headers: { a: '1' } }) })
  t.same(bodies(), ['common', 'common'])
  await t.rejects(run({ ...base, setupClient: (client) => client.setBody({ stream: 'x.js' }) }), {
    code: 'CANNONADE_BAD_OPTION', message: /^setBody\(\)\.body must be a string, a buffer or a function during the run/
  })
})

t.test('a module, which workers require', async (t) => {
  const server = await parsingServer(t)
  for (const [stream, most] of [[fixture('body.js'), 2], [fixture('body.mjs'), 0], [pathToFileURL(fixture('body.mjs')), 1]]) {
    for (const workers of most === 0 ? [undefined] : [undefined, most]) {
      const { accounting } = await run({ url: server.url, method: 'POST', connections: 2, amount: 4, workers, body: { stream } })
      t.equal(accounting.completed, 4)
      t.same(server.seen.splice(0).map(({ body }) => body.toString()), new Array(4).fill('from a module'))
    }
  }
  await t.rejects(run({ url: server.url, workers: 2, body: () => [] }), {
    code: 'CANNONADE_BAD_OPTION', option: 'body', message: /\{ stream \} with the path of a module/
  })
  await t.rejects(run({ url: server.url, body: { stream: fixture('none.js') } }), {
    code: 'CANNONADE_BAD_OPTION', message: /^body could not be loaded from/
  })
})

t.test('ids and columns are inserted into its path and headers, not into a stream', async (t) => {
  const server = await parsingServer(t)
  await run({
    url: `${server.url}/[<id>]/{{a}}`,
    method: 'POST',
    headers: { 'x-a': '{{a}}' },
    connections: 1,
    amount: 2,
    idReplacement: true,
    feed: [{ a: 1 }, { a: 2 }],
    body: () => ['[<id>]{{a}}']
  })
  t.same(server.seen.map(({ headers, body }) => [headers['x-a'], body.toString()]), [['1', '[<id>]{{a}}'], ['2', '[<id>]{{a}}']])
  t.match(server.seen[0].url, /^\/\w+\/1$/)
})

t.test('a file for all connections, opened only a few times', async (t) => {
  const server = await parsingServer(t)
  let open = 0
  let most = 0
  const body = () => {
    most = Math.max(most, ++open)
    return fs.createReadStream(__filename).on('close', () => open--)
  }
  await run({ url: server.url, method: 'POST', connections: 3, amount: 30, body })
  await until(() => open === 0)
  t.ok(most <= 15, `${most} at a time`)
  const expected = fs.readFileSync(__filename)
  t.ok(server.seen.every(({ body }) => body.equals(expected)))
})
