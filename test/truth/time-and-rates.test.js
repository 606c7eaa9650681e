'use strict'

const t = require('tap')
const run = require('../..')
const { benchmark, between } = require('./benchmark')
const { httpServer, delayServer, hangingServer } = require('../support/servers')
const { sum } = require('../support/accounts')
const { inOneOfThree } = require('../support/timely')
const { until } = require('../support/wait')

async function timed (promise) {
  const start = performance.now()
  const result = await promise
  return { result, seconds: (performance.now() - start) / 1000 }
}

t.test('a run by amount lasts until its last response, and its rate is by that time', async (t) => {
  const server = await delayServer(t, 10)
  const { result, seconds } = await timed(benchmark(t, { url: server.url, amount: 100, connections: 10 }))
  // Ten times ten requests of 10 ms.
  between(t, result.duration, 0.099, seconds, 'duration')
  between(t, result.requests.average, 99 / result.duration, 101 / result.duration, 'requests.average')
  t.equal(result.requests.total, 100)
  t.equal(result.samples, 1)
  between(t, result.requests.max, 99 / result.duration, 101 / result.duration, 'requests.max')
})

t.test('a run of 200 ms is one of 200 ms, whatever the sample interval', async (t) => {
  const server = await httpServer(t)
  for (const sampleInt of [1000, 50, 200]) {
    const { result, seconds } = await timed(benchmark(t, { url: server.url, duration: 0.2, sampleInt, connections: 4 }))
    between(t, result.duration, 0.2, Math.min(0.8, seconds), `duration, sampled every ${sampleInt} ms`)
    const rate = result.accounting.completed / result.duration
    between(t, result.requests.average, rate * 0.99, rate * 1.01, 'requests.average')
    between(t, result.finish - result.start, result.duration * 1000 - 5, seconds * 1000 + 5, 'finish - start')
  }
})

t.test('rates are per second for any sample interval', async (t) => {
  // 4 connections and 20 ms: 200 requests a second, whoever counts.
  const server = await delayServer(t, 20)
  for (const sampleInt of [100, 250, 1000]) {
    const result = await benchmark(t, { url: server.url, duration: 1, sampleInt, connections: 4 })
    between(t, result.requests.average, 10, 201, `requests.average, sampled every ${sampleInt} ms`)
    between(t, result.requests.p75, result.requests.average * 0.4, 300, 'requests.p75')
    const bytesPerResponse = result.bytes.read / result.accounting.completed
    const bytes = result.requests.average * bytesPerResponse
    between(t, result.throughput.average, bytes * 0.95, bytes * 1.05, 'throughput.average')
    t.equal(result.sampleInt, sampleInt)
    between(t, result.samples, 1, Math.ceil(1000 / sampleInt), 'samples')
  }
})

t.test('stop ends at once, between two samples, with the time that was', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  let stoppedAt
  const result = await benchmark(t, { url: server.url, duration: 30, connections: 4, sampleInt: 5000 }, (instance) => setTimeout(() => {
    stoppedAt = performance.now()
    instance.stop()
  }, 300))
  between(t, performance.now() - stoppedAt, 0, 10_000, 'ms until the result')
  between(timely, result.duration, 0.2, 1.5, 'duration')
  await until(() => server.openConnections === 0)
  between(t, server.requests, result.accounting.completed, result.accounting.sent, 'received')
}))

t.test('an abort signal ends a run the same way; one that was aborted before lets nothing begin', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 200)
  const during = await benchmark(t, { url: server.url, duration: 30, connections: 4, signal: controller.signal })
  between(timely, during.duration, 0.1, 1.5, 'duration')
  await until(() => server.openConnections === 0)
  between(t, server.requests, during.accounting.completed, during.accounting.sent, 'received')

  const untouched = await httpServer(t)
  const before = await benchmark(t, { url: untouched.url, duration: 30, connections: 4, signal: AbortSignal.abort() })
  t.match(before.accounting, { scheduled: 0, sent: 0, completed: 0, unfinished: 0 })
  between(t, before.duration, 0, 5, 'duration')
  t.match(untouched, { requests: 0, connections: 0 })
}))

t.test('bailout ends at that many errors, with all of them told', async (t) => {
  const server = await hangingServer(t, { every: 2 })
  const result = await benchmark(t, { url: server.url, duration: 30, connections: 4, timeout: 0.1, bailout: 5 })
  between(t, result.errors, 5, 8, 'errors')
  between(t, result.duration, 0.1, 5, 'duration')
})

t.test('samples follow the clock: a pause of the event loop makes one longer and lowers no rate', (t) => inOneOfThree(t, async (timely) => {
  const server = await delayServer(t, 5)
  const result = await benchmark(t, { url: server.url, duration: 0.6, sampleInt: 50, connections: 4 }, () => setTimeout(() => {
    const end = performance.now() + 170
    while (performance.now() < end);
  }, 200))
  const longest = Math.max(...result.timeline.map(({ seconds }) => seconds))
  between(timely, longest, 0.15, 0.5, 'longest sample')
  between(timely, result.samples, 3, 10, 'samples')
  // Those after the pause are back where they would have been.
  const ends = result.timeline.slice(0, -1).map(({ time }) => time * 1000 % 50)
  timely.ok(ends.filter((late) => late <= 25).length >= ends.length / 2, `ends of samples, ms behind the clock: ${ends}`)
}))

t.test('ticks add up to the run', async (t) => {
  const server = await httpServer(t)
  const ticks = []
  const result = await benchmark(t, { url: server.url, duration: 0.5, sampleInt: 100, connections: 4 },
    (instance) => instance.on('tick', (tick) => ticks.push(tick)))
  t.equal(sum(ticks, 'counter'), result.accounting.completed)
  t.equal(sum(ticks, 'bytes'), result.bytes.read)
  t.equal(ticks.at(-1).requests, result.accounting.completed)
  t.equal(ticks.at(-1).time, result.duration)
  t.ok(ticks.every(({ time }, index) => index === 0 || time >= ticks[index - 1].time))
})

t.test('with forever each round has its own numbers', async (t) => {
  const server = await httpServer(t)
  const rounds = []
  const ticks = []
  const instance = run({ url: server.url, amount: 50, connections: 2, forever: true })
  await new Promise((resolve) => {
    let ticked = 0
    instance.on('tick', () => ticked++)
    instance.on('done', (result) => {
      ticks.push(ticked)
      ticked = 0
      rounds.push(result)
      if (rounds.length < 3) return
      instance.stop()
      resolve()
    })
  })
  for (const result of rounds) {
    t.strictSame(result.statusCodeStats, { 200: { count: 50 } })
    t.match(result, { '2xx': 50, samples: 1, accounting: { sent: 50, completed: 50 }, latency: { totalCount: 50 } })
    t.match(result.endpoints, [{ completed: 50 }])
    t.equal(result.timeline.length, 1)
  }
  t.ok(ticks.every((count) => count > 0), 'each round ticks')
  t.equal(server.requests, 150)
})
