'use strict'

const t = require('tap')
const { benchmark, between } = require('./benchmark')
const { delayServer } = require('../support/servers')
const { startServer } = require('../..')

t.test('a slow server and little load: the generator is not the limit', async (t) => {
  const server = await delayServer(t, 25)
  const { generator, warnings } = await benchmark(t, { url: server.url, connections: 2, duration: 0.8 })
  t.match(generator, { saturated: false, reasons: [] })
  between(t, generator.eventLoop.utilization, 0, 0.8, 'utilization')
  between(t, generator.cpu.percent, 0, 80, 'cpu.percent')
  t.notOk(warnings.some(({ code }) => code === 'GENERATOR_SATURATED'))
})

t.test('a server in other processes that is faster than we are: the numbers are ours, and that is said', async (t) => {
  const server = await startServer({ port: 0, workers: 2 })
  t.teardown(() => server.close())
  // A hook that costs as much as many a real one does, so that one core is too little for sure.
  const setupRequest = (request) => {
    const end = performance.now() + 2
    while (performance.now() < end);
    return request
  }
  const { generator, warnings, accounting } = await benchmark(t, { url: server.url, connections: 20, duration: 1, requests: [{ setupRequest }] })
  t.ok(accounting.completed > 50)
  t.equal(generator.saturated, true)
  between(t, generator.eventLoop.utilization, 0.95, 1, 'utilization')
  t.equal(generator.reasons.length, 1)
  t.match(warnings.find(({ code }) => code === 'GENERATOR_SATURATED')?.message, generator.reasons[0])
})

t.test('a run of a few milliseconds, busy as any beginning is: nothing to say', async (t) => {
  const server = await delayServer(t, 0)
  const { generator, warnings } = await benchmark(t, { url: server.url, connections: 2, amount: 20 })
  t.match(generator, { saturated: false, reasons: [] })
  t.same(warnings, [])
})

t.test('CPU is that of this process while the run was on', async (t) => {
  const server = await delayServer(t, 1)
  const before = process.cpuUsage()
  const start = performance.now()
  const { generator: { cpu, eventLoop } } = await benchmark(t, { url: server.url, connections: 4, duration: 0.6 })
  const { user, system } = process.cpuUsage(before)
  const elapsed = (performance.now() - start) / 1000
  between(t, cpu.user + cpu.system, 0.01, (user + system) / 1e6 + 0.002, 'cpu seconds')
  between(t, cpu.percent, (cpu.user + cpu.system) / elapsed * 100 - 1, (cpu.user + cpu.system) / 0.6 * 100 + 1, 'cpu.percent')
  between(t, eventLoop.delayP99, 0, 500, 'eventLoop.delayP99')
})

t.test('a pause of the event loop is seen', async (t) => {
  const server = await delayServer(t, 5)
  const { generator: { eventLoop } } = await benchmark(t, { url: server.url, connections: 1, duration: 0.5 }, () => setTimeout(() => {
    const end = performance.now() + 150
    while (performance.now() < end);
  }, 200))
  between(t, eventLoop.delayP99, 100, 600, 'eventLoop.delayP99')
})
