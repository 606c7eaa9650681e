'use strict'

const t = require('tap')
const { benchmark, between } = require('./benchmark')
const { bimodalServer, hangingServer, httpServer, rawServer, reply } = require('../support/servers')
const { inOneOfThree } = require('../support/timely')
const { sleep, until } = require('../support/wait')

const warningOf = (result, code) => result.warnings.find((warning) => warning.code === code)

t.test('every connection stuck in a slow request at the end: they are counted, with the age they reached', (t) => inOneOfThree(t, async (timely) => {
  const server = await bimodalServer(t, { fastMs: 1, slowMs: 60000, slowEvery: 40 })
  const result = await benchmark(t, { url: server.url, connections: 8, duration: 60, timeout: 60 }, async (instance) => {
    await until(() => server.slow === 8, 20000)
    await sleep(600)
    instance.stop()
  })
  const { accounting, latency, latencyWithUnfinished, errors } = result
  // Each connection goes on until it has met the slow answer.
  t.equal(accounting.unfinished, 8)
  t.equal(accounting.completed, server.fast)
  t.equal(errors, 0)
  between(timely, latency.max, 1, 500, 'latency.max')
  t.equal(latency.totalCount, accounting.completed)
  t.equal(latencyWithUnfinished.totalCount, accounting.sent)
  between(t, latencyWithUnfinished.max, 500, result.duration * 1000 + 1, 'latencyWithUnfinished.max')
  // 8 of some 320 are 2.5 %.
  between(t, latencyWithUnfinished.p99, 500, result.duration * 1000 + 1, 'latencyWithUnfinished.p99')
  const warning = warningOf(result, 'LATENCY_INCOMPLETE')
  t.match(warning?.message, '8 unfinished')
}))

t.test('a server that never answers: no zeros without a word', async (t) => {
  const server = await hangingServer(t, { every: 1 })
  const result = await benchmark(t, { url: server.url, connections: 5, duration: 1.2 })
  t.match(result.accounting, { sent: 5, unfinished: 5, completed: 0 })
  t.equal(server.requests, 5)
  t.equal(result.latency.totalCount, 0)
  t.equal(result.latencyWithUnfinished.totalCount, 5)
  between(t, result.latencyWithUnfinished.min, 300, result.duration * 1000, 'latencyWithUnfinished.min')
  const { message } = warningOf(result, 'LATENCY_INCOMPLETE')
  t.match(message, /\(5 unfinished\)\. At the age they reached, the 99th percentile is \d+ ms: see/, 'there is no 0 ms to compare with')
})

t.test('requests that are missing, and make no difference: none is claimed', (t) => inOneOfThree(t, async (timely) => {
  // Answers take 80 ms and the connection breaks after 20.
  let count = 0
  const server = await httpServer(t, (request, response) => {
    const breaks = count++ % 10 === 5
    setTimeout(() => breaks ? request.socket.destroy() : response.end('ok'), breaks ? 20 : 80)
  })
  const result = await benchmark(t, { url: server.url, connections: 1, amount: 20 })
  t.match(result.accounting, { completed: 18, failed: 2 })
  const { message } = warningOf(result, 'LATENCY_INCOMPLETE')
  t.match(message, /\(2 failed\)\. .*: see/)
  timely.ok(/ is [\d.]+ ms all the same: see/.test(message), message)
}))

t.test('timeouts count with their deadline, each is one error and one event', (t) => inOneOfThree(t, async (timely) => {
  const server = await hangingServer(t, { every: 10 })
  const events = []
  const result = await benchmark(t, { url: server.url, connections: 4, amount: 200, timeout: 0.6 },
    (instance) => instance.on('reqError', (error) => events.push(error.code)))
  t.match(result.accounting, { sent: 200, completed: 180, timedOut: 20, failed: 0 })
  t.match(result, { errors: 20, timeouts: 20 })
  t.same(events, new Array(20).fill('CANNONADE_RESPONSE_TIMEOUT'))
  t.match(result.errorCodes, { CANNONADE_RESPONSE_TIMEOUT: { count: 20, phase: 'timeout' } })
  t.equal(server.requests, 200)
  // A tenth at 600 ms: below that it is the server's answers, above it the deadline, exactly.
  between(timely, result.latency.p99, 0, 200, 'latency.p99')
  t.equal(result.latencyWithUnfinished.p95, 600)
  t.equal(result.latencyWithUnfinished.max, 600)
  t.ok(warningOf(result, 'LATENCY_INCOMPLETE'))
}))

t.test('a timeout fires when it should, for the first request and for later ones', (t) => inOneOfThree(t, async (timely) => {
  for (const timeout of [0.05, 0.3]) {
    const server = await hangingServer(t, { every: 3 })
    const failedAt = []
    const start = performance.now()
    const { accounting } = await benchmark(t, { url: server.url, connections: 1, amount: 9, timeout },
      (instance) => instance.on('reqError', () => failedAt.push(performance.now() - start)))
    timely.equal(accounting.timedOut, 3, 'timed out')
    const waits = failedAt.map((at, index) => at - (failedAt[index - 1] ?? 0))
    for (const wait of waits) {
      t.ok(wait >= timeout * 1000 - 1, `after ${wait} ms, with a timeout of ${timeout} s`)
      timely.ok(wait <= timeout * 1000 + 150, `after ${wait} ms, with a timeout of ${timeout} s`)
    }
  }
}))

t.test('pipelined behind one that hangs: one timeout, the others are lost, each counted and told once', async (t) => {
  const server = await hangingServer(t, { every: 1 })
  const events = []
  const result = await benchmark(t, { url: server.url, connections: 1, pipelining: 10, timeout: 0.2, duration: 0.5 },
    (instance) => instance.on('reqError', (error) => events.push(error.code)))
  const { accounting, errorCodes } = result
  const rounds = accounting.timedOut
  between(t, rounds, 1, Math.floor(result.duration / 0.2), 'times ten requests')
  t.equal(accounting.failed, rounds * 9)
  t.equal(result.errors, rounds * 10)
  t.equal(events.length, rounds * 10)
  t.match(errorCodes, { CANNONADE_RESPONSE_TIMEOUT: { count: rounds }, CANNONADE_LOST_IN_PIPELINE: { count: rounds * 9 } })
})

t.test('failures count with the age they reached', (t) => inOneOfThree(t, async (timely) => {
  const server = await rawServer(t, (socket, request, index) => {
    if (index % 10 !== 9) socket.write(reply())
    else setTimeout(() => socket.resetAndDestroy(), 120)
  })
  const result = await benchmark(t, { url: server.url, connections: 2, amount: 100 })
  t.match(result.accounting, { completed: 90, failed: 10 })
  between(timely, result.latency.max, 0, 115, 'latency.max')
  between(t, result.latencyWithUnfinished.p95, 115, 4000, 'latencyWithUnfinished.p95')
  t.equal(result.latencyWithUnfinished.totalCount, 100)
}))

t.test('where nothing is missing but what is always in flight, nothing is warned of', (t) => inOneOfThree(t, async (timely) => {
  const server = await bimodalServer(t, { fastMs: 5, slowMs: 5, slowEvery: 2 })
  const result = await benchmark(t, { url: server.url, connections: 2, duration: 0.5 })
  timely.equal(result.warnings.map(({ code }) => code).join(), '', 'warnings')
}))
