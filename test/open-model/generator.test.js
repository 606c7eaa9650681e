'use strict'

// Whether the numbers are the server's or the client's own.

const t = require('tap')
const { run } = require('../..')
const { delayServer, httpServer } = require('../support/servers')
const { startServer } = require('../../lib/server')
const { inOneOfThree } = require('../support/timely')
const { balances, block, warning } = require('./helpers')

t.test('a slow server at a low load does not raise it', async (t) => {
  await inOneOfThree(t, async (timely) => {
    // A tenth of this is more than a busy machine makes the client late, most of the time.
    const server = await delayServer(t, 1000)
    const { generator, ...result } = await run({ url: server.url, connections: 40, overallRate: 20, duration: 2 })
    timely.notOk(generator.saturated, `saturated: ${generator.reasons}`)
    t.equal(generator.reasons.length > 0, generator.saturated)
    t.equal(warning(result, 'GENERATOR_SATURATED') !== undefined, generator.saturated)
    t.ok(generator.cpu.percent > 0)
    timely.ok(generator.cpu.percent < 100, `${generator.cpu.percent} % of a core`)
    t.ok(generator.eventLoop.utilization > 0 && generator.eventLoop.utilization <= 1)
  })
})

t.test('nor does an overloaded server', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const server = await delayServer(t, 100)
    const result = await run({ url: server.url, connections: 2, overallRate: 200, duration: 1.5 })
    timely.notOk(result.generator.saturated, `the waiting is not the client: ${result.generator.reasons}`)
    t.ok(warning(result, 'RATE_NOT_ACHIEVED'))
  })
})

t.test('a hook that blocks the event loop does', async (t) => {
  // The server has processes of its own: what blocks here must not block it.
  const server = await startServer({ port: 0, workers: 2 })
  t.teardown(() => server.close())
  // Where the machine holds up the server alone, that is most of the latency, and what the client is late is little of it.
  await inOneOfThree(t, async (timely) => {
    const result = await run({
      url: server.url,
      connections: 20,
      // In the middle of every other blocking a request comes due, whatever the rhythm of the responses.
      overallRate: 100,
      arrivals: 'poisson',
      seed: 1,
      duration: 1.5,
      requests: [{ onResponse: () => block(5) }]
    })
    balances(t, result)
    t.ok(result.sendDelay.client.p99 > 1)
    timely.ok(result.generator.saturated, 'saturated')
    timely.ok(result.generator.reasons.some((reason) => /late.*99th percentile/.test(reason)), `reasons: ${result.generator.reasons}`)
    timely.ok(/workers|hooks/.test(warning(result, 'GENERATOR_SATURATED')?.message), 'and what to do about it')
  })
})

t.test('one pause among few requests does not', async (t) => {
  const server = await startServer({ port: 0, workers: 2, delay: 100 })
  t.teardown(() => server.close())
  await inOneOfThree(t, async (timely) => {
    const instance = run({ url: server.url, connections: 20, overallRate: 40, duration: 2 })
    // A request comes due each 25 ms, and an answer as often: of 80 about five are sent or read late.
    setTimeout(() => block(60), 500)
    const result = await instance
    t.ok(result.sendDelay.client.p99 > 10)
    timely.notOk(result.generator.saturated, `saturated: ${result.generator.reasons}`)
  })
})

t.test('where the client alone is too slow for the rate, that is the reason given', async (t) => {
  const server = await startServer({ port: 0, workers: 2 })
  t.teardown(() => server.close())
  await inOneOfThree(t, async (timely) => {
    const result = await run({
      url: server.url,
      connections: 5,
      overallRate: 300,
      duration: 1.5,
      requests: [{ onResponse: () => block(10) }]
    })
    balances(t, result)
    t.ok(result.rate.achieved < 110, `10 ms for each are 100 per second at most: ${result.rate.achieved}`)
    // Not while the machine holds up the server alone.
    timely.ok(result.generator.saturated, 'saturated')
    const { message } = warning(result, 'RATE_NOT_ACHIEVED')
    timely.ok(/load generator/.test(message), message)
  })
})

t.test('a rate that is reached is not warned of', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const server = await httpServer(t)
    const result = await run({ url: server.url, connections: 10, overallRate: 100, duration: 1 })
    t.equal(result.rate.offered, 100)
    t.ok(result.rate.achieved <= 100, `${result.rate.achieved}`)
    timely.ok(result.rate.achieved > 80, `achieved ${result.rate.achieved}`)
    timely.notOk(warning(result, 'RATE_NOT_ACHIEVED'), 'the rate was achieved')
  })
})
