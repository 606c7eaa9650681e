'use strict'

const { isNumber } = require('../words/numbers')

/* Shared by all charts, independent of the renderer: colours, line styles, and axes as plain data. */

/** Series differ in colour; from the seventh on, also in line style. */
const COLORS = 6
const LINES = ['solid', 'dashed', 'dotted']

/** Returns the colour and line style of the series at `index`. */
function looks (index) {
  return { color: `series-${index % COLORS + 1}`, line: LINES[Math.floor(index / COLORS) % LINES.length] }
}

/** Returns a range from zero to slightly above the largest value. */
function linearRange (values) {
  return { min: 0, max: largest(values) * 1.06 || 1 }
}

/** Returns a linear axis for values. @param {object} [more] `unit`, `isWhole`, see html/chart.js */
function linearAxis (values, label, more = {}) {
  return { scale: 'linear', ...linearRange(values), label, ...more }
}

/** Returns a range that contains all positive values and whose ends are round: 1, 2 or 5 times a power of ten. */
function logRange (values) {
  const positive = values.filter((value) => isNumber(value) && value > 0)
  if (positive.length === 0) return { min: 1, max: 10 }
  const min = roundDown(positive.reduce((a, b) => Math.min(a, b)))
  const max = roundUp(largest(positive))
  return max > min ? { min, max } : { min, max: min * 10 }
}

function largest (values) {
  return values.reduce((max, value) => isNumber(value) && value > max ? value : max, 0)
}

const STEPS = [1, 2, 5, 10]

function roundDown (value) {
  const power = 10 ** Math.floor(Math.log10(value))
  return Number((STEPS.findLast((step) => step * power <= value * (1 + 1e-9)) * power).toPrecision(1))
}

function roundUp (value) {
  const power = 10 ** Math.floor(Math.log10(value))
  return Number((STEPS.find((step) => step * power >= value * (1 - 1e-9)) * power).toPrecision(1))
}

const WORTH_A_LOG_AXIS = 30

/**
 * Returns the axis for durations: logarithmic if the longest one would flatten another line.
 *
 * @param {Array<Array<?number>>} lines the values of each, ms
 * @param {string} label
 */
function durationAxis (lines, label) {
  const values = lines.flat()
  const isLog = Math.min(...lines.map(typicalOf)) * WORTH_A_LOG_AXIS < largest(values)
  return isLog
    ? { scale: 'log', ...logRange(values), label: `${label} (ms, logarithmic)`, unit: 'ms' }
    : { scale: 'linear', ...linearRange(values), label: `${label} (ms)`, unit: 'ms' }
}

function typicalOf (values) {
  const positive = values.filter((value) => isNumber(value) && value > 0).sort((a, b) => a - b)
  return positive[Math.floor(positive.length / 2)] ?? Infinity
}

module.exports = { durationAxis, linearAxis, linearRange, logRange, looks }
