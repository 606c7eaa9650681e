'use strict'

const prettyBytes = require('pretty-bytes')

const SIGNIFICANT_DIGITS = 3
const MILLISECONDS = Object.freeze({ name: 'ms', perMillisecond: 1, decimals: 3 })
const MICROSECONDS = Object.freeze({ name: 'µs', perMillisecond: 1000, decimals: 1 })
const LONGEST_IN_MICROSECONDS = 100

/** What stands in a table where there is no number. */
const NOTHING = '-'

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value)

/**
 * The unit in which a row of durations reads best: microseconds where the typical value is below a millisecond, unless
 * the longest one would then be a number of seven digits.
 *
 * @param {object} statistics a statistics object, ms
 */
function unitOf ({ p50, max }) {
  return isNumber(p50) && p50 > 0 && p50 < 1 && !(max >= LONGEST_IN_MICROSECONDS) ? MICROSECONDS : MILLISECONDS
}

/**
 * A duration without the name of its unit: three significant digits, as many as the histograms hold, never less than whole numbers.
 *
 * @param {number} milliseconds
 * @param {object} [unit] from `unitOf`
 */
function duration (milliseconds, unit = MILLISECONDS) {
  if (!isNumber(milliseconds)) return NOTHING
  const value = milliseconds * unit.perMillisecond
  return String(Number(value.toFixed(Math.min(unit.decimals, decimalsFor(value)))))
}

function durationWithUnit (milliseconds, unit) {
  const text = duration(milliseconds, unit)
  return text === NOTHING ? text : `${text} ${unit.name}`
}

function decimalsFor (value) {
  if (value === 0) return 0
  const digitsBefore = Math.floor(Math.log10(Math.abs(value))) + 1
  return Math.min(20, Math.max(0, SIGNIFICANT_DIGITS - digitsBefore))
}

/** Events per second: `67,391`, `219.6`, `2.5`, `0.1`. */
function rate (perSecond) {
  if (!isNumber(perSecond)) return NOTHING
  const maximumFractionDigits = Math.abs(perSecond) >= 1000 ? 0 : Math.max(1, decimalsFor(perSecond))
  return perSecond.toLocaleString('en-US', { maximumFractionDigits })
}

/** Events per second in at most five characters: `67.4k`, `1.23M`. */
function shortRate (perSecond) {
  if (!isNumber(perSecond) || Math.abs(perSecond) < 1000) return rate(perSecond)
  return perSecond.toLocaleString('en-US', { notation: 'compact', maximumSignificantDigits: 3 }).replace('K', 'k')
}

/** A number of bytes: `8.56 MB`, in units of a thousand. */
function size (bytes) {
  if (!isNumber(bytes)) return NOTHING
  return prettyBytes(Math.abs(bytes) < 1 ? Number(bytes.toFixed(2)) : bytes)
}

/** A number of bytes in at most six characters, where that is possible: `8.6 MB`, `123 MB`. */
function shortSize (bytes) {
  const text = size(bytes)
  return text.length <= 6 ? text : size(Number(bytes.toPrecision(2)))
}

/** How many, as in `67k requests`: exact below a thousand, then in thousands. */
function thousands (count) {
  return count < 1000 ? String(count) : `${Math.round(count / 1000)}k`
}

/** Seconds as in `requests in 10.05s`: to the hundredth, below a second to the thousandth. */
function seconds (value) {
  return String(Number(value.toFixed(value < 1 ? 3 : 2)))
}

/** A count in a sentence: `1 request`, `12,000 requests`. */
function counted (count, noun, plural = `${noun}s`) {
  return `${count.toLocaleString('en-US')} ${count === 1 ? noun : plural}`
}

module.exports = {
  NOTHING, counted, duration, durationWithUnit, isNumber, rate, seconds, shortRate, shortSize, size, thousands, unitOf
}
