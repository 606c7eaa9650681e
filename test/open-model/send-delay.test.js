'use strict'

// How late requests were sent, and whose doing that was.

const t = require('tap')
const { run } = require('../..')
const { delayServer, httpServer } = require('../support/servers')
const { inOneOfThree } = require('../support/timely')
const { sleep } = require('../support/wait')
const { balances, near, block } = require('./helpers')

t.test('with one slow connection it is waiting, not the client', (t) => inOneOfThree(t, async (timely) => {
  const server = await delayServer(t, 50)
  const { sendDelay, ...result } = await run({ url: server.url, connections: 1, overallRate: 40, duration: 2 })
  balances(t, { sendDelay, ...result })
  // Request k is due at 25k ms and sent at 50k.
  near(timely, sendDelay.p50, 500, 150, 'sendDelay.p50')
  near(timely, sendDelay.waiting.p50, sendDelay.p50, 5, 'sendDelay.waiting.p50')
  timely.ok(sendDelay.client.p75 < 5, `sendDelay.client.p75 ${sendDelay.client.p75}`)
  timely.notOk(result.generator.saturated, `saturated: ${result.generator.reasons}`)
  near(timely, sendDelay.waiting.mean + sendDelay.client.mean, sendDelay.mean, 0.01, 'the two parts are the whole')
}))

t.test('with free connections it is the client', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  const timer = setInterval(block, 100, 50)
  const { sendDelay } = await run({ url: server.url, connections: 100, overallRate: 200, duration: 2 }).finally(() => clearInterval(timer))
  timely.ok(sendDelay.client.p90 > 15, `half of the time nobody was there to send: ${sendDelay.client.p90}`)
  near(timely, sendDelay.client.p90, sendDelay.p90, 5, 'that is all of the delay')
  timely.ok(sendDelay.waiting.p90 < 5, `sendDelay.waiting.p90 ${sendDelay.waiting.p90}`)
}))

t.test('a hook that takes its time to set a request up is the client', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  const { sendDelay, serviceTime, latency } = await run({
    url: server.url,
    connections: 20,
    overallRate: 50,
    duration: 1,
    requests: [{ setupRequest: (request) => sleep(30).then(() => request) }]
  })
  near(timely, sendDelay.client.p50, 31, 10, 'sendDelay.client.p50')
  timely.ok(sendDelay.waiting.p75 < 10, `sendDelay.waiting.p75 ${sendDelay.waiting.p75}`)
  timely.ok(serviceTime.p50 < 20, `serviceTime.p50 ${serviceTime.p50}`)
  near(timely, latency.p50, 32, 10, 'latency.p50')
}))

t.test('a connection whose onResponse is not done is not free', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  const { sendDelay } = await run({
    url: server.url,
    connections: 1,
    overallRate: 40,
    duration: 1,
    requests: [{ onResponse: () => sleep(50) }]
  })
  timely.ok(sendDelay.waiting.p50 > 200, `sendDelay.waiting.p50 ${sendDelay.waiting.p50}`)
  timely.ok(sendDelay.client.p75 < 10, `sendDelay.client.p75 ${sendDelay.client.p75}`)
}))
