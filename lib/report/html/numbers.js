'use strict'

const format = require('../format')

const { isNumber, moment } = format

/** Where there is no number. */
const NONE = '–'

/** How many, exactly. */
function count (value) {
  return isNumber(value) ? value.toLocaleString('en-US') : NONE
}

/** A share of a whole as percent: `0.42 %`; never 0 where there is something, never 100 where something is missing. */
function share (part, whole) {
  if (!isNumber(part) || !isNumber(whole) || whole <= 0) return NONE
  const percent = part / whole * 100
  if (part > 0 && percent < 0.01) return '< 0.01 %'
  if (part < whole && percent > 99.99) return '> 99.99 %'
  return `${Number(percent.toFixed(percent < 1 || percent > 99 ? 2 : 1))} %`
}

/** A duration as its amount and its unit, for a large figure: each in the unit that suits it. */
function durationParts (statistics, key) {
  const value = statistics?.[key]
  if (!isNumber(value) || statistics.totalCount === 0) return { value: NONE, unit: '' }
  const unit = format.unitOf(value)
  return { value: count(Number(format.duration(value, unit))), unit: unit.name }
}

const rate = (value) => isNumber(value) ? format.rate(value) : NONE
const bytes = (value) => isNumber(value) ? format.size(value) : NONE

/**
 * How durations of one table are written: all of them with as many decimals as the shortest needs, so that a column
 * can be read down.
 *
 * @param {number[]} values ms; others are left out of account
 * @returns {function(number): string} of ms, without the unit
 */
function durations (values) {
  const shortest = values.filter((value) => isNumber(value) && value > 0).reduce((a, b) => Math.min(a, b), Infinity)
  const decimals = shortest < 1 ? 3 : shortest < 10 ? 2 : shortest < 100 ? 1 : 0
  return (value) => isNumber(value) ? format.grouped(value, decimals, decimals) : NONE
}

/** Seconds in a column. */
function seconds (value) {
  return isNumber(value) ? value.toFixed(value >= 1000 ? 0 : 1) : NONE
}

/** A number of seconds in words: `8 s`, `1 min 30 s`, `2 h`. */
function span (value) {
  if (!isNumber(value)) return NONE
  if (value < 60) return `${Number(value.toFixed(value < 10 ? 1 : 0))} s`
  const whole = Math.round(value)
  return [[Math.floor(whole / 3600), 'h'], [Math.floor(whole / 60) % 60, 'min'], [whole % 60, 's']]
    .filter(([amount]) => amount > 0).map(([amount, unit]) => `${amount} ${unit}`).join(' ')
}

module.exports = { NONE, bytes, count, durationParts, durations, isNumber, moment, rate, seconds, share, span }
