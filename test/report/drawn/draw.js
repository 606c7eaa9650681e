'use strict'

// What drawn results and studies have in common: values near those at which reports begin to say something else, and ties.

const Dice = require('../../simulation/random/dice')

const TIMES = [0.0004, 0.012, 0.05, 0.41, 0.9996, 1, 5.154, 9.996, 10, 30, 99.96, 100, 612, 999.6, 1000, 7400, 62_345]
// At some of these, axes become logarithmic, each cell of a row gets its own unit, and lines become too close to be told apart.
const FACTORS = [1, 1.001, 1.02, 1.5, 3, 10, 29.9, 30, 30.1, 100, 999, 1000, 1001, 30_000]
const COUNTS = [0, 1, 2, 3, 7, 10, 11, 99, 100, 999, 1000, 1001, 12_345, 1_000_000]
const RATES = [0, 0.04, 0.5, 1, 2.55, 9.96, 99.94, 100, 219.62, 999.94, 1000, 1234.5, 67_391, 1_234_567]
const SHARES = [0, 0.00001, 0.0001, 0.0123, 0.05, 0.1, 0.333, 0.5, 0.899, 0.9, 0.98, 0.99, 0.9901, 0.99995, 1]
const SIZES = [0, 0.3, 1, 381, 999, 1000, 7440, 85_567_890, 2 ** 31, 5e12]
const NAMES = [
  'a', 'shop', 'old', 'new', 'twelve chars', 'thirteen char', 'x'.repeat(18), 'y'.repeat(19), 'a name of twenty one', 'n'.repeat(20), 'w'.repeat(28), 'a name of 29 characters in it', 'm'.repeat(30), 'k'.repeat(31), 'l'.repeat(36),
  'o'.repeat(37), 'p'.repeat(40), 'q'.repeat(41), 'r'.repeat(50), 's'.repeat(51), 't'.repeat(60), 'u'.repeat(61), 'long words in it '.repeat(6).trim(), '<b>|`* #[x](y) & "it\'s"', '東京 🚀 µs', 'a: b, c% d', '\u001b[31mred\u0007', 'token=secret',
  '1. first', '- dash', '99%'
]

const PERCENTILES = ['p0_001', 'p0_01', 'p0_1', 'p1', 'p2_5', 'p10', 'p25', 'p50', 'p75', 'p90', 'p95', 'p97_5', 'p99', 'p99_9', 'p99_99', 'p99_999']
const round = (value, digits = 4) => Number(value.toFixed(digits))

/**
 * A statistics object.
 *
 * @param {Dice} dice
 * @param {object} [how]
 * @param {boolean} [how.isKnown] whether there are values
 * @param {number[]} [how.values] the smallest is one of these
 */
function statistics (dice, { isKnown = dice.happens(0.9), values = TIMES } = {}) {
  if (!isKnown) return { totalCount: 0, total: 0, average: 0, mean: 0, stddev: 0, min: 0, max: 0, ...Object.fromEntries(PERCENTILES.map((name) => [name, 0])) }
  const [first, factor, bend] = [dice.one(...values), dice.one(...FACTORS), dice.one(1, 1, 2, 5)]
  // In steps, so that neighbors may be equal.
  const steps = dice.one(2, 5, 100)
  const at = (share) => round(first * factor ** (Math.round(share ** bend * steps) / steps))
  const [average, totalCount] = [round(at(0.6) * 1.01), dice.one(...COUNTS.slice(1))]
  const percentiles = PERCENTILES.map((name, index) => [name, at((index + 1) / (PERCENTILES.length + 1))])
  return { totalCount, total: average * totalCount, average, mean: average, stddev: dice.one(0, round(average / 3), round(first * factor)), min: at(0), max: at(1), ...Object.fromEntries(percentiles) }
}

/** Another value with some probability. @param {number} share @param {function(Dice): *} make */
const maybe = (dice, share, make, other) => dice.happens(share) ? make(dice) : other
const list = (length, make) => Array.from({ length }, (_, index) => make(index))
const oneOf = (values) => (dice) => dice.one(...values)
const [name, count, rate, share, size, time] = [NAMES, COUNTS, RATES, SHARES, SIZES, TIMES].map(oneOf)

/** Counts by some of the keys. */
const counts = (dice, keys, share = 0.5) => Object.fromEntries(keys.filter(() => dice.happens(share)).map((key) => [key, count(dice)]))

const MOMENT = '2024-05-01T10:00:00.000Z'
const environment = (dice) => ({ version: '1.2.3', node: 'v20.0.0', ...maybe(dice, 0.8, () => ({ os: 'linux', cpu: 'Fast', cores: dice.one(1, 2, 1200), memory: 2 ** 31 })), ...maybe(dice, 0.3, () => ({ others: list(dice.whole(0, 2), () => ({})) })) })

module.exports = { Dice, MOMENT, count, counts, environment, list, maybe, name, rate, round, share, size, statistics, time }
