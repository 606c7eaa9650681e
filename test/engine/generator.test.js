'use strict'

// The utilization of this process, from the system's figures.

const t = require('tap')
const Generator = require('../../lib/engine/generator')
const DueLoop = require('../../lib/engine/loops/due-loop')
const enterWorld = require('../../lib/world/enter')
const { playInWorld } = require('../support/play-in-world')

/** A fake system: `advance` lets time pass (ms), for part of which the event loop is active. */
function enterSystem (t) {
  const system = { now: 1000, active: 500, idle: 700, user: 2_000_000, system: 1_000_000, p99: 0, count: 0, waited: null }
  const soFar = () => ({ active: system.active, idle: system.idle })
  const since = (later, earlier) => ({ active: later.active - earlier.active, idle: later.idle - earlier.idle })
  t.teardown(enterWorld({
    now: () => system.now,
    cpuUsage: (before = { user: 0, system: 0 }) => ({ user: system.user - before.user, system: system.system - before.system }),
    // With one argument: since then; with two: from the second to the first.
    eventLoopUtilization: (one, other) => one === undefined ? soFar() : other === undefined ? since(soFar(), one) : since(one, other),
    runQueueWait: () => system.waited,
    monitorEventLoopDelay: () => ({ enable () {}, disable () {}, get count () { return system.count }, percentile: (percent) => percent === 99 ? system.p99 * 1e6 : NaN })
  }))
  return Object.assign(system, {
    advance (ms, active) {
      system.now += ms
      system.active += active
      system.idle += ms - active
    }
  })
}

t.test('processor time in seconds and in percent of a core, and event loop utilization without time spent polling the clock', async (t) => {
  const system = enterSystem(t)
  const generator = new Generator()
  system.advance(4000, 1200)
  system.user += 1_500_000
  system.system += 500_000
  // Without times from the system, it waited for no longer than its event loop was busy without a processor: never, if other threads used more.
  t.strictSame(generator.end(200), { cpu: { user: 1.5, system: 0.5, percent: 50 }, eventLoop: { utilization: 0.25, delayP99: 0 }, waited: 0 })
  t.equal(generator.end(1300).eventLoop.utilization, 0, 'it polled the clock all the time')
})

t.test('how long this thread waited for a processor: what the system says, otherwise how long its event loop was busy without one', async (t) => {
  const waitedIn = (before, after) => {
    system.waited = before
    const generator = new Generator()
    system.advance(1000, 600)
    system.user += 150_000
    system.system += 50_000
    system.waited = after
    return generator.end().waited
  }
  const system = enterSystem(t)
  t.equal(waitedIn(40, 52.1234), 12.123)
  t.equal(waitedIn(40, 40), 0)
  t.equal(waitedIn(null, null), 400, 'busy for 600 ms, with a processor for 200 of them')
  t.equal(waitedIn(40, null), 400, 'the system no longer says it')
})

t.test('the delay of the event loop is what exceeds the interval of its monitor', async (t) => {
  const system = enterSystem(t)
  const generator = new Generator()
  Object.assign(system, { count: 5, p99: 13.25 })
  t.equal(generator.end().eventLoop.delayP99, 3.25)
  system.p99 = 9.9
  t.equal(generator.end().eventLoop.delayP99, 0)
})

t.test('each sample covers only its own time, whether it is read or not', async (t) => {
  const system = enterSystem(t)
  const generator = new Generator()
  system.advance(1000, 600)
  t.equal(generator.sample(100).utilization, 0.5)
  system.advance(1000, 300)
  t.equal(generator.sample(150).utilization, 0.25)
  system.advance(1000, 1000)
  t.equal(generator.sample(150).utilization, 1)
})

t.test('a run leaves out how long its loop only watched the clock', async (t) => {
  const { end } = Generator.prototype
  const watchingTime = Object.getOwnPropertyDescriptor(DueLoop.prototype, 'watchingTime')
  const told = []
  Generator.prototype.end = function (watching) {
    told.push(watching)
    return end.call(this, watching)
  }
  Object.defineProperty(DueLoop.prototype, 'watchingTime', { configurable: true, get: () => 123 })
  t.teardown(() => {
    Generator.prototype.end = end
    Object.defineProperty(DueLoop.prototype, 'watchingTime', watchingTime)
  })
  for (const load of [{ overallRate: 50 }, { sessions: true, overallRate: 50 }]) await playInWorld(t, { serviceTime: 5 }, { connections: 2, duration: 0.1, ...load })
  t.same(told, [123, 123])
  await playInWorld(t, { serviceTime: 5 }, { connections: 2, duration: 0.1 })
  t.equal(told[2], 0, 'a closed model watches nothing')
})
