'use strict'

const t = require('tap')
const { benchmark, between } = require('./benchmark')
const { rawServer, delayServer, bimodalServer, reply } = require('../support/servers')
const { PERCENTILES } = require('../support/accounts')
const { inOneOfThree } = require('../support/timely')

t.test('a fast server: latency below a millisecond is not 0, and not a whole number', (t) => inOneOfThree(t, async (timely) => {
  const bytes = reply()
  const server = await rawServer(t, (socket) => socket.write(bytes))
  const { latency } = await benchmark(t, { url: server.url, connections: 1, duration: 0.5 })
  between(timely, latency.p50, 0.01, 0.99, 'latency.p50')
  between(t, latency.min, 0.005, latency.p50, 'latency.min')
  between(t, latency.mean, latency.min, latency.max, 'latency.mean')
  t.ok(PERCENTILES.some((name) => latency[name] % 1 !== 0))
  t.ok(PERCENTILES.every((name) => latency[name] > 0))
}))

t.test('percentiles of a server whose answers are known', (t) => inOneOfThree(t, async (timely) => {
  // A fifth of them 220 ms, the others 20 ms.
  const server = await bimodalServer(t, { fastMs: 20, slowMs: 220, slowEvery: 5 })
  const { latency, accounting } = await benchmark(t, { url: server.url, connections: 8, amount: 200 })
  t.equal(accounting.completed, 200)
  t.match(server, { slow: 40, fast: 160 })
  between(timely, latency.min, 19.9, 100, 'min')
  between(timely, latency.p50, 19.9, 150, 'p50')
  between(timely, latency.p75, 19.9, 219, 'p75')
  between(timely, latency.p90, 219.9, 450, 'p90')
  between(timely, latency.p95, latency.p90, 450, 'p95')
  between(timely, latency.mean, (160 * 20 + 40 * 220) / 200 - 0.2, 180, 'mean')
  t.equal(latency.totalCount, 200)
}))

t.test('a server of a fixed time: no answer before it, and half of them soon after', (t) => inOneOfThree(t, async (timely) => {
  const server = await delayServer(t, 7.5)
  const { latency, timeToFirstByte } = await benchmark(t, { url: server.url, connections: 2, duration: 0.6 })
  between(timely, latency.min, 7.4, 20, 'min')
  between(timely, latency.p50, 7.4, 20, 'p50')
  between(t, timeToFirstByte.p50, 7.4, latency.p50, 'timeToFirstByte.p50')
}))

t.test('the first byte and the last are told apart', (t) => inOneOfThree(t, async (timely) => {
  const whole = reply('0123456789')
  const server = await rawServer(t, (socket) => {
    setTimeout(() => socket.write(whole.subarray(0, -5)), 20)
    setTimeout(() => socket.write(whole.subarray(-5)), 80)
  })
  const { latency, timeToFirstByte, serviceTime } = await benchmark(t, { url: server.url, connections: 2, amount: 10 })
  between(timely, timeToFirstByte.p50, 18, 70, 'timeToFirstByte.p50')
  between(timely, latency.p50, 78, 250, 'latency.p50')
  t.same(serviceTime, latency, 'in the closed model latency is the service time')
}))
