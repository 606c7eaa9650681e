'use strict'

// Drawn runs as they are shown while they last: their options, their samples, errors, and what the program itself prints meanwhile. All of it in simulated time.

const track = require('../../../lib/report/track')
const { simulate } = require('../../simulation/world')
const fakeInstance = require('../fixtures/fake-instance')
const recordingStream = require('../fixtures/recording-stream')
const { Dice, count, list, maybe, name, rate, round, time } = require('./draw')

function optionsOf (dice) {
  const hasAmount = dice.happens(0.4)
  return {
    url: dice.one('http://a', 'https://a', 'ws://b/', ['http://a', 'http://b'], `http://${'long'.repeat(20)}/`),
    socketPath: maybe(dice, 0.1, () => '/tmp/socket'),
    connections: dice.one(1, 10, 1200, { from: 1, to: 9 }),
    pipelining: dice.one(1, 1, 2),
    workers: dice.one(undefined, 0, 2),
    duration: dice.one(3, 5, 10, 10, 30),
    amount: hasAmount ? dice.one(1, 40, 1000) : null,
    sessions: maybe(dice, 0.3, () => ({ amount: hasAmount ? dice.one(3, 40) : undefined, connections: dice.one(1, 6) })),
    ...dice.one({}, {}, { overallRate: 50 }, { connectionRate: 5 }, { stages: [{ rate: 1 }] }, { bursts: { size: 2 } }),
    drain: dice.one(null, 2),
    timeout: dice.one(undefined, 10),
    forever: dice.happens(0.15),
    tlsOptions: dice.one(undefined, { rejectUnauthorized: true })
  }
}

const settingsOf = (dice) => ({
  live: dice.one(false, false, false, true, true), statusInterval: dice.one(undefined, undefined, 0, 1, 2.5), renderProgressBar: dice.one(undefined, undefined, undefined, false), progressBarString: dice.one(undefined, undefined, ':bar :current/:total :elapsed :eta :rate'), verbose: dice.one(true, false)
})

const few = (dice) => dice.one(0, 0, 1, 9)

/** Samples with what they add up to. */
function ticksOf (dice, { duration }) {
  const seconds = dice.one(0.25, 0.5, 1, 1)
  const has = Object.fromEntries(['statuses', 'sessions', 'events', 'bounds', 'time', 'sums'].map((part) => [part, dice.happens(part === 'time' || part === 'sums' ? 0.8 : 0.4)]))
  const sums = { requests: 0, unsettled: 0, errors: 0, events: 0, completed: 0, failed: 0, statuses: { '2xx': 0, '4xx': 0, '5xx': 0 } }
  return list(Math.ceil((duration + dice.one(-1, 0, 1)) / seconds), (index) => {
    const counter = dice.one(0, count(dice), count(dice))
    sums.requests += counter
    sums.errors += few(dice)
    sums.events += few(dice)
    sums.completed += few(dice)
    sums.failed += dice.one(0, 0, 1)
    sums.unsettled = few(dice)
    sums.statuses[dice.one('2xx', '4xx', '5xx')] += counter
    const [p50, p99] = counter === 0 && dice.happens(0.7) ? [0, 0] : [time(dice), time(dice)].sort((one, other) => one - other)
    return {
      passed: seconds * 1000,
      tick: {
        counter,
        bytes: 0,
        p50,
        p99,
        ...(has.time && { time: round((index + 1) * seconds - dice.one(0, 0, 0.001), 3) }),
        ...(has.sums && { requests: sums.requests, errors: sums.errors, connections: dice.one(0, 1, 10, 1200) }),
        sent: sums.requests + sums.unsettled,
        settled: sums.requests,
        ...(has.statuses && { statuses: { ...sums.statuses } }),
        ...(has.sessions && { sessions: { open: few(dice), completed: sums.completed, failed: sums.failed } }),
        ...(has.events && { events: sums.events }),
        ...(has.bounds && dice.happens(0.4) && { latencyBounds: { count: 1, smallest: dice.one(p50, p99, p99 + 1) } })
      }
    }
  })
}

const RESULT = { requests: { total: 5, sent: 5, average: 1 }, latency: { totalCount: 5, p50: 1 }, url: 'http://a', duration: 5 }

/** @param {number} seed @returns {Promise<string>} everything that is written to the stream */
async function outputOfTrack (seed) {
  const dice = Dice.of(seed, 'track')
  const stream = Object.assign(recordingStream({ isTTY: dice.happens(0.7), columns: dice.one(40, 60, 80, 120) }), { rows: dice.one(12, 18, 24, 50) })
  await simulate({ seed }, async (world) => {
    // Two runs may share a terminal; one of them may begin while the other one lasts.
    const other = Dice.of(seed, 'other track')
    await Promise.all([
      playRun(world, stream, dice),
      other.happens(0.5) && world.sleep(other.one(0, 700, 2100)).then(() => playRun(world, stream, other))
    ])
  })
  return stream.text
}

async function playRun (world, stream, dice) {
  const opts = optionsOf(dice)
  // The result may go to a file.
  const resultStream = maybe(dice, 0.2, () => recordingStream())
  const instance = track(fakeInstance(opts), { outputStream: stream, resultStream, ...settingsOf(dice) })
  for (let rounds = opts.forever ? 2 : 1; rounds > 0; rounds--) await playRound(world, instance, { dice, stream, opts })
  if (resultStream !== undefined) stream.write(`in a file: ${resultStream.text}`)
}

async function playRound (world, instance, { dice, stream, opts }) {
  if (dice.happens(0.2)) instance.emit('warmup', { duration: 2, connections: 3 })
  if (dice.happens(0.9)) instance.emit('start')
  for (const { passed, tick } of ticksOf(dice, opts)) {
    await world.sleep(passed)
    if (dice.happens(0.2)) instance.emit('reqError', Object.assign(new Error(dice.one('', 'gone', `connect ECONNREFUSED ${name(dice)}`)), { code: 'ECONNREFUSED' }))
    if (dice.happens(0.15)) stream.write(dice.one('printed\n', 'no line', Buffer.from('bytes\n')))
    if (dice.happens(0.1) && stream.isTTY) Object.assign(stream, { columns: dice.one(20, 50, 100), rows: dice.one(5, 20, 40) }).emit('resize')
    instance.emit('tick', tick)
  }
  if (dice.happens(0.2)) instance.emit('linger', { seconds: 5 })
  const result = { ...RESULT, connectionStats: dice.one(undefined, { peak: count(dice) }), requests: { ...RESULT.requests, average: rate(dice) } }
  if (opts.forever || dice.happens(0.8)) return instance.emit('done', result)
  try {
    instance.emit('error', Object.assign(new Error('failed'), { result: dice.one(undefined, result) }))
  } catch {} // as without a listener
}

module.exports = { outputOfTrack }
