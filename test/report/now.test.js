'use strict'

// The current values of a run: ticks that are merged into windows, compared with what their ticks add up to.

const assert = require('node:assert/strict')
const t = require('tap')
const Now = require('../../lib/report/live/now')
const fc = require('../support/fast-check')

const tick = fc.record({
  passed: fc.integer({ min: 1, max: 60 }).map((twentieths) => twentieths / 20),
  counter: fc.nat(50),
  p50: fc.integer({ min: 0, max: 9 }),
  p99: fc.integer({ min: 0, max: 99 }),
  newErrors: fc.nat(3),
  newEvents: fc.option(fc.nat(40)),
  bound: fc.option(fc.integer({ min: 1, max: 99 })),
  open: fc.option(fc.nat(9))
})

const round = (value) => Number(value.toFixed(6))

t.test('windows have the sums, the highest percentiles and the bounds of their own ticks only', async (t) => {
  fc.assert(fc.property(fc.array(tick, { minLength: 1, maxLength: 30 }), fc.constantFrom(1, 2, 5), (ticks, seconds) => {
    const now = new Now(seconds)
    let [time, requests, errors, events] = [0, 0, 0, 0]
    let [start, errorsBefore, eventsBefore] = [0, 0, 0]
    let group = []
    for (const { passed, counter, p50, p99, newErrors, newEvents, bound, open } of ticks) {
      time = round(time + passed)
      requests += counter
      errors += newErrors
      events += newEvents ?? 0
      const hasEvents = newEvents !== null
      const window = now.take({ counter, time, requests, statuses: { '2xx': requests }, errors, p50, p99, connections: counter, sessions: open === null ? undefined : { open }, events: hasEvents ? events : null, latencyBounds: bound === null ? undefined : { count: 1, smallest: bound } })
      group.push({ counter, p50, p99, bound })
      if (time - start < seconds - 0.05) {
        assert.equal(window, null)
        continue
      }
      // A tick without responses has latencies only if it has values of requests without a response.
      const measured = group.filter((each) => each.counter > 0 || each.p99 > 0)
      const highest = (name) => measured.length === 0 ? null : Math.max(...measured.map((each) => each[name]))
      const smallest = Math.min(...group.map((each) => each.bound ?? Infinity))
      const length = time - start
      assert.deepEqual({ ...window, rate: round(window.rate), events: window.events === null ? null : round(window.events) }, {
        time,
        rate: round(group.reduce((sum, each) => sum + each.counter, 0) / length),
        p50: highest('p50'),
        p99: highest('p99'),
        atLeast: ['p50', 'p99'].filter((name) => highest(name) !== null && highest(name) >= smallest),
        requests,
        statuses: { '2xx': requests },
        errors,
        newErrors: errors - errorsBefore,
        connections: counter,
        sessions: open,
        events: hasEvents ? round((events - eventsBefore) / length) : null
      })
      start = time
      errorsBefore = errors
      eventsBefore = hasEvents ? events : 0
      group = []
    }
  }), { numRuns: 300 })
})
