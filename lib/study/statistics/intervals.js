'use strict'

const { createRandom } = require('../../load/random')
const { mean, varianceOfMean } = require('./summaries')

const DRAWS = 2000

/*
 * Consecutive rounds are not independent, because whatever slows the machine down lasts for a while. In the order A B B A, the
 * differences of neighboring rounds are correlated by at most 1/8, whatever the correlation r of neighboring runs (it is
 * r(1 - r)/2 if that decreases geometrically). This makes the variance of their mean larger than that of independent rounds by at
 * most 2/8, so intervals are widened by the square root of 1 + 2/8.
 */
const WIDER = Math.sqrt(1 + 2 / 8)

/**
 * Computes the differences between groups of measurements, with simultaneous intervals: `alpha` is the probability that one or
 * more of them miss the true value, not that of each alone. If nothing differs, that is the rate of false alarms.
 *
 * The interval of each column is its mean difference plus and minus q standard errors, with the same q for all. It comes from a
 * bootstrap over the rows, in which all columns of a row are drawn together, because they are correlated: in a share of `alpha`
 * of the draws, the largest of the studentized differences exceeds q. With few rows, the bootstrap reflects its own coarseness
 * more than the data, so q is never more than that of Student's t with Bonferroni's correction.
 *
 * @param {Array<{ sign: number, rows: number[][] }>} groups the difference is the sum of sign × mean; NaN stands for a missing
 *   value
 * @param {object} options
 * @param {number[]} options.floors for each column: the minimum of its standard error, given by the resolution
 * @param {number} [options.alpha=0.05]
 * @param {number} [options.wider=1] a factor, for rows that are correlated more strongly than rounds
 * @param {number} [options.seed=0] random seed of the bootstrap
 * @returns {Array<{ estimate: number, halfWidth: number }>} one for each column; NaN and Infinity if unknown
 */
function simultaneousIntervals (groups, { floors, alpha = 0.05, wider = 1, seed = 0 }) {
  const columns = floors.map((floor, index) => describe(groups, index, floor))
  const known = columns.filter(({ error }) => Number.isFinite(error))
  if (known.length === 0) return columns.map(({ estimate }) => ({ estimate, halfWidth: Infinity }))
  const bootstrap = bootstrapQuantile(groups, columns, alpha, createRandom(seed))
  return columns.map(({ estimate, error, floor, degrees }) => {
    if (!Number.isFinite(error)) return { estimate, halfWidth: Infinity }
    const student = studentQuantile(alpha / known.length, degrees)
    // If rows are (almost) equal, the bootstrap has almost no information: the resolution and the number of rows then determine the width.
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

// How many of its standard errors the estimate of a draw differs from the estimate of all rows. It computes the same as `describe`,
// but without creating a list of rows, because a comparison spends most of its time here.
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
  // If a draw consists of the same row repeatedly, it has no spread.
  return deviation === 0 ? 0 : deviation / (Number.isFinite(error) ? error : 0)
}

// Larger than any quantile that is needed; with one degree of freedom, the tails are that long.
const LARGEST = 1e9
const STEPS = 120

/**
 * The probability that Student's t lies between -t and t: Abramowitz & Stegun, Handbook of Mathematical Functions,
 * 26.7.3 and 26.7.4, a finite sum for a whole number of degrees of freedom.
 *
 * @param {number} t 0 or more
 * @param {number} degrees whole, 1 or more
 */
function probabilityWithin (t, degrees) {
  const angle = Math.atan(t / Math.sqrt(degrees))
  const cosine = Math.cos(angle)
  const isOdd = degrees % 2 === 1
  let term = isOdd ? cosine : 1
  let sum = degrees === 1 ? 0 : term
  for (let k = isOdd ? 2 : 1; k <= degrees - 3; k += 2) {
    term *= k / (k + 1) * cosine * cosine
    sum += term
  }
  return isOdd ? 2 / Math.PI * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum
}

/**
 * The value that Student's t exceeds, on either side, with the probability `tail`.
 *
 * @param {number} tail of both sides together, such as 0.05
 * @param {number} degrees of freedom, whole, 1 or more
 * @returns {number}
 */
function studentQuantile (tail, degrees) {
  let low = 0
  let high = LARGEST
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2
    if (probabilityWithin(middle, degrees) < 1 - tail) low = middle
    else high = middle
  }
  return high
}

module.exports = { probabilityWithin, simultaneousIntervals, studentQuantile }
