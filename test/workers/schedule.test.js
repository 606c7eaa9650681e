'use strict'

// With workers there is one schedule: as many arrivals as without, at the same times. On a shared machine a thread may
// stand still for 50 ms and more, so it is the bulk of the arrivals that must be on time, not each.

const t = require('tap')
const { run } = require('../..')
const { createPacer } = require('../../lib/load')
const { delayServer, httpServer } = require('../support/servers')
const { inOneOfThree } = require('../support/timely')
const { balances, countPerSlot, lateness, near, quantile } = require('../open-model/helpers')

function dueTimes (schedule, duration) {
  const pacer = createPacer(schedule, { duration })
  const due = []
  for (let time = pacer.next(); time !== Infinity; time = pacer.next()) due.push(time * 1000)
  return due
}

function isOnTime (t, arrivals, due) {
  const late = lateness(arrivals, due)
  t.ok(quantile(late, 0.5) < 10, `half of them are less than 10 ms from their time: ${quantile(late, 0.5)}`)
  t.ok(quantile(late, 0) > -10, `and none comes early: ${quantile(late, 0)}`)
}

for (const [rate, duration, connections, workers] of [[100, 2, 40, 2], [333, 1.5, 60, 3], [7, 1.5, 5, 4], [2, 1.2, 2, 2]]) {
  t.test(`overallRate ${rate} on ${connections} connections and ${workers} workers is the rate of all together`, (t) => inOneOfThree(t, async (timely) => {
    const server = await httpServer(t)
    const result = await run({ url: server.url, connections, overallRate: rate, duration, workers })
    const due = dueTimes({ kind: 'constant', rate }, duration)
    balances(t, result)
    t.equal(result.accounting.scheduled, due.length)
    t.equal(server.requests, result.accounting.sent)
    timely.equal(server.requests, due.length, 'requests')
    t.equal(server.connections, connections)
    near(t, result.rate.offered, due.length / duration, 0.01, 'rate.offered')
    isOnTime(timely, server.arrivals, due)
  }))
}

t.test('the arrivals of the threads are interleaved, not bunched', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  await run({ url: server.url, connections: 4, overallRate: 100, duration: 2, workers: 4 })
  const bunched = server.arrivals.filter((at, index) => index > 0 && at - server.arrivals[index - 1] < 3).length
  timely.ok(bunched < 50, `${bunched} of 200 came within 3 ms of the one before`)
  const slots = countPerSlot(server.arrivals, 100, server.arrivals[0] - 2, 20)
  timely.ok(slots.filter((count) => count >= 7 && count <= 13).length >= 14, `${slots}`)
}))

t.test('a rate that the connections can just carry is carried by all threads alike', (t) => inOneOfThree(t, async (timely) => {
  // Three connections at 20 ms carry 150 per second. If two threads had half of 120 each, the one connection of the
  // second would have to carry 60, which it cannot: ten a second would be left over.
  const server = await delayServer(t, 20)
  const { accounting, latency } = await run({ url: server.url, connections: 3, overallRate: 120, duration: 1.5, workers: 2 })
  t.equal(accounting.scheduled, 180)
  timely.ok(accounting.completed >= 176, `completed ${accounting.completed}`)
  timely.ok(latency.p50 < 60, `median ${latency.p50} ms`)
}))

t.test('connectionRate, where the threads have different numbers of connections', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 7, connectionRate: 6, duration: 1.5, workers: 3 })
  balances(t, result)
  t.equal(result.accounting.scheduled, 63)
  timely.equal(server.requestsPerConnection.join(), '9,9,9,9,9,9,9', 'each connection has its own rate')
  isOnTime(timely, server.arrivals, dueTimes({ kind: 'constant', rate: 42 }, 1.5))
}))

t.test('connectionRate with an amount', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 3, connectionRate: 20, amount: 31, workers: 2 })
  balances(t, result)
  t.same(server.requestsPerConnection.sort(), [10, 10, 11])
  t.equal(result.accounting.scheduled, 31)
})

t.test('an amount at a rate: the schedule is over when it would be without workers', async (t) => {
  const scene = async (timely, amount, workers) => {
    const server = await httpServer(t)
    const result = await run({ url: server.url, connections: 6, overallRate: 30, amount, workers })
    balances(t, result)
    t.equal(server.requests, amount)
    near(t, result.rate.offered, 30, 0.001, `rate.offered with ${amount} requests and ${workers} workers`)
    t.ok(result.duration > (amount - 1) / 30 - 0.01, `${result.duration} s`)
    timely.ok(result.duration < amount / 30 + 0.3, `${result.duration} s`)
    timely.notOk(result.warnings.some(({ code }) => code === 'RATE_NOT_ACHIEVED'), 'the rate was achieved')
  }
  for (const [amount, workers] of [[30, 2], [31, 3], [2, 4]]) await inOneOfThree(t, (timely) => scene(timely, amount, workers))
})

t.test('stages', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  const stages = [{ duration: 0.6, rate: 50 }, { duration: 0.4, rate: 0 }, { duration: 1, rate: { from: 50, to: 150 } }]
  const result = await run({ url: server.url, connections: 11, stages, workers: 3 })
  balances(t, result)
  t.equal(result.accounting.scheduled, 130)
  timely.equal(server.requests, 130, 'requests')
  near(t, result.rate.offered, 65, 0.001, 'rate.offered')
  const plain = stages.map(({ duration, rate }) => ({ duration, from: rate.from ?? rate, to: rate.to ?? rate }))
  isOnTime(timely, server.arrivals, dueTimes({ kind: 'stages', stages: plain }, 2))
}))

t.test('bursts', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 5, bursts: { size: 21, interval: 0.4 }, duration: 1, workers: 2 })
  balances(t, result)
  timely.equal(server.requests, 63, 'requests')
  const counts = countPerSlot(server.arrivals, 200, server.arrivals[0] - 5, 5)
  for (const [index, expected] of [21, 0, 21, 0, 21].entries()) near(timely, counts[index], expected, 5, `fifth ${index}`)
}))

t.test('poisson arrivals of a seed are those of one thread', (t) => inOneOfThree(t, async (timely) => {
  const schedule = { kind: 'constant', rate: 150, arrivals: 'poisson', seed: 11 }
  const due = dueTimes(schedule, 1.5)
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 13, overallRate: 150, arrivals: 'poisson', seed: 11, duration: 1.5, workers: 3 })
  balances(t, result)
  t.equal(result.accounting.scheduled, due.length)
  isOnTime(timely, server.arrivals, due)
}))

t.test('a server that stalls: what came due in the meantime is sent, and its latency tells', (t) => inOneOfThree(t, async (timely) => {
  let isStalled = false
  const held = []
  const server = await httpServer(t, (request, response) => {
    if (isStalled) held.push(response)
    else response.end('ok')
  })
  const instance = run({ url: server.url, connections: 4, overallRate: 100, duration: 1.5, workers: 2 })
  instance.once('start', () => {
    setTimeout(() => { isStalled = true }, 400)
    setTimeout(() => {
      isStalled = false
      for (const response of held) response.end('ok')
    }, 900)
  })
  const result = await instance
  balances(t, result)
  t.equal(result.accounting.scheduled, 150)
  timely.equal(result.accounting.completed, 150, 'completed')
  timely.ok(result.latency.max > 400 && result.latency.max < 1000, `${result.latency.max}`)
  timely.ok(result.latency.p90 > 200, `${result.latency.p90}`)
  timely.ok(result.serviceTime.p90 < 200, `${result.serviceTime.p90}`)
}))

t.test('with pacing by sleep', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 100, overallRate: 200, duration: 1, pacing: 'sleep', workers: 2 })
  balances(t, result)
  t.equal(server.requests, 200)
})
