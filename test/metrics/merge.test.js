'use strict'

const t = require('tap')
const assert = require('node:assert')
const fc = require('../support/fast-check')
const Distribution = require('../../lib/metrics/distribution')
const { groupEndpoints } = require('../../lib/metrics/endpoint-groups')
const { merge } = require('../../lib/metrics/merge')
const { event, summaryOf } = require('./recording')
const { targets } = require('../../lib/metrics/parts/targets')

// `peak` is the only counter that doesn't count events: it is the highest number of simultaneous connections.
function plain ({ counters: { peak, ...counters }, distributions, endpoints, errorCodes, ...rest }) {
  const messages = Object.entries(errorCodes.toObject()).sort(([a], [b]) => a < b ? -1 : 1)
  return {
    ...rest,
    counters,
    distributions: Object.fromEntries(Object.entries(distributions).map(([name, distribution]) => [name, numbersOf(distribution)])),
    endpoints: endpoints.map((endpoint) => ({ ...endpoint, latency: numbersOf(endpoint.latency), bounds: endpoint.bounds && numbersOf(endpoint.bounds) })),
    errorCodes: messages
  }
}

function numbersOf (distribution) {
  const { count, sum, squares, min, max, stddev } = distribution
  return { buckets: distribution.toSparse().counts, count, sum, squares: squares.value, min, max, stddev }
}

const options = fc.constantFrom({}, { excludeErrorStats: true }, { open: true }, { open: true, ignoreCoordinatedOmission: true })
const parts = fc.array(fc.array(event, { maxLength: 20 }), { minLength: 1, maxLength: 4 })

t.test('the sum of several recorders is what one would have recorded, in any order', async (t) => {
  fc.assert(fc.property(parts, options, (parts, options) => {
    const one = plain(merge([summaryOf(parts.flat(), options)]))
    const summaries = parts.map((events) => summaryOf(events, options))
    assert.deepStrictEqual(plain(merge(summaries)), one)
    assert.deepStrictEqual(plain(merge(summaries.toReversed())), one)
  }), { numRuns: 15 })
})

t.test('requests of one title are added up, which does not modify what each of them counted', async (t) => {
  const endpointOf = (number) => {
    const [latency, bounds] = [new Distribution(), new Distribution()]
    latency.record(number)
    bounds.record(10 * number)
    return { completed: number, failed: 0, timedOut: 0, statuses: [], outcomes: null, latency, bounds, missing: null, interrupted: null, waiting: [] }
  }
  const counted = [1, 2, 4].map(endpointOf)
  const requests = ['same', 'other', 'same'].map((title) => ({ title, method: 'GET', path: '/' }))
  for (let time = 0; time < 2; time++) {
    const groups = groupEndpoints(requests, counted, Distribution).map(({ endpoint: { completed, latency, bounds } }) => [completed, latency.sum, bounds.sum])
    t.same(groups, [[5, 5, 50], [2, 2, 20]])
  }
})

t.test('summaries are plain data, and merging does not modify them', async (t) => {
  fc.assert(fc.property(parts, (parts) => {
    const summaries = parts.map((events) => summaryOf(events))
    const copies = JSON.parse(JSON.stringify(summaries))
    const cloned = structuredClone(summaries)
    const merged = plain(merge(summaries))
    assert.deepStrictEqual(JSON.parse(JSON.stringify(summaries)), copies)
    assert.deepStrictEqual(plain(merge(copies)), merged)
    assert.deepStrictEqual(plain(merge(cloned)), merged)
  }), { numRuns: 10 })
})

t.test('the average of two machines is that of all their requests, not that of their averages', async (t) => {
  const request = (ms) => ['completed', 0, 200, 10, 0, 0, ms]
  const { distributions, endpoints, counters } = merge([
    summaryOf(Array.from({ length: 99 }, () => request(1))),
    summaryOf([request(1001)])
  ])
  t.equal(counters.completed, 100)
  t.equal(endpoints[0].latency.mean, 11000)
  t.equal(endpoints[0].latency.percentile(50), 1000)
  t.equal(endpoints[0].latency.max, 1001000)
  t.ok(distributions.timeToFirstByte instanceof Distribution)
})

t.test('connections to several targets are added by position; without matching targets or counts, there is no total', async (t) => {
  const part = (opened, failed) => ({ opened, failed })
  t.same(targets.merge([part([1, 0], [0, 2]), part([3, 1], [0, 0])]), part([4, 1], [0, 2]))
  t.same(targets.merge([part([1, 0], [0, 2])]), part([1, 0], [0, 2]))
  for (const other of [part([1], [0]), null, undefined]) {
    t.equal(targets.merge([part([1, 0], [0, 2]), other]), null)
    t.equal(targets.merge([other, part([1, 0], [0, 2])]), null)
  }
})

t.test('bodies were verified if any part verified its own', async (t) => {
  const part = (verifies) => ({ ...summaryOf([]), verifies })
  for (const [verifies, expected] of [[[true, false], true], [[false, true], true], [[false, false], false], [[true], true]]) {
    t.equal(merge(verifies.map(part)).verifies, expected, `${verifies}`)
  }
})
