'use strict'

// Drawn studies of drawn servers, in simulated worlds: their answers, the events that they emit, and what the servers received when.

const { compare, findCapacity, findJamming, sweep } = require('../../..')
const { refusalsOf } = require('../../../lib/study/refusals')
const { drawOptions, drawProtocol, drawServer: drawAnyServer } = require('../../simulation/drawn/options')
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

// Studies of servers of all protocols, with any options of runs. A draw may be of options that contradict each other.
const ATTEMPTS = 6

const MIXED = {
  sweep: (targets, dice) => sweep(targets.slice(0, 1), { rates: dice.one([20, 60], { from: 30, to: 90, step: 30 }), duration: 0.2, pause: 0 }),
  'sweep of connections': ([target], dice) => sweep(target, { connections: dice.one([1, 4], { from: 1, to: 5 }), duration: 0.2, pause: 0 }),
  capacity: ([target], dice) => findCapacity(target, { rates: { from: 10, to: dice.whole(30, 90) }, duration: 0.2, pause: 0, precision: '30%', ...(dice.happens(0.5) && { slo: dice.one('p99 < 50ms', 'failures.rate < 30%', ['errors == 0', 'non2xx < 50%']) }) }),
  'capacity of connections': ([target], dice) => findCapacity(target, { of: 'connections', connections: { from: 1, to: dice.whole(2, 8) }, duration: 0.2, pause: 0, precision: '30%', ...(dice.happens(0.5) && { slo: 'p90 < 60ms' }) }),
  compare: (targets, dice) => compare(targets.length === 1 ? [targets[0], targets[0]] : targets, { rounds: dice.whole(1, 3), duration: 0.15, warmup: dice.one(0, 0.05), pause: 0, ...(dice.happens(0.5) && { maxRegression: '20%' }) })
}

function mixed (world, dice, told) {
  const study = dice.one(...Object.keys(MIXED))
  const protocol = drawProtocol(dice)
  const refused = refusalsOf(study)
  const targets = Array.from({ length: dice.one(1, 2) }, (_, index) => {
    const { connections, ...opts } = drawOptions(dice, protocol, told)
    const taken = Object.fromEntries(Object.entries({ connections, ...opts }).filter(([name]) => !refused.has(name)))
    return { ...taken, url: world.server(drawAnyServer(dice, protocol, `10.0.0.${index + 1}`)).url }
  })
  return MIXED[study](targets, dice)
}

// The result of a run is in the worlds of runs; here it only has to be that of the right one.
const short = (value) => value?.accounting === undefined ? value : { url: value.url, title: value.title, duration: value.duration, accounting: value.accounting }
const toldBy = (args) => args.map((value) => typeof value?.stop === 'function' ? 'the run' : short(value))

async function played (seed, dice, begin) {
  const events = []
  const { value, world } = await simulate({ seed, link: { delay: 1 }, limit: 3600, mostEvents: 3e7 }, async (world) => {
    const study = begin(world)
    for (const name of ['begin', ...EVENTS]) study.on(name, (...args) => events.push([world.elapsed, name, toldBy(args)]))
    if (dice.happens(0.1)) world.afterForClient(dice.whole(200, 3000), () => study.stop())
    return study.then((answer) => ({ answer }), ({ code, message, soFar }) => ({ code, message, soFar }))
  })
  return { value, outputs: { answer: plain(value), events: plain(events), requests: plain(world.log.map(({ text, sentAt }) => [text, sentAt])) } }
}

const outputsOf = (kind) => async (seed) => {
  const dice = Dice.of(seed, kind)
  return (await played(seed, dice, (world) => STUDIES[kind](world, dice))).outputs
}

async function outputsOfMixed (seed) {
  for (let attempt = 0; ; attempt++) {
    const dice = Dice.of(seed * ATTEMPTS + attempt, 'mixed')
    const told = []
    const { value, outputs } = await played(seed, dice, (world) => mixed(world, dice, told))
    if (value.code !== 'CANNONADE_BAD_OPTION' || attempt === ATTEMPTS - 1) return { ...outputs, told: plain(told) }
  }
}

module.exports = { OUTPUTS: { ...Object.fromEntries(Object.keys(STUDIES).map((kind) => [kind, outputsOf(kind)])), mixed: outputsOfMixed } }
