'use strict'

const t = require('tap')
const run = require('../..')
const { httpServer, closedPort, hangingServer } = require('../support/servers')
const child = require('../support/child')
const { ended } = require('../support/ended')

const LONG = 60

for (const event of ['start', 'tick', 'response']) {
  t.test(`a listener of ${event} that throws ends the run with its error`, async (t) => {
    const server = await httpServer(t)
    const instance = run({ url: server.url, connections: 2, duration: LONG, sampleInt: 50 })
    const cause = new Error('my mistake')
    let times = 0
    instance.on(event, () => {
      times++
      throw cause
    })
    const since = performance.now()
    const error = await instance.then(() => null, (error) => error)
    t.ok(performance.now() - since < LONG * 1000 / 2)
    t.match(error, { code: 'CANNONADE_HOOK_FAILED', message: `a listener of ${event} failed: my mistake` })
    t.equal(error.cause, cause)
    t.type(error.result.requests.total, 'number')
    t.ok(times >= 1)
  })
}

t.test('also a listener of reqError or reqMismatch', async (t) => {
  const absent = await closedPort(t)
  const server = await httpServer(t)
  for (const [event, opts] of [['reqError', { url: absent.url }], ['reqMismatch', { url: server.url, expectBody: 'x' }]]) {
    const instance = run({ connections: 1, duration: LONG, ...opts })
    instance.on(event, () => { throw new Error('my mistake') })
    await t.rejects(instance, { code: 'CANNONADE_HOOK_FAILED', message: new RegExp(`a listener of ${event}`) })
  }
})

t.test('a listener that throws at the very end, in the last tick', async (t) => {
  const server = await httpServer(t)
  const instance = run({ url: server.url, connections: 1, amount: 5, sampleInt: LONG * 1000 })
  instance.on('tick', () => { throw new Error('my mistake') })
  const error = await instance.then(() => null, (error) => error)
  t.equal(error.code, 'CANNONADE_HOOK_FAILED')
  t.equal(error.result.requests.total, 5)
})

t.test('a listener that throws while nothing is answered', async (t) => {
  const server = await hangingServer(t, { every: 1 })
  const instance = run({ url: server.url, connections: 1, duration: LONG, timeout: LONG, sampleInt: 50 })
  instance.on('tick', ({ sent }) => { if (sent > 0) throw new Error('my mistake') })
  const error = await instance.then(() => null, (error) => error)
  t.equal(error.result.accounting.unfinished, 1)
})

for (const event of ['headers', 'body', 'response', 'reset']) {
  t.test(`a listener of a client's ${event} event that throws ends the run with its error`, async (t) => {
    const server = await httpServer(t)
    const cause = new Error('my mistake')
    const error = await run({
      url: server.url,
      connections: 1,
      duration: LONG,
      requests: [{}, { setupRequest: () => null }],
      setupClient: (client) => client.on(event, () => { throw cause })
    }).then(() => null, (error) => error)
    t.match(error, { code: 'CANNONADE_HOOK_FAILED', message: `a listener of a client's ${event} event failed: my mistake` })
    t.equal(error.cause, cause)
    t.ok(error.result)
  })
}

t.test('any thrown value is reported', async (t) => {
  const server = await httpServer(t)
  const thrown = [['text', 'text'], [undefined, 'undefined'], [null, 'null'], [Symbol('s'), 'Symbol(s)'], [Object.create(null), 'null prototype'], [5, '5']]
  for (const [value, text] of thrown) {
    const instance = run({ url: server.url, connections: 1, duration: LONG })
    instance.on('response', () => { throw value })
    const error = await instance.then(() => null, (error) => error)
    t.equal(error.code, 'CANNONADE_HOOK_FAILED')
    t.ok(error.message.includes(text), error.message)
    t.equal(error.cause, value)
  }
})

t.test('if a listener of done or error, or a callback, throws, the others are still called, and the error is uncaught', async (t) => {
  const { stdout, stderr, code } = await child(`
    const run = require('cannonade')
    const fail = (what) => { throw new Error('my mistake of ' + what) }
    process.on('uncaughtException', (error) => console.log('uncaught', error.message))
    process.on('unhandledRejection', (error) => console.log('unhandled', error.message))
    const server = require('node:http').createServer((request, response) => response.end('ok'))
    server.listen(0, '127.0.0.1', () => {
      const url = 'http://127.0.0.1:' + server.address().port
      // The process ends with the runs.
      server.unref()

      run({ url, connections: 1, amount: 5 }, (error, result) => console.log('callback of done', error, result.requests.total))
        .on('done', () => fail('done'))

      run({ url, connections: -1 }, (error) => console.log('callback of error', error.code))
        .on('error', () => fail('error'))

      const instance = run({ url, connections: 1, amount: 5 }, (error, result) => {
        console.log('a callback', error, result.requests.total)
        fail('a callback')
      })
      for (const event of ['done', 'error']) instance.on(event, () => console.log(event, 'of a callback'))

      run({ url, connections: 1, duration: 60 }).on('response', () => fail('nobody'))
    })`)
  const lines = stdout.trim().split('\n')
  const of = (what) => lines.filter((line) => line.includes(what))
  t.same(of('of done').sort(), ['callback of done null 5', 'uncaught my mistake of done'])
  t.same(of('of error').sort(), ['callback of error CANNONADE_BAD_OPTION', 'uncaught my mistake of error'])
  t.same(of('a callback'), ['done of a callback', 'a callback null 5', 'uncaught my mistake of a callback'], 'it is called once')
  t.match(of('of nobody'), [/^uncaught a listener of response failed: my mistake of nobody \(at .*:\d+:\d+\)$/], 'if nobody listens to error')
  t.equal(lines.length, 8)
  t.equal(stderr, '')
  t.equal(code, 0)
})

t.test('a run with forever ends with the error of its listener of done', async (t) => {
  const server = await httpServer(t)
  let rounds = 0
  const instance = run({ url: server.url, connections: 1, amount: 5, forever: true })
  instance.on('done', () => { if (++rounds === 2) throw new Error('my mistake') })
  const error = await ended(instance).then(() => null, (error) => error)
  t.match(error, { code: 'CANNONADE_HOOK_FAILED', message: 'a listener of done failed: my mistake' })
  t.equal(error.result.requests.total, 5)
  t.equal(rounds, 2)
})
