'use strict'

const prettyBytes = require('pretty-bytes')

const SIGNIFICANT_DIGITS = 3
// As many decimals as were recorded: whole microseconds, of which an average may have a fraction.
const MICROSECONDS = Object.freeze({ name: 'µs', milliseconds: 0.001, decimals: 1 })
const MILLISECONDS = Object.freeze({ name: 'ms', milliseconds: 1, decimals: 3 })
const SECONDS = Object.freeze({ name: 's', milliseconds: 1000, decimals: 6 })
const UNITS = [MICROSECONDS, MILLISECONDS, SECONDS]

// Durations further apart than this are not read well in one unit, and neither are numbers beyond these.
const FURTHEST_APART = 1000
const SMALLEST_NUMBER = 0.1
const LARGEST_NUMBER = 10_000

/** What stands in a table where there is no number. */
const NOTHING = '-'

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value)

/** The unit that suits a duration: seconds from a second on, microseconds below a millisecond. @param {number} milliseconds */
function unitOf (milliseconds) {
  const shown = Math.abs(Number(milliseconds.toPrecision(SIGNIFICANT_DIGITS)))
  if (shown === 0) return MILLISECONDS
  return UNITS.findLast((unit) => shown >= unit.milliseconds) ?? MICROSECONDS
}

/**
 * The unit in which several durations are read together: that which suits the first of them, if it suits them all, else
 * another one that does.
 *
 * @param {number[]} values ms; what is no number, or zero, is left out of account
 * @returns {?object} null where they are too far apart, so that each has to have its own
 */
function commonUnit (values) {
  const present = values.filter((value) => isNumber(value) && value > 0)
  if (present.length === 0) return MILLISECONDS
  const [shortest, longest] = [Math.min(...present), Math.max(...present)]
  if (longest > FURTHEST_APART * shortest) return null
  const suitsAll = ({ milliseconds }) => shortest >= SMALLEST_NUMBER * milliseconds && longest < LARGEST_NUMBER * milliseconds
  return [unitOf(present[0]), ...UNITS].find(suitsAll) ?? null
}

/**
 * A duration without the name of its unit, and without separators, as programs read it: three significant digits, as many
 * as the histograms hold, never less than whole numbers.
 *
 * @param {number} milliseconds
 * @param {object} [unit=MILLISECONDS]
 */
function duration (milliseconds, unit = MILLISECONDS) {
  if (!isNumber(milliseconds)) return NOTHING
  const value = milliseconds / unit.milliseconds
  return String(Number(value.toFixed(Math.min(unit.decimals, decimalsFor(value)))))
}

/**
 * A duration as people read it: `41 µs`, `77.7 ms`, `2.85 s`.
 *
 * @param {number} milliseconds
 * @param {?object} [unit] of `commonUnit`; without one that which suits the duration
 */
function time (milliseconds, unit) {
  if (!isNumber(milliseconds)) return NOTHING
  const { name } = unit ??= unitOf(milliseconds)
  return `${grouped(Number(duration(milliseconds, unit)), unit.decimals)} ${name}`
}

/** What is only known to be at least that, with a sign: `≥ 3,506 ms`. */
function atLeast (text, isBound = true) {
  return isBound ? `≥ ${text}` : text
}

function decimalsFor (value) {
  if (value === 0) return 0
  const digitsBefore = Math.floor(Math.log10(Math.abs(value))) + 1
  return Math.min(20, Math.max(0, SIGNIFICANT_DIGITS - digitsBefore))
}

// By how many decimals they write. A formatter takes far longer to make than a number takes to write.
const formatters = new Map()

/**
 * A number with commas between the thousands.
 *
 * @param {number} value
 * @param {number} [atMost] decimals, default 3
 * @param {number} [atLeast] decimals, default 0
 */
function grouped (value, atMost = 3, atLeast = 0) {
  const key = `${atMost} ${atLeast}`
  if (!formatters.has(key)) formatters.set(key, new Intl.NumberFormat('en-US', { maximumFractionDigits: atMost, minimumFractionDigits: atLeast }))
  return formatters.get(key).format(value)
}

/** Events per second: `67,391`, `219.6`, `2.5`, `0.1`. */
function rate (perSecond) {
  if (!isNumber(perSecond)) return NOTHING
  return grouped(perSecond, Math.abs(perSecond) >= 1000 ? 0 : Math.max(1, decimalsFor(perSecond)))
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

/** How many, in a table: `12,000`. */
function count (value) {
  return isNumber(value) ? value.toLocaleString('en-US') : NOTHING
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

/** A date as `2026-03-01 14:05:09 UTC`; nothing where it is none. */
function moment (value) {
  const date = new Date(value ?? NaN)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().replace('T', ' ').replace(/\.\d+Z$/, ' UTC')
}

module.exports = {
  MILLISECONDS,
  NOTHING,
  atLeast,
  commonUnit,
  count,
  counted,
  duration,
  grouped,
  isNumber,
  moment,
  rate,
  seconds,
  shortRate,
  shortSize,
  size,
  thousands,
  time,
  unitOf
}
