'use strict'

// The closed model's users: they think between requests, and there may be more of them as time goes by.

const t = require('tap')
const { run } = require('../..')
const { closedPort, httpServer } = require('../support/servers')
const { inOneOfThree } = require('../support/timely')
const { until } = require('../support/wait')
const { near, quantile } = require('./helpers')

// Timers of the server's clock against the client's: they may fire a little early.
const EARLY_MS = 2

// A server that notes, per connection, the pauses between its answers and the next request.
async function pausesServer (t) {
  const pauses = []
  const answeredAt = new WeakMap()
  const server = await httpServer(t, ({ socket }, response) => {
    if (answeredAt.has(socket)) pauses.push(performance.now() - answeredAt.get(socket))
    response.end('ok')
    answeredAt.set(socket, performance.now())
  })
  return Object.assign(server, { pauses })
}

t.test('a fixed think time between an answer and the next request', (t) => inOneOfThree(t, async (timely) => {
  const server = await pausesServer(t)
  const result = await run({ url: server.url, connections: 5, duration: 1.5, thinkTime: 0.1 })
  t.ok(quantile(server.pauses, 0) >= 100 - EARLY_MS, `never shorter: ${quantile(server.pauses, 0)}`)
  near(timely, quantile(server.pauses, 0.5), 102, 10, 'median pause')
  timely.ok(server.requests <= 80 && server.requests > 40, `5 users with 100 ms for 1.5 s: ${server.requests}`)
  await until(() => server.requests === result.accounting.sent)
  timely.ok(result.latency.p50 < 50, `thinking is no latency: ${result.latency.p50}`)
}))

t.test('a range of think times', (t) => inOneOfThree(t, async (timely) => {
  const server = await pausesServer(t)
  await run({ url: server.url, connections: 10, duration: 1.5, thinkTime: { from: 0.05, to: 0.15 } })
  t.ok(quantile(server.pauses, 0) >= 50 - EARLY_MS, `never shorter: ${quantile(server.pauses, 0)}`)
  near(timely, quantile(server.pauses, 0.5), 101, 20, 'median pause')
  timely.ok(quantile(server.pauses, 0.1) < 85, `some are short: ${quantile(server.pauses, 0.1)}`)
  timely.ok(quantile(server.pauses, 0.9) > 120, `some are long: ${quantile(server.pauses, 0.9)}`)
}))

t.test('a think time with an amount ends with the last answer', (t) => inOneOfThree(t, async (timely) => {
  const server = await pausesServer(t)
  const result = await run({ url: server.url, connections: 2, amount: 6, thinkTime: 0.1 })
  t.equal(result.accounting.completed, 6)
  near(timely, result.duration, 0.2, 0.15, 'duration')
}))

t.test('connections grow from one to five within a second', (t) => inOneOfThree(t, async (timely) => {
  const openedAt = []
  const server = await httpServer(t)
  server.server.on('connection', () => openedAt.push(performance.now()))
  const connectionsSeen = []
  const instance = run({ url: server.url, connections: { from: 1, to: 5, over: 1 }, duration: 1.5, thinkTime: 0.02, sampleInt: 100 })
  instance.on('tick', ({ connections }) => connectionsSeen.push(connections))
  const result = await instance
  t.equal(server.connections, 5)
  for (const [index, expected] of [0, 250, 500, 750, 1000].entries()) {
    near(timely, openedAt[index] - openedAt[0], expected, 80, `connection ${index}`)
  }
  t.equal(result.connections, 5)
  t.equal(result.connectionStats.opened, 5)
  t.equal(result.connectionStats.peak, 5)
  timely.equal(connectionsSeen[0], 1, 'connections in the first tick')
  t.equal(connectionsSeen.at(-1), 5)
  timely.equal(result.timeline[0].connections, 1, 'connections in the first sample')
}))

t.test('a ramp of connections under a rate: the schedule is kept from the start', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: { from: 1, to: 4, over: 0.6 }, overallRate: 100, duration: 1 })
  t.equal(result.accounting.scheduled, 100)
  timely.equal(result.accounting.completed, 100, 'completed')
  t.equal(server.connections, 4)
  timely.ok(result.latency.p75 < 50, `one connection is enough for it: ${result.latency.p75}`)
}))

t.test('a warm-up does not take the ramp of the run away', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: { from: 1, to: 4, over: 6 }, duration: 0.3, warmup: 0.1 })
  t.equal(result.warmup.connectionStats.peak, 4)
  t.ok(result.connectionStats.peak < 4, `${result.connectionStats.peak} connections in the first moments of the ramp`)
})

t.test('a ramp from nothing', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: { from: 0, to: 2, over: 0.4 }, duration: 0.8, thinkTime: 0.05 })
  t.equal(server.connections, 2)
  t.ok(result.accounting.completed > 5)
})

t.test('the first connection of a ramp may come later than a request may take', async (t) => {
  const server = await httpServer(t)
  for (const opts of [{}, { overallRate: 100 }, { connections: { from: 1, to: 2, over: 1.5 }, workers: 2 }]) {
    const result = await run({ url: server.url, connections: { from: 0, to: 1, over: 1.5 }, amount: 6, timeout: 0.5, ...opts })
    t.notOk(result.warnings.some(({ code }) => code === 'NO_USABLE_CONNECTION'), JSON.stringify(opts))
    // Nor is a thread too busy that was done after some milliseconds, and waited for the other from then on.
    if (opts.workers) t.notOk(result.generator.saturated, `${result.generator.reasons}`)
    const { sent, unsent, timedOut } = result.accounting
    t.equal(sent + unsent, 6)
    // Under a rate the requests that are due before there is any connection have waited too long.
    if (opts.overallRate === undefined) t.equal(sent - timedOut, 6, JSON.stringify(opts))
  }
})

t.test('and where no server is there, the run ends when it would have without the wait', async (t) => {
  const { url } = await closedPort(t)
  const started = performance.now()
  const result = await run({ url, connections: { from: 0, to: 100, over: 100 }, amount: 6, timeout: 0.5 })
  t.match(result.warnings.map(({ code }) => code), ['NO_USABLE_CONNECTION'])
  t.ok(performance.now() - started >= 1500, 'not before the first attempt, after 1 s, has had its time')
  t.ok(result.duration < 60)
})
