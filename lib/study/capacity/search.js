'use strict'

/*
 * How the search finds the highest rate that passes, or the highest number of connections, which is called a rate here as well:
 *
 *     climb     from, 2 from, 4 from, …          until one fails, or `to` passes
 *     descend   from/2, from/4, …                if even `from` failed, until one passes
 *     bisect    between the highest that passed and the lowest that failed, until they are close enough
 *     confirm   the highest that passed in a longer run; if that fails, a slightly lower rate, and so on
 */

const FACTOR = 2
/** Maximum number of attempts to confirm a rate, each at most twice as far below the first as the previous one. */
const CONFIRMATIONS = 3

const neat = (rate, { isWhole }) => isWhole ? Math.floor(rate) : Number(rate.toPrecision(4))

/**
 * @param {function(number, string): Promise<boolean|null>} probe whether a rate passes in a phase; null: no time left
 * @param {object} range
 * @param {number} range.from the first rate
 * @param {number} range.to the highest rate to test
 * @param {number} range.least the lowest rate to test
 * @param {number} range.precision share by which the rates on both sides of the answer may differ
 * @param {boolean} [range.isWhole=false] whether only whole numbers make sense; `from`, `to` and `least` are such then
 * @returns {Promise<{ low: number, high: number|null, isConfirmed: boolean, isComplete: boolean }>} `low`: the highest
 *   rate that passed and didn't fail in a longer run, 0 if there is none; `high`: the lowest rate above it that failed, null if
 *   none did. They may be further apart than `precision` if the rate was hard to confirm
 */
async function search (probe, range) {
  const state = { low: 0, high: null, passed: [], isConfirmed: false, isComplete: false }
  for (const phase of [climb, descend, bisect, confirm]) {
    if (!await phase(probe, range, state)) return state
  }
  state.isComplete = true
  return state
}

// Rates are in ascending order, because the search never tests below a rate that has passed.
function pass (state, rate) {
  state.low = rate
  state.passed.push(rate)
}

// Each phase returns whether there was enough time to complete it.

async function climb (probe, { from, to }, state) {
  for (let rate = from; ; rate = Math.min(to, rate * FACTOR)) {
    const passed = await probe(rate, 'climb')
    if (passed === null) return false
    if (!passed) {
      state.high = rate
      return true
    }
    pass(state, rate)
    if (rate === to) return true
  }
}

async function descend (probe, range, state) {
  while (state.low === 0 && state.high / FACTOR >= range.least) {
    const rate = neat(state.high / FACTOR, range)
    const passed = await probe(rate, 'descend')
    if (passed === null) return false
    if (passed) pass(state, rate)
    else state.high = rate
  }
  return true
}

async function bisect (probe, range, state) {
  while (state.low > 0 && state.high !== null && state.high - state.low > range.precision * state.low) {
    const rate = neat((state.low + state.high) / 2, range)
    if (rate <= state.low || rate >= state.high) break
    const passed = await probe(rate, 'bisect')
    if (passed === null) return false
    if (passed) pass(state, rate)
    else state.high = rate
  }
  return true
}

// The result is always a rate that was tested. If a longer run fails at a rate, the highest rate below it that has passed replaces
// it, until a longer run passes at a rate between the two.
async function confirm (probe, range, state) {
  let rate = state.low
  let step = range.precision
  for (let tries = 0; tries < CONFIRMATIONS && rate >= range.least; tries++, step *= 2) {
    const passed = await probe(rate, 'confirm')
    if (passed === null) return false
    if (passed) {
      state.low = rate
      state.isConfirmed = true
      return true
    }
    state.high = rate
    state.low = state.passed.findLast((before) => before < rate) ?? 0
    rate = Math.max(state.low, neat(rate / (1 + step), range))
  }
  return true
}

/**
 * Returns the maximum number of runs of a search, in which each run that fails is repeated once.
 *
 * @param {object} range as for `search`
 * @returns {{ short: number, long: number }} long runs are those that confirm
 */
function mostRuns ({ from, to, least, precision, isWhole = false }) {
  const doublings = (low, high) => Math.log(high / low) / Math.log(FACTOR)
  // The climb ends at the first rate that fails.
  const climbing = Math.ceil(doublings(from, to) - 1e-9) + 2
  const descending = 2 * (1 + Math.max(0, Math.floor(doublings(least, from) + 1e-9)))
  // The middle between two whole numbers may be half a step away from one.
  const bisecting = 2 * Math.max(0, Math.ceil(Math.log2(1 / precision)) + (isWhole ? 1 : 0))
  return { short: Math.max(climbing, descending) + bisecting, long: 2 * CONFIRMATIONS }
}

module.exports = { search, mostRuns }
