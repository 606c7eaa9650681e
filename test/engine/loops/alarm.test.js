'use strict'

// When an alarm sleeps, polls and naps, with timers that the test fires.

const t = require('tap')
const Alarm = require('../../../lib/engine/loops/alarm')
const enterWorld = require('../../../lib/world/enter')

/** An alarm in a world in which nothing happens by itself. */
function setUp (t, { sleeps = false, expectsNothing = false } = {}) {
  const clock = { now: 1000, timers: [], turns: [], naps: [], canNap: true }
  t.teardown(enterWorld({
    now: () => clock.now,
    setTimeout: (callback, ms) => { const timer = { ms, callback }; clock.timers.push(timer); return timer },
    clearTimeout: (timer) => clock.timers.splice(clock.timers.indexOf(timer), 1),
    nextTurn: (callback, until) => { const turn = { until, callback }; clock.turns.push(turn); return turn },
    clearImmediate: (turn) => clock.turns.splice(clock.turns.indexOf(turn), 1),
    nap: (ms) => { clock.naps.push(ms); if (clock.canNap) clock.now += ms; return clock.canNap }
  }))
  const heard = []
  const recorder = { answerFrom: Infinity, forecast: { until: Infinity, looked: (now) => heard.push(['looked', now]) }, look: (now) => heard.push(['look', now]), nextAnswerFrom: () => recorder.answerFrom }
  const loop = { expectsNothing, wake: (now) => heard.push(['wake', now]) }
  const alarm = new Alarm(recorder, sleeps, loop)
  return {
    clock,
    heard,
    recorder,
    loop,
    alarm,
    pending: () => ({ timers: clock.timers.map(({ ms }) => ms), turns: clock.turns.map(({ until }) => until) }),
    fire: () => (clock.timers.shift() ?? clock.turns.shift()).callback()
  }
}

const isNear = (one, other) => Math.abs(one - other) < 1e-9

t.test('it sleeps until 1.5 ms before a due time, and then polls; a sleep of less than a millisecond is not worth a timer', async (t) => {
  const { alarm, clock, heard, pending, fire } = setUp(t)
  alarm.set(1010.7, 1000)
  t.same(pending(), { timers: [9], turns: [] })
  t.equal(alarm.isWatching, false)
  t.same([1010.6, 1010.7, 1010.8].map((time) => alarm.misses(time)), [true, false, false])
  alarm.set(1020, 1000)
  t.same(pending(), { timers: [9], turns: [] }, 'an earlier time that is set is kept')
  alarm.set(1005, 1000)
  t.same(pending(), { timers: [3], turns: [] }, 'a later one is not')
  clock.now = 1003.2
  fire()
  t.same(heard, [['look', 1003.2], ['wake', 1003.2]])
  t.same([pending(), alarm.setFor, alarm.dueAt], [{ timers: [], turns: [] }, Infinity, -Infinity])
  alarm.set(1005, 1003.2)
  t.same([pending(), alarm.isWatching, alarm.dueAt, alarm.setFor], [{ timers: [], turns: [1005] }, true, 1005, 1005])
  alarm.set(1004.5, 1003.2)
  t.same(pending(), { timers: [], turns: [1004.5] })
  alarm.set(1004.9, 1003.2)
  t.same(pending(), { timers: [], turns: [1004.5] })
  alarm.clear()
  t.same([pending(), alarm.isWatching, alarm.setFor, alarm.dueAt], [{ timers: [], turns: [] }, false, Infinity, -Infinity])
  alarm.set(1005.7, 1003.2)
  t.same(pending(), { timers: [], turns: [1005.7] }, 'exactly a millisecond')
  alarm.clear()
  alarm.set(1005.71, 1003.2)
  t.same(pending(), { timers: [1], turns: [] })
})

t.test('a poll takes the place of a sleep, and a sleep that of a later poll', async (t) => {
  const { alarm, pending } = setUp(t)
  alarm.set(1010, 1000)
  alarm.set(1001, 1000)
  t.same(pending(), { timers: [], turns: [1001] })
  alarm.clear()
  alarm.set(Infinity, 1000)
  t.same(pending(), { timers: [], turns: [] }, 'nothing is due')
  alarm.set(1000 + 2 ** 32, 1000)
  t.same(pending(), { timers: [2 ** 31 - 1], turns: [] }, 'no timer is longer')
})

t.test('it wakes before the next response is expected, unless none is awaited', async (t) => {
  const { alarm, heard, recorder, pending } = setUp(t)
  recorder.answerFrom = 1006
  recorder.forecast.until = 1008
  alarm.set(1020, 1000)
  t.same(pending(), { timers: [6], turns: [] })
  alarm.clear()
  alarm.set(1020, 1000, false)
  t.same(pending(), { timers: [18], turns: [] })
  alarm.clear()
  alarm.set(1020, 1005)
  t.same([pending(), alarm.dueAt], [{ timers: [], turns: [1008] }, -Infinity], 'it polls for the response, as long as it may come')
  alarm.clear()
  recorder.forecast.until = 1030
  alarm.set(1020, 1005)
  t.same(pending(), { timers: [], turns: [1020] })
  alarm.looked(1005)
  t.same(heard, [['looked', 1005]])
})

t.test('with approximate timing it only sleeps, never for less than a millisecond', async (t) => {
  const { alarm, pending } = setUp(t, { sleeps: true })
  alarm.set(1010.7, 1000)
  t.same(pending(), { timers: [10], turns: [] })
  alarm.set(1000.2, 1000)
  t.same([pending(), alarm.setFor], [{ timers: [1], turns: [] }, 1000.2])
})

t.test('it naps if nothing may arrive meanwhile, and lets the event loop turn before it wakes the loop', async (t) => {
  const { alarm, clock, heard, loop, pending, fire } = setUp(t, { expectsNothing: true })
  alarm.set(1001, 1000)
  fire()
  // Half a millisecond before, at first.
  t.same([clock.naps, heard, pending().turns], [[0.5], [], [1001]])
  t.equal(alarm.watchingTime, 0.5)
  clock.now = 1000.98
  fire()
  t.same(heard, [['look', 1000.98], ['wake', 1000.98]])
  alarm.set(1001, 1000.98)
  t.ok(isNear(alarm.watchingTime, 0.5), 'the turn after the nap did other work')
  clock.now = 1001
  fire()
  t.ok(isNear(alarm.watchingTime, 0.52), 'a turn of less than 50 us was empty')
  clock.canNap = false
  alarm.set(1002, 1001)
  fire()
  t.same([heard.at(-1), clock.naps.length], [['wake', 1001], 2], 'it could not nap')
  loop.expectsNothing = false
  clock.canNap = true
  alarm.set(1002, 1001)
  fire()
  t.same([heard.at(-1), clock.naps.length], [['wake', 1001], 2], 'something may arrive')
})

t.test('only turns without other work count as polling', async (t) => {
  const { alarm, clock, fire } = setUp(t)
  const turn = (ms) => {
    alarm.set(clock.now + 1, clock.now)
    clock.now += ms
    fire()
  }
  turn(0.01)
  t.equal(alarm.watchingTime, 0, 'the first one follows something else')
  turn(0.03)
  t.ok(isNear(alarm.watchingTime, 0.03))
  turn(0.06)
  t.ok(isNear(alarm.watchingTime, 0.03))
  turn(0.04)
  t.ok(isNear(alarm.watchingTime, 0.07))
  alarm.wasBusy()
  turn(0.04)
  t.ok(isNear(alarm.watchingTime, 0.07))
})
