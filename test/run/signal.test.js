'use strict'

const t = require('tap')
const { getEventListeners } = require('node:events')
const run = require('../..')
const { playInWorld } = require('../support/play-in-world')
const { httpServer, hangingServer } = require('../support/servers')
const { sleep, until } = require('../support/wait')
const { ended } = require('../support/ended')

const LONG = 60
// Far less than the run's duration, and far more than a slow machine takes to end a run.
const SOON = 20

const listeners = (signal) => getEventListeners(signal, 'abort').length

t.test('an already aborted signal: nothing is sent', async (t) => {
  const server = await httpServer(t)
  const signal = AbortSignal.abort()
  const result = await run({ url: server.url, connections: 3, duration: LONG, signal })
  t.equal(result.requests.sent, 0)
  t.equal(server.connections, 0)
  t.equal(listeners(signal), 0)
})

t.test('aborted between the call and the start', async (t) => {
  const server = await httpServer(t)
  const controller = new AbortController()
  const instance = run({ url: server.url, connections: 3, duration: LONG, signal: controller.signal })
  controller.abort()
  t.equal((await instance).requests.sent, 0)
  t.equal(server.connections, 0)
})

t.test('aborted during the run, which ends with the result so far', async (t) => {
  const server = await httpServer(t)
  const controller = new AbortController()
  let wasCalledBack = 0
  const instance = run({ url: server.url, connections: 3, duration: LONG, signal: controller.signal }, () => wasCalledBack++)
  await until(() => server.requests > 20)
  t.equal(listeners(controller.signal), 1)
  const since = performance.now()
  controller.abort(new Error('enough'))
  const result = await ended(instance)
  t.ok(performance.now() - since < SOON * 1000)
  t.ok(result.requests.total >= 21 - 3, 'each of three connections had one response less than requests')
  t.equal(listeners(controller.signal), 0)
  t.equal(wasCalledBack, 1)
})

t.test('a signal of AbortSignal.timeout', async (t) => {
  const server = await hangingServer(t, { every: 1 })
  const since = performance.now()
  const result = await run({ url: server.url, connections: 3, duration: LONG, timeout: LONG, signal: AbortSignal.timeout(100) })
  const took = performance.now() - since
  t.ok(took > 90 && took < SOON * 1000, `${took}`)
  t.ok(result.duration * 1000 <= took, `${result.duration}`)
  t.equal(result.accounting.unfinished, result.accounting.sent)
})

t.test('aborted while nothing is answered: the run ends at that moment', async (t) => {
  const controller = new AbortController()
  const { result } = await playInWorld(t, { answer: 'silence' }, { connections: 3, duration: LONG, timeout: LONG, signal: controller.signal }, (instance, world) => {
    world.afterForClient(1000, () => controller.abort())
  })
  t.match(result, { duration: 1, accounting: { sent: 3, unfinished: 3 } })
})

t.test('aborting after the end has no effect', async (t) => {
  const server = await httpServer(t)
  const controller = new AbortController()
  let done = 0
  const instance = run({ url: server.url, connections: 1, amount: 10, signal: controller.signal })
  instance.on('done', () => done++)
  const result = await instance
  t.equal(listeners(controller.signal), 0)
  controller.abort()
  await sleep(30)
  t.equal(done, 1)
  t.equal(await instance, result)
})

t.test('a signal shared by many runs keeps no listeners of those that have ended', async (t) => {
  const server = await httpServer(t)
  const { signal } = new AbortController()
  for (let count = 0; count < 12; count++) await run({ url: server.url, connections: 1, amount: 1, signal })
  await t.rejects(run({ url: server.url, connections: -1, signal }))
  const failing = run({ url: server.url, connections: 1, signal, setupClient () { throw new Error('no') } })
  await t.rejects(failing, { code: 'CANNONADE_HOOK_FAILED' })
  t.equal(listeners(signal), 0)
})

t.test('one signal ends several runs', async (t) => {
  const server = await httpServer(t)
  const controller = new AbortController()
  const instances = [1, 2, 3].map((connections) => run({ url: server.url, connections, duration: LONG, signal: controller.signal }))
  setTimeout(() => controller.abort(), 100)
  const results = await Promise.all(instances)
  t.ok(results.every(({ duration }) => duration < SOON))
  t.equal(listeners(controller.signal), 0)
})

t.test('a run with forever ends too', async (t) => {
  const server = await httpServer(t)
  const controller = new AbortController()
  const instance = run({ url: server.url, connections: 1, amount: 5, forever: true, signal: controller.signal })
  let rounds = 0
  instance.on('done', () => { if (++rounds === 3) controller.abort() })
  t.equal((await ended(instance)).requests.total, 5)
  t.equal(rounds, 3)
  t.equal(listeners(controller.signal), 0)
})

t.test('a value that is not a signal is an invalid option', async (t) => {
  for (const signal of [{}, 'SIGINT', true, new AbortController()]) {
    await t.rejects(run({ url: 'http://localhost', signal }), { code: 'CANNONADE_BAD_OPTION', option: 'signal' })
  }
})
