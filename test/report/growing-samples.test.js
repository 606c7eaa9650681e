'use strict'

const { isDeepStrictEqual } = require('node:util')
const t = require('tap')
const GrowingSamples = require('../../lib/report/run/growing-samples')
const { samplesOf } = require('../../lib/report/run/samples')

const row = (index, more) => ({
  time: (index + 1) / 10, seconds: 0.1, requests: index % 7, bytes: index, errors: index % 3, connections: index, p50: 1, p90: 2, p99: 3, max: index + 1, statuses: { '2xx': index % 7 }, ...more
})

t.test('a few samples are those of the timeline', async (t) => {
  const growing = new GrowingSamples()
  const rows = Array.from({ length: 2000 }, (_, index) => row(index))
  rows.forEach((each, index) => growing.add(each, index, 100))
  t.ok(isDeepStrictEqual(growing.toArray(), samplesOf({ timeline: rows, sampleInt: 100 })))
})

t.test('long runs give at most 2,000 samples, and nothing is lost', async (t) => {
  for (const count of [2001, 2002, 3999, 4000, 4001, 5003, 20000]) {
    const growing = new GrowingSamples()
    const sums = { seconds: 0, requests: 0, errors: 0, bytes: 0 }
    for (let index = 0; index < count; index++) {
      growing.add(row(index), index, 100)
      for (const name of Object.keys(sums)) sums[name] += row(index)[name]
    }
    const samples = growing.toArray()
    t.ok(samples.length <= 2000 && samples.length >= 1000, `${count}: ${samples.length}`)
    for (const name of ['requests', 'errors', 'bytes']) t.equal(samples.reduce((sum, each) => sum + each[name], 0), sums[name], name)
    t.ok(Math.abs(samples.reduce((sum, { seconds }) => sum + seconds, 0) - sums.seconds) < 1e-6)
    t.match(samples.at(-1), { time: count / 10, max: count, connections: count - 1 })
    t.ok(samples.every(({ time, max }) => max === Math.round(time * 10)), 'each has the highest of its latencies')
    t.equal(new Set(samples.slice(0, -1).map(({ seconds }) => seconds.toFixed(3))).size, 1, 'all but the last are equally long')
  }
})

t.test('the last sample may be replaced, and another run starts over', async (t) => {
  const growing = new GrowingSamples()
  for (let index = 0; index < 5000; index++) growing.add(row(index), index, 100)
  growing.add(row(4999, { requests: 1000 }), 4999, 100)
  const total = growing.toArray().reduce((sum, { requests }) => sum + requests, 0)
  t.equal(total, Array.from({ length: 4999 }, (_, index) => index % 7).reduce((a, b) => a + b, 0) + 1000)
  growing.add(row(0), 0, 100)
  growing.add(row(0, { requests: 5 }), 0, 100)
  t.match(growing.toArray(), [{ requests: 5 }])
  t.equal(growing.toArray().length, 1)
  for (const [index, requests] of [[1, 7], [1, 8], [2, 9], [3, 10], [3, 11], [3, 12]]) growing.add(row(index, { requests }), index, 100)
  t.same(growing.toArray().map(({ requests }) => requests), [5, 8, 9, 12], 'any of them, once each')
})
