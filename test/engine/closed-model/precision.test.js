'use strict'

const t = require('tap')
const { benchmark, between } = require('./benchmark')
const { playInWorld } = require('../../support/play-in-world')
const { rawServer, delayServer, reply } = require('../../support/servers')
const { PERCENTILES } = require('../../support/accounts')

t.test('a fast server: latency below a millisecond is neither 0 nor rounded to an integer', async (t) => {
  const { result: { latency } } = await playInWorld(t, { serviceTime: 0.012, link: { delay: 0.021 } }, { connections: 1, amount: 500 })
  for (const name of ['min', 'max', 'mean', ...PERCENTILES]) t.equal(latency[name], 0.054, name)
})

t.test('percentiles of a server with known response times', async (t) => {
  // A fifth of them 220 ms, the others 20 ms.
  const { result: { latency } } = await playInWorld(t, { serviceTime: ({ number }) => number % 5 === 4 ? 220 : 20 }, { connections: 8, amount: 200 })
  const near = (name, expected) => between(t, latency[name], expected * 0.999, expected * 1.001, name)
  for (const name of ['min', 'p1', 'p50', 'p75']) near(name, 20)
  for (const name of ['p90', 'p95', 'p99', 'max']) near(name, 220)
  t.equal(latency.mean, (160 * 20 + 40 * 220) / 200)
  t.equal(latency.totalCount, 200)
})

t.test('a server with a constant response time', async (t) => {
  const { result: { latency, timeToFirstByte } } = await playInWorld(t, { serviceTime: 7.5 }, { connections: 2, duration: 0.6 })
  t.match(latency, { min: 7.5, max: 7.5 })
  t.match(timeToFirstByte, { min: 7.5, max: 7.5 })
})

t.test('first byte and last byte are distinguished', async (t) => {
  const { result: { latency, timeToFirstByte, serviceTime } } = await playInWorld(t, { serviceTime: 20, answer: { bodyAfter: 60 } }, { connections: 2, amount: 10 })
  t.match(timeToFirstByte, { min: 20, max: 20 })
  t.match(latency, { min: 80, max: 80 })
  t.same(serviceTime, latency, 'in the closed model latency is the service time')
})

t.test('with real clocks as well', async (t) => {
  const bytes = reply()
  const fast = await rawServer(t, (socket) => socket.write(bytes))
  const { latency } = await benchmark(t, { url: fast.url, connections: 1, amount: 1000 })
  // Of a thousand responses at least one takes less than a millisecond, on any machine.
  between(t, latency.min, 0.005, 0.99, 'latency.min')
  between(t, latency.mean, latency.min, latency.max, 'latency.mean')
  t.ok(PERCENTILES.some((name) => latency[name] % 1 !== 0))
  t.ok(PERCENTILES.every((name) => latency[name] > 0))

  const slow = await delayServer(t, 7.5)
  const { latency: fixed, timeToFirstByte } = await benchmark(t, { url: slow.url, connections: 2, amount: 60 })
  between(t, fixed.min, 7.4, 300, 'min')
  between(t, timeToFirstByte.p50, 7.4, fixed.p50, 'timeToFirstByte.p50')
})
