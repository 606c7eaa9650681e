'use strict'

const assert = require('node:assert')
const t = require('tap')
const fc = require('../support/fast-check')
const { kneeOf, kneeOfUsers } = require('../../lib/study/sweep/knee')
const { keepsUp, sustainedRate } = require('../../lib/study/keeping-up')
const { limitedBy, quicker } = require('../../lib/study/limited-by')

// [at, sustained, p50, errorPercent, limitedBy, changes]
function points (rows) {
  return rows.map(([at, sustained, p50, errorPercent = 0, limitedBy = 'server', changes = {}]) => {
    const isKept = sustained >= 0.98 * at
    const target = { name: 'a', achieved: sustained, sustained, p50, p99: p50 * 2, errorPercent, keepsUp: isKept, limitedBy: isKept ? null : limitedBy, saturated: false, ...changes }
    return { at, target, limitedBy }
  })
}

t.test('the knee is the last rate before one that is not kept up with', async (t) => {
  t.same(kneeOf(points([[100, 100, 20], [200, 200, 20], [300, 250, 400], [400, 250, 900]])), {
    name: 'a', rate: 200, achieved: 200, p50: 20, p99: 40, beyond: 300, reason: 'rate', limitedBy: 'server'
  })
})

t.test('or before one with errors, or with twice the latency', async (t) => {
  t.match(kneeOf(points([[100, 100, 20], [200, 200, 20], [300, 300, 25, 5]])), { rate: 200, reason: 'errors', beyond: 300 })
  t.match(kneeOf(points([[100, 100, 20], [200, 200, 20], [300, 300, 60]])), { rate: 200, reason: 'latency', beyond: 300 })
})

t.test('if latency rises throughout, it is where more throughput no longer justifies the latency', async (t) => {
  // A queue with one server: 10 ms of work, 10 / (1 - load) including the wait.
  const queue = points([10, 20, 30, 40, 50, 60, 70, 80, 90].map((rate) => [rate, rate, 10 / (1 - rate / 100)]))
  t.match(kneeOf(queue), { rate: 60, reason: 'latency', beyond: 80 })
})

t.test('there is none if the sweep did not go past it, or began beyond it', async (t) => {
  t.equal(kneeOf(points([[100, 100, 20], [200, 200, 21], [300, 300, 22]])), null)
  t.equal(kneeOf(points([[100, 50, 200], [200, 50, 400]])), null)
  t.equal(kneeOf([]), null)
  t.equal(kneeOf(points([[100, 0, 0, 0, 'server', { keepsUp: true }]])), null, 'a latency of 0 and no throughput')
})

t.test('a rate that was missed by chance, below one that was kept up with, is not a knee', async (t) => {
  t.match(kneeOf(points([[100, 90, 35], [200, 200, 20], [300, 300, 20], [400, 300, 90]])), { rate: 300, beyond: 400 })
})

t.test('the limit beyond it may have been the generator', async (t) => {
  t.match(kneeOf(points([[100, 100, 20], [200, 150, 90, 0, 'generator']])), { rate: 100, limitedBy: 'generator' })
  t.match(kneeOf(points([[100, 100, 20], [200, 200, 90, 0, 'generator']])), { rate: 100, reason: 'latency', limitedBy: 'generator' })
  t.match(kneeOf(points([[100, 100, 20], [200, 200, 20, 5, 'generator']])), { reason: 'errors', limitedBy: 'server' }, 'errors are never')
})

t.test('with users, a step without responses lies beyond the knee, too', async (t) => {
  const steps = (...last) => points([[10, 100, 20], [20, 100, 40], last]).map((point) => ({ ...point, target: { ...point.target, responseTime: point.target.p50 } }))
  t.match(kneeOfUsers(steps(40, 0, null, 100)), { connections: 10, beyond: 20, reason: 'throughput' })
  t.match(kneeOfUsers(steps(40, 0, null, 100).toSpliced(1, 1)), { connections: 10, beyond: 40, reason: 'errors' })
  t.equal(kneeOfUsers(steps(40, 0, null, 100).slice(2)), null)
  const failing = points([[10, 100, 20, 50], [20, 0, null, 0]]).map((point) => ({ ...point, target: { ...point.target, responseTime: point.target.p50 } }))
  t.match(kneeOfUsers(failing), { connections: 10, beyond: 20, reason: 'throughput' }, 'nor do no responses mean no failures')
})

// Points of any kind: with errors of the server or of the generator, with failures counted or not, kept up with or not.
const anyPoint = fc.record({
  sustained: fc.constantFrom(0, 10, 18, 20, 21, 40),
  p50: fc.constantFrom(1, 1.1, 2, 4),
  responseTime: fc.constantFrom(1, 1.1, 2, 4, null),
  failed: fc.constantFrom(0, 1, 2, 3, 5),
  counts: fc.boolean(),
  errors: fc.constantFrom(0, 1, 4),
  keepsUp: fc.boolean(),
  limitedBy: fc.constantFrom('server', 'generator', 'connections', 'both'),
  errorsBy: fc.constantFrom(undefined, 'generator')
})

/** @returns {object[]} points of which `failed` says how many of 100 requests failed, errors among them */
function anyPoints (rows) {
  return rows.map(({ limitedBy, errorsBy, failed, counts, errors, ...target }, index) => ({
    at: 10 * (index + 1),
    limitedBy,
    errorsBy,
    failed,
    target: { name: 'a', achieved: target.sustained, p99: 9, ...target, ...(counts ? { failures: 2 * failed, errors, completed: 200 - errors, errorPercent: errors / 2 } : { errorPercent: failed }) }
  }))
}

t.test('property: the knee is the last point with few failures and at least 90% of the best power', async (t) => {
  const told = { rate: 0, errors: 0, latency: 0, throughput: 0, none: 0 }
  // The definition, word for word: of `those`, the last point that no other one excludes.
  const kneeAmong = (those, latency) => {
    const power = ({ target }) => target.sustained / target[latency]
    const isGood = (point) => those.every((other) => point.failed <= other.failed + 1)
    return those.filter((point) => isGood(point) && those.every((other) => !isGood(other) || power(point) >= 0.9 * power(other))).at(-1)
  }
  const expected = (place, knee, beyond, reason) => {
    told[beyond === undefined ? 'none' : reason]++
    if (beyond === undefined) return null
    const { at, target: { name, achieved, p50, p99 } } = knee
    return { name, [place]: at, achieved, p50, p99, beyond: beyond.at, reason, limitedBy: reason !== 'errors' ? beyond.limitedBy : beyond.errorsBy ?? 'server' }
  }
  fc.assert(fc.property(fc.array(anyPoint, { maxLength: 7 }), (rows) => {
    const points = anyPoints(rows)
    const ofRates = () => {
      const lastKept = points.findLast(({ target }) => target.keepsUp)
      if (lastKept === undefined) return null
      const knee = kneeAmong(points.filter(({ target }) => target.keepsUp), 'p50')
      const reasonAt = ({ failed, target }) => !target.keepsUp ? 'rate' : failed > knee.failed + 1 ? 'errors' : target.p50 >= 2 * knee.target.p50 ? 'latency' : null
      // One that was missed by chance, below one that was kept up with, is no limit.
      const beyond = points.find((point) => point.at > knee.at && (point.target.keepsUp || point.at > lastKept.at) && reasonAt(point) !== null)
      return expected('rate', knee, beyond, beyond && reasonAt(beyond))
    }
    const ofUsers = () => {
      const answered = points.filter(({ target }) => target.responseTime !== null)
      if (answered.length === 0) return null
      const knee = kneeAmong(answered, 'responseTime')
      const beyond = points[points.indexOf(knee) + 1]
      return expected('connections', knee, beyond, beyond?.failed > knee.failed + 1 ? 'errors' : 'throughput')
    }
    assert.deepStrictEqual([kneeOf(points), kneeOfUsers(points)], [ofRates(), ofUsers()])
  }), { numRuns: 2000 })
  for (const [reason, count] of Object.entries(told)) t.ok(count > 20, `${reason} ${count}`)
})

t.test('a generator that was sometimes late is not the limit', async (t) => {
  t.match(kneeOf(points([[100, 100, 20], [200, 200, 90, 0, 'server', { saturated: true }]])), { rate: 100, reason: 'latency', limitedBy: 'server' })
})

const resultAt = (perSample, changes) => ({
  duration: perSample.length / 10,
  latency: { p10: 10 },
  rate: { offered: 100, achieved: perSample.reduce((sum, each) => sum + each, 0) / (perSample.length / 10) },
  timeline: perSample.map((requests, index) => ({ time: (index + 1) / 10, requests })),
  ...changes
})

t.test('the sustained rate excludes the start, when the first responses were on their way', async (t) => {
  const result = resultAt([0, 5, 10, 10, 10, 10, 10, 10, 10, 10])
  t.equal(result.rate.achieved, 85)
  t.equal(Math.round(sustainedRate(result)), 100)
  t.ok(keepsUp(result, 100))
  t.equal(Math.round(sustainedRate(resultAt([10, 10, 10, 10, 0, 20, 10, 10, 10, 10]))), 100, 'a short stall does not')
  t.notOk(keepsUp(resultAt([10, 10, 9, 9, 9, 9, 9, 9, 9, 9]), 100))
  const late = resultAt([10, 10, 10, 10, 10, 0, 0, 0, 0, 48])
  t.ok(sustainedRate(late) < 90)
  t.ok(keepsUp(late, 100), 'it has caught up by the end')
  t.equal(sustainedRate(resultAt([10, 10])), 100, 'of few samples it is the plain rate')
  t.notOk(keepsUp(resultAt(new Array(10).fill(0)), 1), 'who answers nothing does not keep up, however little was asked')
})

t.test('what set the limit: the server, or the generator', async (t) => {
  const of = (changes) => ({
    connections: 10,
    pipelining: 1,
    latency: { mean: 1000, p99: 2000 },
    serviceTime: { p50: 20, totalCount: 5 },
    sendDelay: { client: { mean: 1, p99: 5 }, waiting: { mean: 0 } },
    generator: { saturated: false, eventLoop: { utilization: 0.2, delayP99: 0 }, reasons: [] },
    ...changes
  })
  const idle = of({})
  t.same(limitedBy(of({ serviceTime: { p50: 1000, totalCount: 5 } }), idle), { limitedBy: 'server', reasons: [] })
  t.match(limitedBy(of({ sendDelay: { client: { mean: 900, p99: 1900 }, waiting: { mean: 0 } } }), idle), { limitedBy: 'generator', reasons: [/sent requests late, by 900 ms on average/] })
  const lateAtTimes = of({ sendDelay: { client: { mean: 90, p99: 1900 }, waiting: { mean: 0 } }, serviceTime: { p50: 1000, totalCount: 5 } })
  t.match(limitedBy(lateAtTimes, idle, true), { reasons: [/by 1\.9 s at the 99th percentile/] }, 'where it was a matter of the slowest answers')
  t.equal(limitedBy(lateAtTimes, idle).limitedBy, 'server', 'where it was a matter of the rate, only what lasts counts')
  const waiting = { client: { mean: 1, p99: 5 }, waiting: { mean: 980 } }
  t.match(limitedBy(of({ sendDelay: waiting }), idle), { limitedBy: 'connections', reasons: [/all 10 connections were busy/] })
  t.match(limitedBy(of({ sendDelay: waiting, pipelining: 4 }), idle), { reasons: [/all 10 connections with 4 requests each/] })
  t.equal(limitedBy(of({ sendDelay: waiting, serviceTime: { p50: 100, totalCount: 5 } }), idle).limitedBy, 'server', 'all connections are busy because the server is slow')
  t.equal(limitedBy(of({ sendDelay: waiting }), null).limitedBy, 'server', 'without another run nobody knows')
  const slow = { serviceTime: { p50: 100, totalCount: 5 }, generator: { eventLoop: { utilization: 1, delayP99: 150 } } }
  t.match(limitedBy(of(slow), idle), { limitedBy: 'generator', reasons: [/event loop of the load generator was blocked/] })
  t.equal(quicker(null, idle), idle)
  t.equal(quicker(idle, of({ serviceTime: { p50: 5, totalCount: 0 } })), idle)
  t.equal(quicker(idle, of({ serviceTime: { p50: 15, totalCount: 5 } })).serviceTime.p50, 15)
})
