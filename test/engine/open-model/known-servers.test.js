'use strict'

// Servers with known behavior at a rate, compared with arithmetic.

const t = require('tap')
const { run } = require('../../..')
const { playInWorld } = require('../../support/play-in-world')
const { addsUp } = require('../../support/accounts')
const { delayServer } = require('../../support/servers')
const { exact, near, warning } = require('./helpers')

const bimodal = (fastMs, slowMs, slowEvery) => ({ serviceTime: ({ number }) => (number + 1) % slowEvery === 0 ? slowMs : fastMs })
const hanging = (every) => ({ answer: ({ number }) => (number + 1) % every === 0 ? 'silence' : 200 })

t.test('a healthy server: service time is its delay, for each request, and there are no warnings', async (t) => {
  const { result, server } = await playInWorld(t, { serviceTime: 50 }, { connections: 40, overallRate: 50, duration: 2 })
  t.equal(result.latency.totalCount, 100, 'no invented samples')
  for (const statistics of [result.latency, result.serviceTime]) {
    for (const name of ['min', 'p50', 'p99', 'max', 'mean']) exact(t, statistics[name], 50, name)
  }
  t.equal(server.requests, 100)
  t.equal(result.accounting.completed, 100, 'requests in flight at the end were awaited')
  t.same(result.warnings, [])
})

t.test('a bimodal server', async (t) => {
  const { result } = await playInWorld(t, bimodal(5, 300, 10), { connections: 80, overallRate: 100, duration: 3 })
  for (const statistics of [result.latency, result.serviceTime]) {
    t.equal(statistics.totalCount, 300)
    for (const [name, expected] of Object.entries({ min: 5, p50: 5, p90: 5, p95: 300, p99: 300, max: 300, mean: 0.9 * 5 + 0.1 * 300 })) {
      exact(t, statistics[name], expected, name)
    }
  }
})

t.test('an impossible rate: one connection, 100 ms each, 50/s', async (t) => {
  const { result, server } = await playInWorld(t, { serviceTime: 100 }, { connections: 1, overallRate: 50, duration: 2 })
  const { scheduled, unsent, completed } = result.accounting
  t.match(result.accounting, { scheduled: 100, unfinished: 0 })
  // The twentieth is answered as the run ends.
  t.ok(completed === 20 || completed === 21, `completed ${completed}`)
  t.equal(unsent, scheduled - completed)
  t.equal(server.requests, completed)
  t.match(result.rate, { offered: 50 })
  near(t, result.rate.achieved, 10, 0.5, 'achieved')
  for (const name of ['min', 'p50', 'max']) exact(t, result.serviceTime[name], 100, name)

  // Request k is due at 20k ms and answered at 100(k + 1); those never sent are as old as the run.
  const end = 2000 + result.drain.seconds * 1000
  const ages = Array.from({ length: 100 }, (_, k) => (k < completed ? 100 * (k + 1) : end) - 20 * k).sort((a, b) => a - b)
  for (const [name, rank] of [['p50', 50], ['p90', 90], ['p99', 99], ['max', 100]]) exact(t, result.latency[name], ages[rank - 1], name)

  const { message } = warning(result, 'RATE_NOT_ACHIEVED')
  t.match(message, /of 50 requests per second/)
  t.match(message, /Little's law/)
  t.match(message, /: 5 connections, and there were 1/)
})

t.test('every tenth request hangs: it counts with its deadline', async (t) => {
  const errors = []
  const { result, server } = await playInWorld(t, hanging(10), { connections: 60, overallRate: 100, duration: 2, timeout: 0.6 }, (instance) => {
    instance.on('reqError', (error) => errors.push(error.code))
  })
  t.match(result.accounting, { scheduled: 200, sent: 200, timedOut: 20, completed: 180 })
  t.equal(server.requests, 200)
  t.equal(errors.length, 20, 'one event for each')
  t.equal(result.errorCodes.CANNONADE_RESPONSE_TIMEOUT.count, 20)
  for (const [name, expected] of [['p90', 0], ['p95', 600], ['p99', 600], ['max', 600]]) exact(t, result.latency[name], expected, name)
  exact(t, result.serviceTime.max, 0, 'serviceTime is of complete answers only')
})

t.test('the deadline of a request counts from its due time, not from when it was sent', async (t) => {
  const { result } = await playInWorld(t, { answer: 'silence' }, { connections: 1, overallRate: 20, duration: 1, timeout: 0.5 })
  const { timedOut, unsent } = result.accounting
  t.match(result.accounting, { scheduled: 20, completed: 0 })
  // The first requests are sent at once and time out at 500 ms; then the next ones are sent, shortly before their own 500 ms are over.
  t.ok(timedOut >= 4, `timed out ${timedOut}`)
  t.equal(timedOut + unsent, 20)
  exact(t, result.latency.p50, 500, 'latency.p50')
  exact(t, result.latency.max, 500, 'latency.max')
  exact(t, result.drain.seconds * 1000, 0, 'each was given up half a second after it was due, and the last of them as the window ends')
  t.match(warning(result, 'RATE_NOT_ACHIEVED').message, /there were no responses/)
})

t.test('a request that waits for a connection until its deadline is never sent', async (t) => {
  const { result, server } = await playInWorld(t, { serviceTime: 400 }, { connections: 1, overallRate: 50, duration: 1.5, timeout: 0.45, drain: 0 })
  const { scheduled, unsent, sent } = result.accounting
  t.equal(scheduled, 75)
  t.equal(server.requests, sent)
  // Each request occupies the connection for 400 ms, or for what is left of its 450 ms.
  t.ok(sent >= 4 && unsent >= 60, `sent ${sent}, unsent ${unsent}`)
  t.ok(result.sendDelay.max <= 450, `nothing was sent after its deadline: ${result.sendDelay.max}`)
  exact(t, result.latency.p50, 450, 'latency.p50')
})

t.test('slow requests that are still in flight when the window ends', async (t) => {
  // Those due at 0.19, 0.39, …, 0.99 s are slow.
  const scene = async (t, opts) => {
    const { result } = await playInWorld(t, bimodal(1, 1500, 20), { connections: 80, overallRate: 100, duration: 1, ...opts })
    t.match(result.accounting, { scheduled: 100, unsent: 0 })
    exact(t, result.duration * 1000, 1000, 'duration is that of the window')
    return result
  }

  t.test('are waited for by default, and count', async (t) => {
    const result = await scene(t, {})
    t.equal(result.accounting.completed, 100)
    t.equal(result.drain.completed, 5)
    exact(t, result.drain.seconds * 1000, 1490, 'drain.seconds')
    exact(t, result.latency.p99, 1500, 'latency.p99')
    exact(t, result.latency.p95, 1, 'latency.p95')
    exact(t, result.rate.achieved, 95, 'the achieved rate is that of the window')
    exact(t, result.requests.average, 95, 'and so is the average')
    t.equal(result.requests.total, 100)
  })

  t.test('are cut off by a short drain, and count with the age they reached', async (t) => {
    const result = await scene(t, { drain: 0.3 })
    t.match(result.accounting, { completed: 95, unfinished: 5 })
    t.equal(result.drain.completed, 0)
    exact(t, result.drain.seconds * 1000, 300, 'drain.seconds')
    // The run ends at 1.3 s.
    exact(t, result.latency.max, 1110, 'latency.max')
    exact(t, result.latency.p97_5, 710, 'latency.p97_5')
    t.equal(result.latency.totalCount, 100)
    exact(t, result.serviceTime.max, 1, 'serviceTime.max')
  })

  t.test('are not waited for with drain 0', async (t) => {
    const result = await scene(t, { drain: 0 })
    t.match(result.drain, { seconds: 0, completed: 0 })
    t.equal(result.accounting.unfinished, 5)
    exact(t, result.latency.max, 810, 'latency.max')
  })

  t.test('are cut off by the timeout before the drain ends', async (t) => {
    const result = await scene(t, { timeout: 0.7, drain: 5 })
    t.equal(result.accounting.timedOut, 5)
    exact(t, result.drain.seconds * 1000, 690, 'drain.seconds')
    exact(t, result.latency.p97_5, 700, 'latency.p97_5')
  })
})

t.test('a drain as long as the timeout, the default, leaves nothing unfinished', async (t) => {
  // The last requests have their deadline within the last millisecond of the drain.
  const { result } = await playInWorld(t, { answer: 'silence' }, { connections: 200, overallRate: 4000, duration: 0.05, timeout: 0.7 })
  t.match(result.accounting, { timedOut: 200, unfinished: 0 })
  t.equal(result.latency.p1, 700)
  t.equal(result.latency.max, 700)
})

// As many connections as requests: what a pause of the machine leaves for the last moment can still be sent.
t.test('with real sockets as well', async (t) => {
  const slow = await delayServer(t, 50)
  const served = await run({ url: slow.url, connections: 25, overallRate: 50, duration: 0.5 })
  addsUp(t, served)
  t.equal(served.accounting.completed, 25)
  t.equal(slow.requests, 25)
  t.ok(served.latency.min >= 50, `min ${served.latency.min}`)
})
