'use strict'

// Users of the closed model: they think between requests, and their number may grow.

const t = require('tap')
const { run } = require('../../..')
const { closedPort, httpServer } = require('../../support/servers')
const { playInWorld } = require('../../support/play-in-world')
const { exact, near } = require('./helpers')

// Timers have a resolution of whole milliseconds.
const TIMER_MS = 1.05

/** A run of the closed model. */
const playUsers = (t, opts, settings, story) => playInWorld(t, settings, opts, story)

/** The pauses between a response and the next request on the same connection, ms, shortest first. */
function pausesOf ({ log }) {
  const answeredAt = new Map()
  const pauses = []
  for (const { connection, sentAt, receivedAt } of log) {
    if (answeredAt.has(connection)) pauses.push((sentAt - answeredAt.get(connection)) / 1000)
    answeredAt.set(connection, receivedAt)
  }
  return pauses.sort((a, b) => a - b)
}

t.test('a fixed think time between a response and the next request', async (t) => {
  const { result, world } = await playUsers(t, { connections: 5, duration: 1.5, thinkTime: 0.1 }, { serviceTime: 20 })
  // Five users, each with a request every 120 ms, at 0, 120, …, 1440.
  t.equal(result.accounting.sent, 5 * 13)
  const pauses = pausesOf(world)
  t.equal(pauses.length, 5 * 12)
  near(t, pauses[0], 100, 0.02, 'the shortest pause')
  near(t, pauses.at(-1), 100, 0.02, 'the longest')
  exact(t, result.latency.max, 20, 'thinking is no latency')
})

t.test('a range of think times', async (t) => {
  const { world } = await playUsers(t, { connections: 10, duration: 60, thinkTime: { from: 0.05, to: 0.15 }, seed: 1 })
  const pauses = pausesOf(world)
  t.ok(pauses.length > 5500, `${pauses.length} pauses of 100 ms on average`)
  t.ok(pauses[0] >= 50 && pauses.at(-1) <= 150 + TIMER_MS, `${pauses[0]} to ${pauses.at(-1)}`)
  // Uniform over the range, within random variation.
  for (const share of [0.1, 0.25, 0.5, 0.75, 0.9]) near(t, pauses[Math.floor(share * pauses.length)], 50 + 100 * share, 4, `quantile ${share}`)
})

t.test('think times are independent: of users, threads, and requests of a sequence', async (t) => {
  const range = { from: 0.01, to: 0.05 }
  /** The pauses of each connection in order, ms. */
  const pausesIn = ({ log }) => {
    const byConnection = new Map()
    for (const { connection, sentAt, receivedAt } of log) {
      const { pauses, since } = byConnection.get(connection) ?? { pauses: [] }
      if (since !== undefined) pauses.push(Math.round((sentAt - since) / 1000))
      byConnection.set(connection, { pauses, since: receivedAt })
    }
    return [...byConnection.values()].map(({ pauses }) => pauses.slice(0, 10))
  }
  for (const opts of [{ connections: 2 }, { connections: 2, workers: 2 }]) {
    const { world } = await playUsers(t, { duration: 1, thinkTime: range, seed: 1, ...opts })
    const [one, other] = pausesIn(world)
    t.equal(one.length, 10)
    t.notSame(one, other, JSON.stringify(opts))
  }
  const { world } = await playUsers(t, { connections: 1, duration: 1, seed: 1, requests: [{ thinkTime: range }, { thinkTime: range }] })
  const [pauses] = pausesIn(world)
  t.notSame(pauses.filter((_, index) => index % 2 === 0), pauses.filter((_, index) => index % 2 === 1))
})

t.test('a run with think time and an amount ends with the last response', async (t) => {
  const { result } = await playUsers(t, { connections: 2, amount: 6, thinkTime: 0.1 }, { serviceTime: 10 })
  t.equal(result.accounting.completed, 6)
  exact(t, result.duration * 1000, 230, 'duration')
})

t.test('connections grow from one to five within a second', async (t) => {
  const seen = []
  const { result, server, world } = await playUsers(t,
    { connections: { from: 1, to: 5, over: 1 }, duration: 1.5, thinkTime: 0.02, sampleInt: 100 }, {},
    (instance) => instance.on('tick', ({ connections }) => seen.push(connections))
  )
  t.equal(server.attempts.accepted, 5)
  const firstOf = (connection) => (world.log.find((request) => request.connection === connection).sentAt - world.log[0].sentAt) / 1000
  for (const [connection, at] of [0, 250, 500, 750, 1000].entries()) near(t, firstOf(connection), at, TIMER_MS, `connection ${connection}`)
  t.match(result, { connections: 5, connectionStats: { opened: 5, peak: 5 } })
  const expected = [1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5, 5, 5, 5]
  t.equal(seen[0], 1)
  t.equal(seen.at(-1), 5)
  for (const [index, count] of seen.slice(0, expected.length).entries()) near(t, count, expected[index], 1, `connections in tick ${index}`)
  t.same(seen, [...seen].sort())
  t.same(result.timeline.map(({ connections }) => connections).slice(0, 2), [1, 1])
})

t.test('a ramp of connections with a rate: the schedule is followed from the start', async (t) => {
  const { result, server } = await playUsers(t, { connections: { from: 1, to: 4, over: 0.6 }, overallRate: 100, duration: 1 }, { serviceTime: 5 })
  t.match(result.accounting, { scheduled: 100, completed: 100 })
  t.equal(server.attempts.accepted, 4)
  exact(t, result.latency.max, 5, 'one connection is enough for it')
})

t.test('a ramp from zero', async (t) => {
  const { result, server } = await playUsers(t, { connections: { from: 0, to: 2, over: 0.4 }, duration: 0.8, thinkTime: 0.05 })
  t.equal(server.attempts.accepted, 2)
  t.ok(result.accounting.completed > 10)
})

t.test('the first connection of a ramp may open later than the timeout of a request', async (t) => {
  for (const opts of [{}, { overallRate: 100 }]) {
    const { result } = await playUsers(t, { connections: { from: 0, to: 1, over: 1.5 }, amount: 6, timeout: 0.5, ...opts })
    t.notOk(result.warnings.some(({ code }) => code === 'NO_USABLE_CONNECTION'), JSON.stringify(opts))
    const { sent, unsent, timedOut } = result.accounting
    t.equal(sent + unsent, 6)
    // With a rate, requests that are due before there is any connection have waited too long.
    if (opts.overallRate === undefined) t.equal(sent - timedOut, 6, JSON.stringify(opts))
  }
})

t.test('the next connection of a ramp may open later than the timeout after the others have sent all they may and were closed', async (t) => {
  const opts = { connections: { from: 1, to: 2, over: 1.5 }, maxConnectionRequests: 3, duration: 4, timeout: 0.5 }
  const { result, server } = await playUsers(t, opts, { serviceTime: 10 }, (instance, world, server) => world.after(100, () => server.endAll()))
  t.same(result.warnings.map(({ code }) => code), [])
  t.match(result, { accounting: { completed: 6 }, duration: 1.53, connectionStats: { opened: 2, failed: 0 } })
  t.equal(server.attempts.accepted, 2)
})

t.test('or after the server has accepted no more requests on the others, which it kept open', async (t) => {
  const opts = { connections: { from: 1, to: 2, over: 1.5 }, amount: 6, timeout: 0.5, http2: true }
  const { result } = await playUsers(t, opts, { http2: true, serviceTime: 10 }, (instance, world, server) => world.after(25, () => server.changeSettings([['MAX_CONCURRENT_STREAMS', 0]])))
  t.same(result.warnings.map(({ code }) => code), ['NO_STREAMS'])
  t.match(result, { accounting: { completed: 6 }, connectionStats: { opened: 2 } })
})

t.test('also with threads, one of which waits for it', async (t) => {
  const { url } = await httpServer(t)
  const result = await run({ url, connections: { from: 1, to: 2, over: 1.5 }, amount: 6, timeout: 0.5, workers: 2 })
  t.notOk(result.warnings.some(({ code }) => code === 'NO_USABLE_CONNECTION'))
  // A thread that finished after some milliseconds and then waited for the other isn't too busy either.
  t.notOk(result.generator.saturated, `${result.generator.reasons}`)
  t.equal(result.accounting.sent + result.accounting.unsent, 6)
})

t.test('with threads, connections and users of a ramp begin when they would without', async (t) => {
  for (const load of [{}, { overallRate: 50 }, { sessions: { calls: 1000 }, drain: 0 }]) {
    for (const workers of [undefined, 2, 3]) {
      const { world } = await playUsers(t, { connections: { from: 1, to: 4, over: 0.6 }, duration: 0.9, workers, ...load }, { serviceTime: 10 })
      const begun = world.sockets.map(({ begunAt }) => begunAt / 1000).sort((a, b) => a - b)
      t.same(begun.map((at) => Math.round((at - begun[0]) / 20) * 20), [0, 200, 400, 600], JSON.stringify({ workers, ...load }))
    }
  }
})

t.test('if no server is reachable, the run ends when it would have without the wait', async (t) => {
  const { result, world } = await playUsers(t, { connections: { from: 0, to: 100, over: 100 }, amount: 6, timeout: 0.5 }, { attempt: () => 'refuse' })
  t.match(result.warnings.map(({ code }) => code), ['NO_USABLE_CONNECTION'])
  near(t, world.elapsed, 1500, 50, 'the first attempt, after 1 s, has its time')
})

t.test('with real sockets as well', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: { from: 1, to: 3, over: 0.2 }, amount: 12, thinkTime: 0.05 })
  t.equal(result.accounting.completed, 12)
  t.equal(server.connections, 3)
  // Four or more consecutive requests, with pauses between them: timers may fire slightly early.
  t.ok(result.duration >= 0.14, `${result.duration} s`)

  const { url } = await closedPort(t)
  const refused = await run({ url, connections: { from: 0, to: 2, over: 0.2 }, amount: 6, timeout: 0.3 })
  t.ok(refused.warnings.some(({ code }) => code === 'NO_USABLE_CONNECTION'))
})
