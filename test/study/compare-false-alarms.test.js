'use strict'

/*
 * The promise of `falseAlarmRate: 0.05`: a server compared with itself is reported as different in at most 5% of all comparisons, over all
 * metrics together, whatever the noise. The runs are simulated to have enough of them; each batch of 40 has its own seed, so the numbers
 * are the same every time.
 */

const t = require('tap')
const compare = require('../../lib/study/compare')
const { judge, NO_DIFFERENCE } = require('../../lib/study/compare/judge')
const { machine, runOn, rounds } = require('./fixtures/simulated')

// It computes for half a minute, which may be several minutes on a shared machine.
t.setTimeout(600_000)

const STATED = 0.05
const COMPARISONS = 40
const BATCHES = 3

const NOISES = {
  'independent noise': { correlation: 0 },
  'noise that lasts for a few runs': { correlation: 0.5 },
  'noise that lasts for many runs, and drift': { correlation: 0.9, drift: 0.01 },
  'noise with outliers': { correlation: 0.5, outliers: 0.1 }
}

for (const [name, noise] of Object.entries(NOISES)) {
  t.test(`rounds, ${name}: no more false alarms than stated`, async (t) => {
    for (const count of [3, 5, 10]) {
      let alarms = 0
      for (let seed = 1; seed <= BATCHES * COMPARISONS; seed++) {
        const [first, second] = rounds(machine(seed * 1000 + count, noise), count)
        if (judge(first, second, { isPaired: true, alpha: STATED, seed }).verdict !== NO_DIFFERENCE) alarms++
      }
      const most = STATED * BATCHES * COMPARISONS
      t.ok(alarms <= most, `${count} rounds: ${alarms} of ${BATCHES * COMPARISONS} comparisons, at most ${most}`)
    }
  })
}

t.test('saved runs made separately: no more false alarms than stated', async (t) => {
  let alarms = 0
  for (let seed = 1; seed <= COMPARISONS * BATCHES; seed++) {
    const state = machine(seed, { correlation: 0 })
    const runs = () => Array.from({ length: 6 }, () => runOn(state))
    if (judge(runs(), runs(), { isPaired: false, alpha: STATED, seed }).verdict !== NO_DIFFERENCE) alarms++
  }
  t.ok(alarms <= STATED * COMPARISONS * BATCHES, `${alarms} of ${COMPARISONS * BATCHES}`)
})

t.test('three sides: the rate applies to both comparisons together', async (t) => {
  let alarms = 0
  for (let seed = 1; seed <= COMPARISONS; seed++) {
    const state = machine(seed, { correlation: 0 })
    const sides = [0, 1, 2].map(() => Array.from({ length: 6 }, () => runOn(state)))
    const { comparisons } = await compare(sides)
    if (comparisons.some(({ verdict }) => verdict !== NO_DIFFERENCE)) alarms++
  }
  t.ok(alarms <= STATED * COMPARISONS, `${alarms} of ${COMPARISONS}`)
})

t.test('actual differences are detected', async (t) => {
  const slower = (factor) => {
    let seen = 0
    for (let seed = 1; seed <= COMPARISONS; seed++) {
      const [first, second] = rounds(machine(seed, { correlation: 0.5 }), 10, [{}, { slower: factor }])
      if (judge(first, second, { isPaired: true, alpha: STATED, seed }).verdict === 'slower') seen++
    }
    return seen
  }
  t.ok(slower(1.15) >= 38, '15% slower with noise of 3%: nearly always')
  t.ok(slower(1.02) <= 20, '2% slower: hardly ever')
})

t.test('a single run each, with correlated samples: no more than stated, as far as noise within the runs is concerned', async (t) => {
  let alarms = 0
  for (let seed = 1; seed <= BATCHES * COMPARISONS; seed++) {
    // On average both begin and end with the machine in the same state: only the noise within the runs is tested.
    const results = [0, 1].map((side) => {
      const result = runOn(machine(seed * 2 + side, { correlation: 0.6 }), { seconds: 60 })
      const total = result.timeline.reduce((sum, { requests }) => sum + requests, 0)
      const middle = (name) => result.timeline.reduce((sum, sample) => sum + sample[name], 0) / 60
      return {
        ...result,
        errors: 0,
        duration: 60,
        requests: { average: total / 60, total },
        latency: { p50: middle('p50'), p99: middle('p99'), totalCount: total }
      }
    })
    if ((await compare(results)).verdict !== NO_DIFFERENCE) alarms++
  }
  t.ok(alarms <= STATED * BATCHES * COMPARISONS, `${alarms} of ${BATCHES * COMPARISONS}`)
})
