'use strict'

const t = require('tap')
const { benchmark, between } = require('./benchmark')
const { playInWorld } = require('../../support/play-in-world')
const { hangingServer } = require('../../support/servers')

const warningOf = (result, code) => result.warnings.find((warning) => warning.code === code)
const listen = (errors) => (instance) => instance.on('reqError', ({ code }) => errors.push(code))

t.test('many that are unfinished at the end are told by their share, because the median leaves them out', async (t) => {
  const warningFor = async (first) => {
    const { result } = await playInWorld(t, { serviceTime: ({ number }) => number < first ? 100 : 5000, slots: 20 }, { connections: 20, duration: 1 })
    return warningOf(result, 'MANY_UNFINISHED')?.message
  }
  t.match(await warningFor(17), /^20 of 37 requests \(54\.1%\) had no response yet when the run ended, .* so p50 and all other percentiles may be too low\./)
  t.match(await warningFor(80), /^20 of 100 requests \(20%\)/)
  t.equal(await warningFor(81), undefined, 'as many as there are connections are always in flight')
})

t.test('every connection is stuck in a slow request at the end: these count with the age they reached', async (t) => {
  // Each connection continues until it gets the slow response: the last one after some 320 ms.
  const settings = { serviceTime: ({ number }) => number % 40 === 39 ? 60_000 : 1 }
  const { result } = await playInWorld(t, settings, { connections: 8, duration: 60, timeout: 60 }, (instance, world) => world.afterForClient(900, instance.stop))
  const { accounting, latency, latencyWithUnfinished, errors } = result
  t.match(accounting, { completed: 8 * 39, unfinished: 8 })
  t.equal(errors, 0)
  t.match(latency, { min: 1, max: 1, totalCount: 8 * 39 })
  t.equal(latencyWithUnfinished.totalCount, accounting.sent)
  // The first was sent at 4 ms: by then 39 are answered.
  between(t, latencyWithUnfinished.max, 894, 897, 'latencyWithUnfinished.max')
  // 8 of 320 are 2.5%.
  between(t, latencyWithUnfinished.p99, 600, 897, 'latencyWithUnfinished.p99')
  t.match(warningOf(result, 'LATENCY_INCOMPLETE')?.message, '8 unfinished')
})

t.test('a server that never responds: zeros come with a warning', async (t) => {
  const { result } = await playInWorld(t, { answer: 'silence' }, { connections: 5, duration: 1.2 })
  t.match(result.accounting, { sent: 5, unfinished: 5, completed: 0 })
  t.equal(result.latency.totalCount, 0)
  t.equal(result.latencyWithUnfinished.totalCount, 5)
  between(t, result.latencyWithUnfinished.min, 1199, 1201, 'latencyWithUnfinished.min')
  const { message } = warningOf(result, 'LATENCY_INCOMPLETE')
  t.match(message, /\(5 unfinished\)\. Counting how long they had waited, the 99th percentile is [\d.,]+ m?s; see/, 'there is no 0 ms to compare with')
})

t.test('missing requests that make no difference: no warning claims one', async (t) => {
  // Responses take 80 ms, and the connection breaks after 20.
  const breaks = ({ number }) => number % 10 === 5
  const { result } = await playInWorld(t, { serviceTime: (entry) => breaks(entry) ? 20 : 80, answer: (entry) => breaks(entry) ? 'end' : 200 }, { connections: 1, amount: 20 })
  t.match(result.accounting, { completed: 18, failed: 2 })
  t.match(warningOf(result, 'LATENCY_INCOMPLETE').message, /\(2 failed\)\. .* is [\d.]+ ms as well; see/)
})

t.test('timeouts count with their deadline, each as one error and one event', async (t) => {
  const errors = []
  const { result } = await playInWorld(t, { serviceTime: 3, answer: ({ number }) => number % 10 === 9 ? 'silence' : 200 }, { connections: 4, amount: 200, timeout: 0.6 }, listen(errors))
  t.match(result.accounting, { sent: 200, completed: 180, timedOut: 20, failed: 0 })
  t.match(result, { errors: 20, timeouts: 20 })
  t.same(errors, new Array(20).fill('CANNONADE_RESPONSE_TIMEOUT'))
  t.match(result.errorCodes, { CANNONADE_RESPONSE_TIMEOUT: { count: 20, phase: 'timeout' } })
  // A tenth times out at 600 ms: below p90 are the server's responses, above it exactly the deadline.
  t.equal(result.latency.max, 3)
  t.equal(result.latencyWithUnfinished.p95, 600)
  t.equal(result.latencyWithUnfinished.max, 600)
  t.ok(warningOf(result, 'LATENCY_INCOMPLETE'))
})

t.test('a timeout fires on time, for the first request and for later ones', async (t) => {
  for (const timeout of [0.05, 0.3]) {
    const failedAt = []
    const { result } = await playInWorld(t, { answer: ({ number }) => number % 3 === 2 ? 'silence' : 200 }, { connections: 1, amount: 9, timeout },
      (instance, world) => instance.on('reqError', () => failedAt.push(world.elapsed)))
    t.equal(result.accounting.timedOut, 3)
    const waits = failedAt.map((at, index) => at - (failedAt[index - 1] ?? 0))
    for (const wait of waits) between(t, wait, timeout * 1000, timeout * 1000 + 2, `timeout of ${timeout} s`)
  }
})

t.test('requests pipelined behind one that hangs: one timeout, the others are lost, each counted and reported once', async (t) => {
  const errors = []
  const { result } = await playInWorld(t, { answer: 'silence' }, { connections: 1, pipelining: 10, timeout: 0.2, duration: 0.5 }, listen(errors))
  t.match(result.accounting, { timedOut: 2, failed: 18, unfinished: 10 })
  t.equal(result.errors, 20)
  t.equal(errors.length, 20)
  t.match(result.errorCodes, { CANNONADE_RESPONSE_TIMEOUT: { count: 2 }, CANNONADE_LOST_IN_PIPELINE: { count: 18 } })
})

t.test('failures count with the age they reached', async (t) => {
  const isReset = ({ number }) => number % 10 === 9
  const { result } = await playInWorld(t, { serviceTime: (entry) => isReset(entry) ? 120 : 2, answer: (entry) => isReset(entry) ? 'reset' : 200 }, { connections: 2, amount: 100 })
  t.match(result.accounting, { completed: 90, failed: 10 })
  t.match(result.latency, { min: 2, max: 2 })
  t.equal(result.latencyWithUnfinished.p95, 120)
  t.equal(result.latencyWithUnfinished.totalCount, 100)
})

t.test('if only the usual requests in flight are missing, there is no warning', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 5 }, { connections: 2, duration: 0.5 })
  t.same(result.warnings, [])
})

t.test('with a real clock as well', async (t) => {
  const server = await hangingServer(t, { every: 1 })
  const result = await benchmark(t, { url: server.url, connections: 1, duration: 60, timeout: 0.3 }, (instance) => instance.once('reqError', instance.stop))
  t.match(result.accounting, { sent: 1, timedOut: 1 })
  t.match(result.errorCodes, { CANNONADE_RESPONSE_TIMEOUT: { count: 1, phase: 'timeout' } })
  t.equal(result.latencyWithUnfinished.max, 300)
})
