'use strict'

const t = require('tap')
const { createRandom } = require('../../lib/load/random')
const { METRICS, blocksOf } = require('../../lib/study/compare/metrics')
const { simultaneousIntervals } = require('../../lib/study/statistics/intervals')
const { slope } = require('../../lib/study/statistics/summaries')

function normals (random, count) {
  return Array.from({ length: count }, () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next()))
}

t.test('simultaneous intervals contain the true values in at least 95% of all cases, from two rows up', async (t) => {
  const random = createRandom(1)
  const truth = [0, 1, -5]
  for (const rows of [2, 3, 5, 10, 40]) {
    const trials = 200
    let right = 0
    for (let trial = 0; trial < trials; trial++) {
      const drawn = Array.from({ length: rows }, () => {
        const [shared, ...own] = normals(random, 4)
        return truth.map((center, index) => center + shared + own[index])
      })
      const intervals = simultaneousIntervals([{ sign: 1, rows: drawn }], { floors: [0, 0, 0], seed: trial })
      if (intervals.every(({ estimate, halfWidth }, index) => Math.abs(estimate - truth[index]) <= halfWidth)) right++
    }
    // Three standard errors below a share of 0.95.
    t.ok(right / trials > 0.95 - 3 * Math.sqrt(0.95 * 0.05 / trials), `${rows} rows: ${right} of ${trials}`)
  }
})

t.test('two groups: the difference of their means', async (t) => {
  const [interval] = simultaneousIntervals([
    { sign: 1, rows: [[11], [12], [13], [12], [11], [13]] }, { sign: -1, rows: [[1], [2], [3], [2]] }
  ], { floors: [0] })
  t.equal(interval.estimate, 10)
  t.ok(interval.halfWidth > 0.9 && interval.halfWidth < 3, interval.halfWidth)
})

t.test('more rows make them narrower, and the same seed gives the same', async (t) => {
  const widthOf = (rows, seed) => {
    const random = createRandom(5)
    return simultaneousIntervals([{ sign: 1, rows: normals(random, rows).map((value) => [value]) }], { floors: [0], seed })[0].halfWidth
  }
  t.ok(widthOf(5) > widthOf(20) && widthOf(20) > widthOf(80))
  t.equal(widthOf(20, 1), widthOf(20, 1))
  t.ok(new Set([1, 2, 3, 4, 5, 6].map((seed) => widthOf(80, seed))).size > 1, 'another seed, another bootstrap')
})

t.test('unknown values have no bounds', async (t) => {
  const of = (...groups) => simultaneousIntervals(groups.map((rows, index) => ({ sign: index === 0 ? 1 : -1, rows })), { floors: [0, 0] })
  t.same(of([]), [{ estimate: NaN, halfWidth: Infinity }, { estimate: NaN, halfWidth: Infinity }])
  t.same(of([[1, 2]]), [{ estimate: 1, halfWidth: Infinity }, { estimate: 2, halfWidth: Infinity }])
  const [first, second] = of([[1, NaN], [2, 5], [3, NaN]])
  t.ok(Number.isFinite(first.halfWidth))
  t.same(second, { estimate: 5, halfWidth: Infinity })
  t.equal(of([[1, 1], [2, 2]], [[1, 1]])[0].halfWidth, Infinity)
})

t.test('equal numbers in all rows are not certain beyond their resolution', async (t) => {
  const [exact, stepped] = simultaneousIntervals([{ sign: 1, rows: [[1, 1], [1, 1]] }], { floors: [0, 0.5] })
  t.same(exact, { estimate: 1, halfWidth: 0 })
  t.ok(stepped.halfWidth > 1, 'two rows that happen to be equal')
  const [many] = simultaneousIntervals([{ sign: 1, rows: new Array(30).fill([1]) }], { floors: [0.01] })
  t.ok(many.halfWidth > 0 && many.halfWidth < 0.05, 'thirty that are equal')
})

t.test('nor are almost equal ones: a difference below the resolution is none', async (t) => {
  const widthOf = (values, floor = 0.5) => simultaneousIntervals([{ sign: 1, rows: values.map((value) => [value]) }], { floors: [floor] })[0].halfWidth
  const equal = widthOf([1, 1, 1])
  for (const step of [1e-9, 1e-3, 0.1]) t.ok(widthOf([1, 1, 1 + step]) >= equal * 0.99, `${widthOf([1, 1, 1 + step])}, and ${equal} without the step of ${step}`)
  t.equal(widthOf([1, 2, 4], 0), widthOf([1, 2, 4], 1e-9), 'a larger spread counts')
})

t.test('the slope through points is robust against a few outliers', async (t) => {
  t.equal(slope([[0, 0], [1, 10], [2, 20]]), 10)
  t.equal(slope([[0, 0], [1, 10], [2, 0], [3, 30], [4, 40], [5, 50]]), 10)
  t.ok(Number.isNaN(slope([[0, 0]])))
})

// A run whose samples last a tenth of a second.
const runOf = (requests) => ({ requests: { average: 30 }, timeline: requests.map((count) => ({ requests: count, seconds: 0.1 })) })
const THROUGHPUT = METRICS.filter(({ name }) => name === 'throughput')

t.test('blocks of one run: about as many as each has samples, at least five', async (t) => {
  const counts = [4, 5, 9, 10, 20, 25, 30, 31, 36, 37, 50, 100, 101].map((samples) => [samples, blocksOf(runOf(new Array(samples).fill(3)), [0], THROUGHPUT).length])
  t.same(counts, [[4, 4], [5, 5], [9, 9], [10, 5], [20, 5], [25, 5], [30, 5], [31, 5], [36, 6], [37, 5], [50, 6], [100, 10], [101, 9]])
})

t.test('blocks have the spread of their samples around the value of the run; a sample without requests counts half a request', async (t) => {
  const blocks = blocksOf(runOf([0, 4, 4, 2, 1]), [0], THROUGHPUT).map(([value]) => value)
  const logs = [0.5, 4, 4, 2, 1].map((count) => Math.log(count / 0.1))
  const center = logs.reduce((sum, each) => sum + each) / 5
  blocks.forEach((value, index) => t.ok(Math.abs(value - (logs[index] - center + Math.log(30))) < 1e-9, `block ${index}: ${value}`))
})
