'use strict'

const t = require('tap')
const run = require('../../..')
const { benchmark, between } = require('./benchmark')
const { playInWorld } = require('../../support/play-in-world')
const { httpServer, delayServer } = require('../../support/servers')
const { sum } = require('../../support/accounts')
const { until } = require('../../support/wait')

async function timed (promise) {
  const start = performance.now()
  const result = await promise
  return { result, seconds: (performance.now() - start) / 1000 }
}

t.test('a run by amount lasts until its last response, and its rate refers to that time', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 10 }, { amount: 100, connections: 10 })
  // Ten times ten requests of 10 ms.
  t.match(result, { duration: 0.1, samples: 1, requests: { total: 100 } })
  for (const name of ['average', 'max']) between(t, result.requests[name], 999.9, 1000, `requests.${name}`)
})

t.test('a run of 200 ms lasts 200 ms, whatever the sample interval', async (t) => {
  for (const sampleInt of [1000, 50, 200]) {
    const { result } = await playInWorld(t, { serviceTime: 7 }, { duration: 0.2, sampleInt, connections: 4 })
    // 28 times four until 196 ms.
    t.match(result, { duration: 0.2, accounting: { completed: 112 }, requests: { average: 560 } }, `sampled every ${sampleInt} ms`)
    t.equal(result.finish - result.start, 200)
  }
})

t.test('rates are per second for any sample interval', async (t) => {
  // 4 connections and 20 ms: 200/s, however it is counted.
  for (const sampleInt of [100, 250, 1000]) {
    const { result } = await playInWorld(t, { serviceTime: 20 }, { duration: 1.01, sampleInt, connections: 4 })
    t.equal(result.accounting.completed, 200)
    const average = 200 / 1.01
    const within = (value, expected, name) => between(t, value, expected * 0.99, expected * 1.01, `${name}, sampled every ${sampleInt} ms`)
    within(result.requests.average, average, 'requests.average')
    // A sample that ends a millisecond early has one response per connection less, and the next one has more.
    between(t, result.requests.p75, 160, 240, 'requests.p75')
    within(result.throughput.average, average * result.bytes.read / 200, 'throughput.average')
    t.equal(result.sampleInt, sampleInt)
    t.equal(result.samples, Math.floor(1010 / sampleInt))
  }
})

t.test('stop() ends a run at once, between two samples, with the elapsed time as duration', async (t) => {
  const { result, world } = await playInWorld(t, { serviceTime: 7 }, { duration: 30, connections: 4, sampleInt: 5000 }, (instance, world) => world.afterForClient(300, instance.stop))
  t.match(result, { duration: 0.3, accounting: { completed: 168, unfinished: 4 } })
  t.ok(world.elapsed < 301, `${world.elapsed} ms`)
})

t.test('an abort signal ends a run the same way; with an already aborted one nothing starts', async (t) => {
  const controller = new AbortController()
  const during = await playInWorld(t, { serviceTime: 7 }, { duration: 30, connections: 4, signal: controller.signal }, (instance, world) => world.afterForClient(300, () => controller.abort()))
  t.match(during.result, { duration: 0.3, accounting: { completed: 168, unfinished: 4 } })

  const before = await playInWorld(t, {}, { duration: 30, connections: 4, signal: AbortSignal.abort() })
  t.match(before.result, { duration: 0, accounting: { scheduled: 0, sent: 0, completed: 0, unfinished: 0 } })
  t.equal(before.world.sockets.length, 0)
})

t.test('bailout ends a run at that many errors, all of them reported', async (t) => {
  const { result } = await playInWorld(t, { answer: ({ number }) => number % 2 === 1 ? 'silence' : 200 }, { duration: 30, connections: 4, timeout: 0.1, bailout: 5 })
  // After 100 ms the deadlines of some have passed, and after 200 ms those of the others, which are checked together.
  between(t, result.errors, 5, 8, 'errors')
  between(t, result.duration, 0.2, 0.205, 'duration')
})

t.test('samples follow the clock: a pause of the event loop makes one longer and does not lower any rate', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 5 }, { duration: 0.6, sampleInt: 50, connections: 4 }, (instance, world) => world.after(201, () => world.hold(170)))
  const seconds = result.timeline.map(({ seconds }) => seconds)
  between(t, Math.max(...seconds), 0.17, 0.175, 'longest sample')
  // The samples after the pause are where they would have been without it.
  for (const { time } of result.timeline.filter(({ time }) => time < 0.2 || time > 0.38)) between(t, (time * 1000 + 1) % 50, 0, 2.1, `end of the sample at ${time}`)
})

t.test('with real clocks and sockets as well', async (t) => {
  const server = await delayServer(t, 10)
  const { result, seconds } = await timed(benchmark(t, { url: server.url, amount: 100, connections: 10 }))
  between(t, result.duration, 0.099, seconds, 'duration')
  between(t, result.requests.average, 99 / result.duration, 101 / result.duration, 'requests.average')
  t.equal(result.requests.total, 100)

  const stopped = await benchmark(t, { url: server.url, duration: 60, connections: 4, sampleInt: 5000 }, (instance) => instance.once('start', () => setTimeout(instance.stop, 200)))
  between(t, stopped.duration, 0.15, 20, 'duration of one that was stopped')
  await until(() => server.openConnections === 0)
  between(t, server.requests - 100, stopped.accounting.completed, stopped.accounting.sent, 'received')
  between(t, stopped.finish - stopped.start, stopped.duration * 1000 - 5, 20_000, 'finish - start')
})

t.test('the sum of the ticks is the run', async (t) => {
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
  const instance = run({ url: server.url, amount: 50, connections: 2, sampleInt: 60_000, forever: true })
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
  t.ok(ticks.every((count) => count > 0), 'each round emits ticks')
  t.equal(server.requests, 150)
})
