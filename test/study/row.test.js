'use strict'

const t = require('tap')
const { assess } = require('../../lib/study/keeping-up')
const { withSaturation } = require('../../lib/study/limited-by')
const { statusesOf } = require('../../lib/study/row-values')
const { targetOf } = require('../../lib/study/sweep/row')

const statistics = (value) => ({
  min: value, max: value, mean: value, average: value, stddev: 0, p10: value, p50: value, p90: value, p99: value, p99_9: value, totalCount: 100
})
const REASONS = ['the load generator sent requests late']

// A run in which 80 of 100 requests per second were answered, each in 60 ms.
function resultOf (changes) {
  return {
    duration: 10,
    requests: statistics(80),
    latency: statistics(100),
    serviceTime: statistics(60),
    timeToFirstByte: statistics(60),
    errors: 0,
    timeouts: 0,
    non2xx: 0,
    connections: 10,
    pipelining: 1,
    accounting: { sent: 800, completed: 800, unsent: 200, unfinished: 0 },
    rate: { offered: 100, achieved: 80 },
    connectionStats: { opened: 10 },
    bytes: { read: 1, written: 1 },
    timeline: Array.from({ length: 10 }, (_, index) => ({ time: index + 1, requests: 80 })),
    sendDelay: { client: { mean: 40, p99: 60 }, waiting: { mean: 0, p99: 0 } },
    generator: { saturated: true, reasons: REASONS, eventLoop: { utilization: 0.5, delayP99: 5 } },
    ...changes
  }
}

const rowOf = (changes, idle = null) => {
  const result = resultOf(changes)
  const { keepsUp, saturated, limitedBy, reasons } = targetOf('x', result, idle, assess(result, 100))
  return { keepsUp, saturated, limitedBy, reasons }
}

t.test('if the generator was saturated, the server is not blamed alone, and the reasons are given', async (t) => {
  t.same(rowOf(), { keepsUp: false, saturated: true, limitedBy: 'both', reasons: REASONS })
  t.match(rowOf({}, resultOf({ serviceTime: statistics(10) })), { limitedBy: 'both', reasons: REASONS }, 'slower than it could be')
  t.match(rowOf({}, resultOf({ serviceTime: statistics(59) })), { limitedBy: 'generator', reasons: REASONS }, 'as quick as ever')
  const fine = { saturated: false, reasons: [], eventLoop: { utilization: 0.5, delayP99: 5 } }
  t.same(rowOf({ generator: fine }), { keepsUp: false, saturated: false, limitedBy: 'server', reasons: [] })
  const late = { client: { mean: 90, p99: 99 }, waiting: { mean: 0, p99: 0 } }
  t.match(rowOf({ sendDelay: late }), { saturated: true, limitedBy: 'generator', reasons: [/by 90 ms on average/] })
  t.match(rowOf({ timeline: [], rate: { offered: 100, achieved: 100 } }), { keepsUp: true, saturated: true, limitedBy: null, reasons: REASONS })
  const waiting = { client: { mean: 0, p99: 0 }, waiting: { mean: 90, p99: 99 } }
  const quick = resultOf({ serviceTime: statistics(59) })
  t.match(rowOf({ generator: fine, sendDelay: waiting }, quick), { saturated: false, limitedBy: 'connections', reasons: [/^all 10 connections were busy/] })
  const generators = { limitedBy: 'generator', reasons: ['x'] }
  t.equal(withSaturation(generators, resultOf(), null), generators)
})

t.test('unanswered requests have no times, although they reached an age', async (t) => {
  const result = resultOf({ accounting: { sent: 800, completed: 0, unsent: 200, unfinished: 0 }, rate: { offered: 100, achieved: 0 } })
  const row = targetOf('x', result, null, assess(result, 100))
  for (const name of ['responseTime', 'serviceTime', 'timeToFirstByte', 'p50', 'p90', 'p99', 'p99_9']) t.equal(row[name], null, name)
})

t.test('times that no response has are unknown, not 0', async (t) => {
  const none = { ...statistics(0), totalCount: 0 }
  const result = resultOf({ latency: none, timeToFirstByte: none })
  const { responseTime, p50, p99_9: highest, timeToFirstByte, serviceTime } = targetOf('x', result, null, assess(result, 100))
  t.same([responseTime, p50, highest, timeToFirstByte, serviceTime], [null, null, null, null, 60])
})

t.test('statuses are in their order, and a saturated generator only shares the blame with the server', async (t) => {
  t.same(Object.keys(statusesOf([{ grpcStatus: { OK: 1, UNAVAILABLE: 2 } }, { grpcStatus: { ABORTED: 1, NOT_FOUND: 0, OK: 2 } }])), ['ABORTED', 'OK', 'UNAVAILABLE'])
  const limit = { limitedBy: 'connections', reasons: ['too few'] }
  t.equal(withSaturation(limit, { generator: { saturated: true, reasons: ['busy'] } }, null), limit)
})
