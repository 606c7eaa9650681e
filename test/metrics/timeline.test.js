'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const Distribution = require('../../lib/metrics/distribution')
const Timeline = require('../../lib/metrics/timeline')
const { playInWorld } = require('../support/play-in-world')

function interval (start, end, { completed = 0, bytes = 0, errors = 0, connections = 1, statuses = {}, latencies = [] } = {}) {
  const latency = new Distribution()
  for (const microseconds of latencies) latency.record(microseconds)
  return { start, end, completed, bytes, errors, connections, statuses, latency }
}

t.test('a sample has the counts of an interval, in milliseconds and seconds', async (t) => {
  const timeline = new Timeline()
  timeline.add(interval(0, 1000.4, { completed: 4, bytes: 400, errors: 2, connections: 3, statuses: { '2xx': 3, '5xx': 1 }, latencies: [54, 100, 1000, 2000] }))
  t.strictSame(timeline.toResult(), [
    { time: 1, seconds: 1, requests: 4, bytes: 400, errors: 2, p50: 0.1, p90: 2, p99: 2, max: 2, connections: 3, statuses: { '2xx': 3, '5xx': 1 } }
  ])
})

t.test('times are rounded as the duration of the run is: 500.5 ms would be 0.501 s, and 0.5005 s is 0.5 s', async (t) => {
  // It is sent after a microsecond.
  const ticks = []
  const { result: { duration, timeline, heat } } = await playInWorld(t, { serviceTime: 500.499 }, { connections: 1, amount: 1 }, (instance) => instance.on('tick', ({ time }) => ticks.push(time)))
  t.same([duration, timeline[0].time, timeline[0].seconds, heat.times, ticks], [0.5, 0.5, 0.5, [0.5], [0.5]])
  // 0.3 - 0.1 is 0.19999999999999998.
  const later = new Timeline()
  later.add(interval(100, 300))
  t.equal(later.toResult()[0].seconds, 0.2)
})

t.test('a sample without responses has no latency, but exists', async (t) => {
  const timeline = new Timeline()
  timeline.add(interval(0, 100))
  t.match(timeline.toResult(), [{ time: 0.1, requests: 0, p50: 0, p90: 0, p99: 0, max: 0 }])
  t.same(timeline.requestRates, [0])
})

t.test('rates are relative to the real elapsed time', async (t) => {
  const timeline = new Timeline()
  timeline.add(interval(0, 100, { completed: 10, bytes: 1000 }))
  timeline.add(interval(100, 350, { completed: 10, bytes: 1000 }))
  t.same(timeline.requestRates, [100, 40])
  t.same(timeline.byteRates, [10000, 4000])
})

t.test('a short rest is merged into the sample before it; a long one becomes a sample', async (t) => {
  const whole = interval(0, 1000, { completed: 100, bytes: 5000, errors: 1, connections: 2, latencies: [100, 100, 100] })
  const short = interval(1000, 1002, { completed: 3, bytes: 150, errors: 1, connections: 4, latencies: [900] })
  const long = interval(1000, 1500, { completed: 3, bytes: 150 })

  const folded = new Timeline()
  folded.add(whole)
  t.match(folded.fold(short, 1000), { p50: 0.1, p99: 0.9, max: 0.9 })
  t.strictSame(folded.toResult(), [
    { time: 1.002, seconds: 1.002, requests: 103, bytes: 5150, errors: 2, p50: 0.1, p90: 0.9, p99: 0.9, max: 0.9, connections: 4, statuses: {} }
  ])

  const apart = new Timeline()
  apart.add(whole)
  apart.fold(long, 1000)
  t.match(apart.toResult(), [{ time: 1, requests: 100 }, { time: 1.5, seconds: 0.5, requests: 3 }])
})

t.test('a run shorter than a sample is one sample', async (t) => {
  const timeline = new Timeline()
  timeline.fold(interval(0, 5, { completed: 10 }), 1000)
  t.match(timeline.toResult(), [{ time: 0.005, requests: 10 }])
  t.same(timeline.requestRates, [2000])
})

t.test('an interval of zero length has no rate', async (t) => {
  const timeline = new Timeline()
  timeline.fold(interval(0, 0), 1000)
  t.same(timeline.requestRates, [])
  t.equal(timeline.samples.length, 1)
})

t.test('nothing is lost or counted twice, however a run is divided into intervals', async (t) => {
  const piece = fc.record({ length: fc.integer({ min: 1, max: 1500 }), completed: fc.nat(100), bytes: fc.nat(10000), errors: fc.nat(5) })
  fc.assert(fc.property(fc.array(piece, { minLength: 1, maxLength: 20 }), (pieces) => {
    const timeline = new Timeline()
    let at = 0
    pieces.forEach(({ length, ...counts }, index) => {
      const part = interval(at, at += length, counts)
      if (index === pieces.length - 1) timeline.fold(part, 1000)
      else timeline.add(part)
    })
    const sum = (list, name) => list.reduce((all, each) => all + each[name], 0)
    const result = timeline.toResult()
    return ['completed', 'bytes', 'errors'].every((name) => sum(result, name === 'completed' ? 'requests' : name) === sum(pieces, name)) &&
      result.at(-1).time === at / 1000 && Math.abs(sum(result, 'seconds') - at / 1000) < 1e-6 &&
      result.every(({ time }, index) => index === 0 || time > result[index - 1].time)
  }))
})

t.test('statuses that are merged into the last sample are added', async (t) => {
  const timeline = new Timeline()
  timeline.add(interval(0, 1000, { completed: 3, statuses: { '2xx': 2, '4xx': 1 } }))
  timeline.fold(interval(1000, 1100, { completed: 2, statuses: { '2xx': 1, '5xx': 1 } }), 1000)
  t.same(timeline.toResult()[0].statuses, { '2xx': 3, '4xx': 1, '5xx': 1 })
})
