'use strict'

const os = require('node:os')
const path = require('node:path')
const Dice = require('../../simulation/random/dice')

const RECORD = path.join(os.tmpdir(), 'all.csv')
const KINDS = ['run', 'run', 'run', 'sweep', 'capacity', 'comparison']

/**
 * A random fleet, its task, and the events during it, as plain data: the same seed gives the same.
 *
 * @param {number} seed
 * @returns {object} `kind`, `agents` (of which `count` are requested, the others are spare), `hub`, `server`, `story` (see
 *   play.js), `options` of a run or `load` and `settings` of a study
 */
function drawFleet (seed) {
  const dice = new Dice(seed)
  const kind = dice.one(...KINDS)
  const isRun = kind === 'run'
  const count = dice.one(1, 2, 2, 3, 4)
  const spare = !isRun && dice.happens(0.75) ? dice.whole(1, 3) : 0
  const drawn = {
    seed,
    kind,
    count,
    agents: Array.from({ length: count + spare }, (_, index) => ({
      name: `agent ${index}`, cores: dice.happens(0.4) ? dice.whole(2, 4) : 1, error: dice.ms(-0.05, 0.05), uncertainty: 0.05
    })),
    hub: { delay: dice.whole(0, 40), ...(dice.happens(0.4) && { lost: 0.01, twice: 0.01 }) },
    story: drawStory(dice, isRun ? 4 : 12),
    ...(isRun ? drawRun(dice) : drawStudy(dice, kind))
  }
  if (isRun && dice.happens(0.6)) drawn.options.record = RECORD
  if (isRun) drawMix(Dice.of(seed, 'scenarios'), drawn)
  if (isRun) drawRows(Dice.of(seed, 'rows'), drawn)
  if (isRun) drawThresholds(Dice.of(seed, 'thresholds'), drawn)
  return drawn
}

// Events that affect agents and the hub, in the first seconds.
function drawStory (dice, seconds) {
  const story = []
  while (story.length < 4 && dice.happens(story.length === 0 ? 0.8 : 0.35)) {
    const at = dice.whole(200, seconds * 1000)
    story.push(dice.one(
      { at, what: 'cut' },
      { at, what: 'cut' },
      { at, what: 'cut' },
      { at, what: 'cut' },
      { at, what: 'cut', mendedAfter: dice.whole(3000, 20_000) },
      { at, what: 'leave' },
      { at, what: 'goAway', backAfter: dice.whole(500, 6000) },
      { at, what: 'stopRun' }
    ))
  }
  if (dice.happens(0.08)) story.push({ at: dice.whole(200, seconds * 1000), what: 'goAway' })
  if (dice.happens(0.08)) story.push({ at: dice.whole(200, seconds * 1000), what: 'stop' })
  return story
}

function drawRun (dice) {
  const options = { connections: dice.whole(1, 12), timeout: dice.one(0.2, 1, 5), sampleInt: dice.one(250, 1000), pacing: 'sleep' }
  const duration = dice.whole(3, 6)
  switch (dice.whole(0, 5)) {
    case 0:
      break
    case 1:
      options.stages = [{ duration: duration / 2, rate: { from: 0, to: 80 } }, { duration: duration / 2, rate: 40 }]
      break
    case 2:
      options.bursts = { size: dice.whole(2, 20), interval: dice.whole(1, 5) / 10 }
      break
    case 3:
      options.connectionRate = dice.whole(1, 10)
      break
    default:
      Object.assign(options, { overallRate: dice.whole(5, 120), ...(dice.happens(0.25) && { arrivals: 'poisson', seed: dice.whole(0, 99) }) })
  }
  if (options.stages === undefined) {
    if (dice.happens(0.3)) options.amount = dice.whole(1, 200)
    else options.duration = duration
  }
  if (options.connectionRate === undefined && dice.happens(0.3)) {
    options.sessions = { calls: dice.whole(1, 4), ...(options.amount !== undefined && { amount: options.amount }) }
    delete options.amount
  }
  if (dice.happens(0.2)) options.warmup = { connections: options.connections, duration: dice.whole(1, 3) }
  const server = { serviceTime: dice.ms(5, 60), ...(dice.happens(0.3) && { everyNth: dice.whole(3, 60), answer: dice.one(500, 'reset', 'silence') }) }
  drawProtocol(dice, options, server)
  return { options, server }
}

function drawProtocol (dice, options, server) {
  if (dice.happens(0.4)) options.pipelining = dice.whole(2, 6)
  if (dice.happens(0.5)) return
  options.http2 = server.http2 = true
}

// Sessions of several kinds. A path begins with the number of its scenario.
function drawMix (dice, { options }) {
  // Sessions have no rate per connection.
  if (options.connectionRate !== undefined || !dice.happens(0.4)) return
  const { amount, sessions = {} } = options
  delete options.amount
  const { calls, ...rest } = sessions
  options.sessions = { ...(amount !== undefined && { amount }), ...rest, ...(dice.happens(0.3) && { failOn: ['5xx'] }) }
  options.scenarios = Array.from({ length: dice.whole(1, 4) }, (_, index) => ({
    name: `scenario ${index}`,
    weight: dice.one(1, 1, 2, 3, 0.5, 20),
    requests: Array.from({ length: dice.whole(1, 3) }, (_, step) => ({ path: `/${index}/${step}` })),
    ...(dice.happens(0.3) && { calls: dice.whole(1, 4) }),
    ...(dice.happens(0.3) && { thinkTime: dice.whole(0, 300) / 1000 })
  }))
}

// Agents and their threads have rows of their own.
function drawRows (dice, { options }) {
  if (options.scenarios !== undefined || options.sessions !== undefined || !dice.happens(0.2)) return
  options.feed = { rows: Array.from({ length: dice.whole(1, 400) }, (_, id) => ({ id })), order: dice.one('once', 'once', 'sequential') }
  options.requests = [{ path: '/{{id}}' }]
}

function drawThresholds (dice, { options }) {
  if (!dice.happens(0.25)) return
  const names = ['errors == 0', 'errors <= 3', ...(options.scenarios === undefined ? [] : ['scenarios["scenario 0"].errors == 0', 'scenarios["scenario 0"].errors == 0'])]
  options.thresholds = [dice.one(...names)]
  if (dice.happens(0.6)) options.abortOnFail = true
}

// Servers with a known capacity: this many requests at a time, each for this long.
function drawStudy (dice, kind) {
  const server = { slots: dice.whole(1, 3), serviceTime: 50 }
  const capacity = server.slots * 1000 / server.serviceTime
  const load = { connections: 100, sampleInt: 1000, pacing: 'sleep' }
  // A lost agent sends load for up to eight more seconds, unless its part of the run is over.
  const duration = dice.one(3, 3, 8)
  switch (kind) {
    case 'sweep':
      return { server, capacity, load, settings: { rates: [0.3, 0.6, 0.85, 1.3].map((share) => share * capacity), duration, pause: 0.5 } }
    case 'capacity':
      return { server, capacity, load, settings: { rates: { from: capacity / 4, to: 2 * capacity }, precision: 0.25, duration, pause: 0.2 } }
    default:
      return { server, capacity, load: { ...load, overallRate: 0.7 * capacity }, settings: { rounds: dice.whole(2, 4), duration, pause: 0.2, warmup: dice.one(0, 1), maxRegression: '50%' } }
  }
}

module.exports = drawFleet
