'use strict'

// Whether the server or the client sets the numbers. In the simulated world the client's work takes as long as the test says.

const t = require('tap')
const { run } = require('../../..')
const { startServer } = require('../../../lib/server')
const { block, exact, warning } = require('./helpers')
const { playInWorld } = require('../../support/play-in-world')
const { addsUp } = require('../../support/accounts')

// How long a hook keeps the client busy in the simulated world.
const holding = (world, ms) => ({ requests: [{ onResponse: () => world.hold(ms) }] })

t.test('a slow server at low load does not make the generator saturated', async (t) => {
  const { result: { generator, ...result } } = await playInWorld(t, { serviceTime: 1000 }, { connections: 40, overallRate: 20, duration: 2 }, undefined, { client: { cost: 30 } })
  t.match(generator, { saturated: false, reasons: [] })
  t.notOk(warning(result, 'GENERATOR_SATURATED'))
  t.ok(generator.cpu.percent > 0.05 && generator.cpu.percent < 5, `${generator.cpu.percent} % of a core`)
  t.ok(generator.eventLoop.utilization > 0.0005 && generator.eventLoop.utilization < 0.05, `${generator.eventLoop.utilization}`)
})

t.test('nor does an overloaded server', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 100 }, { connections: 2, overallRate: 200, duration: 1.5 }, undefined, { client: { cost: 30 } })
  t.match(result.generator, { saturated: false, reasons: [] }, 'the wait is not attributed to the client')
  t.ok(warning(result, 'RATE_NOT_ACHIEVED'))
})

t.test('a hook that blocks the event loop does', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 1 }, (world) => ({
    connections: 20,
    // In the middle of every other block a request comes due, whatever the rhythm of the responses.
    overallRate: 100,
    arrivals: 'poisson',
    seed: 1,
    duration: 1.5,
    ...holding(world, 5)
  }))
  t.ok(result.sendDelay.client.p99 > 4, `${result.sendDelay.client.p99}`)
  t.equal(result.generator.saturated, true)
  t.ok(result.generator.reasons.some((reason) => /late.*99th percentile/.test(reason)), `reasons: ${result.generator.reasons}`)
  t.match(warning(result, 'GENERATOR_SATURATED').message, /workers|hooks/, 'and what to do about it')
})

t.test('why it was saturated, and what helps', async (t) => {
  const STALL = 30
  const stalled = async (how, client) => {
    const { result } = await playInWorld(t, { serviceTime: 1 }, (world) => {
      // A stall each 100 ms of the two seconds.
      for (let at = 95; at < 2000; at += 100) world.after(at, () => world[how](STALL))
      return { connections: 20, overallRate: 100, duration: 2 }
    }, undefined, { client })
    t.equal(result.generator.saturated, true, 'whatever the cause')
    return { generator: result.generator, message: warning(result, 'GENERATOR_SATURATED').message }
  }
  const machine = await stalled('wait')
  t.match(machine.generator, { cause: 'machine', waited: 20 * STALL, cpu: { percent: 0 } })
  t.match(machine.message, /The machine was busy with other work: this process waited 600 ms for a CPU, while it used 0% of a core\. .* more workers do not help\.$/)
  const unknown = await stalled('wait', { tellsWaits: false })
  t.match(unknown.generator, { cause: 'machine', waited: 20 * STALL }, 'busy without CPU time, where the system does not count it')
  const code = await stalled('hold')
  t.match(code.generator, { cause: 'hooks', waited: 0 })
  t.match(code.message, /Hooks or listeners held it up, or a garbage collection/)
  const { result: full } = await playInWorld(t, {}, (world) => ({ connections: 5, overallRate: 300, duration: 1.5, ...holding(world, 10) }))
  t.match(full.generator, { cause: 'process', waited: 0 })
  t.match(warning(full, 'GENERATOR_SATURATED').message, /Its process was at its limit \([\d.]+% of a CPU core\): use more workers/)
  const { result: { generator } } = await playInWorld(t, { serviceTime: 1 }, { connections: 2, overallRate: 20, duration: 1 })
  t.match(generator, { saturated: false, cause: null, waited: 0 })
})

t.test('one pause among few requests does not', async (t) => {
  // A request comes due every 25 ms, and a response as often: of 80 about five are sent or read late.
  const { result } = await playInWorld(t, { serviceTime: 100 }, (world) => {
    world.after(505, () => world.hold(60))
    return { connections: 20, overallRate: 40, duration: 2 }
  })
  // Those due at 525 and 550 ms are sent at 565 ms.
  exact(t, result.sendDelay.client.max, 40, 'sendDelay.client.max')
  t.match(result.generator, { saturated: false, reasons: [] })
})

t.test('if the client alone is too slow for the rate, the warning says so', async (t) => {
  const { result } = await playInWorld(t, {}, (world) => ({ connections: 5, overallRate: 300, duration: 1.5, ...holding(world, 10) }))
  t.ok(result.rate.achieved > 95 && result.rate.achieved <= 103, `10 ms for each are 100 per second at most: ${result.rate.achieved}`)
  t.equal(result.generator.saturated, true)
  t.match(warning(result, 'RATE_NOT_ACHIEVED').message, /load generator/)
})

t.test('if the rate is achieved, there is no warning', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 2 }, { connections: 10, overallRate: 100, duration: 1 })
  t.match(result.rate, { offered: 100, achieved: 100 })
  t.same(result.warnings, [])
})

t.test("real world: a hook that blocks the client's event loop, with a server in a process of its own", async (t) => {
  const server = await startServer({ port: 0, workers: 1 })
  t.teardown(() => server.close())
  const result = await run({ url: server.url, connections: 5, overallRate: 300, duration: 1, requests: [{ onResponse: () => block(10) }] })
  addsUp(t, result)
  t.ok(result.rate.achieved < 110, `10 ms for each are 100 per second at most: ${result.rate.achieved}`)
  t.ok(result.generator.cpu.percent > 0, `${result.generator.cpu.percent} %`)
  t.ok(result.generator.eventLoop.utilization > 0 && result.generator.eventLoop.utilization <= 1)
})
