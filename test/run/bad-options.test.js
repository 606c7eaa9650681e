'use strict'

const t = require('tap')
const { once, errorMonitor } = require('node:events')
const run = require('../..')
const { httpServer } = require('../support/servers')
const { sleep, until } = require('../support/wait')
const child = require('../support/child')
const { ended } = require('../support/ended')

const BAD = { url: 'http://localhost', connections: -1 }
const EXPECTED = { code: 'CANNONADE_BAD_OPTION', option: 'connections', message: /connections must be .*; got -1/ }

t.test('the callback receives the error, and no result', async (t) => {
  const args = await new Promise((resolve) => run(BAD, (...args) => resolve(args)))
  t.match(args[0], EXPECTED)
  t.equal(args[1], undefined)
})

t.test('the promise rejects', async (t) => {
  await t.rejects(run(BAD), EXPECTED)
  t.match(await run(BAD).catch((error) => error), EXPECTED)
  let wasCalled = false
  await t.rejects(run(BAD).finally(() => { wasCalled = true }), EXPECTED)
  t.ok(wasCalled)
})

t.test('error is emitted', async (t) => {
  const [error] = await once(run(BAD), 'error')
  t.match(error, EXPECTED)
})

t.test('callback and listeners receive it once each, and there is no done', async (t) => {
  const heard = []
  const instance = run(BAD, (error) => heard.push(['callback', error]))
  instance.on('error', (error) => heard.push(['error', error]))
  instance.on(errorMonitor, (error) => heard.push(['monitor', error]))
  instance.on('start', () => heard.push(['start']))
  instance.on('done', () => heard.push(['done']))
  await t.rejects(ended(instance), EXPECTED)
  await t.rejects(ended(instance), EXPECTED, 'and again, late')
  await sleep(20)
  t.same(heard.map(([name]) => name).sort(), ['callback', 'error', 'monitor'])
  t.equal(new Set(heard.map(([, error]) => error)).size, 1)
})

t.test('someone who only watches errors sees one that is handled elsewhere', async (t) => {
  for (const [handle, callback] of [[(instance) => instance.catch(() => {})], [() => {}, () => {}]]) {
    const watched = []
    const instance = run(BAD, callback)
    instance.on(errorMonitor, (error) => watched.push(error))
    handle(instance)
    await until(() => watched.length > 0)
    await sleep(20)
    t.equal(watched.length, 1)
    t.match(watched[0], EXPECTED)
  }
})

t.test('run itself never throws', async (t) => {
  for (const opts of [undefined, null, 5, 'http://localhost', [], {}, BAD, { url: {} }, { url: 'http://localhost', requests: 'x' }]) {
    await t.rejects(run(opts), { code: 'CANNONADE_BAD_OPTION' }, JSON.stringify(opts))
  }
})

t.test('no socket is opened for invalid options', async (t) => {
  const server = await httpServer(t)
  await t.rejects(run({ url: server.url, timeout: 0 }), { message: /timeout must be greater than 0/ })
  await sleep(30)
  t.equal(server.connections, 0)
})

t.test('messages that programs match', async (t) => {
  const url = 'http://localhost'
  const texts = [
    [{}, 'url or socketPath option required'],
    [{ url, duration: 'soon' }, 'duration entered was in an invalid format'],
    [{ url, timeout: 0 }, 'timeout must be greater than 0'],
    [{ url, timeout: -1 }, 'timeout must be greater than 0'],
    [{ url, method: 'CONNECT' }, 'CONNECT HTTP method is not supported'],
    [{ url, body: true }, 'body must be either a string or a buffer'],
    [{ url, requests: [{ body: {} }] }, 'body must be either a string or a buffer']
  ]
  for (const [opts, text] of texts) {
    const error = await run(opts).catch((error) => error)
    t.ok(error.message.includes(text), `${error.message} | ${text}`)
  }
})

t.test('the error is thrown if nobody listens', async (t) => {
  const { code, stderr } = await child(`
    const instance = require('cannonade')({ url: 'http://localhost', connections: -1 })
    instance.on('done', () => console.log('done'))`)
  t.not(code, 0)
  t.match(stderr, /connections must be/)
})

t.test('it can be caught like any other, and a handled rejection counts as handled', async (t) => {
  const { code, stdout, stderr } = await child(`
    process.on('unhandledRejection', () => console.log('unhandled'))
    process.on('uncaughtException', (error) => console.log('uncaught', error.code, error.option))
    const run = require('cannonade')
    const bad = { url: 'http://localhost', connections: -1 }
    run(bad, (error) => console.log('callback', error.code))
    run(bad).catch((error) => console.log('promise', error.code))
    run(bad).on('error', (error) => console.log('event', error.code))
    setTimeout(() => run(bad), 20)`)
  t.equal(stdout, ['callback', 'promise', 'event'].map((way) => `${way} CANNONADE_BAD_OPTION\n`).join('') + 'uncaught CANNONADE_BAD_OPTION connections\n')
  t.equal(stderr, '')
  t.equal(code, 0)
})
