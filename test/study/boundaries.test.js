'use strict'

// Limits of studies at exactly their value: a value equal to its limit is allowed.

const t = require('tap')
const { search } = require('../../lib/study/capacity/search')
const { blocksOf, METRICS } = require('../../lib/study/compare/metrics')
const { prepare } = require('../../lib/study/compare/prepare')
const { checkRegression } = require('../../lib/study/compare/regression')
const { assess, sustainedRate } = require('../../lib/study/keeping-up')
const { quicker } = require('../../lib/study/limited-by')
const { kneeOf } = require('../../lib/study/sweep/knee')
const { pastLimit, rates } = require('../../lib/study/sweep/settings')

t.test('a knee: one percent more errors is not one, and twice the latency is', async (t) => {
  const point = (at, { p50 = 20, errorPercent = 0 } = {}) => {
    return { at, limitedBy: 'server', target: { name: 'a', achieved: at, sustained: at, p50, p99: p50, errorPercent, keepsUp: true } }
  }
  const reasonOf = (changes) => kneeOf([point(100), point(200, { errorPercent: 0.5 }), point(300, { errorPercent: 0.5, ...changes })])?.reason
  t.equal(reasonOf({ errorPercent: 1.5 }), undefined)
  // The knee itself may have one percent more than the best, and no more.
  const kneeWith = (errorPercent) => kneeOf([point(100), point(200, { errorPercent }), point(300, { p50: 60, errorPercent: 2 })])?.rate
  t.same([kneeWith(1), kneeWith(1.01)], [200, 100])
  t.equal(reasonOf({ errorPercent: 1.51 }), 'errors')
  t.equal(reasonOf({ p50: 39.99 }), undefined)
  t.equal(reasonOf({ p50: 40 }), 'latency')
})

t.test('stopWhen: at its limit a target is not past it, and if unknown latencies may be beyond it, it is', async (t) => {
  const statistics = { totalCount: 100, p99: 50, max: 60 }
  const result = (bounds) => ({ latency: statistics, latencyBounds: bounds, missing: {}, accounting: { sent: 100, completed: 100, unsent: 0 }, errors: 0, non2xx: 7, '3xx': 2 })
  const none = { count: 0, share: 0, smallest: null }
  const past = (limits, target, bounds = none) => pastLimit(limits, target, 200, result(bounds))
  t.equal(past({ errorRate: 0.05 }, { errorPercent: 5 }), null)
  t.equal(past({ errorRate: 0.05 }, { errorPercent: 5.1 }), 'errorRate')
  t.equal(past({ failureRate: 0.05 }, {}), null, 'five responses with 500, and two redirects')
  t.equal(past({ failureRate: 0.049 }, {}), 'failureRate')
  t.equal(past({ achievedRatio: 0.9 }, { achieved: 180 }), null)
  t.equal(past({ achievedRatio: 0.9 }, { achieved: 179.9 }), 'achievedRatio')
  t.equal(past({ p99: 50 }, { p99: 50 }), null)
  t.equal(past({ p99: 49.9 }, { p99: 50 }), 'p99')
  t.equal(past({ p99: 1000 }, { p99: 50 }, { count: 5, share: 0.05, smallest: 40 }), 'p99')
})

t.test('the last rate of a sweep is included, without rounding errors from adding up steps', async (t) => {
  t.same(rates.read({ from: 0.1, to: 0.3, step: 0.1 }, 'rates'), [0.1, 0.2, 0.3])
  t.same(rates.read({ from: 1, to: 1.7, step: 0.1 }, 'rates').length, 8)
  t.same(rates.read({ from: 10, to: 39, step: 10 }, 'rates'), [10, 20, 30])
})

t.test('a regression check passes up to its limit, and fails beyond it', async (t) => {
  const metric = (interval, changes) => ({ a: 100, b: 100, difference: 0, interval, smallestDifference: 0.01, better: 'lower', scale: 'relative', ...changes })
  const verdictOf = (...given) => checkRegression({ p50: metric(...given) }, { p50: 0.05 }, { rounds: 10, seconds: null, isUnknown: false }).verdict
  t.equal(verdictOf([-0.01, 0.05]), 'passed')
  t.equal(verdictOf([-0.01, 0.051]), 'inconclusive')
  t.equal(verdictOf([0.05, 0.1]), 'inconclusive')
  t.equal(verdictOf([0.051, 0.1]), 'failed')
  // A metric that is better when higher has lost as much as it fell.
  t.equal(verdictOf([-0.05, 0.2], { better: 'higher' }), 'passed')
  t.equal(verdictOf([-0.2, -0.051], { better: 'higher' }), 'failed')
  const errors = (interval) => verdictOf(interval, { a: 0, b: 0.01, scale: 'absolute', verdict: 'no difference shown' })
  t.equal(errors([-0.01, 0.05]), 'passed', 'so few errors')
  t.not(errors([-0.01, 0.051]), 'passed')
})

t.test('a server keeps up if it answers enough, give or take one request; samples count after the first third of the run', async (t) => {
  const runOf = (achieved, changes) => ({ duration: 1.5, timeline: [], latency: { p10: 0 }, rate: { offered: 100, achieved }, accounting: {}, ...changes })
  t.match(assess(runOf(97), 100, { enough: 0.98 }), { answered: 98, keepsUp: true })
  t.match(assess(runOf(96.99), 100, { enough: 0.98 }), { keepsUp: false })
  const timeline = [1, 2, 3].map((time) => ({ time, requests: 10 }))
  t.equal(sustainedRate(runOf(7, { duration: 3, timeline })), 10)
  t.equal(sustainedRate(runOf(7, { duration: 3.001, timeline })), 7, 'two samples are too few')
  // No more are in flight than came due.
  t.equal(assess(runOf(0.001, { duration: 10, latency: { p10: 60_000 } }), 5).answered, 0.001 + (5 * 10 + 1) / 10)
})

t.test('of two runs the faster one shows how fast a server is, and a run without a response shows nothing', async (t) => {
  const taking = (p50, totalCount = 10) => ({ serviceTime: { p50, totalCount } })
  const [quick, slow, silent] = [taking(5), taking(9), taking(0, 0)]
  t.equal(quicker(null, slow), slow)
  for (const [one, other, expected] of [[quick, slow, quick], [slow, quick, quick], [silent, slow, slow], [slow, silent, slow]]) t.equal(quicker(one, other), expected)
})

t.test('a search goes down to the lowest rate, and no further', async (t) => {
  const askedFrom = async (least) => {
    const asked = []
    await search(async (rate, phase) => {
      asked.push(`${phase} ${rate}`)
      return false
    }, { from: 100, to: 1000, least, precision: 0.05 })
    return asked
  }
  t.same(await askedFrom(25), ['climb 100', 'descend 50', 'descend 25'])
  t.same(await askedFrom(25.1), ['climb 100', 'descend 50'])
})

t.test('a run is divided into five blocks or more, however many samples it has', async (t) => {
  const counts = new Map()
  for (let length = 5; length <= 60; length++) {
    const timeline = Array.from({ length }, (_, index) => ({ seconds: 1, requests: 10 + index, errors: 0, p50: 1, p99: 2 }))
    const result = { timeline, requests: { average: 10, total: 10 * length }, errors: 0, duration: length, latency: { totalCount: length, p50: 1, p99: 2, max: 3 } }
    counts.set(length, blocksOf(result, METRICS.map(() => 0), METRICS).length)
  }
  t.same([...counts].filter(([, count]) => count < 5), [])
  t.same([5, 9, 10, 16, 25].map((length) => counts.get(length)), [5, 9, 5, 5, 5])
})

t.test('a comparison includes a warm-up for each side, or for each round if servers are restarted', async (t) => {
  const secondsOf = (isRestarted) => prepare([{ url: 'http://a' }, { url: 'http://b' }], { rounds: 4, duration: 3, warmup: 0.5, pause: 0.25 }, { isRestarted }).seconds
  t.equal(secondsOf(false), 2 * (0.5 + 4 * 3.25))
  t.equal(secondsOf(true), 2 * (4 * 0.5 + 4 * 3.25))
})
