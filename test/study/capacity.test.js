'use strict'

// Capacities found for servers whose capacity is known by arithmetic. They are simulated, except the last.

const t = require('tap')
const findCapacity = require('../../lib/study/capacity')
const { createRandom } = require('../../lib/load/random')
const { seedOfRepetition } = require('../../lib/load/seeds')
const { simulate } = require('../simulation/world')
const slotsServer = require('./fixtures/slots-server')

const SLO = ['p99 < 1s', 'errors == 0']
const PRECISION = 0.05

/** A search in a simulated world, and its events. */
async function search (server, opts, settings, seed = 1) {
  const steps = []
  let told = null
  const { value: result, world } = await simulate({ seed, client: { timersEarlyUs: 1000 } }, (world) => {
    const study = findCapacity({ url: world.server(typeof server === 'function' ? server(world) : server).url, ...opts }, { slo: SLO, ...settings })
    study.on('start', ({ seconds }) => { told = { seconds, announced: study.seconds } })
    study.on('step', (step, result) => steps.push([step, typeof result.latency.p99]))
    return study
  })
  return { result, world, steps, told }
}

// A rate beyond the capacity must not pass, except for what the objective tolerates (98%), and a request more or less in runs as short as
// these.
function isNear (t, { capacity, interval, limitedBy, limitingThreshold }, truth, limit, name) {
  t.ok(capacity >= (1 - PRECISION) * 0.97 * truth && capacity <= 1.06 * truth, `${name}: ${capacity}, and it is ${truth}`)
  t.equal(interval[0], capacity)
  t.equal(limitedBy, 'server', name)
  t.equal(limitingThreshold, limit, name)
}

for (const [slots, ms, from] of [[4, 20, 70], [3, 30, 150], [1, 5, 20], [16, 40, 500]]) {
  t.test(`a server with ${slots} slots of ${ms} ms has the capacity ${slots / ms * 1000}, also from ${from}`, async (t) => {
    const truth = slots / ms * 1000
    const { result, steps, told, world } = await search({ slots, serviceTime: ms }, {}, { duration: 0.5, rates: { from, to: 1200 } })
    isNear(t, result, truth, 'rate.achieved >= 98%', 'capacity')
    const [low, high] = result.interval
    t.ok(high > low && high <= 1.2 * truth, `${low} to ${high}`)
    t.match(result, { kind: 'capacity', slo: [...SLO, '5xx < 1%'], precision: 0.05, connections: 100 })
    t.ok(result.knee === null || result.knee.rate <= 1.06 * truth)
    t.equal(told.seconds, told.announced)
    t.ok(world.elapsed / 1000 <= told.announced, `no longer than the ${told.announced} s announced`)
    t.same(result.steps, steps.map(([step]) => step))
    t.same(JSON.parse(JSON.stringify(result.steps)), result.steps, 'plain data')
    t.ok(result.steps.some(({ phase }) => phase === 'confirm'))
  })
}

t.test('a server that rejects excess requests has the capacity that it serves', async (t) => {
  // A token bucket: 150/s, up to 15 of which can be saved.
  const bucket = () => {
    let tokens = 15
    let last = 0
    return {
      answer ({ at }) {
        tokens = Math.min(15, tokens + (at - last) * 0.15)
        last = at
        if (tokens < 1) return 503
        tokens--
        return 200
      }
    }
  }
  const { result } = await search(bucket, { connections: 20 }, { duration: 2, rates: { from: 60, to: 500 } })
  isNear(t, result, 154, '5xx < 1%', 'capacity')
})

t.test('random servers: the answer is within the precision', async (t) => {
  const random = createRandom(7)
  const between = (from, to) => from + random.next() * (to - from)
  const times = {
    constant: (ms) => () => ms,
    even: (ms) => (world) => between(0.5 * ms, 1.5 * ms),
    exponential: (ms) => () => -Math.log(1 - random.next()) * ms
  }
  for (let number = 0; number < 6; number++) {
    const kind = Object.keys(times)[number % 3]
    const slots = 2 + Math.floor(between(0, 10))
    const ms = slots * between(2, 5)
    const truth = slots / ms * 1000
    const { result } = await search({ slots, serviceTime: times[kind](ms) }, { connections: 200 }, { duration: 3, rates: { from: truth / 2, to: 3 * truth } }, number)
    const name = `${slots} places of ${ms.toFixed(1)} ms, ${kind}`
    t.ok(result.capacity >= 0.85 * truth && result.capacity <= 1.07 * truth, `${name}: ${result.capacity}, and it is ${truth}`)
    t.equal(result.limitedBy, 'server', name)
  }
})

t.test('a real server', async (t) => {
  const { url, capacity: truth } = await slotsServer(t, { slots: 4, ms: 20 })
  const { capacity, limitedBy, interval } = await findCapacity({ url }, { slo: ['p99 < 10s', 'errors == 0'], duration: 0.5, precision: '20%', rates: { from: 50, to: 400 } })
  // A stalled machine lowers the capacity, to 0 if it stalls during the whole first run, and nothing raises it.
  t.ok(capacity <= 1.15 * truth, `${capacity}, and it is ${truth}`)
  t.equal(interval[0], capacity)
  if (capacity > 0) t.type(limitedBy, 'string')
})

t.test('with a seed, a rate that is tested again meets other arrivals, and a search repeated with that seed the same ones', async (t) => {
  // The first gaps between the requests of each run, whose responses are all too late.
  const arrivals = async (seed) => {
    const { value } = await simulate({ seed: 1 }, async (world) => {
      const server = world.server({ serviceTime: 1 })
      const settings = { slo: 'latency.p1 < 0.5ms', duration: 2, rates: { from: 20, to: 40 } }
      const runs = []
      let from = 0
      const study = findCapacity({ url: server.url, arrivals: 'poisson', seed }, settings)
      study.on('run', ({ accounting, options }, { rate }) => {
        const log = world.log.slice(from, from += accounting.sent)
        runs.push([rate, log.slice(1).map(({ sentAt }, index) => sentAt - log[index].sentAt), options.seed])
      })
      await study
      return runs
    })
    return value
  }
  const runs = await arrivals(7)
  t.same(runs.map(([rate]) => rate).slice(0, 4), [20, 20, 10, 10], 'each fails, but keeps up, so it is repeated')
  for (const rate of [20, 10]) {
    const [first, second] = runs.filter((run) => run[0] === rate).map(([, gaps]) => gaps)
    t.ok(first.length > 0 && second.length > 0, `${first} and ${second}`)
    t.not(first[0], second[0], `at ${rate}/s`)
    const repetitions = Array.from({ length: 10_000 }, (_, times) => seedOfRepetition(7, times))
    const seeds = runs.filter((run) => run[0] === rate).map(([,, used]) => repetitions.indexOf(used))
    t.ok(seeds[0] >= 0 && seeds[1] > seeds[0], `the repetitions of the given seed that are used: ${seeds}`)
  }
  t.same(await arrivals(7), runs)
  t.notSame(await arrivals(8), runs)
})

t.test('there may be fewer random arrivals by chance, in each step', async (t) => {
  for (let seed = 1; seed <= 4; seed++) {
    const { result, steps } = await search({ serviceTime: 1 }, { arrivals: 'poisson' }, { duration: 2, rates: { from: 10, to: 40 } }, seed)
    t.same(steps.filter(([{ passed }]) => !passed).map(([{ rate, missed }]) => [rate, missed]), [], `seed ${seed}`)
    t.equal(result.capacity, 40)
  }
})
