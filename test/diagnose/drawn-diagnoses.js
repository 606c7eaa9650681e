'use strict'

// Diagnoses of drawn servers: threads with scripts, suspended or on another clock, that begin late or end early; requests that were in flight; and the slowest.

const path = require('node:path')
const { diagnosisOf } = require('../../lib/diagnose/diagnosis')
const Thread = require('../../lib/diagnose/thread')
const { Dice, list } = require('../report/drawn/draw')
const { START, recording, suspendedAfter } = require('./recordings')

const STACKS = [
  'emit', 'emit handle', 'emit handle work', 'emit handle native', 'handle parse', 'handle readFileSync native', 'handle log readFileSync', 'emit handle log pbkdf2Sync', 'parse pbkdf2Sync', 'parse gzip', 'require readFileSync', 'gc', 'program', 'agent', 'agent native', 'preload handle', 'handle handle', 'ticks emit handle parse parse work'
]

const [SHORT, LONG] = [[1, 4, 5], [20, 49, 50, 51, 120]]

function scriptOf (dice) {
  const script = [['idle', dice.one(1, 30)]]
  const [busy, rest] = dice.one([[...SHORT, ...LONG], [1, 1, 10, 60]], [SHORT, LONG], [LONG, [1]], [[2], [10]])
  const stacks = dice.one(STACKS, STACKS, [dice.one(...STACKS), 'emit handle'], ['gc', 'gc', 'emit handle'])
  for (let parts = dice.one(1, 3, 12, 40); parts > 0; parts--) script.push([dice.one(...stacks), dice.one(...busy)], ['idle', dice.one(...rest)])
  return script
}

function threadOf (dice, index) {
  const script = scriptOf(dice)
  const made = recording(script, {
    pid: dice.one(100, 100 + index), parent: dice.one(1, 1, 100), thread: dice.one(0, 0, index), script: dice.one('/app/server.js', null), ports: dice.one([80], [80], [], [81, 80]), cpu: dice.one(5, 40, 49, 90, 120), ahead: dice.one(0, 0, 15, 200), hasLeft: dice.happens(0.1), shift: dice.one(0, 0, 3000), collections: list(dice.whole(0, 4), (place) => [100 * place - dice.one(0, 0, 30), dice.one(1, 20, 90)])
  })
  const system = dice.one(0, 0.01, 0.2, 0.45)
  made.beats.system = made.beats.time.map((time) => (time - START) * system)
  made.beats.heap = made.beats.heap.map((heap) => heap + dice.whole(0, 5000))
  return dice.happens(0.2) ? suspendedAfter(made, dice.one('handle', 'work', 'parse', 'gc')) : made
}

// Wherever the project is.
const ROOT = path.join(__dirname, '../..') + path.sep
const textOf = (value) => JSON.stringify(value).replaceAll(ROOT, '')

const statistics = (dice) => ({ totalCount: dice.one(0, 5, 5), p50: dice.one(4, 10, 10.5, 11, 30, 200) })

function outputsOf (seed) {
  const dice = Dice.of(seed, 'diagnosis of threads')
  const recordings = list(dice.one(1, 1, 2, 3, 4), (index) => threadOf(dice, index))
  const seconds = dice.one(0.3, 0.5, 1, 2)
  const requests = list(dice.one(0, 3, 10, 12), () => {
    const sentAt = dice.whole(0, 1000 * seconds)
    return { sentAt: 1000 * sentAt, endedAt: 1000 * (sentAt + dice.one(1, 10, 49, 200, 600)) }
  })
  const length = dice.one(0, Math.round(1000 * seconds), Math.round(1000 * seconds) + 200)
  const result = { latency: statistics(dice), serviceTime: statistics(dice), timeToFirstByte: statistics(dice), generator: { saturated: dice.happens(0.1) }, timeline: list(3, (index) => ({ time: (index + 1) * seconds / 3, seconds: seconds / 3 })) }
  const run = {
    recordings, isComplete: dice.happens(0.8), isDirect: dice.happens(0.9), port: 80, startedAt: START, seconds, flights: { sent: list(length, () => dice.one(0, 1, 3)), ended: list(length, () => dice.one(0, 1, 2)) }, slowest: requests, result
  }
  const { diagnosis, servers, stallOf, threads } = diagnosisOf(run)
  return {
    diagnosis: textOf({ ...diagnosis, flame: null }),
    flame: textOf(diagnosis.flame),
    samples: textOf(servers),
    stalls: textOf(requests.map(stallOf)),
    threads: textOf(threads.map((thread) => [thread.name, thread.busy, thread.functions, thread.stalls, thread.figures, [...thread.proven.self], Object.values(thread.proven).slice(1)])),
    // A part of the run, in which other threads may be there.
    parts: textOf(recordings.map((each) => new Thread(each, START + 100_500, START + 250_250).toResult()))
  }
}

module.exports = { OUTPUTS: { diagnosis: outputsOf } }
