'use strict'

// Servers of known behaviour under a rate, against what arithmetic says.

const t = require('tap')
const { run } = require('../..')
const { delayServer, bimodalServer, hangingServer, silentServer } = require('../support/servers')
const { inOneOfThree } = require('../support/timely')
const { until } = require('../support/wait')
const { balances, near, warning } = require('./helpers')

t.test('a healthy server: service time is its delay, once per request, and there is nothing to warn of', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const server = await delayServer(t, 50)
    const result = await run({ url: server.url, connections: 40, overallRate: 50, duration: 2 })
    balances(t, result)
    t.equal(result.latency.totalCount, 100, 'no invented samples')
    t.ok(result.latency.min >= 50, `min ${result.latency.min}`)
    near(timely, result.latency.p50, 52, 8, 'latency.p50')
    near(timely, result.serviceTime.p50, 52, 8, 'serviceTime.p50')
    t.equal(server.requests, 100)
    t.equal(result.accounting.completed, 100, 'what was on its way at the end has been waited for')
    timely.notOk(warning(result, 'RATE_NOT_ACHIEVED'), 'RATE_NOT_ACHIEVED: it was, though not within the window')
    t.notOk(warning(result, 'LATENCY_INCOMPLETE'))
  })
})

t.test('a bimodal server', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const server = await bimodalServer(t, { fastMs: 5, slowMs: 300, slowEvery: 10 })
    const result = await run({ url: server.url, connections: 80, overallRate: 100, duration: 3 })
    balances(t, result)
    t.equal(server.slow, 30)
    for (const statistics of [result.latency, result.serviceTime]) {
      t.equal(statistics.totalCount, 300)
      t.ok(statistics.min >= 5 && statistics.p95 >= 300, `p95 ${statistics.p95}`)
      near(timely, statistics.p50, 7, 30, 'p50')
      near(timely, statistics.p75, 7, 100, 'p75')
      near(timely, statistics.p95, 302, 150, 'p95')
      near(timely, statistics.p99, 302, 250, 'p99')
      near(timely, statistics.mean, 0.9 * 5 + 0.1 * 300 + 2, 50, 'mean')
    }
  })
})

t.test('an unreachable rate: one connection, 100 ms each, 50 per second', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const server = await delayServer(t, 100)
    const result = await run({ url: server.url, connections: 1, overallRate: 50, duration: 2 })
    balances(t, result)
    const { scheduled, unsent, completed, unfinished } = result.accounting
    t.equal(scheduled, 100)
    // A pause in the end makes the run longer than two seconds.
    timely.ok(completed >= 15 && completed <= 21, `completed ${completed}`)
    t.equal(unsent, 100 - completed)
    t.equal(unfinished, 0)
    t.equal(server.requests, completed)
    t.equal(result.rate.offered, 50)
    t.ok(result.rate.achieved <= 10, `achieved ${result.rate.achieved}`)
    timely.ok(result.rate.achieved > 7, `achieved ${result.rate.achieved}`)
    near(timely, result.serviceTime.p50, 102, 10, 'serviceTime.p50')

    // Request k is due at 20k ms and answered at 100(k + 1); those never sent are as old as the run, which ends at 2.1 s.
    const ages = Array.from({ length: 100 }, (_, k) => (k < completed ? 100 * (k + 1) : 2100) - 20 * k).sort((a, b) => a - b)
    near(timely, result.latency.p50, ages[49], 150, 'latency.p50')
    near(timely, result.latency.p90, ages[89], 150, 'latency.p90')
    near(timely, result.latency.p99, ages[98], 150, 'latency.p99')

    const { message } = warning(result, 'RATE_NOT_ACHIEVED')
    t.match(message, /of 50 requests per second/)
    t.match(message, /Little's law/)
    timely.ok(/: [56] connections, and there were 1/.test(message), message)
  })
})

t.test('every tenth request hangs: it counts with its deadline', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const server = await hangingServer(t, { every: 10 })
    const errors = []
    const instance = run({ url: server.url, connections: 60, overallRate: 100, duration: 2, timeout: 0.6 })
    instance.on('reqError', (error) => errors.push(error.code))
    const result = await instance
    balances(t, result)
    const { scheduled, sent, timedOut } = result.accounting
    t.equal(scheduled, 200)
    await until(() => server.requests === sent)
    timely.equal(timedOut, server.hung, 'timed out')
    timely.equal(server.hung, 20, 'hung')
    t.equal(errors.length, timedOut, 'one event for each')
    t.equal(result.errorCodes.CANNONADE_RESPONSE_TIMEOUT.count, timedOut)
    t.equal(result.latency.totalCount, 200)
    near(timely, result.latency.p95, 600, 1, 'latency.p95')
    near(timely, result.latency.p99, 600, 1, 'latency.p99')
    near(timely, result.latency.p75, 0, 100, 'latency.p75')
    timely.ok(result.serviceTime.max < 600, 'serviceTime is of complete answers only')
  })
})

t.test('a request has its time from when it was due, not from when it was sent', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const server = await silentServer(t)
    const result = await run({ url: server.url, connections: 1, overallRate: 20, duration: 1, timeout: 0.5 })
    balances(t, result)
    const { scheduled, completed, timedOut, unsent } = result.accounting
    t.equal(scheduled, 20)
    t.equal(completed, 0)
    // Sent at once, given up at 500 ms; then the next ones are, each as it reaches its own 500 ms: sent shortly before.
    timely.ok(timedOut >= 4, `timed out ${timedOut}`)
    timely.ok(timedOut + unsent >= 19, `timed out ${timedOut} and unsent ${unsent}`)
    near(timely, result.latency.p99, 500, 2, 'latency.p99')
    t.ok(result.latency.max <= 500, `latency.max ${result.latency.max}`)
    timely.ok(result.drain.seconds < 0.8, `the last one is given up half a second after it was due: ${result.drain.seconds}`)
    t.match(warning(result, 'RATE_NOT_ACHIEVED').message, /not one answer/)
  })
})

t.test('a request that waits for a connection until its deadline is never sent', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const server = await delayServer(t, 400)
    const result = await run({ url: server.url, connections: 1, overallRate: 50, duration: 1.5, timeout: 0.45, drain: 0 })
    balances(t, result)
    const { scheduled, unsent, sent } = result.accounting
    t.equal(scheduled, 75)
    await until(() => server.requests === sent)
    t.ok(unsent > 40, `unsent ${unsent}`)
    t.ok(result.sendDelay.max <= 450, `nothing was sent after its deadline: ${result.sendDelay.max}`)
    near(timely, result.latency.p50, 450, 5, 'latency.p50')
  })
})

t.test('a slow tail that outlives the run', async (t) => {
  const scene = async (t, timely, drain) => {
    const server = await bimodalServer(t, { fastMs: 1, slowMs: 1500, slowEvery: 20 })
    const result = await run({ url: server.url, connections: 80, overallRate: 100, duration: 1, ...drain })
    balances(t, result)
    t.equal(result.accounting.scheduled, 100)
    t.equal(result.accounting.unsent, 0)
    await until(() => server.slow === 5)
    timely.ok(result.duration < 1.3, `duration is that of the window: ${result.duration}`)
    t.ok(result.duration < 2, `and has no drain in it: ${result.duration}`)
    return result
  }

  t.test('is waited for by default, and counts', (t) => inOneOfThree(t, async (timely) => {
    const result = await scene(t, timely, {})
    t.equal(result.accounting.completed, 100)
    timely.equal(result.drain.completed, 5, 'drain.completed')
    // The last slow one was due at 0.99 s.
    near(timely, result.drain.seconds, 1.49, 0.25, 'drain.seconds')
    near(timely, result.latency.p99, 1501, 80, 'latency.p99')
    near(timely, result.latency.p90, 1, 100, 'latency.p90')
    near(timely, result.rate.achieved, 95, 6, 'the achieved rate is that of the window')
    near(timely, result.requests.average, 95, 8, 'and so is the average')
    t.equal(result.requests.total, 100)
  }))

  t.test('is cut off by a short drain, and counts with the age it reached', (t) => inOneOfThree(t, async (timely) => {
    const result = await scene(t, timely, { drain: 0.3 })
    timely.equal(result.accounting.completed, 95, 'completed')
    timely.equal(result.accounting.unfinished, 5, 'unfinished')
    timely.equal(result.drain.completed, 0, 'drain.completed')
    near(timely, result.drain.seconds, 0.3, 0.1, 'drain.seconds')
    // Due at 0.19, 0.39, …, 0.99 s, and the run ends at 1.3 s.
    near(timely, result.latency.max, 1110, 100, 'latency.max')
    near(timely, result.latency.p97_5, 710, 100, 'latency.p97_5')
    t.equal(result.latency.totalCount, 100)
    timely.ok(result.serviceTime.max < 500, `serviceTime.max ${result.serviceTime.max}`)
  }))

  t.test('is not waited for at all with drain 0', (t) => inOneOfThree(t, async (timely) => {
    const result = await scene(t, timely, { drain: 0 })
    t.equal(result.drain.seconds, 0)
    t.equal(result.drain.completed, 0)
    timely.equal(result.accounting.unfinished, 5, 'unfinished')
    near(timely, result.latency.max, 810, 100, 'latency.max')
  }))

  t.test('is cut off by the timeout before the drain ends', (t) => inOneOfThree(t, async (timely) => {
    const result = await scene(t, timely, { timeout: 0.7, drain: 5 })
    t.equal(result.accounting.timedOut, 5)
    near(timely, result.drain.seconds, 0.69, 0.2, 'drain.seconds')
    near(timely, result.latency.p97_5, 700, 1, 'latency.p97_5')
  }))
})

t.test('a drain as long as the timeout, its default, leaves nothing unfinished', async (t) => {
  // The last requests have their deadline within the last millisecond of the drain.
  const server = await hangingServer(t, { every: 1 })
  const result = await run({ url: server.url, connections: 200, overallRate: 4000, duration: 0.05, timeout: 0.7 })
  balances(t, result)
  t.equal(result.accounting.timedOut, 200)
  t.equal(result.accounting.unfinished, 0)
  t.equal(result.latency.p1, 700)
  t.equal(result.latency.max, 700)
})
