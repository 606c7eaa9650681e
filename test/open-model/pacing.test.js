'use strict'

// How precise sending is, and what it costs. Only wide bounds are asserted; the bench has the numbers.

const t = require('tap')
const { run } = require('../..')
const { httpServer } = require('../support/servers')
const { inOneOfThree } = require('../support/timely')
const { balances, smallest } = require('./helpers')

t.test('a run that has next to nothing to do uses next to no CPU', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const server = await httpServer(t)
    const before = process.cpuUsage()
    const start = performance.now()
    const result = await run({ url: server.url, connections: 10, overallRate: 1, duration: 3 })
    const { user, system } = process.cpuUsage(before)
    const share = (user + system) / 1000 / (performance.now() - start)
    balances(t, result)
    timely.ok(share < 0.3, `${share} of a core, with the server`)
    timely.ok(result.generator.cpu.percent < 30, `${result.generator.cpu.percent} %`)
    timely.ok(result.generator.eventLoop.utilization < 0.3, `utilization ${result.generator.eventLoop.utilization}`)
  })
})

t.test('waiting for a server costs no CPU, however long the queue is', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const server = await httpServer(t, () => {})
    const result = await run({ url: server.url, connections: 2, overallRate: 1000, duration: 1.5, drain: 0 })
    balances(t, result)
    t.equal(result.accounting.unsent, 1498)
    timely.ok(result.generator.cpu.percent < 50, `${result.generator.cpu.percent} %`)
  })
})

// Timers alone make a quarter at least 0.25 ms late: they wake up by whole milliseconds, and at this rate due times lie
// anywhere between those. What the others on the machine do to the rest is not ours to tell.
for (const [pacing, most] of [['precise', 0.1], ['sleep', 1]]) {
  t.test(`pacing '${pacing}' is less than ${most} ms late for a quarter at least`, async (t) => {
    const server = await httpServer(t)
    const late = await smallest(most, async () => {
      const result = await run({ url: server.url, connections: 20, overallRate: 470, duration: 0.5, pacing })
      t.equal(result.accounting.scheduled, 235)
      return result.sendDelay.client.p25
    })
    t.ok(late < most, `sendDelay.client.p25 ${late}`)
  })
}

t.test("pacing 'sleep' costs less CPU, and looking at the clock is not called work", async (t) => {
  const server = await httpServer(t)
  const measure = async (pacing) => {
    const before = performance.eventLoopUtilization()
    const { generator } = await run({ url: server.url, connections: 20, overallRate: 500, duration: 1, pacing })
    return { generator, busy: performance.eventLoopUtilization(before).utilization }
  }
  // How much of the time it wants the CPU; how much it gets is up to the others on the machine.
  const ratio = await smallest(0.7, async () => (await measure('sleep')).busy / (await measure('precise')).busy)
  t.ok(ratio < 0.7, `${ratio} of the time`)
  // With it, it would be 1; time in which others have the CPU counts as well.
  const utilization = await smallest(0.8, async () => (await measure('precise')).generator.eventLoop.utilization)
  t.ok(utilization < 0.8, `${utilization}`)
})
