'use strict'

// A generator that stalled reports it, and does not blame the server, which responds at once in all of these tests.

const t = require('tap')
const { run } = require('../../..')
const { simulate } = require('../../simulation/world')
const { playInWorld } = require('../../support/play-in-world')
const { httpServer } = require('../../support/servers')
const { eachWay, playWay } = require('../../support/ways')
const { near } = require('./helpers')

const codes = ({ warnings }) => warnings.map(({ code }) => code)
const message = ({ warnings }, wanted) => warnings.find(({ code }) => code === wanted)?.message

t.test('a listener that blocks: the generator stalled', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 1 }, { connections: 10, overallRate: 200, duration: 1.2, sampleInt: 200 }, (instance, world) => {
    instance.once('tick', () => world.hold(700))
  })
  // Counted from the first time that it should have polled.
  near(t, result.generator.stoodStill.longest, 695, 6, 'stoodStill.longest')
  t.ok(result.sendDelay.causes.asleep > 100, `${result.sendDelay.causes.asleep} ms per request`)
  t.ok(result.generator.saturated)
  t.match(message(result, 'GENERATOR_SATURATED'), /the load generator stalled/)
})

t.test('and what it could not send in time is attributed to it, not to the server', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 1 }, { connections: 10, overallRate: 200, duration: 1.2, sampleInt: 200, timeout: 0.2 }, (instance, world) => {
    instance.once('tick', () => world.hold(900))
  })
  // Due between 200 and 900 ms; when the client noticed them, their 200 ms were over.
  t.ok(Math.abs(result.accounting.unsent - 140) <= 2, `${result.accounting.unsent} unsent`)
  t.match(message(result, 'RATE_NOT_ACHIEVED'), /the load generator/)
  t.notMatch(message(result, 'RATE_NOT_ACHIEVED'), /the server was slower/)
})

t.test('real world: the time that a listener blocks is measured', async (t) => {
  const server = await httpServer(t)
  const instance = run({ url: server.url, connections: 10, overallRate: 200, duration: 0.6, sampleInt: 100 })
  instance.once('tick', () => {
    const end = performance.now() + 300
    while (performance.now() < end);
  })
  const { generator } = await instance
  t.ok(generator.stoodStill.longest > 250, `${generator.stoodStill.longest} ms`)
})

t.test('requests that were never sent waited for hooks as far as these held the connections', async (t) => {
  // A hook holds one of two connections, and the server the other one.
  const { result } = await playInWorld(t, { answer: 'silence' }, (world) => {
    let asked = 0
    const setupRequest = (request) => world.sleep(asked++ === 0 ? 5000 : 0).then(() => request)
    return { connections: 2, overallRate: 10, duration: 1, timeout: 10, drain: 0, requests: [{ setupRequest }] }
  })
  const half = { count: 9, smallest: 50, largest: 500, total: 2300 }
  t.match(result.missing, { sendDelay: { count: 9, total: 4600 }, clientDelay: half, waitDelay: half })
})

for (const [name, hooksIn] of [
  ['onResponse', (world) => ({ onResponse: () => world.sleep(100) })],
  ['setupRequest', (world) => ({ setupRequest: (request) => world.sleep(100).then(() => request) })]
]) {
  t.test(`with a slow ${name}, the client occupies the connections, not the server`, async (t) => {
    const { value: result } = await simulate({}, (world) => {
      return run({ url: world.server().url, connections: 2, overallRate: 100, duration: 1, requests: [hooksIn(world)] })
    })
    t.ok(result.sendDelay.causes.hooks > 100, `${result.sendDelay.causes.hooks} ms per request`)
    t.ok(codes(result).includes('GENERATOR_SATURATED'))
    t.match(message(result, 'RATE_NOT_ACHIEVED'), /hooks blocked the connections/)
  })
}

t.test('a request that a hook held until its deadline, or until the end, waited only for the client', async (t) => {
  const hook = { setupRequest: () => new Promise(() => {}) }
  // Those that never had a connection are as old at the end as the schedule says.
  for (const [end, total] of [[{ timeout: 0.3, drain: 0.3 }, 15 * 300 + (250 + 200 + 150 + 100 + 50)], [{ timeout: 3, drain: 0 }, 20 * 525]]) {
    const { value: result } = await simulate({}, (world) => run({ url: world.server().url, connections: 2, overallRate: 20, duration: 1, requests: [hook], ...end }))
    t.match(result.accounting, { scheduled: 20, unsent: 20 })
    t.match(result.missing.sendDelay, { count: 20, total })
    t.match(result.missing.clientDelay, { count: 20, total })
    t.match(result.missing.waitDelay, { count: 20, total: 0 })
  }
})

eachWay(t, 'a request that a hook held until its deadline waited only for the client, although other connections were free', async (t, way) => {
  let asked = 0
  const setupRequest = (request) => asked++ === 0 ? new Promise(() => {}) : request
  const { result } = await playWay(t, way, {}, { connections: 3, overallRate: 20, amount: 10, timeout: 0.2, setupRequest })
  t.match(result.accounting, { unsent: 1, completed: 9 })
  t.match(result.missing, { sendDelay: { count: 1, total: 200 }, clientDelay: { count: 1, total: 200 }, waitDelay: { count: 1, total: 0 } })
  t.equal(result.generator.late.p99, 200)
})

t.test('of the wait for a connection, hooks account for their share of each turn, and no more', async (t) => {
  // One request at a time; hooks take 10 ms before and 20 ms after the server's 30 ms, which is half of each turn.
  for (const [hooksIn, share] of [
    [(world) => ({ setupRequest: (request) => world.sleep(10).then(() => request), onResponse: () => world.sleep(20) }), 1 / 2],
    [(world) => ({ setupRequest: (request) => world.sleep(10).then(() => request) }), 1 / 4],
    [(world) => ({ onResponse: () => world.sleep(30) }), 1 / 2]
  ]) {
    const { value: { sendDelay } } = await simulate({}, (world) => {
      return run({ url: world.server({ serviceTime: 30 }).url, connections: 1, overallRate: 50, duration: 2, timeout: 30, requests: [hooksIn(world)] })
    })
    const { causes, client, waiting, mean } = sendDelay
    t.ok(mean > 100)
    near(t, causes.hooks / mean, share, 0.02, 'of the delay')
    near(t, client.mean / mean, share, 0.02, 'the client has that of hooks')
    near(t, (client.mean + waiting.mean) / mean, 1, 0.001, 'and the rest is waiting')
  }
})
