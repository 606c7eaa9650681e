'use strict'

// How much a phase has to do, computed.

const t = require('tap')
const Extent = require('../../../lib/engine/phase/extent')
const { WHOLE } = require('../../../lib/engine/deal/part')

const PLAN = {
  schedule: null,
  sessions: null,
  amount: null,
  duration: 10,
  maxOverallRequests: null,
  maxConnectionRequests: null,
  connections: 4,
  targets: [{}],
  followRedirects: null,
  feed: null,
  replay: null,
  websocket: null
}
const EVEN = { kind: 'constant', rate: 5, perConnection: false }
const extentOf = (plan, supply = Infinity, part = WHOLE) => new Extent({ ...PLAN, ...plan }, part, supply)

t.test('the number of requests that ends a part of a run', async (t) => {
  const SECOND = { share: 1, of: 3 } // it has one of four connections, and the third part of them has one too
  const rows = (amount) => ({ feed: { amount } })
  for (const [plan, supply, part, total] of [
    [{}, Infinity, WHOLE, Infinity],
    [{ amount: 30 }, Infinity, WHOLE, 30],
    [{ maxOverallRequests: 30 }, Infinity, WHOLE, 30],
    [{ amount: 20, maxOverallRequests: 30 }, Infinity, WHOLE, 20],
    [{ maxConnectionRequests: 6 }, Infinity, WHOLE, 24],
    [{ maxConnectionRequests: 6, maxOverallRequests: 7 }, Infinity, WHOLE, 7],
    [{ amount: 30 }, Infinity, SECOND, 8],
    [{ amount: 29 }, Infinity, SECOND, 7],
    [{ amount: 30 }, 12, WHOLE, 12],
    [{ amount: 30 }, 40, WHOLE, 30],
    [{ amount: 30 }, 5, SECOND, 5],
    [{}, 12, WHOLE, 12],
    [{ amount: 12, ...rows(12) }, 12, WHOLE, 12],
    [{ amount: 12, ...rows(12) }, Infinity, WHOLE, Infinity],
    // A redirect stretches a row over more requests, and connections with schedules of their own run out one by one.
    [{ amount: 30, followRedirects: 3 }, 12, WHOLE, 30],
    [{ schedule: { ...EVEN, perConnection: true } }, 12, WHOLE, Infinity],
    [{ sessions: { amount: 5 }, amount: null }, Infinity, WHOLE, Infinity]
  ]) t.equal(extentOf(plan, supply, part).total, total, JSON.stringify([plan, supply, part]))
})

t.test('what ends a phase, and how long it may take', async (t) => {
  for (const [plan, supply, expected] of [
    [{}, Infinity, { isOfTime: true, endsWithRows: false, endsWithSessions: false, longestWindow: 10 }],
    [{ amount: 30 }, Infinity, { isOfTime: false, endsWithRows: false, endsWithSessions: false, longestWindow: Infinity }],
    [{ maxOverallRequests: 30 }, Infinity, { isOfTime: false, endsWithRows: false, endsWithSessions: false, longestWindow: 10 }],
    [{}, 12, { isOfTime: false, endsWithRows: true, endsWithSessions: false, longestWindow: 10 }],
    [{ sessions: { amount: null } }, Infinity, { isOfTime: true, endsWithRows: false, endsWithSessions: false, longestWindow: 10 }],
    [{ sessions: { amount: 5 } }, Infinity, { isOfTime: false, endsWithRows: false, endsWithSessions: true, longestWindow: Infinity }]
  ]) {
    const { isOfTime, endsWithRows, endsWithSessions, longestWindow } = extentOf(plan, supply)
    t.same({ isOfTime, endsWithRows, endsWithSessions, longestWindow }, expected, JSON.stringify(plan))
  }
})

t.test('the number of arrivals in the schedule of the whole run, and its length', async (t) => {
  const stages = { kind: 'stages', stages: [{ duration: 2, from: 5, to: 5 }, { duration: 2, from: 10, to: 10 }] }
  const bursts = { kind: 'bursts', size: 10, interval: 2 }
  for (const [plan, seconds, arrivals, span] of [
    [{ schedule: EVEN }, 4, 20, 10],
    [{ schedule: EVEN }, 40, 50, 10],
    [{ schedule: EVEN, amount: 15 }, 40, 15, 3],
    [{ schedule: EVEN, amount: 100 }, 15, 75, 20],
    [{ schedule: EVEN, maxOverallRequests: 15 }, 2, 10, 3],
    [{ schedule: EVEN, maxOverallRequests: 80 }, 40, 50, 10],
    [{ schedule: EVEN, sessions: { amount: 10 } }, 40, 10, 2],
    [{ schedule: stages }, 3, 20, 4],
    [{ schedule: stages, maxOverallRequests: 25 }, 4, 25, 3.5],
    [{ schedule: bursts, duration: 5 }, 5, 30, 5],
    // An amount that ends in the middle of a burst lasts until the next burst would be due.
    [{ schedule: bursts, amount: 15 }, 5, 15, 4],
    [{ schedule: bursts, amount: 20 }, 5, 20, 4]
  ]) {
    const extent = extentOf(plan)
    t.equal(extent.arrivalsIn(seconds), arrivals, `${JSON.stringify(plan)} in ${seconds} s`)
    t.equal(extent.span, span, `the length of ${JSON.stringify(plan)}`)
  }
  t.equal(extentOf({ schedule: EVEN }).spanOf(20, 4), 4, 'a schedule that ended early is as long as its arrivals')
  t.equal(extentOf({ schedule: stages }).spanOf(30, Infinity), 4)
})

t.test('a part that has used its rows: its schedule lasts until the next request of the whole run would have been due', async (t) => {
  // Of four connections, the second of two parts has requests 1, 3, 5, 7, …; the third of three has 2, 6, 10, …
  for (const [part, scheduled, span] of [[WHOLE, 3, 0.6], [{ share: 1, of: 2 }, 3, 1.2], [{ share: 0, of: 2 }, 3, 1], [{ share: 2, of: 3 }, 3, 2.2]]) {
    const extent = extentOf({ schedule: EVEN }, 12, part)
    t.equal(extent.isOfRows, true)
    t.equal(extent.spanOfRows(scheduled), span, JSON.stringify(part))
  }
})
