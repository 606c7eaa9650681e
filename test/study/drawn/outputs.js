'use strict'

// Drawn studies of drawn servers, in simulated worlds: their answers, the events that they emit, and what the servers received when.

const { compare, findCapacity, findJamming, sweep } = require('../../..')
const Dice = require('../../simulation/random/dice')
const { simulate } = require('../../simulation/world')
const { plain } = require('../../support/digests')

const EVENTS = ['start', 'row', 'step', 'point', 'level', 'round', 'run', 'done']

// A server that handles some requests at a time, and what goes wrong with it.
function drawServer (dice) {
  const fails = dice.whole(2, 40)
  const answer = dice.one(503, 404, 'reset', 'silence')
  return {
    serviceTime: dice.whole(1, 40),
    slots: dice.whole(1, 8),
    ...(dice.happens(0.3) && { queue: dice.whole(0, 20), overflow: dice.one(503, 'reset', 'silence') }),
    ...(dice.happens(0.2) && { answer: ({ number }) => number % fails === fails - 1 ? answer : 200 })
  }
}

function drawLoad (dice) {
  const load = { connections: dice.whole(1, 30), timeout: dice.one(0.1, 0.5, 5), sampleInt: dice.one(100, 250, 1000) }
  if (dice.happens(0.3)) load.pipelining = dice.whole(2, 4)
  if (dice.happens(0.2)) load.requests = [{ path: '/a', title: 'a' }, { path: '/b', method: 'POST', body: 'b' }]
  if (dice.happens(0.2)) load.title = 'shop'
  return load
}

// Sessions have no pipelines, and bring their own connections.
function withSessions (dice, { pipelining, connections, requests, ...load }) {
  return { ...load, sessions: { calls: dice.whole(1, 3), ...(dice.happens(0.3) && { maxOpen: dice.whole(1, 20) }) }, ...(dice.happens(0.5) && { thinkTime: dice.whole(0, 50) / 1000 }) }
}

const targetsIn = (world, dice, count) => Array.from({ length: count }, (_, index) => ({
  url: world.server({ host: `10.0.0.${index + 1}`, ...drawServer(dice) }).url, ...drawLoad(dice)
}))

const STUDIES = {
  sweep (world, dice) {
    const targets = targetsIn(world, dice, dice.one(1, 1, 2))
    const ofUsers = dice.happens(0.3)
    const settings = {
      ...(ofUsers ? { connections: dice.one({ from: 1, to: dice.whole(2, 20) }, { from: 2, to: 12, step: 5 }, [1, 3, 9]) } : { rates: dice.one({ from: 20, to: 120, step: 40 }, [10, 50, 250], [100, 30]) }),
      duration: dice.one(0.4, 1),
      pause: dice.one(0, 0.2),
      ...(dice.happens(0.4) && { stopWhen: dice.one({ errorRate: '5%' }, { failureRate: 0.2 }, { p99: '60ms' }, { errorRate: '50%', ...(!ofUsers && { achievedRatio: '90%' }) }) })
    }
    const loads = ofUsers ? targets.map(({ connections, ...load }) => load) : dice.happens(0.3) ? targets.map((load) => withSessions(dice, load)) : targets
    return sweep(loads.length === 1 ? loads[0] : loads, settings)
  },
  capacity (world, dice) {
    const [{ connections, ...load }] = targetsIn(world, dice, 1)
    const ofUsers = dice.happens(0.4)
    const settings = {
      ...(ofUsers ? { of: 'connections', connections: { from: 1, to: dice.whole(2, 24) } } : { rates: { from: dice.whole(5, 30), to: dice.whole(60, 300) } }),
      duration: dice.one(0.4, 1),
      pause: 0,
      precision: dice.one(0.05, 0.2, '30%'),
      ...(dice.happens(0.6) && { slo: dice.one('p99 < 50ms', ['latency.max <= 80ms', 'errors == 0'], 'failures.rate < 10%', ['p50 < 20ms', 'non2xx < 50%'], { p90: '< 100ms' }) }),
      ...(dice.happens(0.2) && { maxDuration: dice.whole(9, 30) })
    }
    if (ofUsers) return findCapacity(load, settings)
    const rated = { ...load, ...(dice.happens(0.5) && { connections }), ...(dice.happens(0.3) && { arrivals: 'poisson', seed: dice.whole(0, 99) }) }
    return findCapacity(dice.happens(0.3) ? withSessions(dice, rated) : rated, settings)
  },
  comparison (world, dice) {
    const targets = targetsIn(world, dice, dice.one(2, 2, 2, 3)).map((load) => dice.happens(0.5) ? { ...load, overallRate: dice.whole(20, 200) } : load)
    return compare(targets, {
      rounds: dice.whole(1, 5),
      duration: dice.one(0.3, 0.6),
      warmup: dice.one(0, 0.1),
      pause: dice.one(0, 0.1),
      ...(dice.happens(0.5) && { seed: dice.whole(0, 99) }),
      ...(dice.happens(0.6) && { maxRegression: dice.one('10%', 0.5, { p99: '20%', errorRate: '5%' }, { throughput: '5%' }) })
    })
  },
  jamming (world, dice) {
    const [each, most] = [dice.ms(0.5, 4), dice.whole(5, 20)]
    const lost = dice.happens(0.2) ? dice.whole(10, 50) : Infinity
    const { url } = world.server({
      websocket: 'broadcast',
      slots: 1,
      serviceTime: ({ peer }) => peer.server.openConnections.length * each,
      ...(lost !== Infinity && { answer: ({ number }) => number % lost === lost - 1 ? 'silence' : undefined })
    })
    return findJamming({ url: url.replace('http', 'ws'), ...(dice.happens(0.3) && { title: 'room' }) }, {
      connections: dice.one([4], [2, 8], [most]), start: 10, step: dice.whole(10, 40), duration: 1, pause: 0, drain: 1, maxRate: dice.whole(40, 120), ...(dice.happens(0.4) && { limit: dice.whole(5, 100) })
    })
  }
}

// The result of a run is in the worlds of runs; here it only has to be that of the right one.
const short = (value) => value?.accounting === undefined ? value : { url: value.url, title: value.title, duration: value.duration, accounting: value.accounting }
const toldBy = (args) => args.map((value) => typeof value?.stop === 'function' ? 'the run' : short(value))

const outputsOf = (kind) => async (seed) => {
  const dice = Dice.of(seed, kind)
  const events = []
  const { value, world } = await simulate({ seed, link: { delay: 1 }, limit: 3600, mostEvents: 3e7 }, async (world) => {
    const study = STUDIES[kind](world, dice)
    for (const name of ['begin', ...EVENTS]) study.on(name, (...args) => events.push([world.elapsed, name, toldBy(args)]))
    if (dice.happens(0.1)) world.afterForClient(dice.whole(200, 3000), () => study.stop())
    return study.then((answer) => ({ answer }), ({ code, message, soFar }) => ({ code, message, soFar }))
  })
  return { answer: plain(value), events: plain(events), requests: plain(world.log.map(({ text, sentAt }) => [text, sentAt])) }
}

module.exports = { OUTPUTS: Object.fromEntries(Object.keys(STUDIES).map((kind) => [kind, outputsOf(kind)])) }
