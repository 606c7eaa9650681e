'use strict'

// The precision of sending, and its cost: how often the event loop turns without work, counted in a simulated world. The benchmarks measure
// real machines.

const t = require('tap')
const { run } = require('../../..')
const realWorld = require('../../../lib/world')
const { playInWorld } = require('../../support/play-in-world')
const { addsUp } = require('../../support/accounts')
const { httpServer } = require('../../support/servers')
const { areAt, exact } = require('./helpers')

const EARLY = { client: { timersEarlyUs: 1000 } }

/** A run in a world whose timers fire early, as Node's do, and how long it polled the clock instead of sleeping, ms. */
async function watched (t, settings, opts, worldSettings = EARLY) {
  let watching = 0
  let timers = 0
  const { result, world } = await playInWorld(t, settings, () => {
    const { nextTurn, setTimeout } = realWorld
    realWorld.nextTurn = (callback, until) => {
      watching += Math.max(0, until - realWorld.now())
      return nextTurn(callback, until)
    }
    realWorld.setTimeout = (callback, ms) => {
      timers++
      return setTimeout(callback, ms)
    }
    return opts
  }, undefined, worldSettings)
  return { result, watching: watching / world.elapsed, timers, naps: world.client.naps }
}

t.test('a run that has almost nothing to do sleeps almost all the time', async (t) => {
  const { result, watching, timers } = await watched(t, { serviceTime: 1 }, { connections: 10, overallRate: 1, duration: 3 })
  t.equal(result.accounting.completed, 3)
  t.ok(watching < 0.01, `it looked for ${watching} of the time`)
  t.ok(timers < 60, `${timers} timers`)
})

t.test('waiting for a server costs almost no turns, however long the queue is', async (t) => {
  const { result, watching, timers } = await watched(t, { answer: 'silence' }, { connections: 2, overallRate: 1000, duration: 1.5, drain: 0 })
  t.equal(result.accounting.unsent, 1498)
  t.ok(watching < 0.01, `it looked for ${watching} of the time`)
  // One for each due time, and another one if it fired early.
  t.ok(timers < 3100, `${timers} timers`)
})

// Timers alone make requests late by up to a millisecond: they fire at whole milliseconds, and at this rate due times fall anywhere between
// those.
for (const [pacing, least, most] of [['precise', 0, 0.002], ['sleep', 0.2, 1.05]]) {
  t.test(`with pacing '${pacing}' requests are at most ${most} ms late`, async (t) => {
    const { result } = await watched(t, {}, { connections: 20, overallRate: 470, duration: 0.5, pacing })
    t.equal(result.accounting.completed, 235)
    t.ok(result.sendDelay.client.max <= most, `sendDelay.client.max ${result.sendDelay.client.max}`)
    t.ok(result.sendDelay.client.max >= least, `sendDelay.client.max ${result.sendDelay.client.max}`)
  })
}

t.test('it is on time again as soon as a backlog is gone', async (t) => {
  // Two requests come due every 0.7 ms, and there is one connection: the second waits for the response to the first, and meanwhile the loop
  // checks the clock only once a millisecond.
  const { sent } = await playInWorld(t, { serviceTime: 0.3 }, { connections: 1, bursts: { size: 2, interval: 0.0007 }, duration: 0.07 }, undefined, EARLY)
  t.equal(sent.length, 200)
  areAt(t, sent, Array.from({ length: 100 }, (_, number) => [number * 0.7, number * 0.7 + 0.3]).flat())
})

t.test("pacing 'sleep' never polls, and polling the clock does not count as work", async (t) => {
  const precise = await watched(t, { serviceTime: 0.4 }, { connections: 20, overallRate: 500, duration: 1 })
  t.ok(precise.watching > 0.5, `it looked for ${precise.watching} of the time`)
  exact(t, precise.result.generator.eventLoop.utilization, 0, 'utilization')
  const sleeping = await watched(t, { serviceTime: 0.4 }, { connections: 20, overallRate: 500, duration: 1, pacing: 'sleep' })
  t.equal(sleeping.watching, 0)
})

// A thread that may be blocked, and wakes up to 40 us late.
const NAPPING = { client: { wakesLate: 40 } }

for (const [name, opts, settings] of [
  ['a rate', {}],
  ['a new connection for each request', { keepAlive: false }],
  ['sessions', { sessions: true }],
  ['HTTP/2', { http2: true }, { http2: true }]
]) {
  t.test(`it naps between the response and the next due time, and is on time: ${name}`, async (t) => {
    const { result, naps } = await watched(t, { serviceTime: 0.1, ...settings }, { connections: 5, overallRate: 1000, duration: 0.1, ...opts }, NAPPING)
    const { accounting, serviceTime, sendDelay, generator } = result
    t.same([accounting.completed, serviceTime.min, serviceTime.max, sendDelay.client.max, generator.cpu.percent], [100, 0.1, 0.1, 0, 0])
    // The lead is up to half a millisecond at first, and 0.1 ms later.
    t.ok(naps.reduce((sum, { from, until }) => sum + until - from, 0) > 0.4 * 100_000)
    t.ok(generator.eventLoop.utilization < 0.03, `${generator.eventLoop.utilization}`)
  })
}

t.test('it naps only for the last 2.5 ms before a due time, since timers are coarse but block nothing', async (t) => {
  const { result, naps } = await watched(t, { serviceTime: 0.1 }, { connections: 5, overallRate: 100, duration: 0.5 }, { client: { ...NAPPING.client, timersEarlyUs: 1000 } })
  t.same([result.accounting.completed, result.sendDelay.client.max], [50, 0])
  t.ok(naps.length > 45 && naps.every(({ from, until }) => until - from < 2500), `${naps.length} naps`)
})

for (const [name, opts, settings] of [
  ['a response is awaited', {}, { serviceTime: 5 }],
  ['a connection is being opened', { keepAlive: false, connections: 20 }, { secure: true, handshake: 5 }],
  ['an asynchronous hook is under way', { requests: [{ onResponse: () => new Promise((resolve) => realWorld.setTimeout(resolve, 5)) }] }, {}],
  ['code of users is under way', { user: async (user) => { await user.think(0.005) } }, {}],
  ['copies of a broadcast are awaited', { websocket: { expect: 'broadcast' }, body: 'x' }, { websocket: true }]
]) {
  t.test(`it does not nap while ${name}`, async (t) => {
    const { naps } = await watched(t, settings, { connections: 5, overallRate: 1000, duration: 0.1, ...opts }, NAPPING)
    t.ok(naps.length < 10, `${naps.length} naps`)
  })
}

t.test('it does not nap while a message without a reply has been sent, and the next one of its session follows', async (t) => {
  // Each session sends three more messages in the last milliseconds before the next session. Writing one takes 0.15 ms.
  const requests = [{ body: 'a' }, { body: 'b', thinkTime: 0.0087 }, { body: 'c', thinkTime: 0 }, { body: 'd', thinkTime: 0 }]
  const opts = { overallRate: 100, duration: 0.5, sessions: true, websocket: { expect: 'nothing' }, requests }
  const { result, naps } = await watched(t, { websocket: 'echo' }, opts, { client: { ...NAPPING.client, writing: 150 } })
  t.same([result.accounting.completed, result.sendDelay.client.max], [200, 0.15])
  t.ok(naps.length > 40, `${naps.length} naps`)
})

t.test('real world: polling the clock does not count as work', async (t) => {
  const server = await httpServer(t)
  const before = performance.eventLoopUtilization()
  const { generator, ...result } = await run({ url: server.url, connections: 20, overallRate: 500, duration: 0.3 })
  addsUp(t, { generator, ...result })
  const { active } = performance.eventLoopUtilization(before)
  // The event loop itself is busy whenever it polls. (The effect of other processes is unknown.)
  const worked = generator.eventLoop.utilization * result.duration * 1000
  t.ok(worked <= active + 10, `${worked} of ${active} ms`)
})
