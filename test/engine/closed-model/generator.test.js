'use strict'

const t = require('tap')
const { benchmark, between } = require('./benchmark')
const { playInWorld } = require('../../support/play-in-world')
const { delayServer } = require('../../support/servers')

t.test('a slow server and little load: the generator is not the limit', async (t) => {
  const { result: { generator, warnings } } = await playInWorld(t, { serviceTime: 25 }, { connections: 2, duration: 0.8 }, undefined, { client: { cost: 20 } })
  t.match(generator, { saturated: false, reasons: [] })
  // 64 responses, and at most as many turns for something else.
  between(t, generator.eventLoop.utilization, 0.001, 0.01, 'utilization')
  between(t, generator.cpu.percent, 0.1, 1, 'cpu.percent')
  t.notOk(warnings.some(({ code }) => code === 'GENERATOR_SATURATED'))
})

t.test('with a server faster than the client, the client sets the numbers, and the result says so', async (t) => {
  // A hook that costs as much as many real hooks.
  const { result: { generator, warnings, accounting } } = await playInWorld(t, { serviceTime: 0.1 }, (world) => ({
    connections: 20,
    duration: 1,
    requests: [{
      setupRequest (request) {
        world.hold(2)
        return request
      }
    }]
  }))
  between(t, accounting.completed, 480, 520, 'completed, at 2 ms each, and those that were prepared')
  t.equal(generator.saturated, true)
  between(t, generator.eventLoop.utilization, 0.99, 1, 'utilization')
  t.equal(generator.reasons.length, 1)
  t.match(warnings.find(({ code }) => code === 'GENERATOR_SATURATED')?.message, generator.reasons[0], 'and a warning says so')
})

t.test('a run of a few milliseconds, all of them busy: no warning', async (t) => {
  const { result: { generator, warnings } } = await playInWorld(t, {}, { connections: 2, amount: 20 }, undefined, { client: { cost: 300 } })
  t.same(generator.reasons, [])
  t.same(warnings, [])
})

t.test('a pause of the event loop is detected', async (t) => {
  const { result: { generator: { eventLoop, stoodStill } } } = await playInWorld(t, { serviceTime: 5 }, { connections: 1, duration: 0.5 }, (instance, world) => world.after(201, () => world.hold(150)))
  between(t, eventLoop.delayP99, 149, 165, 'eventLoop.delayP99')
  between(t, stoodStill.longest, 140, 151, 'stoodStill.longest')
})

t.test('real world: CPU is that of this process during the run', async (t) => {
  const server = await delayServer(t, 1)
  const before = process.cpuUsage()
  const spent = () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1e6
  }
  const start = performance.now()
  const { generator: { cpu, eventLoop }, duration } = await benchmark(t, { url: server.url, connections: 4, amount: 100 }, (instance) => instance.once('response', () => {
    const already = spent()
    while (spent() < already + 0.05);
  }))
  const elapsed = (performance.now() - start) / 1000
  between(t, cpu.user + cpu.system, 0.04, spent() + 0.002, 'cpu seconds')
  between(t, cpu.percent, (cpu.user + cpu.system) / elapsed * 100 - 1, (cpu.user + cpu.system) / duration * 100 + 1, 'cpu.percent')
  between(t, eventLoop.delayP99, 0, elapsed * 1000, 'eventLoop.delayP99')
  t.ok(eventLoop.utilization > 0 && eventLoop.utilization <= 1, `eventLoop.utilization ${eventLoop.utilization}`)
})

t.test('real world: a pause of the event loop is detected', async (t) => {
  const server = await delayServer(t, 5)
  // The monitor ticks every 10 ms, and reports nothing before its first tick: by the fifth response it has ticked.
  let responses = 0
  const { generator: { eventLoop } } = await benchmark(t, { url: server.url, connections: 1, amount: 10 }, (instance) => instance.on('response', () => {
    if (++responses !== 5) return
    const end = performance.now() + 150
    while (performance.now() < end);
  }))
  t.ok(eventLoop.delayP99 >= 100, `eventLoop.delayP99 ${eventLoop.delayP99}`)
})
