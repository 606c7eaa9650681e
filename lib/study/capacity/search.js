'use strict'

/*
 * How the highest rate that passes is found:
 *
 *     climb     from, 2 from, 4 from, …          until one fails, or `to` passes
 *     descend   from/2, from/4, …                where even `from` has failed, until one passes
 *     bisect    between the highest that passed and the lowest that failed, until they are near enough
 *     confirm   the highest that passed in a longer run; where that fails, a little lower, and lower again
 */

const FACTOR = 2
/** How often it is tried to confirm a rate, each time at most twice as far below. */
const CONFIRMATIONS = 3

const neat = (rate) => Number(rate.toPrecision(4))

/**
 * @param {function(number, string): Promise<boolean|null>} probe whether a rate passes in a phase; null: no time left
 * @param {object} range
 * @param {number} range.from where to begin
 * @param {number} range.to the highest rate to try
 * @param {number} range.least the lowest
 * @param {number} range.precision share by which the rates on both sides of the answer may differ
 * @returns {Promise<{ low: number, high: number|null, isConfirmed: boolean, isComplete: boolean }>} `low`: the highest
 *   that passed and has not failed in a longer run, 0 if there is none; `high`: the lowest above it that failed, null if
 *   none has. They may be further apart than `precision` where it was not easy to confirm a rate
 */
async function search (probe, range) {
  const state = { low: 0, high: null, passed: [], isConfirmed: false, isComplete: false }
  for (const phase of [climb, descend, bisect, confirm]) {
    if (!await phase(probe, range, state)) return state
  }
  state.isComplete = true
  return state
}

// In rising order, since the search never goes below what has passed.
function pass (state, rate) {
  state.low = rate
  state.passed.push(rate)
}

// Each phase tells whether there was time enough to end it.

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

async function descend (probe, { least }, state) {
  while (state.low === 0 && state.high / FACTOR >= least) {
    const rate = neat(state.high / FACTOR)
    const passed = await probe(rate, 'descend')
    if (passed === null) return false
    if (passed) pass(state, rate)
    else state.high = rate
  }
  return true
}

async function bisect (probe, { precision }, state) {
  while (state.low > 0 && state.high !== null && state.high - state.low > precision * state.low) {
    const rate = neat((state.low + state.high) / 2)
    if (rate <= state.low || rate >= state.high) break
    const passed = await probe(rate, 'bisect')
    if (passed === null) return false
    if (passed) pass(state, rate)
    else state.high = rate
  }
  return true
}

// What is told is never a rate that was only about to be tried: one that a longer run has failed gives way to the highest
// below it that has passed, until a longer run passes at a rate between the two.
async function confirm (probe, { least, precision }, state) {
  let rate = state.low
  let step = precision
  for (let tries = 0; tries < CONFIRMATIONS && rate >= least; tries++, step *= 2) {
    const passed = await probe(rate, 'confirm')
    if (passed === null) return false
    if (passed) {
      state.low = rate
      state.isConfirmed = true
      return true
    }
    state.high = rate
    state.low = state.passed.findLast((before) => before < rate) ?? 0
    rate = Math.max(state.low, neat(rate / (1 + step)))
  }
  return true
}

/**
 * The most runs that a search can take, where each that fails is made twice.
 *
 * @param {object} range as for `search`
 * @returns {{ short: number, long: number }} long are those that confirm
 */
function mostRuns ({ from, to, least, precision }) {
  const doublings = (low, high) => Math.log(high / low) / Math.log(FACTOR)
  // The climb ends with the first that fails.
  const climbing = Math.ceil(doublings(from, to) - 1e-9) + 2
  const descending = 2 * (1 + Math.max(0, Math.floor(doublings(least, from) + 1e-9)))
  const bisecting = 2 * Math.max(0, Math.ceil(Math.log2(1 / precision)))
  return { short: Math.max(climbing, descending) + bisecting, long: 2 * CONFIRMATIONS }
}

module.exports = { search, mostRuns }
