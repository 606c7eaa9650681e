'use strict'

const t = require('tap')
const { createRandom } = require('../../lib/load/random')
const { METRICS, STREAM_METRICS, blocksOf } = require('../../lib/study/compare/metrics')
const { simultaneousIntervals, studentQuantile } = require('../../lib/study/statistics/intervals')
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

/** The same intervals, computed plainly: for each draw of the bootstrap all its rows, and their means and errors, column by column. */
function plainIntervals (groups, { floors, alpha, wider, seed }) {
  const meanOf = (values) => values.reduce((sum, each) => sum + each, 0) / values.length
  const partOf = (values) => values.length < 2 ? Infinity : values.reduce((sum, each) => sum + (each - meanOf(values)) ** 2, 0) / (values.length - 1) / values.length
  const describe = (sides, column) => {
    const all = sides.map(({ sign, rows }) => ({ sign, values: rows.map((row) => row[column]).filter((value) => !Number.isNaN(value)) }))
    const parts = all.map(({ values }) => partOf(values))
    const variance = parts.reduce((sum, part) => sum + part, 0)
    // Welch and Satterthwaite.
    const degrees = variance ** 2 / parts.reduce((sum, part, side) => sum + part ** 2 / (all[side].values.length - 1), 0)
    return { estimate: all.reduce((sum, { sign, values }) => sum + sign * meanOf(values), 0), error: Math.sqrt(variance + floors[column] ** 2), degrees: Math.floor(degrees + 1e-9) }
  }
  const columns = floors.map((floor, column) => describe(groups, column))
  const random = createRandom(seed)
  const largest = Array.from({ length: 2000 }, () => {
    const drawn = groups.map(({ sign, rows }) => ({ sign, rows: rows.map(() => rows[Math.floor(random.next() * rows.length)]) }))
    return Math.max(...columns.map(({ estimate }, column) => {
      const again = describe(drawn, column)
      return again.estimate === estimate ? 0 : Math.abs(again.estimate - estimate) / again.error
    }))
  }).sort((a, b) => a - b)
  const quantile = largest[Math.ceil((1 - alpha) * 2000) - 1]
  return columns.map(({ estimate, error, degrees }, column) => {
    const student = studentQuantile(alpha / columns.length, degrees)
    return { estimate, halfWidth: Math.max(Math.min(quantile, student) * error, student * floors[column]) * Math.sqrt(1.25) * wider }
  })
}

t.test('intervals are those of a bootstrap that is written down plainly', async (t) => {
  const random = createRandom(3)
  const rowsOf = (count, centers) => Array.from({ length: count }, () => {
    const [shared, ...own] = normals(random, 1 + centers.length)
    return centers.map((center, index) => center + shared + own[index])
  })
  const options = { floors: [0, 0.3, 0.01], alpha: 0.05, wider: 1, seed: 0 }
  const cases = [
    [[{ sign: 1, rows: rowsOf(12, [1, 2, 3]) }], options],
    [[{ sign: 1, rows: rowsOf(9, [1, 2, 3]) }, { sign: -1, rows: rowsOf(6, [5, 2, -3]) }], { ...options, alpha: 0.2, wider: 1.25, seed: 9 }],
    // So many that the bootstrap decides, and not Student's t.
    [[{ sign: 1, rows: rowsOf(40, [0, 0, 0]) }, { sign: -1, rows: rowsOf(60, [0, 1, 0]).map(([first, ...rest], row) => [row % 7 === 0 ? NaN : first, ...rest]) }], { ...options, alpha: 0.5 }],
    // Large steps of the resolution.
    [[{ sign: -1, rows: rowsOf(15, [0, 0, 0]) }], { ...options, floors: [2, 3, 4] }]
  ]
  for (const [groups, given] of cases) {
    const [found, expected] = [simultaneousIntervals(groups, given), plainIntervals(groups, given)]
    for (const [column, { estimate, halfWidth }] of found.entries()) {
      t.ok(Math.abs(estimate - expected[column].estimate) < 1e-9 && Math.abs(halfWidth / expected[column].halfWidth - 1) < 1e-9, `${estimate} ± ${halfWidth}, expected ${JSON.stringify(expected[column])}`)
    }
    t.equal(found.length, 3)
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

t.test('samples without events count half an event, and have no times', async (t) => {
  const events = [4, 0, 2, undefined, 1]
  const timeline = events.map((count, index) => ({ seconds: 0.1, ...(count !== undefined && { stream: { events: count, ...(count > 0 && { timeToFirstEvent: { p50: 5 + index, p99: 9 + index }, gap: { p50: 1 + index, p99: 2 + index } }) } }) }))
  const histogramless = (ms) => ({ p50: ms, p99: ms, totalCount: 7 })
  const result = { timeline, requests: {}, stream: { rate: 14, timeToFirstEvent: histogramless(6), gap: histogramless(2) } }
  const rows = blocksOf(result, STREAM_METRICS.map(() => 0), STREAM_METRICS)
  const centered = (values, whole) => {
    const known = values.filter((value) => value !== null).map(Math.log)
    const center = known.reduce((sum, each) => sum + each, 0) / known.length
    return values.map((value) => value === null ? NaN : Math.log(value) - center + Math.log(whole))
  }
  const expected = [
    centered([40, 5, 20, 5, 10], 14),
    centered([5, null, 7, null, 9], 6),
    centered([9, null, 11, null, 13], 6),
    centered([1, null, 3, null, 5], 2),
    centered([2, null, 4, null, 6], 2)
  ]
  t.equal(rows.length, 5)
  rows.forEach((row, block) => row.forEach((value, metric) => {
    const wanted = expected[metric][block]
    t.ok(Number.isNaN(wanted) ? Number.isNaN(value) : Math.abs(value - wanted) < 1e-9, `${STREAM_METRICS[metric].name} of block ${block}: ${value}, expected ${wanted}`)
  }))
})
