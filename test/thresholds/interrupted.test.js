'use strict'

// A run that a person stops: what was in flight or waiting then is no worse for that.

const t = require('tap')
const { aggregateResult, evaluateThresholds, printResult, run } = require('../..')
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
