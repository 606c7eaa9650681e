'use strict'

// When requests arrive, by the server's clock. On a shared machine a thread may stand still for 50 ms and more, so it is
// the bulk of the arrivals that must be on time, not each, and not in the first attempt.

const t = require('tap')
const { run } = require('../..')
const { createPacer } = require('../../lib/load')
const { httpServer } = require('../support/servers')
const { balances, lateness, quantile, countPerSlot, smallest } = require('./helpers')

const CLOSE_MS = 8

// How near to their time, before or after it, half of the arrivals are.
function half (arrivals, ideal) {
  return quantile(lateness(arrivals, ideal).map(Math.abs), 0.5)
}

function uniform (rate, count) {
  return Array.from({ length: count }, (_, index) => index / rate * 1000)
}

for (const [rate, duration, connections] of [[5, 3, 10], [100, 3, 10], [1000, 2, 50]]) {
  t.test(`${rate} per second on ${connections} connections are spread evenly`, async (t) => {
    const late = await smallest(CLOSE_MS, async () => {
      const server = await httpServer(t)
      const result = await run({ url: server.url, connections, overallRate: rate, duration })
      balances(t, result)
      t.equal(result.accounting.scheduled, rate * duration)
      t.equal(server.requests, result.accounting.sent)
      t.equal(server.connections, connections, 'connections are never reduced to fit the rate')
      t.equal(result.connections, connections)
      return half(server.arrivals, uniform(rate, rate * duration))
    })
    t.ok(late < CLOSE_MS, `half of them are less than ${CLOSE_MS} ms from their time: ${late}`)
  })
}

t.test('2,000 per second: the same number in nearly every 50 ms, no burst at the start', async (t) => {
  const uneven = await smallest(12, async () => {
    const server = await httpServer(t)
    await run({ url: server.url, connections: 50, overallRate: 2000, duration: 2 })
    const slots = countPerSlot(server.arrivals, 50, server.arrivals[0], 40)
    // A burst at the start spoils it all; twice as many may be a pause.
    return slots[0] >= 200 ? Infinity : slots.filter((count) => count < 80 || count > 120).length
  })
  t.ok(uneven < 12, `all but ${uneven} of 40 slots have 80 to 120 arrivals`)
})

t.test('100 per second: hardly any two arrive together', async (t) => {
  const bunched = await smallest(40, async () => {
    const { url, arrivals } = await httpServer(t)
    await run({ url, connections: 10, overallRate: 100, duration: 2 })
    return arrivals.filter((at, index) => index > 0 && at - arrivals[index - 1] < 2).length
  })
  t.ok(bunched < 40, `${bunched} of 200 came within 2 ms of the one before`)
})

t.test('the connections of a connectionRate do not beat together', async (t) => {
  const late = await smallest(CLOSE_MS, async () => {
    const bySocket = new Map()
    const server = await httpServer(t, ({ socket }, response) => {
      if (!bySocket.has(socket)) bySocket.set(socket, [])
      bySocket.get(socket).push(performance.now())
      response.end('ok')
    })
    const result = await run({ url: server.url, connections: 5, connectionRate: 4, duration: 2 })
    balances(t, result)
    t.equal(result.accounting.scheduled, 40)
    // Each connection has its own rate. It can lose one to a pause at the end.
    if (server.requestsPerConnection.join() !== '8,8,8,8,8') return Infinity
    const each = [...bySocket.values()].map((arrivals) => half(arrivals, uniform(4, 8)))
    return Math.max(half(server.arrivals, uniform(20, 40)), ...each)
  })
  t.ok(late < CLOSE_MS, `each by itself is even, and together they are as even as one schedule of 20 per second: ${late}`)
})

t.test('poisson arrivals are those of the seed, run after run', async (t) => {
  const schedule = { kind: 'constant', rate: 100, arrivals: 'poisson', seed: 7 }
  const pacer = createPacer(schedule, { duration: 2 })
  const due = []
  for (let time = pacer.next(); time !== Infinity; time = pacer.next()) due.push(time * 1000)

  for (let repetition = 0; repetition < 2; repetition++) {
    const late = await smallest(CLOSE_MS, async () => {
      const server = await httpServer(t)
      const result = await run({ url: server.url, connections: 20, overallRate: 100, arrivals: 'poisson', seed: 7, duration: 2 })
      balances(t, result)
      t.equal(result.accounting.scheduled, due.length)
      t.equal(server.requests, result.accounting.sent)
      return half(server.arrivals, due)
    })
    t.ok(late < CLOSE_MS, `half of them are less than ${CLOSE_MS} ms from their time: ${late}`)
  }
})

t.test('poisson arrivals of another seed are others', async (t) => {
  const server = await httpServer(t)
  const { arrivals } = server
  await run({ url: server.url, overallRate: 100, arrivals: 'poisson', seed: 8, duration: 1 })
  const pacer = createPacer({ kind: 'constant', rate: 100, arrivals: 'poisson', seed: 7 })
  const late = half(arrivals, arrivals.map(() => pacer.next() * 1000))
  t.ok(late > 2 * CLOSE_MS, `the schedule of the other seed is ${late} ms away`)
})
