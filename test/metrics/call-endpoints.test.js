'use strict'

const assert = require('node:assert')
const t = require('tap')
const fc = require('../support/fast-check')
const { matchCalls, keyOf } = require('../../lib/metrics/call-endpoints')

const NAMES = ['a', 'b', 'c', 'd', 'e']
const recorder = fc.record({ names: fc.subarray(NAMES), scenarios: fc.subarray([null, 's'], { minLength: 1 }), hasOthers: fc.boolean(), usedAt: fc.nat(50) })

// What each recorder has: the endpoints of its calls, in its order, behind one of the plan, with data that name the recorder.
function summaryOf ({ names, scenarios, hasOthers, usedAt }, index) {
  const calls = names.flatMap((path, place) => scenarios.map((scenario) => ({ title: undefined, method: 'GET', path, scenario, usedAt: usedAt + place * 7 % 5 })))
  const others = hasOthers ? scenarios.map((scenario) => ({ title: 'others', method: null, path: null, scenario, usedAt: 99 })) : []
  const requests = [...calls, ...others]
  return { called: { first: 1, requests, hasOthers }, endpoints: [`${index} plan`, ...requests.map(({ path, scenario }) => `${index} ${path} ${scenario}`)] }
}

t.test('property: an endpoint stands by itself only if each recorder counted it whole; otherwise all of it is among the others', async (t) => {
  fc.assert(fc.property(fc.array(recorder, { minLength: 1, maxLength: 4 }), (recorders) => {
    const summaries = recorders.map(summaryOf)
    const { requests, groups, hasOthers } = matchCalls(summaries)
    const all = summaries.flatMap(({ called: { requests }, endpoints }) => requests.map((request, index) => ({ ...request, data: endpoints[index + 1] })))
    const isWhole = ({ path, scenario }) => path !== null && summaries.every(({ called }) => !called.hasOthers || called.requests.some((other) => other.path === path && other.scenario === scenario))
    const placeOf = (each) => isWhole(each) ? `${each.path} ${each.scenario}` : `others ${each.scenario}`
    const expected = {}
    for (const each of all) (expected[placeOf(each)] ??= []).push(each.data)
    const actual = Object.fromEntries(requests.map((request, index) => [request.method === null ? `others ${request.scenario}` : `${request.path} ${request.scenario}`, groups[index + 1]]))
    const sorted = (object) => Object.fromEntries(Object.entries(object).map(([name, list]) => [name, list.toSorted()]).sort(([one], [other]) => one < other ? -1 : 1))
    assert.deepStrictEqual(sorted(actual), sorted(expected))
    assert.deepStrictEqual(groups[0], summaries.map((_, index) => `${index} plan`))
    assert.strictEqual(hasOthers, Object.keys(expected).some((name) => name.startsWith('others')))
    // In the order in which they were first called, by anybody.
    const firstUse = (request) => Math.min(...all.filter((other) => keyOf(other) === keyOf(request)).map(({ usedAt }) => usedAt))
    const kept = requests.filter(({ method }) => method !== null)
    assert.deepStrictEqual(kept.map(({ usedAt }) => usedAt), kept.map(firstUse))
    if (summaries.length > 1) assert.deepStrictEqual(kept.map(firstUse), kept.map(firstUse).sort((one, other) => one - other))
  }), { numRuns: 200 })
})
