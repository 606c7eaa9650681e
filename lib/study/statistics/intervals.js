'use strict'

const { createRandom } = require('../../load/random')
const { mean, varianceOfMean } = require('./summaries')
const { studentQuantile } = require('./student-t')

const DRAWS = 2000

/*
 * Rounds that follow each other are not independent: what slows the machine down lasts. In the order A B B A the
 * differences of neighbouring rounds are correlated by at most 1/8, whatever the correlation r of neighbouring runs (it is
 * r(1 - r)/2 where that falls off geometrically), which makes the variance of their mean larger than that of independent
 * ones by at most 2/8. The intervals are wider by the root of that.
 */
const WIDER = Math.sqrt(1 + 2 / 8)

/**
 * The differences between groups of measurements, with intervals that hold all together: the probability that one or
 * more of them misses the truth is `alpha`, not of each alone. Where nothing differs, that is the rate of false alarms.
 *
 * The interval of each column is its mean difference plus and minus q standard errors, the same q for all. It comes from
 * a bootstrap over the rows, all columns of a row drawn together since they are correlated: q is what the largest of the
 * studentized differences exceeds in a share of `alpha` of the draws. Of few rows the bootstrap makes more of its own
 * coarseness than of the data, so q is never more than Student's t with the correction by Bonferroni gives.
 *
 * @param {Array<{ sign: number, rows: number[][] }>} groups the difference is the sum of sign × mean; NaN where there is
 *   no value
 * @param {object} options
 * @param {number[]} options.floors of each column: the least that its standard error can be, from the resolution
 * @param {number} [options.alpha=0.05]
 * @param {number} [options.wider=1] a factor, for rows that hang together more than rounds do
 * @param {number} [options.seed=0] of the bootstrap: the same seed gives the same intervals
 * @returns {Array<{ estimate: number, halfWidth: number }>} one for each column; NaN and Infinity where it cannot be known
 */
function simultaneousIntervals (groups, { floors, alpha = 0.05, wider = 1, seed = 0 }) {
  const columns = floors.map((floor, index) => describe(groups, index, floor))
  const known = columns.filter(({ error }) => Number.isFinite(error))
  if (known.length === 0) return columns.map(({ estimate }) => ({ estimate, halfWidth: Infinity }))
  const bootstrap = bootstrapQuantile(groups, columns, alpha, createRandom(seed))
  return columns.map(({ estimate, error, floor, degrees }) => {
    if (!Number.isFinite(error)) return { estimate, halfWidth: Infinity }
    const student = studentQuantile(alpha / known.length, degrees)
    // Rows that are equal, or nearly so, say next to nothing to a bootstrap: what remains is the resolution, and how few they are.
    return { estimate, halfWidth: Math.max(Math.min(bootstrap, student) * error, student * floor) * WIDER * wider }
  })
}

// The difference in one column, its standard error, and how many degrees of freedom that has (Welch and Satterthwaite).
function describe (groups, index, floor) {
  let estimate = 0
  let variance = 0
  let spread = 0
  for (const { sign, rows } of groups) {
    const values = rows.map((row) => row[index]).filter(Number.isFinite)
    estimate += sign * mean(values)
    const part = values.length < 2 ? Infinity : varianceOfMean(values)
    variance += part
    spread += part ** 2 / (values.length - 1)
  }
  const degrees = variance > 0 && Number.isFinite(variance) ? variance ** 2 / spread : leastDegrees(groups)
  return { index, floor, estimate, variance, error: Math.sqrt(variance + floor ** 2), degrees: Math.max(1, Math.floor(degrees + 1e-9)) }
}

function leastDegrees (groups) {
  return Math.min(...groups.map(({ rows }) => rows.length)) - 1
}

function bootstrapQuantile (groups, columns, alpha, random) {
  const known = columns.filter(({ error }) => Number.isFinite(error))
  const sides = groups.map(({ sign, rows }) => ({
    sign,
    picks: new Uint32Array(rows.length),
    values: known.map(({ index }) => Float64Array.from(rows, (row) => row[index]))
  }))
  const largest = new Float64Array(DRAWS)
  for (let draw = 0; draw < DRAWS; draw++) {
    for (const { picks } of sides) {
      for (let row = 0; row < picks.length; row++) picks[row] = Math.floor(random.next() * picks.length)
    }
    for (let column = 0; column < known.length; column++) {
      const ratio = studentized(sides, column, known[column])
      if (ratio > largest[draw]) largest[draw] = ratio
    }
  }
  largest.sort()
  return largest[Math.ceil((1 - alpha) * DRAWS) - 1]
}

// How many of its standard errors the estimate of a draw is from that of all. What `describe` says of rows, without a list of
// them: this is what a comparison spends its time with.
function studentized (sides, column, { estimate, floor }) {
  let again = 0
  let variance = 0
  for (const { sign, picks, values } of sides) {
    const drawn = values[column]
    let count = 0
    let sum = 0
    for (let row = 0; row < picks.length; row++) {
      const value = drawn[picks[row]]
      if (!Number.isFinite(value)) continue
      count++
      sum += value
    }
    const center = sum / count
    let squares = 0
    for (let row = 0; row < picks.length; row++) {
      const value = drawn[picks[row]]
      if (Number.isFinite(value)) squares += (value - center) ** 2
    }
    again += sign * center
    variance += count < 2 ? Infinity : squares / (count - 1) / count
  }
  const deviation = Math.abs(again - estimate)
  const error = Math.sqrt(variance + floor ** 2)
  // A draw of one row again and again has no spread of its own.
  return deviation === 0 ? 0 : deviation / (Number.isFinite(error) ? error : 0)
}

module.exports = { simultaneousIntervals }
