'use strict'

// A server that answers at once, but stands still for a known time. What a user of it would have felt can be worked out:
// a request due while the server stands still is answered when it goes on.

const t = require('tap')
const { run } = require('../..')
const { stallServer } = require('../support/servers')
const { inOneOfThree } = require('../support/timely')
const { balances, near } = require('./helpers')

// The machine may stand still too, before, while and after.
const TOLERANCE_MS = 200
const PERCENTILES = { p50: 0.5, p90: 0.9, p97_5: 0.975, p99: 0.99, p99_9: 0.999 }

// The percentiles of `count` requests of which the last `waits.length` took these times and all others none.
function expectedPercentiles (count, waits) {
  const sorted = [...waits].sort((a, b) => a - b)
  return Object.fromEntries(Object.entries(PERCENTILES).map(([name, share]) => {
    const rank = Math.ceil(share * count)
    return [name, rank <= count - sorted.length ? 0 : sorted[rank - 1 - (count - sorted.length)]]
  }))
}

// How long each request due in the stall has to wait for its end.
function waitsOf (rate, milliseconds) {
  const gap = 1000 / rate
  return Array.from({ length: milliseconds / gap }, (_, index) => milliseconds - index * gap)
}

function matches (t, statistics, expected, name) {
  for (const percentile of Object.keys(expected)) {
    near(t, statistics[percentile], expected[percentile], TOLERANCE_MS, `${name}.${percentile}`)
  }
}

t.test('with few connections: latency has the whole stall, serviceTime only what was in flight', (t) => inOneOfThree(t, async (timely) => {
  const server = await stallServer(t, { at: 1500, for: 2000 })
  const result = await run({ url: server.url, connections: 10, overallRate: 100, duration: 6 })
  balances(t, result)
  t.equal(result.accounting.scheduled, 600)
  timely.equal(result.accounting.completed, 600, 'completed')
  t.equal(server.requests, result.accounting.sent)
  timely.equal(server.held, 10, 'held')
  const waits = waitsOf(100, 2000)
  matches(timely, result.latency, expectedPercentiles(600, waits), 'latency')
  matches(timely, result.latencyWithUnfinished, expectedPercentiles(600, waits), 'latencyWithUnfinished')
  matches(timely, result.serviceTime, expectedPercentiles(600, waits.slice(0, 10)), 'serviceTime')
  near(timely, result.latency.mean, 2000 * 2000 / 2 / 6000, 60, 'latency.mean')
  near(timely, result.latency.max, 2000, TOLERANCE_MS, 'latency.max')
  // 200 requests came due in the stall, and 190 of them had to wait for a connection.
  near(timely, result.sendDelay.waiting.p97_5, expectedPercentiles(600, waits.slice(10)).p97_5, TOLERANCE_MS, 'sendDelay.waiting.p97_5')
  near(timely, result.sendDelay.client.p97_5, 0, TOLERANCE_MS, 'sendDelay.client.p97_5')
}))

t.test('with enough connections: both have the whole stall', (t) => inOneOfThree(t, async (timely) => {
  const server = await stallServer(t, { at: 500, for: 1000 })
  const result = await run({ url: server.url, connections: 150, overallRate: 100, duration: 3 })
  balances(t, result)
  t.equal(result.accounting.completed, 300)
  const expected = expectedPercentiles(300, waitsOf(100, 1000))
  matches(timely, result.latency, expected, 'latency')
  matches(timely, result.serviceTime, expected, 'serviceTime')
  near(timely, result.sendDelay.p99, 0, TOLERANCE_MS, 'sendDelay.p99')
}))

t.test('a stall at the end of the run is not forgotten: the ages count', (t) => inOneOfThree(t, async (timely) => {
  const server = await stallServer(t, { at: 1000, for: 5000 })
  const result = await run({ url: server.url, connections: 10, overallRate: 100, duration: 2, drain: 0.5 })
  balances(t, result)
  const { scheduled, unsent, unfinished, completed } = result.accounting
  t.equal(scheduled, 200)
  near(timely, completed, 100, 8, 'completed')
  timely.equal(unfinished, 10, 'unfinished')
  timely.equal(unsent, 190 - completed, 'unsent')
  near(timely, result.drain.seconds, 0.5, 0.1, 'drain.seconds')
  // Due from 1 s to 2 s, and 2.5 s when the run ends: ages from 1,500 to 500 ms.
  const ages = waitsOf(100, 1000).map((wait) => wait + 500)
  matches(timely, result.latency, expectedPercentiles(200, ages), 'latency')
  near(timely, result.serviceTime.p99, 0, TOLERANCE_MS, 'serviceTime.p99')
}))

t.test('ignoreCoordinatedOmission makes latency the service time', (t) => inOneOfThree(t, async (timely) => {
  const server = await stallServer(t, { at: 500, for: 1000 })
  const result = await run({ url: server.url, connections: 5, overallRate: 100, duration: 3, ignoreCoordinatedOmission: true })
  balances(t, result, { ignoring: true })
  const waits = waitsOf(100, 1000)
  matches(timely, result.latency, expectedPercentiles(300, waits.slice(0, 5)), 'latency')
  t.same(result.latency, result.serviceTime)
  matches(timely, result.latencyWithUnfinished, expectedPercentiles(300, waits), 'latencyWithUnfinished')
}))
