'use strict'

// The offered rate, when the schedule ends before the run does or is cut off.

const t = require('tap')
const { run, printResult } = require('../../..')
const { playInWorld } = require('../../support/play-in-world')
const { createPacer } = require('../../../lib/load')
const { addsUp } = require('../../support/accounts')
const { delayServer } = require('../../support/servers')
const { exact, near, warning } = require('./helpers')

const BURSTS = { connections: 10, bursts: { size: 10, interval: 0.5 } }

function areAllThere (t, result, amount, offered) {
  t.equal(result.accounting.completed, amount)
  t.equal(result.rate.offered, offered)
  t.ok(result.requests.average > 0, `requests.average: ${result.requests.average}`)
  t.equal(result.timeline.reduce((sum, { requests }) => sum + requests, 0) + result.drain.completed, amount)
  t.match(printResult(result), 'Service time', 'printed unchanged')
}

t.test('stages that end before the duration: both rates refer to the whole window', async (t) => {
  const { result } = await playInWorld(t, {}, { connections: 50, stages: [{ duration: 0.5, rate: 100 }], duration: 2 })
  t.equal(result.accounting.completed, 50)
  t.equal(result.rate.offered, 25)
  exact(t, result.duration * 1000, 2000, 'duration')
  near(t, result.rate.achieved, 25, 0.02, 'rate.achieved')
  t.notOk(warning(result, 'RATE_NOT_ACHIEVED'), 'the rate was achieved')
})

for (const [amount, offered] of [[9, 18], [10, 20], [11, 11], [15, 15]]) {
  for (const limit of ['amount', 'maxOverallRequests']) {
    t.test(`an amount that is part of a burst: ${limit} ${amount}`, async (t) => {
      const { result } = await playInWorld(t, { serviceTime: 20 }, { ...BURSTS, [limit]: amount })
      areAllThere(t, result, amount, offered)
    })
  }
}

t.test('with threads as well', async (t) => {
  const { url } = await delayServer(t, 20)
  for (const [amount, offered] of [[9, 18], [11, 11]]) {
    const result = await run({ url, ...BURSTS, amount, workers: 2 })
    addsUp(t, result)
    areAllThere(t, result, amount, offered)
  }
})

t.test('rows that are used once: the schedule lasts until the next request of the whole run would have been due, with any number of threads', async (t) => {
  const rows = Array.from({ length: 25 }, (_, id) => ({ id }))
  // The 26th request of a schedule, seconds; a burst takes its whole interval.
  for (const [schedule, seconds] of [
    [{ overallRate: 50 }, 25 / 50],
    [{ overallRate: 50, amount: 100 }, 25 / 50],
    [{ bursts: { size: 10, interval: 0.5 } }, 3 * 0.5],
    [{ bursts: { size: 10, interval: 0.5 }, amount: 100 }, 3 * 0.5],
    [{ overallRate: 50, arrivals: 'poisson', seed: 3 }, timeOfArrival({ kind: 'constant', rate: 50, arrivals: 'poisson', seed: 3 }, 25)]
  ]) {
    for (const workers of [0, 2, 3]) {
      const { result: { rate, accounting } } = await playInWorld(t, { serviceTime: 5 }, {
        connections: 7, workers, duration: 10, feed: { rows, order: 'once' }, requests: [{ path: '/{{id}}' }], ...schedule
      })
      t.equal(accounting.scheduled, 25)
      t.equal(rate.offered, Math.round(25 / seconds * 1000) / 1000, `${JSON.stringify(schedule)}, ${workers} threads`)
    }
  }
})

t.test('sessions that each take a row used once: there are no more of them than rows, and their offered rate is that of the schedule', async (t) => {
  const rows = Array.from({ length: 25 }, (_, id) => ({ id }))
  for (const amount of [undefined, 10, 25, 100]) {
    for (const workers of [0, 2, 3]) {
      const { result: { sessions } } = await playInWorld(t, { serviceTime: 5 }, {
        overallRate: 50, sessions: { amount }, workers, duration: 10, feed: { rows, order: 'once' }, requests: [{ path: '/{{id}}' }]
      })
      const expected = Math.min(amount ?? Infinity, rows.length)
      t.same([sessions.scheduled, sessions.completed, sessions.unstarted, sessions.rate.offered], [expected, expected, 0, 50], `${amount} sessions, ${workers} threads`)
    }
  }
})

function timeOfArrival (schedule, number) {
  const pacer = createPacer(schedule)
  for (let index = 0; index < number; index++) pacer.next()
  return pacer.next()
}
