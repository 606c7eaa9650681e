'use strict'

// A run that a person stops: what was in flight or waiting then is no worse for that.

const t = require('tap')
const { aggregateResult, evaluateThresholds, printResult, run } = require('../..')
const { Bounds } = require('../../lib/thresholds/bounds')
const { simulate } = require('../simulation/world')

/** 100 requests per second, which take 30 ms each, until a person stops the run after 1,005 ms. */
async function stoppedRun (t, opts, story = () => {}) {
  const { value: result, world } = await simulate({ seed: 1 }, (world) => {
    const server = world.server({ serviceTime: 30 })
    const instance = run({ url: server.url, overallRate: 100, connections: 100, duration: 10, ...opts })
    world.afterForClient(1005, () => instance.stop())
    story(world, server)
    return instance
  })
  t.same(world.leftovers, [])
  return result
}

const passing = (result, ...names) => evaluateThresholds(result, names.map((name) => `${name} < 1h`)).filter(({ passed }) => passed).map(({ metric }) => metric)

t.test('what a person cut off does not count in a figure that it had not exceeded', async (t) => {
  const names = ['latency.p50', 'latency.p99', 'latency.max', 'latency.mean', 'serviceTime.p99', 'timeToFirstByte.max', 'latencyWithUnfinished.p99']
  const ages = { count: 3, smallest: 5, largest: 25, total: 45 }
  for (const opts of [{}, { workers: 2 }, { ignoreCoordinatedOmission: true }, { requests: [{ title: 'a' }] }]) {
    const result = await stoppedRun(t, opts)
    // Threads start later.
    const expected = opts.workers === 2 ? { count: 3 } : ages
    t.match(result, { accounting: { unfinished: 3, unsent: 0 }, interrupted: { latency: expected, serviceTime: expected } }, JSON.stringify(opts))
    t.same(passing(result, ...names), names.slice(0, opts.ignoreCoordinatedOmission ? -1 : undefined))
    t.same(passing(JSON.parse(JSON.stringify(result)), 'endpoints[0].latency.p99'), ['endpoints[0].latency.p99'])
    t.notMatch(printResult(result, { outputStream: {} }).match(/│ Latency.*/)[0].split('│').slice(3, 6).join(), '≥')
  }
  const again = await stoppedRun(t, { skipAggregateResult: true })
  const both = aggregateResult([again, again], { url: 'localhost' })
  t.match(both.interrupted.latency, { count: 6, smallest: 5, largest: 25, total: 90 })
  t.same(passing(both, ...names), names)
  // The end of the drain is not a person's doing.
  for (const opts of [{ duration: 1, drain: 0 }, { duration: 0.9, drain: 0.004, workers: 2 }]) {
    const result = await stoppedRun(t, opts)
    t.same([result.accounting.unfinished > 1, result.interrupted, passing(result, ...names)], [true, undefined, ['latency.p50']])
  }
})

t.test('what had waited longer than a figure counts, also if a person cut it off', async (t) => {
  // 78 requests are answered before the server stalls. Of the 23 others, 20 are older than 30 ms at the end: 78 of 98 are known.
  const stall = (world, server) => world.after(805, () => server.stall(5000))
  const result = await stoppedRun(t, {}, stall)
  t.match(result, { accounting: { completed: 78, unfinished: 23 }, interrupted: { latency: { count: 23, largest: 225 } } })
  t.same(passing(result, 'p50', 'p79', 'p80', 'p99', 'latency.max', 'latency.mean', 'endpoints[0].p50'), ['latency.p50', 'latency.p79', 'endpoints[0].latency.p50'])
  // With one connection, what is not sent had waited for it: for as long as the bounds of the latency.
  const queued = await stoppedRun(t, { connections: 1 })
  t.match(queued, { accounting: { completed: 33, unfinished: 1, unsent: 67 }, interrupted: { latency: { count: 68 }, sendDelay: { count: 67 }, waitDelay: { count: 67 } } })
  t.same(passing(queued, 'sendDelay.p99', 'latency.p99', 'endpoints[0].latency.p99'), [])
})

t.test('a maximum or a mean is known only if all that was cut off is below it, of each kind', async (t) => {
  // Five values from 10 to 40 ms. Of the kinds that were cut off, one is in the figure, like its bounds, and one is missing.
  const statistics = { totalCount: 5, min: 10, max: 40, mean: 20, total: 100 }
  let others = 0
  const rangeOf = (name, ...kinds) => {
    const interrupted = kinds.map(([largest, isInside]) => ({ count: 1, largest, total: largest, isInside }))
    const inside = interrupted.filter(({ isInside }) => isInside).length
    const missing = interrupted.length - inside
    return new Bounds(statistics, { bounds: { count: inside, smallest: 5 }, missing: { count: missing + others, smallest: 0, largest: 0, total: 0 }, interrupted }).range(name)
  }
  const isKnown = (...given) => rangeOf(...given).atMost !== Infinity
  t.same([39.9, 40, 50].map((largest) => isKnown('max', [largest, false])), [true, false, false])
  for (const [one, other] of [[5, 5], [5, 50], [50, 5], [50, 50]]) {
    for (const places of [[true, false], [false, true], [false, false]]) {
      t.equal(isKnown('max', [one, places[0]], [other, places[1]]), one < 40 && other < 40, `${one} and ${other}`)
    }
  }
  // The mean is that of those that were not cut off.
  t.same(rangeOf('mean', [8, true], [3, false]), { atLeast: (100 - 8) / 4, atMost: (100 - 8) / 4 })
  t.same(rangeOf('mean', [8, true], [30, false]).atMost, Infinity)
  t.same(rangeOf('average', [20, false]).atMost, Infinity)
  t.same([rangeOf('total', [1, false]), rangeOf('stddev', [1, false])].map(({ atMost }) => atMost), [Infinity, Infinity])
  others = 1
  t.same([isKnown('max', [5, false]), isKnown('mean', [5, true])], [false, false], 'what is missing for another reason is unknown')
})

t.test('what was not sent may have been of any endpoint, but counts in none if it had not waited longer', async (t) => {
  // Two are due at a time, of which the second waits for the first: 30 and 60 ms. At the end, both are 5 ms old, and one is not sent.
  const opts = { overallRate: undefined, bursts: { size: 2, interval: 0.1 }, connections: 1, requests: [{ path: '/a' }, { path: '/b' }] }
  const result = await stoppedRun(t, opts)
  t.match(result, { accounting: { completed: 20, unfinished: 1, unsent: 1 }, interrupted: { latency: { count: 2, largest: 5 }, sendDelay: { count: 1, largest: 5 } } })
  const names = ['latency.p99', 'endpoints[0].latency.p99', 'endpoints[1].latency.max']
  t.same(passing(result, ...names), names)
  // If the server stands still, what waits for it becomes older than all others, whichever endpoint it is of.
  const stalled = await stoppedRun(t, opts, (world, server) => world.after(895, () => server.stall(5000)))
  t.match(stalled, { accounting: { completed: 18, unfinished: 1, unsent: 3 } })
  t.same(passing(stalled, ...names, 'endpoints[0].latency.p50'), ['endpoints[0].latency.p50'])
})

t.test('what a person cut off of a scenario', async (t) => {
  const visit = (path) => async (user) => { await user.get(path) }
  const kinds = { requests: (path) => ({ requests: [{ path }] }), user: (path) => ({ user: visit(path) }) }
  for (const [kind, scenarioOf] of Object.entries(kinds)) {
    const opts = { connections: undefined, scenarios: ['a', 'b'].map((name) => ({ name, ...scenarioOf(`/${name}`) })) }
    const result = await stoppedRun(t, opts)
    // Due 5, 15 and 25 ms before, in turns.
    t.match(result, { accounting: { unfinished: 3 }, interrupted: { latency: { count: 3, total: 45 } } }, kind)
    const [a, b] = result.scenarios.map(({ interrupted }) => interrupted.latency)
    t.same([a, b].map(({ count, total }) => [count, total]).sort(), [[1, 15], [2, 30]], kind)
    t.same(result.scenarios.map(({ interrupted }) => interrupted.serviceTime.count).sort(), [1, 2])
    const names = ['p50', 'p99', 'max'].flatMap((name) => ['a', 'b'].map((scenario) => `scenarios.${scenario}.latency.${name}`))
    t.same(passing(result, ...names), names, kind)
    // Those that were sent before a stall are older than all others.
    const stalled = await stoppedRun(t, opts, (world, server) => world.after(805, () => server.stall(5000)))
    t.same(passing(stalled, ...names), names.slice(0, 2), kind)
  }
})
