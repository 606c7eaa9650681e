'use strict'

// Which options of the run apply to its warm-up, and how phases end, compared with arithmetic in simulated time.

const t = require('tap')
const Phase = require('../../../lib/engine/phase/phase')
const { playInWorld } = require('../../support/play-in-world')

const played = (t, server, opts, story) => playInWorld(t, server, opts, story, { seed: 1 })

const codesOf = ({ warnings }) => warnings.map(({ code }) => code)

t.test("none of the run's limits ends its warm-up, and none counts what the warm-up did", async (t) => {
  const base = { connections: 2, warmup: { duration: 0.5 } }
  const serviceTime = 10
  for (const [limit, total] of [[{ maxConnectionRequests: 7 }, 14], [{ maxOverallRequests: 9 }, 9], [{ amount: 11 }, 11]]) {
    const { result } = await played(t, { serviceTime }, { ...base, ...limit, duration: 5 })
    t.equal(result.warmup.requests.total, 100, JSON.stringify(limit))
    t.equal(result.requests.total, total, JSON.stringify(limit))
  }
  // All requests of the warm-up fail, and 10 of the run are one too few to end it.
  const { result } = await played(t, { serviceTime, attempt: (number) => number < 40 ? 'refuse' : 'accept' }, { ...base, bailout: 5, duration: 1 })
  t.ok(result.warmup.errors > 5, `${result.warmup.errors} errors in the warm-up`)
  t.notOk(codesOf(result).includes('STOPPED'))
})

t.test('bailout counts only failures of the run', async (t) => {
  for (const bailout of [1, 3, 10]) {
    const { result } = await played(t, { serviceTime: 10, answer: () => 'reset' }, { connections: 1, duration: 30, bailout })
    t.equal(result.errors, bailout)
  }
})

t.test('the warm-up opens all connections at once even if the run ramps them up on connections of its own', async (t) => {
  const { result, world } = await played(t, { serviceTime: 10 }, { connections: { from: 1, to: 4, over: 0.3 }, duration: 0.505, warmup: { duration: 0.105 } })
  t.equal(result.warmup.connectionStats.opened, 4)
  t.equal(result.warmup.requests.total, 40)
  t.equal(result.connectionStats.opened, 4)
  t.equal(world.sockets.length, 8)
  t.equal(result.requests.total, [0, 0.1, 0.2, 0.3].reduce((sum, from) => sum + Math.floor((0.505 - from) / 0.01), 0))
})

t.test('the last responses of a warm-up are awaited until the timeout, whatever the drain of the run', async (t) => {
  // The last of the warm-up takes 300 ms, and the run has no drain.
  const serviceTime = ({ number }) => number === 9 ? 300 : 1
  const { result } = await played(t, { serviceTime }, { connections: 5, overallRate: 100, duration: 0.2, warmup: { duration: 0.1 }, drain: 0, timeout: 1 })
  t.match(result.warmup.accounting, { scheduled: 10, completed: 10, unfinished: 0 })
  t.match(result.accounting, { scheduled: 20 })
  const { result: hanging } = await played(t, { serviceTime: 1, answer: ({ number }) => number === 9 ? 'silence' : 200 }, { connections: 5, overallRate: 100, duration: 0.2, warmup: { duration: 0.1 }, drain: 5, timeout: 0.4 })
  t.match(hanging.warmup.accounting, { completed: 9, timedOut: 1 })
})

t.test('a warm-up has as many sessions as arrive in its time; the amount applies to the run', async (t) => {
  const { result } = await played(t, { serviceTime: 1 }, { overallRate: 50, sessions: { amount: 4, calls: 2 }, warmup: { duration: 0.2 }, duration: 1 })
  t.match(result.warmup.sessions, { scheduled: 10, completed: 10 })
  t.match(result.sessions, { scheduled: 4, completed: 4 })
})

t.test('with an amount of sessions, all of them are completed, however long after the last arrival', async (t) => {
  // The last of them arrives at 75 ms, and each makes 5 calls of 100 ms.
  const { result } = await played(t, { serviceTime: 100 }, { overallRate: 40, sessions: { amount: 4, calls: 5 }, drain: 0.05 })
  t.match(result.sessions, { scheduled: 4, completed: 4, unfinished: 0, unstarted: 0 })
  t.equal(result.accounting.completed, 20)
  t.equal(result.sessions.lifetime.max, 500)
  const { result: byTime } = await played(t, { serviceTime: 100 }, { overallRate: 40, duration: 0.1, sessions: { calls: 5 }, drain: 0.05 })
  t.match(byTime.sessions, { scheduled: 4, completed: 0, unfinished: 4 })
})

t.test('the drain lasts until the last response or its limit, or is skipped', async (t) => {
  const opts = { connections: 20, overallRate: 100, duration: 0.2 }
  const server = { serviceTime: 145 }
  const { result: whole } = await played(t, server, { ...opts, drain: 1 })
  t.match(whole, { accounting: { completed: 20, unfinished: 0 }, drain: { seconds: 0.135, completed: 14 }, duration: 0.2 })
  const { result: cut } = await played(t, server, { ...opts, drain: 0.1 })
  t.match(cut, { accounting: { completed: 16, unfinished: 4 }, drain: { seconds: 0.1, completed: 10 } })
  const { result: none } = await played(t, server, { ...opts, drain: 0 })
  t.match(none, { accounting: { completed: 6, unfinished: 14 }, drain: { seconds: 0, completed: 0 } })
})

t.test('after a request timeout without a server, a run by amount ends, and one by time continues', async (t) => {
  const away = (instance, world, server) => world.after(500, () => { server.refuse(); server.resetAll() })
  const { result } = await played(t, { serviceTime: 10 }, { connections: 2, amount: 1000, timeout: 1 }, away)
  t.ok(codesOf(result).includes('NO_USABLE_CONNECTION'))
  t.match(result.warnings.find(({ code }) => code === 'NO_USABLE_CONNECTION').message, /for 1 second there was no usable connection/)
  t.ok(Math.abs(result.duration - 1.52) < 0.01, `${result.duration}`)
  const { result: byTime } = await played(t, { serviceTime: 10 }, { connections: 2, duration: 3, timeout: 1 }, away)
  t.equal(byTime.duration, 3)
  t.notOk(codesOf(byTime).includes('NO_USABLE_CONNECTION'))
})

t.test('a server that comes back in time is waited for', async (t) => {
  const { result } = await played(t, { serviceTime: 10 }, { connections: 2, amount: 200, timeout: 3 }, (instance, world, server) => {
    world.after(500, () => { server.refuse(); server.resetAll() })
    world.after(1200, () => server.accept())
  })
  t.equal(result.requests.total + result.errors - result.connectionStats.failed, 200)
  t.notOk(codesOf(result).includes('NO_USABLE_CONNECTION'))
})

t.test('rows that are used once end a run with the response to the last one, whatever the duration, and no more are used', async (t) => {
  const rows = (count) => ({ rows: Array.from({ length: count }, (_, id) => ({ id })), order: 'once' })
  const requests = [{ path: '/{{id}}' }]
  const { result } = await played(t, { serviceTime: 10 }, { connections: 2, duration: 30, requests, feed: rows(7) })
  t.match(result, { requests: { total: 7 }, duration: 0.04 })
  const { result: open } = await played(t, { serviceTime: 10 }, { connections: 2, overallRate: 100, duration: 30, requests, feed: rows(7) })
  t.match(open.accounting, { scheduled: 7, completed: 7 })
  t.ok(open.duration < 0.1, `${open.duration} s`)
})

t.test('hooks of the last responses may take longer than the timeout, whatever ends the run and whether or not a connection is open', async (t) => {
  const LAST = 3
  const feed = { rows: Array.from({ length: LAST }, (_, id) => ({ id })), order: 'once' }
  for (const [what, load] of Object.entries({ amount: { amount: LAST }, rows: { feed }, 'rows and redirects': { feed, followRedirects: 1 }, sessions: { sessions: { amount: LAST } } })) {
    for (const headers of [{}, { Connection: 'close' }]) {
      for (const model of [{}, { overallRate: 100, drain: 10 }]) {
        let count = 0
        const { result } = await played(t, { serviceTime: 10, answer: { status: 200, headers }, attempt: (number) => number < LAST ? 'accept' : 'refuse' }, (world) => ({
          connections: 1, timeout: 1, ...load, ...model, requests: [{ path: load.feed ? '/{{id}}' : '/', onResponse: () => ++count === LAST ? world.sleep(3000) : undefined }]
        }))
        t.notOk(codesOf(result).includes('NO_USABLE_CONNECTION'), `${what}, ${JSON.stringify({ ...headers, ...model })}`)
        t.match(result, { accounting: { completed: LAST } })
        t.ok(result.duration + result.drain.seconds >= 3, `${result.duration} s and ${result.drain.seconds} s`)
      }
    }
  }
})

t.test('a warm-up without a usable connection lasts until its time is up, and the result does not say that the run ended early', async (t) => {
  const opts = { connections: 2, duration: 5, timeout: 0.1, requests: [{ path: '/{{id}}' }], feed: { rows: Array.from({ length: 60 }, (_, id) => ({ id })), order: 'once' }, warmup: { duration: 0.5 } }
  const { result } = await played(t, { serviceTime: 10 }, opts, (instance, world, server) => {
    world.after(55, () => { server.refuse(); server.resetAll() })
    world.after(300, () => server.accept())
  })
  t.equal(result.warmup.duration, 0.5)
  t.ok(result.warmup.requests.total > 10, 'the server was used when it was back')
  t.notOk(codesOf(result).includes('NO_USABLE_CONNECTION'))
})

t.test('broadcast messages of a warm-up are others than those of the run, and copies are remembered for as long as they may take', async (t) => {
  const copies = { warmup: 'of the warm-up', run: 'of the run' }
  const of = (plan, part) => Phase.prototype.broadcastOf.call({ plan: { websocket: { runId: 'id' }, timeout: 3, drain: 0.5, ...plan } }, part)
  t.same(of({}, { share: 2, copies }), { run: 'idr', part: 2, shared: 'of the run', retention: 3500 })
  t.same(of({ isWarmup: true, drain: 3 }, { share: 0, copies }), { run: 'idw', part: 0, shared: 'of the warm-up', retention: 6000 })
  t.same(of({}, { share: 0 }), { run: 'idr', part: 0, shared: undefined, retention: 3500 })
})
