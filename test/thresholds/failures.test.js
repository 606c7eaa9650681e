'use strict'

// Ranges of what failed, of mismatches, and of what parts of a run were lost with, by arithmetic.

const t = require('tap')
const { evaluateThresholds } = require('../..')
const { failuresOf, failuresRange } = require('../../lib/thresholds/failures')
const { mismatchesRange } = require('../../lib/thresholds/incomplete')

const resultOf = (changes) => ({
  errors: 5, mismatches: 0, non2xx: 0, '3xx': 0, requests: { total: 95 }, missing: {}, rate: {}, accounting: { completed: 95, failed: 3, timedOut: 2, unsent: 0, unfinished: 0 }, ...changes
})

t.test('failures: errors, other statuses and bodies, which may belong to the same responses', async (t) => {
  for (const [changes, atLeast, atMost, attempts] of [
    [{}, 5, 5, 100],
    [{ non2xx: 10 }, 15, 15, 100],
    [{ non2xx: 10, '3xx': 4 }, 11, 11, 100],
    [{ mismatches: 7 }, 12, 12, 100],
    [{ non2xx: 10, mismatches: 7 }, 15, 22, 100],
    [{ non2xx: 60, mismatches: 50 }, 65, 100, 100],
    [{ non2xx: 10, '3xx': 10, grpcStatus: {} }, 15, 15, 100],
    [{ requests: undefined, accounting: { completed: 20 } }, 5, 5, 25]
  ]) t.match(failuresOf(resultOf(changes)), { atLeast, atMost, attempts }, JSON.stringify(changes))
})

t.test('a threshold on failures counts those of the run, its warm-up or the scenario that it is about', async (t) => {
  const scenario = { name: 'a b', ...resultOf({ non2xx: 2, requests: undefined }) }
  const result = { latency: {}, ...resultOf({ non2xx: 10 }), scenarios: [scenario], warmup: { ...resultOf({ non2xx: 1, requests: { total: 45 } }), scenarios: [{ ...scenario, non2xx: 4 }] } }
  for (const [name, count, percent] of [['', 15, 15], ['warmup.', 6, 12], ['scenarios["a b"].', 7, 7], ['warmup.scenarios["a b"].', 9, 9]]) {
    for (const [field, actual, unit] of [['failures', count, ''], ['failures.count', count, ''], ['failures', percent, '%'], ['failures.count', percent, '%'], ['failures.rate', percent, '%']]) {
      const [at, below] = ['<=', '<'].map((operator) => `${name}${field} ${operator} ${actual}${unit}`)
      t.match(evaluateThresholds(result, [at, below]), [{ actual, unit, passed: true, certain: true }, { actual, unit, passed: false, certain: true }], at)
    }
  }
  t.match(evaluateThresholds({ latency: {}, ...resultOf({ non2xx: 10, mismatches: 7 }) }, ['failures >= 15', 'failures < 22', 'failures <= 22']), [[true, true], [false, false], [true, true]].map(([passed, certain]) => ({ actual: 15, passed, certain })), 'the least of what it may be')
  t.match(evaluateThresholds({ latency: {}, errors: 5 }, 'failures < 5'), [{ actual: null, passed: false }], 'a result that says too little')
})

t.test('the range of failures: bodies on which nobody has decided may be more of them, up to all', async (t) => {
  const of = (changes, unit = '') => {
    const result = resultOf(changes)
    const { atLeast, attempts } = failuresOf(result)
    return failuresRange(result, unit === '%' ? 100 * atLeast / attempts : atLeast, unit)
  }
  t.same(of({}), { range: [5, 5] })
  t.same(of({ unverified: 5 }), { range: [5, 5] }, 'those of requests that failed')
  t.same(of({ unverified: 9 }), { range: [5, 9], unanswered: { count: 4, of: 100 } })
  t.same(of({ unverified: 9, accounting: undefined }), { range: [5, 5] }, 'nothing says how many of them have failed')
  t.same(of({ unverified: 9 }, '%'), { range: [5, 9], unanswered: { count: 4, of: 100 } })
  t.same(of({ unverified: 100, non2xx: 60, mismatches: 20 }), { range: [65, 100], unanswered: { count: 35, of: 100 } }, 'no more than all')
  const withUnfinished = { completed: 95, failed: 3, timedOut: 2, unsent: 1, unfinished: 2 }
  t.same(of({ unverified: 9, accounting: withUnfinished }).range, [5, 6])
  t.same(of({ unverified: 9, accounting: withUnfinished, rate: undefined }).range, [5, 8], 'what is in flight at the end of a closed model is none')
  t.same(of({ unverified: 9, accounting: withUnfinished, rate: undefined, sessions: {} }).range, [5, 6], 'what sessions have in flight at the end is waited for, also without a schedule')
  t.same(of({ requests: { total: 0 }, accounting: { completed: 0, failed: 3, timedOut: 2, unsent: 0 } }), { range: [5, Infinity] })
  t.same(of({ accounting: undefined }), { range: [5, 5] }, 'without accounts, the responses are those of requests')
})

t.test('the range of mismatches, and of their share', async (t) => {
  const of = (changes, actual, unit = '') => mismatchesRange(resultOf(changes), actual, unit)
  t.same(of({ unverified: 0, mismatches: 2 }, 2), { range: [2, 2] })
  t.same(of({ missing: undefined, unverified: 7, mismatches: 2 }, 2), { range: [2, 2] }, 'of an earlier version')
  t.same(of({ unverified: 9, mismatches: 2 }, 2), { range: [2, 11], unanswered: { count: 9, of: 100 } })
  // At least: all of the nine are right. At most: the five that had no response would have been wrong, too.
  t.same(of({ unverified: 9, mismatches: 2 }, 100 * 2 / 95, '%'), { range: [100 * 2 / 104, 100 * 11 / 100], unanswered: { count: 9, of: 100 } })
  const accounting = { completed: 95, failed: 3, timedOut: 2, unsent: 0, unfinished: 4 }
  t.same(of({ unverified: 9, accounting }, 0).unanswered, { count: 9, of: 104 })
  t.same(of({ unverified: 9, accounting, rate: undefined }, 0).unanswered, { count: 9, of: 100 }, 'in the closed model, those in flight at the end are only counted if they are old')
  t.same(of({ unverified: 9, accounting, rate: undefined, sessions: {} }, 0).unanswered, { count: 9, of: 104 }, 'with sessions they are, also without a schedule')
  t.same(of({ unverified: undefined, mismatches: 0 }, 0), { range: [0, 95], unanswered: { count: 95, of: 95 } }, 'nobody looked')
  t.same(of({ unverified: 5, accounting: { completed: 0, failed: 5, timedOut: 0, unsent: 0, unfinished: 0 } }, 0).range, [0, Infinity])
})

t.test('a result that lost parts of its run: what can only grow is a bound, what the plan says is known, and the rest is open', async (t) => {
  const result = {
    ...resultOf({ rate: { offered: 100, achieved: 95 }, latency: { totalCount: 95, max: 40, p50: 10 }, latencyBounds: { count: 0 } }),
    connections: 7,
    incomplete: { parts: 1, since: 2 },
    connectionStats: { opened: 7, closedByClient: 6, closedByServer: 1 }
  }
  const verdicts = (...thresholds) => evaluateThresholds(result, thresholds).map(({ passed, certain }) => certain ? passed : null)
  t.same(verdicts('connections == 7', 'rate.offered >= 100', 'rate.achieved >= 95', 'requests.total >= 95', 'errors >= 5', 'connectionStats.opened >= 7', 'connectionStats.closedByServer >= 1', 'accounting.completed >= 95', 'latency.max >= 40ms'), new Array(9).fill(true))
  t.same(verdicts('rate.achieved >= 96', 'errors <= 5', 'connectionStats.closedByClient >= 6', 'connectionStats.closedByClient >= 0', 'accounting.unsent >= 0', 'latencyBounds.count >= 0', 'accounting.completed >= 10%', 'p50 >= 1ms'), new Array(8).fill(null))
  t.same(verdicts('errors < 5', 'connections < 7', 'rate.offered < 100'), [false, false, false])
})
