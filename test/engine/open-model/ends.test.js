'use strict'

// However a run ends, every request has exactly one outcome, and the counts agree with the server's.

const t = require('tap')
const { run } = require('../../..')
const { playInWorld } = require('../../support/play-in-world')
const { addsUp } = require('../../support/accounts')
const { delayServer } = require('../../support/servers')
const { until } = require('../../support/wait')
const { exact, near, warning } = require('./helpers')

const hanging = (every) => ({ answer: ({ number }) => number % every === every - 1 ? 'silence' : 200 })
const stopAfter = (ms) => (instance, world) => world.afterForClient(ms, instance.stop)

t.test('stop() ends the run at once, without a drain', async (t) => {
  const { result, server, world } = await playInWorld(t, { serviceTime: 200 }, { connections: 30, overallRate: 100, duration: 10 }, stopAfter(805))
  exact(t, world.elapsed, 805, 'the end')
  t.match(result.accounting, { scheduled: 81, sent: 81, completed: 61, unfinished: 20 })
  near(t, result.rate.offered, 81 / 0.805, 0.1, 'rate.offered')
  t.match(result.drain, { completed: 0, seconds: 0 })
  t.equal(server.requests, 81)
})

t.test('so does an abort signal', async (t) => {
  const controller = new AbortController()
  const abortAt605 = (instance, world) => world.afterForClient(605, () => controller.abort())
  const { result, world } = await playInWorld(t, { serviceTime: 100 }, { connections: 2, overallRate: 100, duration: 10, signal: controller.signal }, abortAt605)
  exact(t, world.elapsed, 605, 'the end')
  // The second connection is half a service time and one interval behind the first.
  t.match(result.accounting, { scheduled: 61, unfinished: 2, completed: 11, unsent: 48 })
})

t.test('stop() during the drain ends the drain', async (t) => {
  const { result } = await playInWorld(t, hanging(2), { connections: 30, overallRate: 50, duration: 0.5 }, stopAfter(900))
  t.match(result.accounting, { scheduled: 25, unfinished: 12, completed: 13 })
  exact(t, result.duration * 1000, 500, 'duration')
  exact(t, result.drain.seconds * 1000, 400, 'drain.seconds')
})

t.test('bailout', async (t) => {
  const { result, world } = await playInWorld(t, hanging(2), { connections: 20, overallRate: 50, duration: 10, timeout: 0.4, bailout: 5 })
  // The fifth request that hangs is due at 180 ms.
  exact(t, world.elapsed, 580, 'the end')
  t.equal(result.accounting.timedOut, 5)
})

t.test('a server that is killed during the run', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 30 }, (world, server) => {
    world.after(705, () => {
      server.resetAll()
      server.refuse()
    })
    return { connections: 5, overallRate: 100, duration: 1.5, timeout: 0.3 }
  })
  // Due until 0.67 s and answered until 0.7 s; three in flight; nothing is sent from then on.
  t.match(result.accounting, { scheduled: 150, completed: 68, failed: 3, timedOut: 0, unsent: 79 })
  t.ok(result.connectionStats.failed > 5)
  t.equal(result.errorCodes.ECONNREFUSED.count, result.connectionStats.failed)
  // Those that waited until their deadline count with it, those due near the end with their age.
  exact(t, result.latency.max, 300, 'latency.max')
  t.ok(warning(result, 'RATE_NOT_ACHIEVED'))
})

t.test('a server that comes back: waiting requests are sent', async (t) => {
  const { result } = await playInWorld(t, {}, (world, server) => {
    world.after(405, () => {
      server.endAll()
      server.refuse()
    })
    world.after(705, () => server.accept())
    return { connections: 10, overallRate: 50, duration: 2.5 }
  })
  t.match(result.accounting, { scheduled: 125, completed: 125, failed: 0 })
  // The first one after its end was due at 420 ms, and attempts are at most a second apart.
  t.ok(result.latency.max >= 285 && result.latency.max <= 1285, `and has waited for that: ${result.latency.max}`)
})

t.test('all connections refused', async (t) => {
  const { result } = await playInWorld(t, { attempt: () => 'refuse' }, { connections: 5, overallRate: 100, duration: 1, timeout: 0.3 })
  t.same(result.accounting, { scheduled: 100, unsent: 100, sent: 0, completed: 0, failed: 0, timedOut: 0, unfinished: 0 })
  t.equal(result.errors, result.connectionStats.failed)
  t.equal(result.errorCodes.ECONNREFUSED.count, result.errors)
  // Each connection at 0, 10, 30, 70, 150, 310, 630 ms, and not at 1270.
  t.equal(result.errors, 5 * 7, 'it backs off')
  exact(t, result.latency.max, 300, 'latency.max')
  exact(t, result.latency.p50, 300, 'latency.p50')
  t.ok(warning(result, 'NO_CONNECTION'))
  t.ok(warning(result, 'RATE_NOT_ACHIEVED'))
})

t.test('a server that never responds', async (t) => {
  const { result } = await playInWorld(t, { answer: 'silence' }, { connections: 10, overallRate: 100, duration: 1, timeout: 10, drain: 0.2 })
  t.same(result.accounting, { scheduled: 100, unsent: 90, sent: 10, completed: 0, failed: 0, timedOut: 0, unfinished: 10 })
  // Due from 0 to 0.99 s; the end is at 1.2 s.
  for (const [name, expected] of [['max', 1200], ['p50', 700], ['min', 210]]) exact(t, result.latency[name], expected, `latency.${name}`)
})

t.test('a server that closes each connection after one response loses nothing', async (t) => {
  const { result, server } = await playInWorld(t, { keepAlive: 1 }, { connections: 10, pipelining: 3, overallRate: 100, duration: 1 })
  t.match(result.accounting, { scheduled: 100, completed: 100 })
  t.equal(server.requests, 100)
})

t.test('with real sockets as well: stop()', async (t) => {
  const slow = await delayServer(t, 200)
  const instance = run({ url: slow.url, connections: 30, overallRate: 100, duration: 300 })
  await until(() => slow.requests > 30)
  instance.stop()
  const stopped = await instance
  addsUp(t, stopped)
  t.equal(stopped.drain.completed, 0)
  t.ok(stopped.duration < 200, `${stopped.duration} s`)
  await until(() => slow.requests === stopped.accounting.sent)
})

t.test('a limit beyond the last arrival: the run ends with the last response', async (t) => {
  const stages = [{ duration: 1, rate: 10 }, { duration: 1, rate: 0 }]
  for (const [opts, completed, ms] of [[{ overallRate: 10, duration: 2 }, 20, 1910], [{ stages }, 10, 910], [{ stages, duration: 5 }, 10, 910]]) {
    const { result, world } = await playInWorld(t, { serviceTime: 10 }, { connections: 2, maxOverallRequests: 100, ...opts })
    t.match(result.accounting, { scheduled: completed, completed }, JSON.stringify(opts))
    exact(t, world.elapsed, ms, 'the end')
  }
})

t.test('rows that may take further requests: what waits when the last of them is answered never came due', async (t) => {
  const feed = { rows: [{ id: 1 }, { id: 2 }, { id: 3 }], order: 'once' }
  const { result, world } = await playInWorld(t, { serviceTime: 50 }, { connections: 1, overallRate: 100, feed, followRedirects: 3, requests: [{ path: '/{{id}}' }] })
  t.match(result.accounting, { scheduled: 3, unsent: 0, sent: 3, completed: 3 })
  exact(t, world.elapsed, 150, 'the end')
})
