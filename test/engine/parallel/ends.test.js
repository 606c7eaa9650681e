'use strict'

// Every way in which a run ends, or continues, with workers. Threads are simulated here, except in the last tests.

const t = require('tap')
const { run } = require('../../..')
const { simulate } = require('../../simulation/world')
const { playInWorld } = require('../../support/play-in-world')
const { delayServer, httpServer } = require('../../support/servers')
const { addsUp } = require('../../support/accounts')
const { until } = require('../../support/wait')
const { ended } = require('../../support/ended')

const LONG = 60
// How long simulated threads take to start, and to agree on the start time.
const START_MS = 50

/** A run of two or more threads in a simulated world; `use` does something with the instance. */
async function play (t, settings, opts, use) {
  const { result, world } = await playInWorld(t, settings, { connections: 4, workers: 2, ...opts }, use)
  return { result, world, elapsed: world.elapsed }
}

const stopAfter = (ms) => (instance, world) => world.afterForClient(ms, instance.stop)

t.test('stop: during the run', async (t) => {
  const { result, elapsed } = await play(t, { serviceTime: 5 }, { connections: 6, duration: LONG, workers: 3 }, stopAfter(START_MS + 202))
  t.equal(result.requests.total, 6 * 40)
  t.equal(result.accounting.unfinished, 6)
  t.ok(Math.abs(result.duration - 0.202) < 0.002, `${result.duration} s`)
  t.ok(elapsed < START_MS + 204, `${elapsed} ms`)
})

t.test('stop: before the start, while the threads start, at start, and again after the end', async (t) => {
  const moments = [
    (instance) => instance.stop(),
    stopAfter(0.01),
    stopAfter(10),
    stopAfter(30.04),
    stopAfter(31),
    stopAfter(START_MS),
    (instance) => instance.once('start', instance.stop)
  ]
  for (const [index, stopAt] of moments.entries()) {
    for (const opts of [{}, { overallRate: 100 }, { warmup: 0.2 }, { amount: 1e6 }]) {
      const events = []
      const { elapsed } = await play(t, { serviceTime: 1 }, { duration: LONG, ...opts }, (instance, world) => {
        for (const event of ['start', 'done', 'error']) instance.on(event, () => events.push(event))
        stopAt(instance, world)
        instance.then((result) => {
          instance.stop()
          return instance.then((again) => t.equal(again, result))
        })
      })
      // `start` is emitted after a warm-up.
      const most = 2 * START_MS + 30 + (index === 6 && opts.warmup ? 200 : 0)
      t.ok(elapsed < most, `moment ${index} with ${JSON.stringify(opts)}: ${elapsed} ms`)
      t.same(events, ['start', 'done'])
    }
  }
})

t.test('stop: during a warm-up', async (t) => {
  const { result, elapsed } = await play(t, { serviceTime: 5 }, { duration: LONG, warmup: LONG }, stopAfter(START_MS + 202))
  t.equal(result.requests.sent, 0, 'the run itself has not begun')
  t.equal(result.warmup.requests.total, 4 * 40)
  t.ok(elapsed < START_MS + 204 + 30, `${elapsed} ms`)
})

t.test('stop: skips the drain', async (t) => {
  const { result: { accounting, drain }, elapsed } = await play(t, { answer: 'silence' }, { connections: 20, overallRate: 100, duration: LONG, drain: LONG, timeout: LONG }, stopAfter(START_MS + 95))
  t.match(accounting, { sent: 10, unfinished: 10 })
  t.ok(drain.seconds < 0.002, `${drain.seconds} s`)
  t.ok(elapsed < START_MS + 97, `${elapsed} ms`)
})

t.test('an abort signal', async (t) => {
  const controller = new AbortController()
  const { result } = await play(t, { serviceTime: 5 }, { duration: LONG, signal: controller.signal }, (instance, world) => world.afterForClient(START_MS + 202, () => controller.abort()))
  t.equal(result.requests.total, 4 * 40)
  const { result: untouched, world } = await play(t, {}, { duration: LONG, signal: AbortSignal.abort() })
  t.equal(untouched.requests.sent, 0)
  t.equal(world.sockets.length, 0)
})

t.test('bailout counts the failures of all threads together', async (t) => {
  const { result } = await play(t, { serviceTime: 1, answer: ({ number }) => number % 10 === 9 ? { then: 'reset', bytes: 'x' } : 200 }, { connections: 6, duration: LONG, bailout: 12, workers: 3 })
  t.ok(result.errors >= 12 && result.errors <= 13, `${result.errors}, and what happened until all threads had heard of it`)
  // Six responses per millisecond, of which each tenth is an error.
  t.ok(result.duration < 0.05, `${result.duration} s`)
})

t.test('bailout counts mismatches, and connections that fail', async (t) => {
  const { result: mismatched } = await play(t, { serviceTime: 1 }, { duration: LONG, bailout: 9, expectBody: 'x' })
  t.ok(mismatched.mismatches >= 9 && mismatched.mismatches <= 12, `${mismatched.mismatches}`)
  const { result: refused } = await play(t, { attempt: () => 'refuse' }, { duration: LONG, bailout: 8 })
  t.equal(refused.errors, 8)
})

t.test('a server without a usable connection ends a run by amount', async (t) => {
  const { result: { warnings, accounting }, elapsed } = await play(t, { attempt: () => 'refuse' }, { amount: 100, timeout: 0.3 })
  t.equal(accounting.sent, 0)
  t.equal(warnings.filter(({ code }) => code === 'NO_USABLE_CONNECTION').length, 1, 'said once')
  // With a grace period of 20 ms.
  t.ok(Math.abs(elapsed - START_MS - 320) < 3, `${elapsed} ms`)
})

t.test('failed thresholds end a run', async (t) => {
  const { result } = await play(t, { serviceTime: 1, answer: 500 }, { duration: LONG, sampleInt: 100, thresholds: ['non2xx < 10'], abortOnFail: true })
  t.equal(result.passed, false)
  t.ok(result.warnings.some(({ code }) => code === 'ABORTED_ON_FAIL'))
  t.ok(Math.abs(result.duration - 0.1) < 0.005, `${result.duration} s`)
})

t.test('a warm-up hands its connections over to the run', async (t) => {
  const { result, world } = await play(t, { serviceTime: 7 }, { connections: 5, duration: 0.3, warmup: { duration: 0.8 } })
  t.equal(world.sockets.length, 5)
  t.equal(result.connectionStats.opened, 0)
  t.equal(result.warmup.connectionStats.opened, 5)
  t.equal(result.requests.sent + result.warmup.requests.sent, world.log.length)
  // Five every 7 ms, until 294 and 798 ms.
  t.equal(result.requests.total, 5 * 42)
  t.equal(result.warmup.requests.total, 5 * 115)
})

t.test('a warm-up with its own connections, fewer than there are threads', async (t) => {
  for (const [opts, requests] of [[{}, 42], [{ overallRate: 100 }, 30], [{ connectionRate: 50 }, 15]]) {
    const { result, world } = await play(t, { serviceTime: 7 }, { duration: 0.3, warmup: { connections: 1, duration: 0.3 }, workers: 3, ...opts })
    t.equal(world.sockets.length, 5, 'one, then four')
    t.match(result.warmup, { connections: 1, connectionStats: { opened: 1 }, accounting: { unsent: 0, completed: requests } })
  }
})

t.test('threads without a connection in the warm-up do not report that the server has none for them', async (t) => {
  const feed = { rows: Array.from({ length: 1000 }, (_, id) => ({ id })), order: 'once' }
  const { result } = await play(t, { serviceTime: 7 }, { duration: 0.3, timeout: 0.1, warmup: { connections: 1, duration: 0.3 }, workers: 3, feed, requests: [{ path: '/{{id}}' }] })
  t.same(result.warnings, [])
  t.same([result.warmup.accounting.completed, result.requests.total], [42, 4 * 42])
})

t.test('forever: separate rounds, until stop', async (t) => {
  const rounds = []
  let starts = 0
  const { world } = await play(t, { serviceTime: 1 }, { amount: 50, forever: true, warmup: 0.1 }, (instance) => {
    instance.on('start', () => starts++)
    instance.on('done', (result) => {
      rounds.push(result)
      if (rounds.length === 3) instance.stop()
    })
  })
  t.equal(starts, 3)
  t.equal(rounds.length, 3)
  for (const { requests, statusCodeStats } of rounds) {
    t.equal(requests.total, 50)
    t.same(statusCodeStats, { 200: { count: 50 } })
  }
  t.same(rounds.map(({ warmup }) => warmup !== undefined), [true, false, false])
  t.equal(world.log.length, rounds[0].warmup.requests.sent + 150)
})

t.test('forever: stopped during a round', async (t) => {
  let rounds = 0
  const { result } = await play(t, { serviceTime: 5 }, { duration: LONG, forever: true }, (instance, world) => {
    instance.on('done', () => rounds++)
    stopAfter(START_MS + 202)(instance, world)
  })
  t.equal(rounds, 1)
  t.equal(result.requests.total, 160)
})

t.test('promise, callback and done receive the same result', async (t) => {
  const heard = []
  const { value: result } = await simulate({}, (world) => {
    const instance = run({ url: world.server().url, amount: 20, workers: 2 }, (error, result) => heard.push(error, result))
    instance.on('done', (result) => heard.push(result))
    return ended(instance).then((result) => world.sleep(10).then(() => result))
  })
  t.same(heard.filter((each) => each === result).length, 2)
  t.ok(heard.includes(null))
})

// --- real threads

t.test('real threads are stopped: during the run by a signal, in a warm-up', async (t) => {
  const server = await delayServer(t, 5)
  const stopped = async (instance) => {
    const since = performance.now()
    const result = await instance
    t.ok(performance.now() - since < 120_000, 'nothing near ten minutes')
    addsUp(t, result)
    return result
  }
  const opts = { url: server.url, connections: 4, duration: 600, drain: 600, workers: 2 }
  const controller = new AbortController()
  const running = run({ ...opts, signal: controller.signal })
  const before = server.requests
  await until(() => server.requests > before + 20)
  controller.abort()
  t.ok((await stopped(running)).requests.total > 10)

  const warming = run({ ...opts, warmup: 600 })
  const now = server.requests
  await until(() => server.requests > now + 20)
  const { requests, warmup } = await stopped(Object.assign(warming, warming.stop()))
  t.equal(requests.sent, 0, 'the run itself has not begun')
  t.ok(warmup.requests.total > 10)
})

t.test('failures of real threads are counted together: as many as bailout allows end the run, and there are no more', async (t) => {
  let failures = 0
  const server = await httpServer(t, (request, response) => {
    if (++failures <= 12) request.socket.destroy()
    else response.end('ok')
  })
  const { errors, duration, warnings } = await run({ url: server.url, connections: 4, duration: 600, bailout: 12, workers: 2 })
  t.equal(errors, 12)
  t.ok(duration < 200, `${duration} s`)
  t.match(warnings.find(({ code }) => code === 'STOPPED')?.message, 'because it had as many errors as bailout allows (12)')
})
