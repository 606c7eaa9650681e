'use strict'

const t = require('tap')
const zlib = require('node:zlib')
const run = require('../..')
const { httpServer, reply, chunkedReply, delayServer } = require('../support/servers')
const { sleep } = require('../support/wait')
const { keepingServer } = require('../support/keeping-server')

const counting = (t) => keepingServer(t, (request, index) => reply(`body ${index}`))

t.test('verifyBody receives each body, and a falsy return value is a mismatch', async (t) => {
  const server = await counting(t)
  const bodies = []
  const verdicts = [true, false, 1, 0, 'yes', '', {}, null, undefined, true]
  const result = await run({
    url: server.url,
    connections: 1,
    amount: 10,
    verifyBody (body) {
      bodies.push(body)
      return verdicts[bodies.length - 1]
    }
  })
  t.same(bodies, Array.from({ length: 10 }, (_, index) => `body ${index}`))
  t.equal(result.mismatches, 5)
  t.equal(result.requests.total, 10, 'they are completed nevertheless')
  t.equal(result.errors, 0)
})

t.test('an asynchronous verifyBody is awaited; the promise itself is not a verdict', async (t) => {
  const server = await counting(t)
  const told = []
  const instance = run({
    url: server.url,
    connections: 2,
    amount: 20,
    async verifyBody (body) {
      await sleep(1)
      return Number(body.split(' ')[1]) % 4 !== 0
    }
  })
  instance.on('reqMismatch', (body) => told.push(body))
  const result = await instance
  t.equal(result.mismatches, 5)
  t.same(told.sort(), ['body 0', 'body 12', 'body 16', 'body 4', 'body 8'])
})

t.test('the next request on the connection waits for it', async (t) => {
  const server = await counting(t)
  let active = 0
  let most = 0
  await run({
    url: server.url,
    connections: 1,
    amount: 5,
    async verifyBody () {
      most = Math.max(most, ++active)
      await sleep(5)
      active--
      return true
    }
  })
  t.equal(most, 1)
})

t.test('verdicts still missing when the run ends are reported, not counted as matches', async (t) => {
  const server = await counting(t)
  let bodies = 0
  const verifyBody = () => {
    if (++bodies === 3) setImmediate(() => instance.stop())
    return new Promise(() => {})
  }
  const instance = run({ url: server.url, connections: 3, duration: 60, verifyBody })
  const result = await instance
  t.equal(result.mismatches, 0)
  t.match(result.warnings.find(({ code }) => code === 'BODIES_NOT_VERIFIED'), { message: /had not decided on 3 bodies/ })
})

t.test('verifyBody has priority over expectBody', async (t) => {
  const server = await httpServer(t)
  const opts = { url: server.url, connections: 1, amount: 4 }
  t.equal((await run({ ...opts, expectBody: 'other', verifyBody: () => true })).mismatches, 0)
  t.equal((await run({ ...opts, expectBody: 'ok', verifyBody: () => false })).mismatches, 4)
})

t.test('expectBody is compared with the complete body', async (t) => {
  const bodies = ['ok', 'ok ', '', 'OK', 'o', 'ok']
  const server = await keepingServer(t, (request, index) => reply(bodies[index]))
  t.equal((await run({ url: server.url, connections: 1, amount: 6, expectBody: 'ok' })).mismatches, 4)
  const chunked = await keepingServer(t, () => chunkedReply(['o', 'k']))
  t.equal((await run({ url: chunked.url, connections: 1, amount: 6, expectBody: 'ok' })).mismatches, 0)
  const empty = await keepingServer(t, () => reply('', { status: 204, length: null }))
  t.equal((await run({ url: empty.url, connections: 1, amount: 6, expectBody: '' })).mismatches, 0)
})

t.test('with pipelining each body belongs to its own response', async (t) => {
  const server = await counting(t)
  const bodies = []
  await run({ url: server.url, connections: 1, pipelining: 8, amount: 40, verifyBody: (body) => bodies.push(body) })
  t.same(bodies, Array.from({ length: 40 }, (_, index) => `body ${index}`))
})

t.test('mismatches count towards bailout', async (t) => {
  const server = await delayServer(t, 1)
  for (const opts of [{ expectBody: 'x' }, { verifyBody: () => false }, { verifyBody: async () => false }]) {
    const result = await run({ url: server.url, connections: 1, duration: 60, bailout: 3, ...opts })
    t.equal(result.mismatches, 3)
    t.ok(result.duration < 30)
    t.match(result.warnings.find(({ code }) => code === 'STOPPED'), { message: /because it had as many errors as bailout allows \(3\)\.$/ })
  }
})

t.test('a body of several megabytes arrives completely', async (t) => {
  const text = 'äöü€'.repeat(500000)
  const server = await httpServer(t, (request, response) => response.end(text))
  let isSame
  const result = await run({
    url: server.url,
    connections: 2,
    amount: 4,
    expectBody: text,
    requests: [{ onResponse: (status, body) => { isSame = body === text } }]
  })
  t.ok(isSame)
  t.equal(result.mismatches, 0)
})

t.test('a compressed body is passed decompressed', async (t) => {
  const bytes = zlib.gzipSync('hello')
  const server = await keepingServer(t, () => reply(bytes, { headers: { 'Content-Encoding': 'gzip' } }))
  let body
  await run({ url: server.url, connections: 1, amount: 1, setupClient: (client) => client.on('body', (given) => { body = given }) })
  t.same(body, Buffer.from('hello'))
})
