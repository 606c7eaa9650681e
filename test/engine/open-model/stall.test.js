'use strict'

// A server that responds at once, but stalls for a known time. What users would have felt can be computed: a request that is due during the
// stall is answered when it ends.

const t = require('tap')
const { run } = require('../../..')
const { playInWorld } = require('../../support/play-in-world')
const { addsUp } = require('../../support/accounts')
const { httpServer } = require('../../support/servers')
const { DelayQueue } = require('../../../lib/server/delay-queue')
const { exact } = require('./helpers')

const PERCENTILES = { p50: 0.5, p90: 0.9, p97_5: 0.975, p99: 0.99, p99_9: 0.999, max: 1 }

// The percentiles of `count` requests, of which this many took these times and all others none.
function expectedPercentiles (count, waits) {
  const sorted = [...waits].sort((a, b) => a - b)
  return Object.fromEntries(Object.entries(PERCENTILES).map(([name, share]) => {
    const rank = Math.ceil(share * count)
    return [name, rank <= count - sorted.length ? 0 : sorted[rank - 1 - (count - sorted.length)]]
  }))
}

// How long each of this many requests, due every 10 ms, waits for the end of a stall that lasts `first` ms after the first one.
function waitsOf (first, count) {
  return Array.from({ length: count }, (_, index) => first - index * 10)
}

function matches (t, statistics, expected, name) {
  for (const [percentile, value] of Object.entries(expected)) exact(t, statistics[percentile], value, `${name}.${percentile}`)
}

const stalled = (t, { at, lasting, ...opts }) => playInWorld(t, {}, (world, server) => {
  world.after(at - 5, () => server.stall(lasting))
  return { overallRate: 100, ...opts }
})

t.test('with few connections: latency contains the whole stall, serviceTime only that of requests in flight', async (t) => {
  const { result, server } = await stalled(t, { at: 1500, lasting: 2000, connections: 10, duration: 6 })
  addsUp(t, result)
  t.match(result.accounting, { scheduled: 600, completed: 600 })
  t.equal(server.requests, 600)
  t.equal(server.peakBusy, 10)
  const waits = waitsOf(1995, 200)
  matches(t, result.latency, expectedPercentiles(600, waits), 'latency')
  matches(t, result.latencyWithUnfinished, expectedPercentiles(600, waits), 'latencyWithUnfinished')
  matches(t, result.serviceTime, expectedPercentiles(600, waits.slice(0, 10)), 'serviceTime')
  exact(t, result.latency.mean, waits.reduce((sum, wait) => sum + wait) / 600, 'latency.mean')
  // 200 requests came due during the stall, and 190 of them had to wait for a connection.
  matches(t, result.sendDelay.waiting, expectedPercentiles(600, waits.slice(10)), 'sendDelay.waiting')
  matches(t, result.sendDelay.client, expectedPercentiles(600, []), 'sendDelay.client')
})

t.test('with enough connections: both contain the whole stall', async (t) => {
  const { result } = await stalled(t, { at: 500, lasting: 1000, connections: 150, duration: 3 })
  addsUp(t, result)
  t.equal(result.accounting.completed, 300)
  const expected = expectedPercentiles(300, waitsOf(995, 100))
  matches(t, result.latency, expected, 'latency')
  matches(t, result.serviceTime, expected, 'serviceTime')
  matches(t, result.sendDelay, expectedPercentiles(300, []), 'sendDelay')
})

t.test('a stall at the end of the run still counts: through the ages of unfinished requests', async (t) => {
  const { result } = await stalled(t, { at: 1000, lasting: 5000, connections: 10, duration: 2, drain: 0.5 })
  addsUp(t, result)
  t.match(result.accounting, { scheduled: 200, completed: 100, unfinished: 10, unsent: 90 })
  exact(t, result.drain.seconds * 1000, 500, 'drain.seconds')
  // Due from 1 s to 2 s, and the run ends at 2.5 s: ages from 1,500 to 510 ms.
  matches(t, result.latency, expectedPercentiles(200, waitsOf(1500, 100)), 'latency')
  matches(t, result.serviceTime, expectedPercentiles(100, []), 'serviceTime')
})

t.test('ignoreCoordinatedOmission makes latency the service time', async (t) => {
  const { result } = await stalled(t, { at: 500, lasting: 1000, connections: 5, duration: 3, ignoreCoordinatedOmission: true })
  addsUp(t, result, { ignoreCoordinatedOmission: true })
  const waits = waitsOf(995, 100)
  matches(t, result.latency, expectedPercentiles(300, waits.slice(0, 5)), 'latency')
  t.same(result.latency, result.serviceTime)
  matches(t, result.latencyWithUnfinished, expectedPercentiles(300, waits), 'latencyWithUnfinished')
})

t.test('with real sockets as well', async (t) => {
  // Request 50 stalls the server for a second.
  const delays = new DelayQueue()
  let end = -Infinity
  const server = await httpServer(t, (request, response, index) => {
    const now = performance.now()
    if (index === 50) end = now + 1000
    if (now >= end) response.end('ok')
    else delays.after(end - now, () => response.end('ok'))
  })
  const result = await run({ url: server.url, connections: 10, overallRate: 200, amount: 200 })
  addsUp(t, result)
  t.equal(result.accounting.completed, 200)
  // It arrived 250 ms after the start or later, so it and those behind it waited for at least 1,000, 995, 990, … ms.
  const { max, p90, p75 } = result.latency
  t.ok(max > 995 && p90 > 895 && p75 > 745, `latency: ${max}, ${p90}, ${p75}`)
  t.ok(result.serviceTime.max > 995, `serviceTime.max ${result.serviceTime.max}`)
})
