'use strict'

// An amount with a rate: so many requests are sent, at this rate, and the run ends when all are accounted for.

const t = require('tap')
const { run } = require('../..')
const { delayServer, hangingServer, httpServer, closedPort } = require('../support/servers')
const { inOneOfThree } = require('../support/timely')
const { until } = require('../support/wait')
const { balances, near, warning } = require('./helpers')

t.test('ends with the last answer, and offers the rate it was asked for', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const server = await httpServer(t)
    const result = await run({ url: server.url, connections: 5, overallRate: 50, amount: 30 })
    balances(t, result)
    t.equal(result.accounting.sent, 30)
    t.equal(server.requests, 30)
    t.ok(result.duration >= 0.57, `not before the last one was due: ${result.duration}`)
    near(timely, result.duration, 0.59, 0.25, 'duration')
    t.equal(result.rate.offered, 50, 'although the run was over before the 31st would have been due')
    near(timely, result.rate.achieved, 50, 15, 'rate.achieved')
  })
})

t.test('the duration does not cut it short', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const server = await httpServer(t)
    const result = await run({ url: server.url, overallRate: 50, amount: 50, duration: 0.3 })
    t.equal(result.accounting.completed, 50)
    near(timely, result.duration, 0.98, 0.25, 'duration')
  })
})

t.test('sends all of them, however long it takes', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const server = await delayServer(t, 50)
    const result = await run({ url: server.url, connections: 1, overallRate: 100, amount: 20 })
    balances(t, result)
    t.equal(result.accounting.completed, 20)
    t.equal(result.accounting.unsent, 0)
    t.equal(server.requests, 20)
    t.ok(result.duration >= 0.93, `the window lasts until the last one is sent: ${result.duration}`)
    near(timely, result.duration, 0.95, 0.3, 'duration')
    t.equal(result.drain.completed, 1, 'which is answered in the drain')
    t.equal(result.rate.offered, 100)
    t.ok(result.rate.achieved < 21, `one connection cannot achieve more than 20: ${result.rate.achieved}`)
    timely.ok(result.rate.achieved > 12, `achieved ${result.rate.achieved}`)
    const { message } = warning(result, 'RATE_NOT_ACHIEVED')
    t.match(message, /Little's law.*: \d+ connections, and there were 1/)
    timely.ok(/: [5-9] connections/.test(message), message)
    // Request k is due at 10k ms and answered at 50(k + 1).
    near(timely, result.latency.max, 1000 - 190, 200, 'latency.max')
  })
})

t.test('of a slow but able server the last answers are waited for, and do not spoil the rate', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const server = await delayServer(t, 300)
    const result = await run({ url: server.url, connections: 60, overallRate: 100, amount: 50 })
    balances(t, result)
    t.equal(result.accounting.completed, 50)
    near(timely, result.duration, 0.5, 0.15, 'duration')
    near(timely, result.drain.seconds, 0.3, 0.15, 'drain.seconds')
    timely.notOk(warning(result, 'RATE_NOT_ACHIEVED'), 'the rate was achieved')
  })
})

t.test('requests without an answer are accounted for at their deadline', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const server = await hangingServer(t, { every: 5 })
    const result = await run({ url: server.url, connections: 10, overallRate: 100, amount: 40, timeout: 1 })
    balances(t, result)
    t.equal(result.accounting.scheduled, 40)
    timely.equal(result.accounting.completed, 32, 'completed')
    timely.equal(result.accounting.timedOut, 8, 'timed out')
    await until(() => server.requests === result.accounting.sent)
    near(timely, result.duration + result.drain.seconds, 1.39, 0.25, 'the last of them is due at 0.39 s')
  })
})

t.test('requests that no connection takes are accounted for at their deadline too', async (t) => {
  const server = await hangingServer(t, { every: 1 })
  const start = performance.now()
  const result = await run({ url: server.url, connections: 1, overallRate: 100, amount: 10, timeout: 0.5 })
  balances(t, result)
  t.equal(result.accounting.scheduled, 10)
  t.equal(result.accounting.completed + result.accounting.unfinished, 0)
  t.ok(performance.now() - start < 3000, 'the last one at 0.59 s, and not each half a second after the one before')
})

t.test('stages that end before the amount is reached end the run', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, stages: '400ms:50, 200ms:0', amount: 1000 })
  balances(t, result)
  t.equal(result.accounting.completed, 20)
  near(t, result.rate.offered, 20 / 0.6, 0.001, 'rate.offered is that of the stages')
})

t.test('an amount that the stages reach in their middle', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, stages: '1s:50, 10s:0, 1s:50', amount: 30 })
  t.equal(result.accounting.completed, 30)
  t.equal(result.rate.offered, 50)
})

t.test('maxOverallRequests ends the run as well', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 5, overallRate: 50, maxOverallRequests: 20, duration: 5 })
  balances(t, result)
  t.equal(server.requests, 20)
  t.equal(result.rate.offered, 50)
  t.ok(result.duration > 0.37 && result.duration < 3, `the last one is due at 0.38 s, and the duration is 5: ${result.duration}`)
})

t.test('a server that is not there ends the run after the timeout', async (t) => {
  const { url } = await closedPort(t)
  const result = await run({ url, connections: 2, overallRate: 100, amount: 50, timeout: 0.5 })
  balances(t, result)
  t.equal(result.accounting.sent, 0)
  t.equal(result.accounting.unsent, result.accounting.scheduled)
  t.ok(warning(result, 'NO_USABLE_CONNECTION'))
  t.ok(result.duration >= 0.49 && result.duration < 5, `half a second: ${result.duration}`)
})

t.test('a request that its setupRequest keeps beyond its time is unsent, and holds nobody up', async (t) => {
  const server = await httpServer(t)
  let asked = 0
  const requests = [{ setupRequest: (request) => ++asked === 1 ? new Promise(() => {}) : request }]
  const instance = run({ url: server.url, connections: 2, overallRate: 100, amount: 10, timeout: 1.5, requests })
  const patience = setTimeout(instance.stop, 10_000)
  const result = await instance
  clearTimeout(patience)
  balances(t, result)
  t.match(result.accounting, { scheduled: 10, unsent: 1, completed: 9 })
  t.equal(server.requests, 9)
  t.equal(result.latency.max, 1500)
  t.ok(result.duration < 8, `${result.duration} s`)
})

t.test('what was set up too late for one request is sent for the next', async (t) => {
  const server = await httpServer(t)
  // The first one has until 0.5 s and is set up at 0.8 s; the second one has from 1 s to 1.5 s, which is no time for a
  // setup of its own.
  const requests = [{ setupRequest: (request) => new Promise((resolve) => setTimeout(resolve, 800, { ...request, path: '/late' })) }]
  const result = await run({ url: server.url, connections: 1, overallRate: 1, amount: 2, timeout: 0.5, requests })
  balances(t, result)
  t.match(result.accounting, { unsent: 1, completed: 1 })
  t.equal(server.requests, 1)
})
