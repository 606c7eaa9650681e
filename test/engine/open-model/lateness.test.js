'use strict'

// A generator that was held up says so itself, and does not blame the server, which answers at once in all of these.

const t = require('tap')
const { run } = require('../../..')
const { simulate } = require('../../simulation/world')
const { playInWorld } = require('../../support/play-in-world')
const { httpServer } = require('../../support/servers')
const { near } = require('./helpers')

const codes = ({ warnings }) => warnings.map(({ code }) => code)
const message = ({ warnings }, wanted) => warnings.find(({ code }) => code === wanted)?.message

t.test('a listener that blocks: the generator stood still', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 1 }, { connections: 10, overallRate: 200, duration: 1.2, sampleInt: 200 }, (instance, world) => {
    instance.once('tick', () => world.hold(700))
  })
  // From the first time that it should have looked.
  near(t, result.generator.stoodStill.longest, 695, 6, 'stoodStill.longest')
  t.ok(result.sendDelay.causes.asleep > 100, `${result.sendDelay.causes.asleep} ms per request`)
  t.ok(result.generator.saturated)
  t.match(message(result, 'GENERATOR_SATURATED'), /the load generator stalled/)
})

t.test("and what it could not send in time is not the server's", async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 1 }, { connections: 10, overallRate: 200, duration: 1.2, sampleInt: 200, timeout: 0.2 }, (instance, world) => {
    instance.once('tick', () => world.hold(900))
  })
  // Due between 200 and 900 ms, and nobody had seen it when its 200 ms were over.
  t.ok(Math.abs(result.accounting.unsent - 140) <= 2, `${result.accounting.unsent} unsent`)
  t.match(message(result, 'RATE_NOT_ACHIEVED'), /the load generator/)
  t.notMatch(message(result, 'RATE_NOT_ACHIEVED'), /the server was slower/)
})

t.test('really: the time that a listener blocks is seen', async (t) => {
  const server = await httpServer(t)
  const instance = run({ url: server.url, connections: 10, overallRate: 200, duration: 0.6, sampleInt: 100 })
  instance.once('tick', () => {
    const end = performance.now() + 300
    while (performance.now() < end);
  })
  const { generator } = await instance
  t.ok(generator.stoodStill.longest > 250, `${generator.stoodStill.longest} ms`)
})

for (const [name, hooksIn] of [
  ['onResponse', (world) => ({ onResponse: () => world.sleep(100) })],
  ['setupRequest', (world) => ({ setupRequest: (request) => world.sleep(100).then(() => request) })]
]) {
  t.test(`a slow ${name} holds the connections, not the server`, async (t) => {
    const { value: result } = await simulate({}, (world) => {
      return run({ url: world.server().url, connections: 2, overallRate: 100, duration: 1, requests: [hooksIn(world)] })
    })
    t.ok(result.sendDelay.causes.hooks > 100, `${result.sendDelay.causes.hooks} ms per request`)
    t.ok(codes(result).includes('GENERATOR_SATURATED'))
    t.match(message(result, 'RATE_NOT_ACHIEVED'), /hooks blocked the connections/)
  })
}
