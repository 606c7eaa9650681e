'use strict'

// Whether the numbers are the server's or the client's own.

const t = require('tap')
const { run } = require('../..')
const { delayServer, httpServer } = require('../support/servers')
const { startServer } = require('../../lib/server')
const { balances, block, warning } = require('./helpers')

t.test('a slow server at a low load does not raise it', async (t) => {
  // A tenth of this is more than a busy machine makes the client late.
  const server = await delayServer(t, 1000)
  const { generator, ...result } = await run({ url: server.url, connections: 40, overallRate: 20, duration: 2 })
  t.notOk(generator.saturated)
  t.same(generator.reasons, [])
  t.notOk(warning(result, 'GENERATOR_SATURATED'))
  t.ok(generator.cpu.percent > 0 && generator.cpu.percent < 100)
  t.ok(generator.eventLoop.utilization > 0 && generator.eventLoop.utilization <= 1)
})

t.test('nor does an overloaded server', async (t) => {
  const server = await delayServer(t, 100)
  const result = await run({ url: server.url, connections: 2, overallRate: 200, duration: 1.5 })
  t.notOk(result.generator.saturated, `the waiting is not the client: ${result.generator.reasons}`)
  t.ok(warning(result, 'RATE_NOT_ACHIEVED'))
})

t.test('a hook that blocks the event loop does', async (t) => {
  // The server has processes of its own: what blocks here must not block it.
  const server = await startServer({ port: 0, workers: 2 })
  t.teardown(() => server.close())
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
  t.ok(result.generator.saturated)
  t.ok(result.sendDelay.client.p99 > 1)
  t.ok(result.generator.reasons.some((reason) => /late.*99th percentile/.test(reason)))
  t.match(warning(result, 'GENERATOR_SATURATED').message, /workers|hooks/)
})

t.test('one pause among few requests does not', async (t) => {
  const server = await startServer({ port: 0, workers: 2, delay: 100 })
  t.teardown(() => server.close())
  const instance = run({ url: server.url, connections: 20, overallRate: 40, duration: 1 })
  setTimeout(() => block(60), 500)
  const result = await instance
  t.ok(result.sendDelay.client.p99 > 10)
  t.notOk(result.generator.saturated, `${result.generator.reasons}`)
})

t.test('where the client alone is too slow for the rate, that is the reason given', async (t) => {
  const server = await startServer({ port: 0, workers: 2 })
  t.teardown(() => server.close())
  const result = await run({
    url: server.url,
    connections: 5,
    overallRate: 300,
    duration: 1.5,
    requests: [{ onResponse: () => block(10) }]
  })
  balances(t, result)
  t.ok(result.rate.achieved < 110, `10 ms for each are 100 per second at most: ${result.rate.achieved}`)
  t.ok(result.generator.saturated)
  t.match(warning(result, 'RATE_NOT_ACHIEVED').message, /load generator/)
})

t.test('a rate that is reached is not warned of', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 10, overallRate: 100, duration: 1 })
  t.equal(result.rate.offered, 100)
  t.ok(result.rate.achieved > 80 && result.rate.achieved <= 100, `${result.rate.achieved}`)
  t.notOk(warning(result, 'RATE_NOT_ACHIEVED'))
})
