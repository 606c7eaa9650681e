'use strict'

// Results of earlier versions and of other programs lack fields. What they don't count, they count as 0, and no figure becomes unknown by that.

const t = require('tap')
const { boundsOf, copyBoundsOf, evaluateThresholds } = require('../../lib/thresholds')
const { HISTOGRAM_OF } = require('../../lib/metrics/figures')

const statistics = (totalCount) => ({ totalCount, min: 1, max: 9, mean: 4, average: 4, stddev: 1, total: 4 * totalCount, p50: 4, p99: 8 })

const RESULT = {
  latency: statistics(60),
  latencyWithUnfinished: statistics(70),
  serviceTime: statistics(50),
  timeToFirstByte: statistics(52),
  timeToStatusLine: statistics(51),
  transferTime: statistics(50),
  sendDelay: { ...statistics(61), client: statistics(61), waiting: statistics(61), causes: { connecting: 0, hooks: 2, asleep: 0 } },
  connectTime: { ...statistics(9), dns: statistics(9), tcp: statistics(9), tls: statistics(9) },
  connectionStats: { opened: 9, withReplies: 7, lifetime: statistics(7) },
  sessions: { unfinished: 2, unstarted: 4, failed: 8, lifetime: statistics(5), failTime: statistics(5) },
  stream: { timeToFirstEvent: statistics(49), gap: statistics(90) },
  accounting: { scheduled: 100, sent: 90, completed: 50, failed: 9, timedOut: 5, unfinished: 3, unsent: 10 },
  errorCodes: { CANNONADE_CONNECT_TIMEOUT: { count: 2 }, CANNONADE_LOST_IN_PIPELINE: { count: 3 }, CANNONADE_SESSION_FAILED: { count: 1 } },
  requests: { total: 50, sent: 90 },
  errors: 14,
  timeouts: 5,
  non2xx: 0,
  rate: { offered: 1, achieved: 1 },
  endpoints: [{ latency: statistics(30), completed: 30, failed: 4 }]
}

/** A copy with another value at a path; without it if that is undefined. */
function changed (object, [key, ...rest], value) {
  const copy = Array.isArray(object) ? [...object] : { ...object }
  if (rest.length > 0) copy[key] = changed(copy[key], rest, value)
  else if (value === undefined) delete copy[key]
  else copy[key] = value
  return copy
}

const FIGURES = [...HISTOGRAM_OF.keys(), 'latencyWithUnfinished'].filter((place) => place.split('.').reduce((part, key) => part?.[key], RESULT) !== undefined)
const countsIn = ({ count, total }) => [count, total]

/** How many values each figure lacks, and of how many, also that of an endpoint. */
function unknownIn (result) {
  return [...FIGURES.map((place) => [place, ...countsIn(boundsOf(result, place))]), ['endpoints[0]', ...countsIn(boundsOf(result, 'latency', result.endpoints[0]))]]
}

t.test('how many values each figure lacks at most, in each model', async (t) => {
  // Late: five timed out, four lost with them, and in flight at the end three.
  const common = {
    sendDelay: [10, 71],
    'sendDelay.client': [10, 71],
    'sendDelay.waiting': [10, 71],
    connectTime: [2, 11],
    'connectTime.dns': [2, 11],
    'connectTime.tcp': [2, 11],
    'connectTime.tls': [2, 11],
    'connectionStats.lifetime': [2, 9],
    // Not begun, not over, or failed with a request or a connection whose time was over.
    'sessions.lifetime': [2 + 4 + 7, 18],
    'sessions.failTime': [2 + 4, 11],
    latencyWithUnfinished: [9 + 5 + 3 + 10, 70]
  }
  const late = (count) => ({ serviceTime: [count, 50 + count], timeToFirstByte: [count, 52 + count], timeToStatusLine: [count, 51 + count], transferTime: [count, 50 + count], 'stream.timeToFirstEvent': [count, 49 + count], 'stream.gap': [count, 90 + count] })
  const found = (result) => Object.fromEntries(unknownIn(result).map(([place, ...counts]) => [place, counts]))
  // The ten of the latency that did not complete are among the late ones, but four of these are not in it.
  t.same(found(RESULT), { ...common, ...late(12), latency: [10 + 4, 60 + 4], 'endpoints[0]': [0 + 4 + 10, 30 + 4 + 10] })
  const closed = changed(RESULT, ['rate'])
  t.same(found(closed), { ...common, ...late(12), latency: [12, 72], 'endpoints[0]': [7 + 10, 47] }, 'sessions without a schedule')
  const without = { ...common, ...late(9), latency: [9, 69], 'endpoints[0]': [7 + 10, 47], 'sessions.lifetime': [0, 0], 'sessions.failTime': [0, 0] }
  t.same(found({ ...changed(closed, ['sessions']), sessions: undefined }), without, 'what is in flight at the end of a closed model is not late')
  const older = changed(changed(closed, ['sessions']), ['latencyWithUnfinished', 'max'], 9.1)
  t.same(found(older), { ...without, ...late(12), latency: [12, 72] }, 'unless it is older than all responses')
  const told = changed(RESULT, ['latencyBounds'], { count: 18, share: 0.25, smallest: 2 })
  t.same(found(told).latency, [18 + 12 - (18 - 10), 60 + 4], 'all in the latency but those that were never sent are late')
  // One that tells what its figures lack.
  const missing = { serviceTime: { count: 6, smallest: 1, largest: 2, total: 8 }, latency: { count: 1, smallest: 1, largest: 1, total: 1 } }
  const exact = found({ ...told, missing })
  t.same([exact.serviceTime, exact.latency, exact.timeToFirstByte, exact['endpoints[0]']], [[6, 56], [19, 61], [0, 52], [10, 40]])
})

const COUNTS = [
  ...['failed', 'timedOut', 'unfinished', 'unsent'].map((box) => ['accounting', box]),
  ...Object.keys(RESULT.errorCodes).flatMap((code) => [['errorCodes', code], ['errorCodes', code, 'count']]),
  ...['unfinished', 'unstarted', 'failed'].map((name) => ['sessions', name]),
  ['timeouts']
]

t.test('a count that a result lacks is 0', async (t) => {
  const others = { 'the open model': RESULT, 'the closed model': changed(changed(RESULT, ['rate']), ['sessions']), 'sessions of a closed model': changed(RESULT, ['rate']), 'with bounds': changed(RESULT, ['latencyBounds'], { count: 8, smallest: 1 }), 'with what is missing': changed(RESULT, ['missing'], {}) }
  for (const [name, result] of Object.entries(others)) {
    for (const path of COUNTS) {
      if (path[0] === 'sessions' && result.sessions === undefined) continue
      const zero = path.at(-1).startsWith('CANNONADE') ? { count: 0 } : 0
      t.same(unknownIn(changed(result, path)), unknownIn(changed(result, path, zero)), `${name}: ${path.join('.')}`)
    }
    t.same(unknownIn(changed(result, ['errorCodes'])), unknownIn(changed(result, ['errorCodes'], {})), name)
  }
})

t.test('without accounts, the late requests are the timeouts', async (t) => {
  const bare = changed(RESULT, ['accounting'])
  const counts = Object.fromEntries(unknownIn(bare).map(([place, count]) => [place, count]))
  t.match(counts, { latency: 5, serviceTime: 5, timeToFirstByte: 5, transferTime: 5, sendDelay: 0, 'stream.gap': 5, 'sessions.lifetime': 2 + 4 + 2, 'endpoints[0]': 4, latencyWithUnfinished: 0 })
  t.match(evaluateThresholds(bare, 'serviceTime.max < 1s')[0], { passed: false, certain: false, unanswered: { count: 5, of: 55 } })
  t.match(evaluateThresholds(changed(bare, ['timeouts']), 'serviceTime.max < 1s')[0], { passed: true, certain: true })
})

t.test('a figure without a number of values has none but those that are missing', async (t) => {
  const bare = { latency: { p99: 5, mean: 4, min: 1 }, timeouts: 2 }
  t.match(boundsOf(bare, 'latency'), { size: 0, count: 2, total: 2, smallest: 0 })
  t.match(evaluateThresholds(bare, ['p99 < 10ms', 'latency.mean < 10ms', 'latency.min >= 0ms']), [{ passed: false, certain: false, unanswered: { count: 2, of: 2 } }, { passed: false, certain: false }, { passed: true }])
  t.match(evaluateThresholds({ ...bare, timeouts: 0 }, ['p99 < 10ms', 'latency.mean < 10ms']), [{ passed: true, certain: true }, { passed: true, certain: true }])
})

t.test('without histograms, a percentile is at most the next larger one that the result has, or the maximum', async (t) => {
  const latency = { totalCount: 10, p10: 1, p50: 5, p90: 8 }
  const atMost = (percents, smallest, more) => percents.map((percent) => {
    const range = boundsOf({ latency: { ...latency, ...more }, latencyBounds: { count: 2, smallest } }, 'latency').range('', 0.5, percent)
    t.equal(range.atLeast, 0.5, 'none is missing, so it is at least what the result says')
    return range.atMost
  })
  t.same(atMost([10, 81], 0.6), [0.5, 0.5], 'below the smallest bound it is what it is')
  // Two of the ten are bounds, possibly the smallest ones: the value of rank 3 is at most that of rank 5, and those of 9 and 10 are unknown.
  t.same(atMost([30, 31, 70, 71, 80, 81], 0), [5, 8, 8, Infinity, Infinity, Infinity])
  t.same(atMost([70, 71, 80, 81], 0, { max: 9 }), [8, 9, 9, Infinity])
})

t.test('copies: those that are missing, of all that were expected', async (t) => {
  const of = (broadcast, accounting) => copyBoundsOf({ broadcast, accounting })
  const broadcast = { expected: 60, received: 45, lastCopy: statistics(20) }
  // Each missing copy may be the last one of another message, so the smallest five of the twenty times are known. Of messages without any
  // copy, nothing tells which times are others' without a histogram.
  for (const [sent, least] of [[20, 8], [undefined, 8], [19, 8], [22, Infinity]]) {
    const bounds = of(broadcast, sent === undefined ? undefined : { sent })
    t.same([bounds.count, bounds.total], [15, 60])
    t.same(bounds.range('p50'), { atLeast: 4, atMost: Infinity })
    t.same(bounds.range('p1', 1, 1), { atLeast: 1, atMost: least })
  }
  t.match(of({ expected: 2, received: 1 }), { count: 1, total: 2 }, 'no message had a copy')
  for (const whole of [undefined, null, { ...broadcast, received: 60 }, { ...broadcast, received: 61 }, { expected: 60 }]) t.equal(of(whole, { sent: 20 }), null)
})
