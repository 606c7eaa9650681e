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
async function watched (t, settings, opts) {
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
  }, undefined, EARLY)
  return { result, watching: watching / world.elapsed, timers }
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

t.test('real world: polling the clock does not count as work', async (t) => {
  const server = await httpServer(t)
  const before = performance.eventLoopUtilization()
  const { generator, ...result } = await run({ url: server.url, connections: 20, overallRate: 500, duration: 0.6 })
  addsUp(t, { generator, ...result })
  const { utilization } = performance.eventLoopUtilization(before)
  // The event loop itself is busy whenever it polls. (The effect of other processes is unknown.)
  t.ok(generator.eventLoop.utilization <= utilization + 0.01, `${generator.eventLoop.utilization} of ${utilization}`)
})
