'use strict'

/*
 * How numbers are written, in sentences as in tables: commas between the thousands, three significant digits but never less than
 * whole numbers, durations in the unit that suits them.
 */

const prettyBytes = require('pretty-bytes')

const SIGNIFICANT_DIGITS = 3
const MOST_DECIMALS = 20
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
const NOTHING = '–'

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
 * @param {number} [digits] more significant ones, and as many decimals as they need
 */
function duration (milliseconds, unit = MILLISECONDS, digits = SIGNIFICANT_DIGITS) {
  if (!isNumber(milliseconds)) return NOTHING
  const value = milliseconds / unit.milliseconds
  const most = digits > SIGNIFICANT_DIGITS ? MOST_DECIMALS : unit.decimals
  return String(Number(value.toFixed(Math.min(most, decimalsFor(value, digits)))))
}

/**
 * A duration as people read it, in two parts: the number, and its unit.
 *
 * @param {number} milliseconds
 * @param {?object} [unit] of `commonUnit`; without one that which suits the duration
 * @param {number} [digits] significant ones
 * @returns {{ value: string, unit: string }}
 */
function timeParts (milliseconds, unit, digits) {
  if (!isNumber(milliseconds)) return { value: NOTHING, unit: '' }
  unit ??= unitOf(milliseconds)
  return { value: grouped(Number(duration(milliseconds, unit, digits)), MOST_DECIMALS), unit: unit.name }
}

/** The same in one: `41 µs`, `77.7 ms`, `2.85 s`. Parameters as for `timeParts`. */
function time (milliseconds, unit, digits) {
  const { value, unit: name } = timeParts(milliseconds, unit, digits)
  return name === '' ? value : `${value} ${name}`
}

/**
 * How durations of one column are written, whose head names their unit, milliseconds: all of them with as many decimals as the
 * shortest needs, so that the column can be read down.
 *
 * @param {number[]} values ms; others are left out of account
 * @returns {function(number): string} of ms, without the unit
 */
function durations (values) {
  const shortest = values.filter((value) => isNumber(value) && value > 0).reduce((a, b) => Math.min(a, b), Infinity)
  const decimals = Math.min(MILLISECONDS.decimals, decimalsFor(shortest))
  return (value) => isNumber(value) ? grouped(value, decimals, decimals) : NOTHING
}

/** What is only known to be at least that, with a sign: `≥ 3,506 ms`. */
function atLeast (text, isBound = true) {
  return isBound ? `≥ ${text}` : text
}

/** How many decimals make so many digits, but none where there are more before the point. */
function decimalsFor (value, digits = SIGNIFICANT_DIGITS) {
  if (value === 0 || !isNumber(value)) return 0
  const digitsBefore = Math.floor(Math.log10(Math.abs(value))) + 1
  return Math.min(MOST_DECIMALS, Math.max(0, digits - digitsBefore))
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

// From this share on, percent say nothing to anybody: a thousand times as much.
const THOUSANDFOLD = 999
const ALMOST_NOTHING = 0.01
const ALMOST_ALL = 99.99

/**
 * A share as a percentage: `5.7%`, `−10%`, `1,100%`; never 0 where there is something, never 100 where something is missing.
 * What is more than anybody can picture is `over 1,000-fold`.
 *
 * @param {number} share
 * @param {object} [how]
 * @param {boolean} [how.signed] what is more than nothing begins with a plus
 * @param {string} [how.unit] in the place of the percent sign: differences of two shares are percentage points
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

/** A part of a whole as a percentage. */
function share (part, whole) {
  return isNumber(part) && isNumber(whole) && whole > 0 ? percent(part / whole) : NOTHING
}

/** How many: `12,000`. */
function count (value) {
  return isNumber(value) ? grouped(value, 0) : NOTHING
}

/** How many, as in `67k requests`: exact below a thousand, then in thousands. */
function thousands (count) {
  return count < 1000 ? String(count) : `${Math.round(count / 1000)}k`
}

/** Seconds without their unit, as in `requests in 10.05 s`: to the hundredth, below a second to the thousandth. */
function seconds (value) {
  return isNumber(value) ? grouped(value, value < 1 ? 3 : 2) : NOTHING
}

/** Seconds in a column. */
function tenths (value) {
  return isNumber(value) ? value.toFixed(value >= 1000 ? 0 : 1) : NOTHING
}

/** How long something takes: `8 s`, `1 min 30 s`, `2 h`. @param {number} value s */
function span (value) {
  if (!isNumber(value)) return NOTHING
  if (value < 1) return time(value * 1000)
  if (value < 60) return `${Number(value.toFixed(value < 10 ? 1 : 0))} s`
  const whole = Math.round(value)
  return [[Math.floor(whole / 3600), 'h'], [Math.floor(whole / 60) % 60, 'min'], [whole % 60, 's']]
    .filter(([amount]) => amount > 0).map(([amount, unit]) => `${amount} ${unit}`).join(' ')
}

/** A count in a sentence: `1 request`, `12,000 requests`. */
function counted (number, noun, plural = `${noun}s`) {
  return `${grouped(number)} ${number === 1 ? noun : plural}`
}

/** A date as `2026-03-01 14:05:09 UTC`; nothing where it is none. */
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
