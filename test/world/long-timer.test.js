'use strict'

// Timers longer than setTimeout allows, in a world whose time the test advances.

const t = require('tap')
const enterWorld = require('../../lib/world/enter')
const { LongTimer, longSleep, LONGEST_TIMER_MS } = require('../../lib/world/long-timer')

const DAY_MS = 24 * 60 * 60 * 1000

// A world whose timers fire when the test says so, and which rejects timers longer than Node's limit.
function worldOfDays (t) {
  const timers = new Set()
  let now = 0
  t.teardown(enterWorld({
    now: () => now,
    setTimeout (callback, ms) {
      t.ok(ms <= LONGEST_TIMER_MS, `${ms} ms`)
      const timer = { at: now + ms, callback }
      timers.add(timer)
      return timer
    },
    clearTimeout: (timer) => timers.delete(timer)
  }))
  return {
    timers,
    toDay (day) {
      for (let next = earliest(timers); next?.at <= day * DAY_MS; next = earliest(timers)) {
        timers.delete(next)
        now = next.at
        next.callback()
      }
      now = day * DAY_MS
    }
  }
}

const earliest = (timers) => [...timers].sort((a, b) => a.at - b.at)[0]

t.test('a timer of 60 days fires after 60 days', async (t) => {
  const { timers, toDay } = worldOfDays(t)
  let fired = 0
  const timer = new LongTimer(() => fired++, 60 * DAY_MS)
  toDay(59.999)
  t.equal(fired, 0)
  toDay(60)
  t.equal(fired, 1)
  toDay(200)
  t.equal(fired, 1)
  timer.clear()
  const other = new LongTimer(() => fired++, 60 * DAY_MS)
  toDay(230)
  other.clear()
  t.equal(timers.size, 0)
})

t.test('a long sleep, and one that is aborted', async (t) => {
  const { timers, toDay } = worldOfDays(t)
  const ending = new AbortController()
  const sleeping = longSleep(30 * DAY_MS, ending.signal)
  toDay(30)
  await sleeping
  const other = longSleep(30 * DAY_MS, ending.signal)
  ending.abort()
  await other
  await longSleep(30 * DAY_MS, ending.signal)
  t.equal(timers.size, 0)
})
