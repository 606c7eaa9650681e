'use strict'

const { performance } = require('node:perf_hooks')

/**
 * Whether every request of a result is in exactly one box, and each distribution holds those that belong in it.
 *
 * @param {{ equal: function }} t
 * @param {object} result
 * @param {{ ignoring?: boolean }} [opts] `ignoring`: the run had ignoreCoordinatedOmission
 */
function balances (t, result, { ignoring = false } = {}) {
  const { scheduled, unsent, sent, completed, failed, timedOut, unfinished } = result.accounting
  t.equal(unsent + sent, scheduled, 'scheduled = unsent + sent')
  t.equal(completed + failed + timedOut + unfinished, sent, 'sent = completed + failed + timedOut + unfinished')
  t.equal(result.latency.totalCount, ignoring ? completed : scheduled - failed, 'latency has what it should have')
  t.equal(result.latencyWithUnfinished.totalCount, scheduled, 'latencyWithUnfinished has all')
  t.equal(result.serviceTime.totalCount, completed, 'serviceTime has what was completed')
  t.equal(result.timeToFirstByte.totalCount, completed, 'so has timeToFirstByte')
  t.equal(result.sendDelay.totalCount, sent, 'sendDelay has what was sent')
  t.equal(result.sendDelay.client.totalCount, sent, 'so has its share of the client')
  t.equal(result.sendDelay.waiting.totalCount, sent, 'and its share of waiting')
  t.equal(result.requests.sent, sent, 'requests.sent')
  t.equal(result.requests.total, completed, 'requests.total')
  t.equal(result.timeouts, timedOut, 'timeouts')
  t.equal(result.errors, failed + timedOut + result.connectionStats.failed, 'errors')
  t.equal(sum(result.endpoints.map((endpoint) => endpoint.completed)), completed, 'completed by endpoint')
  t.equal(sum(result.endpoints.map((endpoint) => endpoint.failed)), failed + timedOut, 'failed by endpoint')
  t.ok(result.drain.completed <= completed, 'what was completed in the drain is part of what was completed')
}

/** Near enough, with the numbers in the message. */
function near (t, value, expected, tolerance, name) {
  t.ok(Math.abs(value - expected) <= tolerance, `${name}: ${value}, expected ${expected} +- ${tolerance}`)
}

// Three significant digits, as a histogram has them, and a few turns of an event loop, each of which takes a microsecond.
const HISTOGRAM_SHARE = 0.001
const TURNS_MS = 0.02

/** What arithmetic says, as far as a histogram can: for times of a simulated world. */
function exact (t, value, expected, name) {
  near(t, value, expected, Math.abs(expected) * HISTOGRAM_SHARE + TURNS_MS, name)
}

function quantile (values, share) {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
}

/** How many values fall in each slot of this width, from `start` on. */
function countPerSlot (values, width, start, slots) {
  const counts = Array.from({ length: slots }, () => 0)
  for (const value of values) {
    const slot = Math.floor((value - start) / width)
    if (slot >= 0 && slot < slots) counts[slot]++
  }
  return counts
}

function sum (numbers) {
  return numbers.reduce((all, each) => all + each, 0)
}

/** Keeps the thread busy. */
function block (milliseconds) {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

/** @returns {object|undefined} the warning of this code */
function warning (result, code) {
  return result.warnings.find((each) => each.code === code)
}

module.exports = { balances, exact, near, quantile, countPerSlot, sum, block, warning }
