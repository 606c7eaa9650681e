'use strict'

// Random comparisons of saved results: unequal numbers of rounds, one or several sides, and among them results that lost part of their run
// or were cut short. What must be true of each is arithmetic.

const t = require('tap')
const { judge, NO_DIFFERENCE } = require('../../lib/study/compare/judge')
const { compareResults } = require('../../lib/study/compare/comparison-result')
const Dice = require('../simulation/random/dice')
const { machine, runOn } = require('./fixtures/simulated')

const COMPARISONS = 200
const LIMIT = 0.3
const SINGLE = 'block bootstrap within a single run'

/** The results of a few sides: for each how many times slower its server is, and `runs`. */
function draw (seed) {
  const dice = new Dice(seed)
  const state = machine(seed, { correlation: 0, outliers: dice.one(0, 0.1) })
  return Array.from({ length: dice.happens(0.3) ? 3 : 2 }, (_, side) => {
    const slower = side === 0 ? 1 : dice.one(1, 1, 2, 0.5)
    const errors = dice.happens(0.2) ? dice.whole(1, 20_000) : 0
    const runs = Array.from({ length: dice.whole(1, 9) }, () => ({ ...runOn(state, { slower, errors, seconds: 20 }), ...flawOf(dice) }))
    return { slower, errors, runs }
  })
}

function flawOf (dice) {
  if (dice.happens(0.03)) return { incomplete: { parts: 1, since: 2 } }
  if (dice.happens(0.02)) return { warnings: [{ code: 'ABORTED_ON_FAIL', message: '…' }] }
  return dice.happens(0.02) ? { warnings: [{ code: 'STOPPED', message: '…' }], options: { duration: 10 } } : {}
}

const isWhole = ({ incomplete }) => incomplete === undefined
const isCut = ({ warnings = [] }) => warnings.length > 0
const geometric = (values) => Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
const near = (a, b, tolerance = 1e-9) => Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b))

const VALUES = { throughput: ({ requests }) => requests.average, p50: ({ latency }) => latency.p50, p99: ({ latency }) => latency.p99 }
const WORSE = { throughput: -1, p50: 1, p99: 1, errorRate: 1 }

t.test('invariants of any comparison', async (t) => {
  const seen = { single: 0, separate: 0, lost: 0, cut: 0, nothing: 0, passed: 0, failed: 0, inconclusive: 0, alarms: 0, alike: 0 }
  for (let seed = 0; seed < COMPARISONS; seed++) {
    const sides = draw(seed)
    const must = (truth, what) => { if (!truth) t.fail(`seed ${seed}: ${what}`) }
    const answer = compareResults(sides.map(({ runs }) => runs.length === 1 ? runs[0] : runs), { maxRegression: LIMIT })
    const whole = sides.map(({ runs }) => runs.filter(isWhole))
    must(answer.sides.every(({ runs }, side) => runs === whole[side].length), 'what is whole counts, and nothing else')
    must(answer.runs.length === whole.flat().length, 'so it does among the runs')
    must((answer.method === SINGLE) === whole.some(({ length }) => length < 2), answer.method)
    must((answer.falseAlarmRate === null) === (answer.method === SINGLE), 'falseAlarmRate')
    const codes = answer.warnings.map(({ code }) => code)
    must(codes.includes('AGENT_LOST') === sides.some(({ runs }) => !runs.every(isWhole)), 'AGENT_LOST')
    must(codes.includes('RUN_CUT_SHORT') === whole.flat().some(isCut), 'RUN_CUT_SHORT')
    seen[answer.method === SINGLE ? 'single' : 'separate']++
    if (codes.includes('AGENT_LOST')) seen.lost++
    if (codes.includes('RUN_CUT_SHORT')) seen.cut++
    answer.comparisons.forEach((comparison, index) => hold(comparison, sides[0], sides[index + 1], must, seen))
    must(answer.passed === answer.comparisons.every(({ regression }) => regression.passed), 'passed')
  }
  const { alarms, alike, ...kinds } = seen
  t.ok(Object.values(kinds).every((count) => count > 1), JSON.stringify(seen))
  // Three standard errors above the promised rate.
  t.ok(alarms <= 0.05 * alike + 3 * Math.sqrt(0.05 * alike), `${alarms} of ${alike}`)
})

function hold ({ metrics, verdict, regression }, first, second, must, seen) {
  const [a, b] = [first, second].map(({ runs }) => runs.filter(isWhole))
  const isNothing = a.length === 0 || b.length === 0
  for (const [name, pick] of Object.entries(VALUES)) {
    const metric = metrics[name]
    if (a.length > 0) must(near(metric.a, geometric(a.map(pick))), `${name} of the first`)
    if (b.length > 0) must(near(metric.b, geometric(b.map(pick))), `${name} of the second`)
    if (!isNothing && metric.difference !== null) must(near(metric.difference, metric.b / metric.a - 1), `the difference in ${name}`)
  }
  for (const [name, { difference, interval, verdict }] of Object.entries(metrics)) {
    if (interval === null) {
      must(verdict === NO_DIFFERENCE, `${name} is ${verdict} by nothing`)
      continue
    }
    const [low, high] = [interval[0], interval[1] ?? Infinity]
    must(low <= difference + 1e-12 && difference <= high + 1e-12, `${name}: ${difference} from ${low} to ${high}`)
    const shown = low > 0 ? WORSE[name] : high < 0 ? -WORSE[name] : 0
    if (shown !== 0 || verdict !== NO_DIFFERENCE) must(verdict === (shown > 0 ? 'slower' : 'faster'), `${name}: ${verdict}, from ${low} to ${high}`)
  }
  const isClean = [first, second].every(({ runs }) => runs.every(isWhole) && !runs.some(isCut))
  must(isClean || regression.verdict !== 'passed', 'passed, though something was lost or cut short')
  must(!isNothing || (regression.verdict === 'inconclusive' && verdict === NO_DIFFERENCE), `${regression.verdict}, ${verdict} of nothing`)
  for (const { metric, verdict, interval } of regression.checks.filter(({ metric }) => metric !== 'errorRate')) {
    if (verdict === 'passed') must(interval[1] <= LIMIT, `${metric} passed up to ${interval[1]}`)
    if (verdict === 'failed') must(interval[0] > LIMIT, `${metric} failed from ${interval[0]}`)
  }
  if (isNothing) seen.nothing++
  seen[regression.verdict]++
  if (isNothing || first.slower !== second.slower || first.errors !== second.errors) return
  seen.alike++
  if (verdict !== NO_DIFFERENCE) seen.alarms++
}

t.test('swapping the sides reverses the comparison', async (t) => {
  const OTHER = { faster: 'slower', slower: 'faster', [NO_DIFFERENCE]: NO_DIFFERENCE, mixed: 'mixed' }
  for (let seed = 0; seed < 20; seed++) {
    const state = machine(seed, { correlation: 0 })
    const [first, second] = [[3 + seed % 4, 1], [3 + seed % 7, 3]].map(([count, slower]) => Array.from({ length: count }, () => runOn(state, { slower })))
    const [there, back] = [[first, second], [second, first]].map(([a, b]) => judge(a, b, { isPaired: false, alpha: 0.05, seed }).metrics)
    for (const name of ['throughput', 'p50']) {
      t.equal(there[name].verdict, 'slower', `${first.length} and ${second.length} runs`)
      t.equal(back[name].verdict, OTHER[there[name].verdict])
    }
  }
})
