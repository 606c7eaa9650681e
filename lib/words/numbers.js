'use strict'

/*
 * Formats numbers, for sentences and tables alike: commas between thousands, three significant digits but never rounded beyond
 * integers, durations in a suitable unit.
 */

const prettyBytes = require('pretty-bytes')

const SIGNIFICANT_DIGITS = 3
const MOST_DECIMALS = 20
// Below it, a double is accurate enough to be rounded as its decimal digits are.
const LARGEST_SHIFTED = 1e11
// As many decimals as were recorded: integer microseconds, of which an average may have a fraction.
const MICROSECONDS = Object.freeze({ name: 'µs', milliseconds: 0.001, decimals: 1 })
const MILLISECONDS = Object.freeze({ name: 'ms', milliseconds: 1, decimals: 3 })
const SECONDS = Object.freeze({ name: 's', milliseconds: 1000, decimals: 6 })
const UNITS = [MICROSECONDS, MILLISECONDS, SECONDS]

// Durations whose ratio is larger than this, and numbers outside these limits, are hard to read in one unit.
const FURTHEST_APART = 1000
const SMALLEST_NUMBER = 0.1
const LARGEST_NUMBER = 10_000

/** Shown in a table if there is no number. */
const NOTHING = '–'

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value)

/** A suitable unit for a duration: seconds from one second on, microseconds below one millisecond. @param {number} milliseconds */
function unitOf (milliseconds) {
  const shown = Math.abs(Number(milliseconds.toPrecision(SIGNIFICANT_DIGITS)))
  if (shown === 0) return MILLISECONDS
  return UNITS.findLast((unit) => shown >= unit.milliseconds) ?? MICROSECONDS
}

/**
 * A common unit for several durations: the one that suits the first of them if it is suitable for all, otherwise another one that
 * is.
 *
 * @param {number[]} values ms; zeros and anything that is not a number are ignored
 * @returns {?object} null if they differ too much, so that each needs a unit of its own
 */
function commonUnit (values) {
  const present = values.filter((value) => isNumber(value) && value > 0)
  if (present.length === 0) return MILLISECONDS
  const [shortest, longest] = [Math.min(...present), Math.max(...present)]
  if (longest > FURTHEST_APART * shortest) return null
  const fitsAll = ({ milliseconds }) => shortest >= SMALLEST_NUMBER * milliseconds && longest < LARGEST_NUMBER * milliseconds
  return [unitOf(present[0]), ...UNITS].find(fitsAll) ?? null
}

/**
 * A duration without its unit and without separators, in a form that programs can parse: three significant digits, which is the
 * resolution of the histograms, but never rounded beyond integers.
 *
 * @param {number} milliseconds
 * @param {object} [unit=MILLISECONDS]
 * @param {number} [digits] significant digits; if there are more than three, as many decimals as they need
 */
function duration (milliseconds, unit = MILLISECONDS, digits = SIGNIFICANT_DIGITS) {
  if (!isNumber(milliseconds)) return NOTHING
  const value = milliseconds / unit.milliseconds
  const most = digits > SIGNIFICANT_DIGITS ? MOST_DECIMALS : unit.decimals
  return String(Number(value.toFixed(Math.min(most, decimalsFor(value, digits)))))
}

/**
 * A duration for people, in two parts: the number and its unit.
 *
 * @param {number} milliseconds
 * @param {?object} [unit] from `commonUnit`; default: the one that suits the duration
 * @param {number} [digits] significant digits
 * @returns {{ value: string, unit: string }}
 */
function timeParts (milliseconds, unit, digits) {
  if (!isNumber(milliseconds)) return { value: NOTHING, unit: '' }
  unit ??= unitOf(milliseconds)
  return { value: grouped(Number(duration(milliseconds, unit, digits)), MOST_DECIMALS), unit: unit.name }
}

/** A duration with its unit: `41 µs`, `77.7 ms`, `2.85 s`. Parameters as for `timeParts`. */
function time (milliseconds, unit, digits) {
  const { value, unit: name } = timeParts(milliseconds, unit, digits)
  return name === '' ? value : `${value} ${name}`
}

/**
 * Formats the durations of one column whose heading says that they are milliseconds: all of them with as many decimals as the
 * shortest needs, so that the decimal points line up.
 *
 * @param {number[]} values ms; anything that is not a number is ignored
 * @returns {function(number): string} formats ms, without the unit
 */
function durations (values) {
  const shortest = values.filter((value) => isNumber(value) && value > 0).reduce((a, b) => Math.min(a, b), Infinity)
  const decimals = Math.min(MILLISECONDS.decimals, decimalsFor(shortest))
  return (value) => isNumber(value) ? grouped(value, decimals, decimals) : NOTHING
}

/** Marks a value that is only a lower bound: `≥ 3,506 ms`. */
function atLeast (text, isBound = true) {
  return isBound ? `≥ ${text}` : text
}

/** Number of decimals needed to show this many digits; 0 if there are more before the decimal point. */
function decimalsFor (value, digits = SIGNIFICANT_DIGITS) {
  if (value === 0 || !isNumber(value)) return 0
  const digitsBefore = Math.floor(Math.log10(Math.abs(value))) + 1
  return Math.min(MOST_DECIMALS, Math.max(0, digits - digitsBefore))
}

/**
 * A number with commas between the thousands, as `Intl.NumberFormat` writes it for en-US. Its first use in a process takes 10 ms, which
 * short runs needn't spend.
 *
 * @param {number} value
 * @param {number} [atMost] decimals, default 3
 * @param {number} [atLeast] decimals, default 0
 */
function grouped (value, atMost = 3, atLeast = 0) {
  const exact = String(Math.abs(value))
  const places = Math.min(atMost, exact.split('.')[1]?.length ?? 0)
  // Shifts the decimal point in the text, because a product would not be exact.
  const shifted = Math.round(`${exact}e${places}`)
  if (!(shifted < LARGEST_SHIFTED)) return value.toLocaleString('en-US', { maximumFractionDigits: atMost, minimumFractionDigits: atLeast })
  const digits = String(shifted).padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places).replace(/\B(?=(\d{3})+$)/g, ',')
  const decimals = digits.slice(digits.length - places).replace(/0+$/, '').padEnd(atLeast, '0')
  return (value < 0 || Object.is(value, -0) ? '-' : '') + whole + (decimals === '' ? '' : `.${decimals}`)
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

/** A number of bytes in decimal units: `8.56 MB`. */
function size (bytes) {
  if (!isNumber(bytes)) return NOTHING
  return prettyBytes(Math.abs(bytes) < 1 ? Number(bytes.toFixed(2)) : bytes)
}

/** A number of bytes in at most six characters, if possible: `8.6 MB`, `123 MB`. */
function shortSize (bytes) {
  const text = size(bytes)
  return text.length <= 6 ? text : size(Number(bytes.toPrecision(2)))
}

// From this share on (a thousandfold increase), a percentage would mean nothing to a reader.
const THOUSANDFOLD = 999
const ALMOST_NOTHING = 0.01
const ALMOST_ALL = 99.99

/**
 * A share as a percentage: `5.7%`, `−10%`, `1,100%`. Never 0 if the share is larger, and never 100 if it is smaller.
 * Shares of THOUSANDFOLD and above are `over 1,000-fold`.
 *
 * @param {number} share
 * @param {object} [how]
 * @param {boolean} [how.signed] start positive shares with a plus sign
 * @param {string} [how.unit] replaces the percent sign: differences of two shares are percentage points
 */
function percent (share, { signed = false, unit = '%' } = {}) {
  if (!isNumber(share)) return NOTHING
  if (share >= THOUSANDFOLD) return 'over 1,000-fold'
  const value = Math.abs(share * 100)
  const sign = share < 0 ? '−' : signed && share > 0 ? '+' : ''
  if (value > 0 && value < ALMOST_NOTHING) return `< ${sign}${ALMOST_NOTHING}${unit}`
  if (value > ALMOST_ALL && value < 100) return `> ${sign}${ALMOST_ALL}${unit}`
  const decimals = value > 99 && value < 100 ? 2 : decimalsFor(Number(value.toPrecision(SIGNIFICANT_DIGITS)))
  return `${sign}${grouped(value, decimals)}${unit}`
}

/** A part of a whole, as a percentage. */
function share (part, whole) {
  return isNumber(part) && isNumber(whole) && whole > 0 ? percent(part / whole) : NOTHING
}

/** A count: `12,000`. */
function count (value) {
  return isNumber(value) ? grouped(value, 0) : NOTHING
}

/** A count, as in `67k requests`: exact below a thousand, then in thousands. */
function thousands (count) {
  return count < 1000 ? String(count) : `${Math.round(count / 1000)}k`
}

/** Seconds without their unit, as in `requests in 10.05 s`: two decimals, or three below one second. */
function seconds (value) {
  return isNumber(value) ? grouped(value, value < 1 ? 3 : 2) : NOTHING
}

/** Seconds in a column. */
function tenths (value) {
  if (!isNumber(value)) return NOTHING
  const text = value.toFixed(1)
  return Number(text) >= 1000 ? value.toFixed(0) : text
}

/** A duration in words and numbers: `8 s`, `1 min 30 s`, `2 h`. @param {number} value s */
function span (value) {
  if (!isNumber(value)) return NOTHING
  if (value < 1) return time(value * 1000)
  const whole = Math.round(value)
  if (whole < 60) return `${Number(value.toFixed(value < 10 ? 1 : 0))} s`
  return [[Math.floor(whole / 3600), 'h'], [Math.floor(whole / 60) % 60, 'min'], [whole % 60, 's']]
    .filter(([amount]) => amount > 0).map(([amount, unit]) => `${amount} ${unit}`).join(' ')
}

/** A count in a sentence: `1 request`, `12,000 requests`. */
function counted (number, noun, plural = `${noun}s`) {
  return `${grouped(number)} ${number === 1 ? noun : plural}`
}

/** A date as `2026-03-01 14:05:09 UTC`; an empty string if it is not a valid date. */
function moment (value) {
  const date = new Date(value ?? NaN)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().replace('T', ' ').replace(/\.\d+Z$/, ' UTC')
}

module.exports = {
  MILLISECONDS,
  NOTHING,
  THOUSANDFOLD,
  atLeast,
  commonUnit,
  count,
  counted,
  decimalsFor,
  duration,
  durations,
  grouped,
  isNumber,
  moment,
  percent,
  rate,
  seconds,
  share,
  shortRate,
  shortSize,
  size,
  span,
  tenths,
  thousands,
  time,
  timeParts
}
