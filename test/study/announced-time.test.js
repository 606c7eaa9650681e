'use strict'

const t = require('tap')
const { BY_RATE } = require('../../lib/study/capacity/axes')
const Explorer = require('../../lib/study/capacity/explorer')
const findCapacity = require('../../lib/study/capacity')
const findJamming = require('../../lib/study/jamming')
const { mostRuns } = require('../../lib/study/capacity/search')
const compare = require('../../lib/study/compare')
const sweep = require('../../lib/study/sweep')
const { httpServer } = require('../support/servers')

// The duration that a study announces, without running it.
async function announced (study) {
  study.stop()
  await study
  return study.seconds
}

t.test('a warm-up in the options is included, before each run', async (t) => {
  const url = 'http://localhost:1'
  const settings = { rates: [50, 100, 150], duration: 1, pause: 0.5 }
  t.equal(await announced(sweep({ url, warmup: { duration: 2 } }, settings)), 3 * (2 + 1.5) - 0.5)
  t.equal(await announced(sweep({ url, warmup: true }, settings)), 3 * (1 + 1.5) - 0.5, 'one as long as the run')
  t.equal(await announced(sweep([{ url, warmup: '2s' }, { url, warmup: false }], settings)), 3 * (2 + 1.5 + 1.5) - 0.5)

  const rounds = { rounds: 2, duration: 1, pause: 0, warmup: 0.5 }
  t.equal(await announced(compare([{ url, warmup: { duration: 2 } }, { url }], rounds)), 2 * 0.5 + 2 * (2 + 1 + 1))
  t.equal(await announced(compare([{ url, warmup: true }, { url, warmup: { connections: 1, duration: 3 }, duration: 4 }], { rounds: 2, pause: 0, warmup: 0 })), 2 * (5 + 5 + 3 + 4))

  const search = { duration: 1, pause: 0, rates: { from: 50, to: 400 } }
  const without = await announced(findCapacity({ url, timeout: 1 }, search))
  const { short, long } = mostRuns({ from: 50, to: 400, least: 10, precision: 0.05 })
  const withIt = await announced(findCapacity({ url, timeout: 1, warmup: { duration: 2 } }, search))
  t.ok(Math.abs(withIt - without - (short + long) * (2 + 1)) <= 1, `${without} and ${withIt}: two seconds, and a drain of one`)
  t.equal(await announced(findCapacity({ url, warmup: { duration: 2 } }, { ...search, duration: undefined, maxDuration: 90 })), 90)
})

t.test('a jamming study includes the longest search, and the recovery', async (t) => {
  const url = 'ws://localhost:1'
  const settings = { connections: [5, 10], start: 10, step: 10, maxRate: 40, duration: 2, pause: 0.5, drain: 3 }
  // The search is longest if 10 and 20 are good, and 40 and 30 are bad, both of them twice, with all of the drain. The recovery is a
  // jam and the time after it, each with its drain.
  const level = (step) => 2 * step + 4 * (step + 3) + 2 * (2 + 3) + 0.5
  t.equal(await announced(findJamming({ url }, settings)), 2 * level(2.5))
  t.equal(await announced(findJamming({ url }, { ...settings, payload: [10, 100] })), 4 * level(2.5))
  t.equal(await announced(findJamming({ url, warmup: { duration: 1 } }, settings)), 2 * level(3.5))
})

t.test('a confirming run is three times as long, and there is a pause before each run but the first', async (t) => {
  const made = []
  const study = { pause: async (seconds) => made.push(['pause', seconds]), measure: async ({ duration, drain, overallRate }, about) => { made.push([duration, drain, overallRate, about]); return null } }
  const explorer = new Explorer(study, { axis: BY_RATE, drains: true, target: { opts: {}, name: 'x' }, slo: [], enough: 0.98, budget: { duration: 2, pause: 0.5, drain: 1, seconds: 60 } })
  await explorer.run(50, 'climb')
  explorer.steps.push({})
  await explorer.run(70, 'confirm')
  t.same(made, [[2, 1, 50, { name: 'x', rate: 50, phase: 'climb' }], ['pause', 0.5], [6, 1, 70, { name: 'x', rate: 70, phase: 'confirm' }]])
  const late = new Explorer(study, { axis: BY_RATE, drains: true, target: { opts: { warmup: { duration: 1 } }, name: 'x' }, slo: [], enough: 0.98, budget: { duration: 2, pause: 0, drain: 1, seconds: 3.9 } })
  t.equal(await late.run(50, 'climb'), null)
  t.equal(late.isOutOfTime, true, 'a warm-up, the run and its drain take four')
  t.equal(made.length, 3)
})

t.test('the defaults of studies', async (t) => {
  const url = 'http://localhost:1'
  // 40 rates for each of three numbers of connections, from 5,000 to 200,000 outgoing messages/s.
  // The search is longest if the rates 1, 2, 4, 8 and 16 are good, and 32, 24, 20, 18 and 17 of these 40 are bad.
  t.equal(await announced(findJamming({ url: 'ws://localhost:1' })), 3 * (5 * (5 + 2) + 5 * 2 * (5 + 2 + 5) + 2 * (5 + 5) + 2))
  t.equal(await announced(sweep({ url }, { rates: [1, 2, 3] })), 3 * (10 + 1) - 1)
  t.equal(await announced(compare([{ url }, { url }])), 2 * (2 + 10 * (5 + 0.5)))
  t.equal(await announced(compare([{ url, amount: 100 }, { url, duration: 1 }])), 1 + 0 + (1 + 10 * (1 + 0.1)))
})

t.test('samples of a search are a tenth of its runs, from 10 ms to a second, unless configured', async (t) => {
  const options = (duration, opts = {}) => new Explorer({}, { axis: BY_RATE, drains: true, target: { opts, name: 'x' }, slo: ['slo'], enough: 0.98, budget: { seconds: 1, drain: 7 } }).optionsFor(50, duration)
  t.same([0.05, 0.2, 3.456, 60].map((duration) => options(duration).sampleInt), [10, 20, 346, 1000])
  t.match(options(2, { sampleInt: 77, title: 'a' }), { sampleInt: 77, title: 'a', overallRate: 50, duration: 2, drain: 7, thresholds: ['slo'], abortOnFail: true })
})

t.test("the study's own warm-up has no warm-up before it", async (t) => {
  const { url } = await httpServer(t)
  const warmups = []
  const study = compare([{ url, warmup: { duration: 0.1 } }, { url }], { rounds: 1, duration: 0.1, pause: 0, warmup: 0.1 })
  study.on('begin', (instance, { isWarmup, target }) => instance.on('warmup', () => warmups.push(isWarmup ? 'before' : target)))
  await study
  t.same(warmups, [0])
})

t.test('a run that takes longer than announced ends when the time is over', async (t) => {
  const told = []
  const study = {
    pause: async () => {},
    measure: ({ signal }, about) => new Promise((resolve) => {
      told.push(about)
      signal.addEventListener('abort', () => resolve(null))
    })
  }
  const budget = { duration: 0.01, pause: 0, drain: 0, seconds: 0.2 }
  const explorer = new Explorer(study, { axis: BY_RATE, drains: true, target: { opts: {}, name: 'x' }, slo: [], enough: 0.98, budget })
  t.equal(await explorer.probe(50, 'climb'), null)
  t.equal(explorer.isOutOfTime, true)
  t.equal(await explorer.probe(60, 'climb'), null)
  t.same(told, [{ name: 'x', rate: 50, phase: 'climb' }])
})

t.test('a run that fails is repeated, unless it was not answered or achieved clearly less than a demanded rate', async (t) => {
  const [passed, failed] = [true, false].map((passed) => ({ passed, completed: 5, answered: 46, keepsUp: false }))
  for (const [runs, expected, taken] of [
    [[passed], true, 1],
    [[failed, passed], true, 2],
    [[failed, failed], false, 2],
    [[{ ...failed, completed: 0 }], false, 1],
    [[{ ...failed, answered: 44 }], false, 1],
    [[{ ...failed, answered: 45 }, passed], true, 2],
    // No rate is demanded of users.
    [[{ ...failed, answered: 4, keepsUp: null }, { ...passed, keepsUp: null }], true, 2],
    [[{ ...failed, answered: 4, keepsUp: null }, { ...failed, keepsUp: null }], false, 2]
  ]) {
    const explorer = new Explorer({}, { target: { opts: {} }, budget: { seconds: 1 } })
    explorer.steps.push({}, {})
    const left = [...runs]
    explorer.run = async () => {
      const step = left.shift()
      explorer.limits.set(step, { answered: step.answered })
      return step
    }
    t.equal(await explorer.probe(50, 'climb'), expected, JSON.stringify(runs))
    t.equal(runs.length - left.length, taken)
  }
})

t.test('a failure counts if there is no time to repeat the run', async (t) => {
  const measured = { passed: false, completed: 5, sustained: 50 }
  const explorer = new Explorer({}, { target: { opts: {} }, budget: { seconds: 1 } })
  const results = [measured, null]
  explorer.run = async () => results.shift()
  explorer.steps.push(measured, measured)
  t.equal(await explorer.probe(50, 'climb'), false)
})
