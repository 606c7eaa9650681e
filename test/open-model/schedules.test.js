'use strict'

// How many requests come due, and when: against arithmetic, by the server's count.

const t = require('tap')
const { run } = require('../..')
const { httpServer } = require('../support/servers')
const { inOneOfThree } = require('../support/timely')
const { until } = require('../support/wait')
const { balances, near, countPerSlot, block } = require('./helpers')

t.test('D seconds at R per second are exactly D x R requests', async (t) => {
  for (const [overallRate, duration, expected] of [
    [0.5, 2.5, 2], // at 0 and 2 s
    [0.5, 2, 1], // the one due at 2 s is the first of the next run
    [3, 1, 3],
    [33.3, 1, 34],
    [1000, 0.3, 300],
    [10, 0.05, 1]
  ]) {
    const server = await httpServer(t)
    // As many connections as requests: what a pause of the client leaves for the last moment can still be sent.
    const connections = Math.max(10, expected)
    const result = await run({ url: server.url, connections, overallRate, duration })
    t.equal(result.accounting.scheduled, expected, `${overallRate} per second for ${duration} s`)
    t.equal(result.accounting.completed, expected)
    t.equal(server.requests, expected)
    near(t, result.rate.offered, expected / duration, 0.001, 'rate.offered')
    balances(t, result)
  }
})

t.test('the rate of stages: steps, a ramp, a pause', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  const result = await run({
    url: server.url,
    connections: 100,
    stages: [{ duration: 1, rate: 50 }, { duration: 1, rate: 0 }, { duration: 1, rate: { from: 50, to: 150 } }]
  })
  balances(t, result)
  near(timely, result.duration, 3, 0.3, 'the run is as long as its stages')
  t.equal(result.accounting.scheduled, 150)
  t.equal(server.requests, 150)
  near(t, result.rate.offered, 50, 0.001, 'rate.offered')
  // The first half of the ramp: 50/s to 100/s, that is 37.5; the second 62.5. Half a second before is the pause.
  const counts = countPerSlot(server.arrivals, 500, server.arrivals[0] - 2, 6)
  for (const [index, expected] of [25, 25, 0, 0, 37.5, 62.5].entries()) {
    near(timely, counts[index], expected, 8, `half second ${index}`)
  }
}))

t.test('stages as a text', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 50, stages: '300ms:100, 200ms:0..200' })
  t.equal(result.accounting.scheduled, 50)
  t.equal(server.requests, 50)
})

t.test('a duration cuts stages short', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, stages: '10s:100', duration: 0.5 })
  t.equal(result.accounting.scheduled, 50)
  near(t, result.rate.offered, 100, 0.001, 'rate.offered')
})

t.test('bursts', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 20, bursts: { size: 20, interval: 0.5 }, duration: 1.2 })
  balances(t, result)
  t.equal(result.accounting.scheduled, 60)
  t.equal(server.requests, 60)
  const counts = countPerSlot(server.arrivals, 250, server.arrivals[0] - 2, 5)
  for (const [index, expected] of [20, 0, 20, 0, 20].entries()) near(timely, counts[index], expected, 5, `quarter second ${index}`)
}))

t.test('a rate far above what the connections allow: all that came due is accounted for', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t, (request, response) => setTimeout(() => response.end('ok'), 50))
  const result = await run({ url: server.url, connections: 2, overallRate: 20000, duration: 1, timeout: 0.4 })
  balances(t, result)
  const { scheduled, unsent, sent } = result.accounting
  t.equal(scheduled, 20000)
  await until(() => server.requests === sent)
  t.ok(sent <= 60, `two connections with 50 ms sent ${sent} in a second`)
  timely.ok(sent > 10, `and not only ${sent}`)
  t.ok(unsent > 19000)
  t.ok(result.latency.p50 <= 400, 'a request that waited to its deadline counts with that')
  timely.ok(result.latency.p50 > 390, `and most did: ${result.latency.p50}`)
}))

t.test('a run is over when its window is: the last due time is within it', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, overallRate: 50, duration: 1 })
  t.ok(result.duration >= 1, `${result.duration}`)
  near(timely, result.duration, 1, 0.3, 'duration')
  timely.ok(server.arrivals.at(-1) - server.arrivals[0] > 800, `${server.arrivals.at(-1) - server.arrivals[0]} ms from the first arrival to the last`)
}))

t.test('what came due just before the end is sent, however seldom the client looks', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  for (let repetition = 0; repetition < 20; repetition++) {
    const result = await run({ url: server.url, connections: 40, overallRate: 1900, duration: 0.02, pacing: 'sleep' })
    t.equal(result.accounting.scheduled, 38)
    t.equal(result.accounting.completed, 38)
  }
  // The first request marks the start of the clock; from 250 ms to 350 ms nobody looks at all.
  server.server.once('request', () => setTimeout(block, 250, 100))
  const result = await run({ url: server.url, connections: 150, overallRate: 500, duration: 0.3 })
  balances(t, result)
  t.equal(result.accounting.completed, 150)
  near(timely, result.sendDelay.client.max, 100, 40, "and its delay is the client's")
}))

t.test('what came due while a hook held the client up until after the end is sent', async (t) => {
  const server = await httpServer(t)
  for (const pacing of ['precise', 'sleep']) {
    let asked = 0
    const setupRequest = (request) => {
      if (++asked === 3) block(300)
      return request
    }
    const result = await run({ url: server.url, connections: 20, overallRate: 100, duration: 0.2, pacing, requests: [{ setupRequest }] })
    balances(t, result)
    t.equal(result.accounting.completed, 20, pacing)
  }
})

t.test('a hook that holds the client up does not put off what comes due after it', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  for (const pacing of ['precise', 'sleep']) {
    let asked = 0
    // The second of four, due at 0, 300, 600 and 900 ms, goes out at 500 ms.
    const setupRequest = (request) => {
      if (++asked === 2) block(200)
      return request
    }
    const before = server.arrivals.length
    const result = await run({ url: server.url, connections: 4, overallRate: 10 / 3, amount: 4, pacing, requests: [{ setupRequest }] })
    balances(t, result)
    const [first, , third] = server.arrivals.slice(before)
    near(timely, third - first, 600, 60, `ms from the first to the third, ${pacing}`)
  }
}))
