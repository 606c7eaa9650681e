'use strict'

const { performance } = require('node:perf_hooks')

/** Asserts that a number is near another, with both in the message. */
function near (t, value, expected, tolerance, name) {
  t.ok(Math.abs(value - expected) <= tolerance, `${name}: ${value}, expected ${expected} +- ${tolerance}`)
}

// The three significant digits of a histogram, plus some turns of an event loop, each of which takes a microsecond.
const HISTOGRAM_SHARE = 0.001
const TURNS_MS = 0.02

/** Asserts the exact value, within the precision of a histogram: for times of a simulated world. */
function exact (t, value, expected, name) {
  near(t, value, expected, Math.abs(expected) * HISTOGRAM_SHARE + TURNS_MS, name)
}

function quantile (values, share) {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
}

function sum (numbers) {
  return numbers.reduce((all, each) => all + each, 0)
}

/** Keeps the thread busy. */
function block (milliseconds) {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

/** @returns {object|undefined} the warning with this code */
function warning (result, code) {
  return result.warnings.find((each) => each.code === code)
}

/** A list of times: `count` of them, `step` ms apart. */
function every (ms, count, from = 0) {
  return Array.from({ length: count }, (_, index) => from + index * ms)
}

/** Whether each request was sent at its due time, except for a few turns of the event loop. */
function areAt (t, sent, expected, within = 0.02) {
  t.equal(sent.length, expected.length)
  const worst = expected.reduce((most, at, index) => Math.max(most, Math.abs(sent[index] - at)), 0)
  t.ok(worst <= within, `${worst} ms from the schedule at most`)
}

module.exports = { areAt, every, exact, near, quantile, sum, block, warning }
