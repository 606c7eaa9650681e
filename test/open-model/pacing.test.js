'use strict'

// How precise sending is, and what it costs. Only wide bounds are asserted; the bench has the numbers.

const t = require('tap')
const { run } = require('../..')
const { httpServer } = require('../support/servers')
const { balances, smallest } = require('./helpers')

t.test('a run that has next to nothing to do uses next to no CPU', async (t) => {
  const server = await httpServer(t)
  const before = process.cpuUsage()
  const start = performance.now()
  const result = await run({ url: server.url, connections: 10, overallRate: 1, duration: 3 })
  const { user, system } = process.cpuUsage(before)
  const share = (user + system) / 1000 / (performance.now() - start)
  balances(t, result)
  t.ok(share < 0.3, `${share} of a core, with the server`)
  t.ok(result.generator.cpu.percent < 30, `${result.generator.cpu.percent} %`)
  t.ok(result.generator.eventLoop.utilization < 0.3)
})

t.test('waiting for a server costs no CPU, however long the queue is', async (t) => {
  const server = await httpServer(t, () => {})
  const result = await run({ url: server.url, connections: 2, overallRate: 1000, duration: 1.5, drain: 0 })
  balances(t, result)
  t.equal(result.accounting.unsent, 1498)
  t.ok(result.generator.cpu.percent < 50, `${result.generator.cpu.percent} %`)
})

for (const [pacing, most] of [['precise', 0.3], ['sleep', 1.5]]) {
  t.test(`pacing '${pacing}' is mostly less than ${most} ms late`, async (t) => {
    const server = await httpServer(t)
    const late = await smallest(most, async () => {
      const result = await run({ url: server.url, connections: 20, overallRate: 500, duration: 0.5, pacing })
      t.equal(result.accounting.completed, 250)
      return result.sendDelay.client.p50
    })
    t.ok(late < most, `sendDelay.client.p50 ${late}`)
  })
}

t.test("pacing 'sleep' costs less CPU, and looking at the clock is not called work", async (t) => {
  const server = await httpServer(t)
  const measure = async (pacing) => {
    const { generator } = await run({ url: server.url, connections: 20, overallRate: 500, duration: 1, pacing })
    return generator
  }
  const ratio = await smallest(0.7, async () => (await measure('sleep')).cpu.percent / (await measure('precise')).cpu.percent)
  t.ok(ratio < 0.7, `${ratio} of the CPU`)
  const utilization = await smallest(0.6, async () => (await measure('precise')).eventLoop.utilization)
  t.ok(utilization < 0.6, `${utilization}`)
})
