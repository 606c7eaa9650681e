'use strict'

const t = require('tap')
const { createPlan } = require('../../lib/plan')
const { CODES } = require('../../lib/base/errors')

function planOf (opts) {
  return createPlan({ url: 'http://localhost', ...opts }).plan
}

t.test('without a rate there is no schedule', async t => {
  t.equal(planOf({}).schedule, null)
})

t.test('overallRate: one constant schedule at any positive rate', async t => {
  for (const rate of [0.1, 1, 33.3, 100000, '0.5']) {
    t.strictSame(planOf({ overallRate: rate, seed: 7, connections: 50 }).schedule, {
      kind: 'constant', rate: Number(rate), arrivals: 'uniform', seed: 7, perConnection: false
    })
    t.equal(planOf({ overallRate: rate, connections: 50 }).connections, 50, 'connections are unchanged')
  }
})

t.test('connectionRate: the rate of the whole run, divided among connections', async t => {
  t.strictSame(planOf({ connectionRate: 2.5, connections: 4, seed: 7, arrivals: 'poisson' }).schedule, {
    kind: 'constant', rate: 10, arrivals: 'poisson', seed: 7, perConnection: true
  })
  t.match(planOf({ connectionRate: 2, overallRate: 100 }).schedule, { rate: 20, perConnection: true }, 'has priority over overallRate')
})

t.test('stages: an array and the text on a command line mean the same', async t => {
  const stages = [{ duration: 10, from: 100, to: 100 }, { duration: 30, from: 100, to: 2000 }, { duration: 10, from: 0, to: 0 }]
  const forms = [
    '10s:100, 30s:100..2000, 10s:0',
    '10:100,30:100..2000,10:0,',
    [{ duration: 10, rate: 100 }, { duration: '30s', rate: { from: 100, to: '2000' } }, { duration: 10, rate: 0 }],
    ['10s:100', '30s:100..2000', '10s:0']
  ]
  for (const form of forms) {
    t.strictSame(planOf({ stages: form, seed: 7 }).schedule, { kind: 'stages', stages, arrivals: 'uniform', seed: 7 })
  }
  t.same(planOf({ stages: '1m 30s:0.5..2.5' }).schedule.stages, [{ duration: 90, from: 0.5, to: 2.5 }])
})

t.test('stages: the run lasts as long as they do, unless duration is given', async t => {
  t.equal(planOf({ stages: '10s:100, 1m:5' }).duration, 70)
  t.equal(planOf({ stages: '10s:100, 1m:5', duration: 20 }).duration, 20)
})

t.test('bursts: SIZE requests at once, after each interval', async t => {
  t.strictSame(planOf({ bursts: { size: '100', interval: '500ms' } }).schedule, { kind: 'bursts', size: 100, interval: 0.5 })
})

t.test('two schedules for one run are an error that names both', async t => {
  const bursts = { size: 1, interval: 1 }
  const contradictions = [
    [{ stages: '1s:1', overallRate: 5 }, /stages and overallRate/],
    [{ stages: '1s:1', connectionRate: 5 }, /stages and connectionRate/],
    [{ stages: '1s:1', bursts }, /stages and bursts/],
    [{ bursts, overallRate: 5 }, /bursts and overallRate/],
    [{ bursts, connectionRate: 5, overallRate: 5 }, /bursts and overallRate/],
    [{ bursts, arrivals: 'poisson' }, /bursts and arrivals/],
    [{ connectionRate: 5, connections: { from: 1, to: 5, over: 1 } }, /connectionRate and connections/]
  ]
  for (const [opts, message] of contradictions) t.throws(() => planOf(opts), { code: CODES.BAD_OPTION, message })
})

t.test('thinkTime: with a schedule, an error names both', async t => {
  const schedules = {
    overallRate: 5, connectionRate: 5, stages: '1s:1', bursts: { size: 1, interval: 1 }
  }
  for (const [name, value] of Object.entries(schedules)) {
    t.throws(() => planOf({ thinkTime: 1, [name]: value }), {
      code: CODES.BAD_OPTION, option: 'thinkTime', message: new RegExp(`thinkTime and ${name}`)
    })
  }
  t.doesNotThrow(() => planOf({ thinkTime: 0, overallRate: 5 }), 'none is none')
  t.doesNotThrow(() => planOf({ thinkTime: 1, pipelining: 4 }))
})

t.test('seed: random by default, and reported', async t => {
  const seeds = Array.from({ length: 5 }, () => planOf({ overallRate: 1 }))
  for (const { seed, schedule } of seeds) {
    t.ok(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32)
    t.equal(schedule.seed, seed)
  }
  t.ok(new Set(seeds.map(plan => plan.seed)).size > 1, 'a different one for each run')
  t.equal(planOf({ seed: '4294967295' }).seed, 4294967295)
  t.equal(planOf({ seed: 0, overallRate: 1 }).schedule.seed, 0)
})

t.test('options that need a schedule give a warning without one', async t => {
  const needing = { arrivals: 'poisson', pacing: 'sleep', drain: 3, ignoreCoordinatedOmission: true }
  for (const [name, value] of Object.entries(needing)) {
    const { warnings } = createPlan({ url: 'http://localhost', [name]: value })
    t.match(warnings, [{ code: 'OPTION_WITHOUT_EFFECT', message: new RegExp(`^${name} has no effect`) }])
    t.equal(warnings.length, 1)
    t.same(createPlan({ url: 'http://localhost', overallRate: 1, [name]: value }).warnings, [], 'with one it is not')
  }
  const defaults = { arrivals: 'uniform', pacing: 'precise', drain: 10, ignoreCoordinatedOmission: false }
  t.same(createPlan({ url: 'http://localhost', ...defaults }).warnings, [], 'nor is an explicit default')
})

t.test('with sessions, due times, pauses and a drain exist without a schedule as well', async t => {
  const of = (opts) => createPlan({ url: 'http://localhost', ...opts }).warnings.map(({ message }) => message)
  t.same(of({ sessions: true, connections: 5, pacing: 'sleep', drain: 3, ignoreCoordinatedOmission: true }), [])
  t.match(of({ sessions: true, arrivals: 'poisson' }), [/^arrivals has no effect without a schedule/])
})

t.test('sessions: options that limit concurrency give a warning if they have no effect', async t => {
  const of = (opts) => createPlan({ url: 'http://localhost', ...opts }).warnings.map(({ message }) => message)
  t.same(of({ sessions: { maxOpen: 5 } }), ['sessions.maxOpen has no effect without a schedule: connections is the number of concurrent users'])
  t.same(of({ sessions: true, overallRate: 5, connections: 5 }), ['connections has no effect if sessions arrive by a schedule: sessions.maxOpen limits how many are open at a time'])
  t.same(of({ sessions: { maxOpen: 5 }, overallRate: 5 }), [])
})

t.test('more than threads can send is probably a mistake', async t => {
  const most = 1e6
  const fine = [
    { overallRate: most }, { overallRate: 2 * most, workers: 2 }, { connectionRate: most / 10, connections: 10 },
    { stages: [{ duration: 1, rate: { from: 0, to: most } }] }, { bursts: { size: most, interval: 1 } }
  ]
  for (const opts of fine) t.ok(planOf(opts).schedule, JSON.stringify(opts))
  const wrong = [
    [{ overallRate: 1e12 }, 'overallRate'],
    [{ overallRate: 2 * most + 1, workers: 2 }, 'overallRate'],
    [{ connectionRate: most / 10 + 1, connections: 10 }, 'connectionRate'],
    [{ stages: [{ duration: 1, rate: 1 }, { duration: 1, rate: { from: 0, to: most + 1 } }] }, 'stages[1].rate'],
    [{ bursts: { size: most + 1, interval: 1 } }, 'bursts.size']
  ]
  for (const [opts, option] of wrong) {
    t.throws(() => planOf(opts), { code: CODES.BAD_OPTION, option, message: /at most 1000000 for each thread; got \d+$/ }, option)
  }
  const fleet = { redis: 'redis://localhost', key: 'x'.repeat(32), agents: 3 }
  t.ok(planOf({ overallRate: 3 * most, connections: 3, fleet }).schedule)
  t.throws(() => planOf({ overallRate: 3 * most + 1, connections: 3, fleet }), { option: 'overallRate', message: /at most 1000000 for each agent; got \d+$/ })
})

t.test('of a ramp, the higher rate counts', async (t) => {
  const planWith = (rate) => createPlan({ url: 'http://a.test', stages: [{ duration: 1, rate: 1 }, { duration: 1, rate }] })
  for (const rate of [{ from: 1_000_001, to: 1 }, { from: 1, to: 1_000_001 }, 1_000_001]) {
    t.throws(() => planWith(rate), { code: 'CANNONADE_BAD_OPTION', option: 'stages[1].rate', message: /at most 1000000 for each thread; got 1000001/ })
  }
  t.doesNotThrow(() => planWith({ from: 1_000_000, to: 1 }))
})
