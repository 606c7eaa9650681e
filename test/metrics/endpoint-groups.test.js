'use strict'

const assert = require('node:assert')
const t = require('tap')
const fc = require('../support/fast-check')
const Distribution = require('../../lib/metrics/distribution')
const Endpoint = require('../../lib/metrics/endpoint')
const { endpointGroups, groupEndpoints } = require('../../lib/metrics/endpoint-groups')
const { merge } = require('../../lib/metrics/merge')
const Recorder = require('../../lib/metrics/recorder')

const request = fc.record({
  title: fc.constantFrom(undefined, 'a', 'b', '["s","a"]'),
  scenario: fc.constantFrom(undefined, null, 's', 't')
}, { noNullPrototype: true })

t.test('property: requests are one endpoint if they have a title, and the same one, in the same scenario', async (t) => {
  fc.assert(fc.property(fc.array(request, { maxLength: 12 }), (requests) => {
    const isSame = (one, other) => one.title !== undefined && one.title === other.title && (one.scenario ?? null) === (other.scenario ?? null)
    const expected = requests.flatMap((each, index) => requests.findIndex((other) => other === each || isSame(other, each)) < index
      ? []
      : [requests.flatMap((other, place) => place === index || isSame(each, other) ? [place] : [])])
    assert.deepStrictEqual(endpointGroups(requests), expected)
  }), { numRuns: 200 })
})

t.test('an endpoint is the sum of its requests, in everything that is counted', async (t) => {
  // Each request differs from the other in every number.
  const recorder = new Recorder({ endpoints: 2, open: false, timeout: 10_000 })
  recorder.begin(0)
  const parts = [1, 10].map((factor) => {
    const endpoint = new Endpoint(undefined, 20)
    Object.assign(endpoint, { completed: 2 * factor, failed: 3 * factor, timedOut: 5 * factor, waiting: [90_000 * factor] })
    for (const [name, value] of [['latency', 1000], ['bounds', 2000], ['missing', 3000], ['interrupted', 4000]]) {
      endpoint[name] = new Distribution()
      endpoint[name].record(value * factor, factor)
    }
    endpoint.statuses[200] = 7 * factor
    endpoint.statuses[400 + factor] = 11 * factor
    endpoint.outcomes[factor] = 13 * factor
    return endpoint.toData()
  })
  const { endpoints } = merge([{ ...recorder.summary(), endpoints: parts }])
  const [{ request, endpoint }] = groupEndpoints([{ title: 'a', path: '/1' }, { title: 'a', path: '/2' }], endpoints, Distribution)
  t.equal(request.path, '/1')
  t.match(endpoint, { completed: 22, failed: 33, timedOut: 55, waiting: [90_000, 900_000] })
  t.same(endpoint.statuses, [[200, 7], [401, 11], [200, 70], [410, 110]])
  t.same(endpoint.outcomes, [[1, 13], [10, 130]])
  const sums = ['latency', 'bounds', 'missing', 'interrupted'].map((name) => [endpoint[name].count, endpoint[name].sum])
  t.same(sums, [1000, 2000, 3000, 4000].map((value) => [11, value + 10 * 10 * value]))
})
