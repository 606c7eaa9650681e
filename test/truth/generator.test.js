'use strict'

const t = require('tap')
const { benchmark, between } = require('./benchmark')
const { delayServer } = require('../support/servers')
const { inOneOfThree } = require('../support/timely')
const { startServer } = require('../..')

t.test('a slow server and little load: the generator is not the limit', (t) => inOneOfThree(t, async (timely) => {
  const server = await delayServer(t, 25)
  const { generator, warnings } = await benchmark(t, { url: server.url, connections: 2, duration: 0.8 })
  timely.equal(generator.reasons.join(), '', 'reasons')
  t.equal(generator.saturated, generator.reasons.length > 0)
  between(timely, generator.eventLoop.utilization, 0, 0.8, 'utilization')
  between(timely, generator.cpu.percent, 0, 80, 'cpu.percent')
  t.equal(warnings.some(({ code }) => code === 'GENERATOR_SATURATED'), generator.saturated)
}))

t.test('a server in other processes that is faster than we are: the numbers are ours, and that is said', (t) => inOneOfThree(t, async (timely) => {
  const server = await startServer({ port: 0, workers: 2 })
  t.teardown(() => server.close())
  // A hook that costs as much as many a real one does, so that one core is too little for sure.
  const setupRequest = (request) => {
    const end = performance.now() + 2
    while (performance.now() < end);
    return request
  }
  const { generator, warnings, accounting } = await benchmark(t, { url: server.url, connections: 20, duration: 1, requests: [{ setupRequest }] })
  timely.ok(accounting.completed > 50, `${accounting.completed} completed`)
  timely.equal(generator.saturated, true, 'saturated')
  between(timely, generator.eventLoop.utilization, 0.95, 1, 'utilization')
  timely.equal(generator.reasons.length, 1, 'reasons')
  timely.ok(warnings.find(({ code }) => code === 'GENERATOR_SATURATED')?.message.includes(generator.reasons[0]), 'and a warning says so')
}))

t.test('a run of a few milliseconds, busy as any beginning is: nothing to say', (t) => inOneOfThree(t, async (timely) => {
  const server = await delayServer(t, 0)
  const { generator, warnings } = await benchmark(t, { url: server.url, connections: 2, amount: 20 })
  timely.equal(generator.reasons.join(), '', 'reasons')
  timely.equal(warnings.map(({ code }) => code).join(), '', 'warnings')
}))

t.test('CPU is that of this process while the run was on', async (t) => {
  const server = await delayServer(t, 1)
  const before = process.cpuUsage()
  const start = performance.now()
  const { generator: { cpu, eventLoop } } = await benchmark(t, { url: server.url, connections: 4, duration: 0.6 })
  const { user, system } = process.cpuUsage(before)
  const elapsed = (performance.now() - start) / 1000
  between(t, cpu.user + cpu.system, 0.01, (user + system) / 1e6 + 0.002, 'cpu seconds')
  between(t, cpu.percent, (cpu.user + cpu.system) / elapsed * 100 - 1, (cpu.user + cpu.system) / 0.6 * 100 + 1, 'cpu.percent')
  between(t, eventLoop.delayP99, 0, 5000, 'eventLoop.delayP99')
})

t.test('a pause of the event loop is seen', (t) => inOneOfThree(t, async (timely) => {
  const server = await delayServer(t, 5)
  const { generator: { eventLoop } } = await benchmark(t, { url: server.url, connections: 1, duration: 0.5 }, () => setTimeout(() => {
    const end = performance.now() + 150
    while (performance.now() < end);
  }, 200))
  between(timely, eventLoop.delayP99, 100, 600, 'eventLoop.delayP99')
}))
