'use strict'

// Every way in which a run comes to its end, or goes on, with workers.

const t = require('tap')
const { run } = require('../..')
const { closedPort, delayServer, hangingServer, httpServer } = require('../support/servers')
const { violations } = require('../support/accounts')
const { inOneOfThree } = require('../support/timely')
const { sleep, until } = require('../support/wait')
const { ended } = require('../support/ended')

const LONG = 60

// Threads take a while to start on a busy machine, but nothing near a duration, a drain or a timeout.
const SOON_MS = 20_000

async function endsSoon (t, instance, since = performance.now()) {
  const result = await instance
  const elapsed = performance.now() - since
  t.ok(elapsed < SOON_MS, `${elapsed} ms`)
  t.same(violations(result, { inherited: leftOpen(result.warmup) }), [])
  return result
}

// By a warm-up, which closes the connections that are busy when it is stopped.
function leftOpen (warmup) {
  if (warmup === undefined) return 0
  const { opened, closedByServer, closedByClient } = warmup.connectionStats
  return opened - closedByServer - closedByClient
}

t.test('stop: in the middle', async (t) => {
  const server = await delayServer(t, 5)
  const instance = run({ url: server.url, connections: 6, duration: LONG, workers: 3 })
  await until(() => server.requests > 50)
  const since = performance.now()
  instance.stop()
  const result = await endsSoon(t, instance, since)
  t.ok(result.requests.total >= 40)
  t.ok(result.duration < SOON_MS / 1000)
})

t.test('stop: before the start, while the threads start, at start, and again after the end', async (t) => {
  const server = await httpServer(t)
  const moments = [
    (instance) => instance.stop(),
    (instance) => setImmediate(() => setImmediate(instance.stop)),
    (instance) => setTimeout(instance.stop, 30),
    (instance) => instance.once('start', instance.stop)
  ]
  for (const [index, stopAt] of moments.entries()) {
    for (const opts of [{}, { overallRate: 100 }, { warmup: 0.2 }, { amount: 1e6 }]) {
      const events = []
      const since = performance.now()
      const instance = run({ url: server.url, connections: 4, duration: LONG, workers: 2, ...opts })
      for (const event of ['start', 'done', 'error']) instance.on(event, () => events.push(event))
      stopAt(instance)
      const result = await instance
      t.ok(performance.now() - since < SOON_MS, `moment ${index} with ${JSON.stringify(opts)}`)
      t.same(events, ['start', 'done'])
      instance.stop()
      t.equal(await instance, result)
    }
  }
})

t.test('stop: in a warm-up', async (t) => {
  const server = await httpServer(t)
  const instance = run({ url: server.url, connections: 4, duration: LONG, warmup: LONG, workers: 2 })
  await until(() => server.requests > 100)
  const result = await endsSoon(t, Object.assign(instance, instance.stop()))
  t.equal(result.requests.sent, 0, 'the run itself has not begun')
  t.ok(result.warmup.requests.total >= 90)
})

t.test('stop: it skips the drain', async (t) => {
  const server = await hangingServer(t, { every: 1 })
  const instance = run({ url: server.url, connections: 20, overallRate: 100, duration: LONG, drain: LONG, timeout: LONG, workers: 2 })
  await until(() => server.requests > 5)
  const { accounting, drain } = await endsSoon(t, Object.assign(instance, instance.stop()))
  t.ok(accounting.unfinished > 0)
  t.ok(drain.seconds < SOON_MS / 1000)
})

t.test('an abort signal', async (t) => {
  const server = await delayServer(t, 2)
  const controller = new AbortController()
  const instance = run({ url: server.url, connections: 4, duration: LONG, workers: 2, signal: controller.signal })
  await until(() => server.requests > 20)
  controller.abort()
  t.ok((await endsSoon(t, instance)).requests.total > 10)

  const aborted = await endsSoon(t, run({ url: server.url, duration: LONG, workers: 2, signal: AbortSignal.abort() }))
  t.equal(aborted.requests.sent, 0)
})

t.test('bailout counts the failures of all threads together', async (t) => {
  const server = await httpServer(t, (request, response) => request.socket.destroy())
  const result = await endsSoon(t, run({ url: server.url, connections: 6, duration: LONG, bailout: 12, workers: 3 }))
  t.ok(result.errors >= 12, `${result.errors}`)
  t.ok(result.errors < 120, 'and what happened until all threads had heard of it')
  t.ok(result.duration < 10)
})

t.test('bailout counts mismatches, and connections that fail', async (t) => {
  const server = await delayServer(t, 3)
  const mismatched = await endsSoon(t, run({ url: server.url, connections: 4, duration: LONG, bailout: 9, expectBody: 'x', workers: 2 }))
  t.ok(mismatched.mismatches >= 9)
  const { url } = await closedPort(t)
  t.ok((await endsSoon(t, run({ url, connections: 4, duration: LONG, bailout: 8, workers: 2 }))).errors >= 8)
})

t.test('a server without a usable connection ends a run by amount', async (t) => {
  const { url } = await closedPort(t)
  const { warnings, accounting } = await run({ url, connections: 4, amount: 100, timeout: 0.3, workers: 2 })
  t.equal(accounting.sent, 0)
  t.equal(warnings.filter(({ code }) => code === 'NO_USABLE_CONNECTION').length, 1, 'said once')
})

t.test('thresholds that are lost end a run', async (t) => {
  const server = await httpServer(t, (request, response) => response.writeHead(500).end())
  const result = await endsSoon(t, run({
    url: server.url, connections: 4, duration: LONG, sampleInt: 100, workers: 2, thresholds: ['non2xx < 10'], abortOnFail: true
  }))
  t.equal(result.passed, false)
  t.ok(result.warnings.some(({ code }) => code === 'ABORTED_ON_FAIL'))
})

t.test('a warm-up leaves its connections to the run', async (t) => {
  const server = await delayServer(t, 2)
  const result = await run({ url: server.url, connections: 5, duration: 0.3, warmup: { duration: 0.8 }, workers: 2 })
  t.equal(server.connections, 5)
  t.equal(result.connectionStats.opened, 0)
  t.equal(result.warmup.connectionStats.opened, 5)
  t.ok(Math.abs(result.requests.sent + result.warmup.requests.sent - server.requests) <= 10)
  t.ok(result.warmup.requests.total > 10)
  t.same(violations(result, { inherited: 5 }), [])
  t.same(violations(result.warmup, { left: 5 }), [])
})

t.test('a warm-up with a connection of its own, fewer than there are threads', (t) => inOneOfThree(t, async (timely) => {
  const server = await delayServer(t, 2)
  for (const opts of [{}, { overallRate: 100 }, { connectionRate: 50 }]) {
    const before = server.connections
    const result = await run({ url: server.url, connections: 4, duration: 0.3, warmup: { connections: 1, duration: 0.3 }, workers: 3, ...opts })
    t.equal(server.connections - before, 5, 'one, then four')
    t.equal(result.warmup.connectionStats.opened, 1)
    t.equal(result.warmup.connections, 1)
    timely.equal(result.warmup.accounting.unsent, 0, 'unsent')
    timely.ok(result.warmup.requests.total > 10, `${result.warmup.requests.total} in the warm-up`)
  }
}))

t.test('forever: rounds of their own, until stop', async (t) => {
  const server = await httpServer(t)
  const rounds = []
  let starts = 0
  const instance = run({ url: server.url, connections: 4, amount: 50, forever: true, warmup: 0.1, workers: 2 })
  instance.on('start', () => starts++)
  instance.on('done', (result) => {
    rounds.push(result)
    if (rounds.length === 3) instance.stop()
  })
  const last = await ended(instance)
  t.equal(last, rounds[2])
  t.equal(starts, 3)
  t.equal(rounds.length, 3)
  for (const { requests, statusCodeStats } of rounds) {
    t.equal(requests.total, 50)
    t.same(statusCodeStats, { 200: { count: 50 } })
  }
  t.same(rounds.map(({ warmup }) => warmup !== undefined), [true, false, false])
  await sleep(50)
  t.equal(rounds.length, 3)
})

t.test('forever: stopped in the middle of a round', async (t) => {
  const server = await httpServer(t)
  let rounds = 0
  const instance = run({ url: server.url, connections: 2, duration: LONG, forever: true, workers: 2 })
  instance.on('done', () => rounds++)
  await until(() => server.requests > 20)
  await endsSoon(t, ended(Object.assign(instance, instance.stop())))
  t.equal(rounds, 1)
})

t.test('a promise, a callback and done hear of the same result', async (t) => {
  const server = await httpServer(t)
  const heard = []
  const instance = run({ url: server.url, amount: 20, workers: 2 }, (error, result) => heard.push(error, result))
  instance.on('done', (result) => heard.push(result))
  const result = await ended(instance)
  await sleep(10)
  t.same(heard.filter((each) => each === result).length, 2)
  t.ok(heard.includes(null))
})
