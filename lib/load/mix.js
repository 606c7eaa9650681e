'use strict'

const { following } = require('./share')

// A mix repeats after as many draws as its weights, as whole numbers without a common divisor, add up to. Up to this many are
// kept, so that a draw is one look into a list.
const MOST_KEPT = 65536

/**
 * Deals out kinds of work by weight, exactly: after n draws, for every n, kind i with weight w of a total W has been drawn n × w / W
 * times, give or take less than one. This is the quota method (Balinski, Young, "The Quota Method of Apportionment"): each draw
 * goes to the kind with the earliest deadline among those that are not ahead of their share.
 *
 *     draws so far: n, of this kind: a      not ahead:  a < (n + 1) × w / W
 *                                           deadline:   the draw by which its number must be a + 1: the first m with m × w / W ≥ a + 1
 *
 * In whole numbers, with lag = n × w - a × W, nothing is ever rounded. Smooth weighted round robin and Webster's method do not keep
 * this bound.
 *
 *     70 : 25 : 5      0 0 1 0 0 0 1 0 0 1 0 0 0 1 0 0 1 0 0 2 | 0 0 1 …
 */
class Mix {
  /** @param {number[]} weights more than 0 each */
  constructor (weights) {
    this.weights = wholeNumbers(weights)
    this.whole = this.weights.reduce((sum, weight) => sum + weight)
    this.one = typeof this.whole === 'bigint' ? 1n : 1
    const length = Number(this.whole)
    this.kept = length <= MOST_KEPT ? new Uint16Array(length) : null
    this.decided = 0
    this.lags = this.weights.map((weight) => weight - weight)
  }

  /** Whether several may use it, since `at` takes numbers in any order. */
  get isShareable () {
    return this.kept !== null
  }

  /**
   * @param {number} number of the draw, from 0; more than the last one unless the mix is shareable
   * @returns {number} which kind it is, by its place among the weights
   */
  at (number) {
    if (this.kept === null) {
      while (this.decided < number) this.decide()
      return this.decide()
    }
    const place = number % this.kept.length
    while (this.decided <= place) this.kept[this.decided] = this.decide()
    return this.kept[place]
  }

  decide () {
    const { lags, weights, whole, one } = this
    let best = 0
    let earliest = null
    for (let kind = 0; kind < weights.length; kind++) {
      const weight = weights[kind]
      const lag = lags[kind] + weight
      lags[kind] = lag
      if (lag <= 0) continue
      const left = whole - lag
      const rest = left % weight
      // Rounded up; `left` may be below 0, which is due now.
      const deadline = rest > 0 ? (left - rest) / weight + one : (left - rest) / weight
      if (earliest === null || deadline < earliest) {
        earliest = deadline
        best = kind
      }
    }
    lags[best] -= whole
    this.decided++
    return best
  }
}

/** The draws of a mix that belong to one part of a run, which is dealt out as arrivals are, see share.js. */
class MixShare {
  /**
   * @param {Mix} mix
   * @param {{ share: number, of: number, cycle: number }} [deal] as for createPacer; all draws if not given
   * @param {function(number): boolean} [isOurs] further restricts which of these draws, by number, belong to it
   */
  constructor (mix, { share = 0, of = 1, cycle = of } = {}, isOurs = null) {
    this.mix = mix
    this.deal = { share, of, cycle }
    this.isOurs = isOurs
    this.index = -1
    /** Kinds that were drawn in vain. */
    this.unused = []
  }

  /** @returns {number} which kind is next */
  next () {
    if (this.unused.length > 0) return this.unused.shift()
    do {
      this.index = following(this.index, this.deal)
    } while (this.isOurs !== null && !this.isOurs(this.index))
    return this.mix.at(this.index)
  }

  /** Something else was sent instead of this kind, so it is next. */
  reuse (kind) {
    this.unused.push(kind)
  }
}

// The weights as the whole numbers with the same proportions and no common divisor: 0.7, 0.25 and 0.05 as 14, 5 and 1. They are read
// as they are written, in decimals. BigInts, if their sum is too large for numbers to be exact.
function wholeNumbers (weights) {
  const decimals = weights.map(decimalOf)
  const places = Math.max(...decimals.map(({ exponent }) => -exponent))
  const scaled = decimals.map(({ digits, exponent }) => digits * 10n ** BigInt(exponent + places))
  const divisor = scaled.reduce(greatestCommonDivisor)
  const reduced = scaled.map((weight) => weight / divisor)
  const whole = reduced.reduce((sum, weight) => sum + weight)
  // Lags are less than twice the sum.
  return whole < 2n ** 51n ? reduced.map(Number) : reduced
}

function decimalOf (weight) {
  const [digits, exponent] = weight.toExponential().split('e')
  const [before, after = ''] = digits.split('.')
  return { digits: BigInt(before + after), exponent: Number(exponent) - after.length }
}

function greatestCommonDivisor (a, b) {
  while (b !== 0n) [a, b] = [b, a % b]
  return a
}

module.exports = { Mix, MixShare }
