'use strict'

// ISO 8601 as programs write it: a month or a day, optionally with a time, which may have a zone (default: this
// machine's).
const FORM = /^(\d{4}|[+-]\d{6})-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,30}))?)?\s?(?:(Z)|([+-])(\d{2})(?::?(\d{2}))?)?)?)?$/i
const LATEST_MS = 8.64e15
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/**
 * Parses a date in ISO 8601.
 *
 * @param {string} text
 * @returns {number} ms since 1970; NaN if the text has another form, or if the day or time does not exist
 */
function readISODate (text) {
  const parts = FORM.exec(text)
  if (parts === null) return NaN
  const [, year, month, day = '01', hours = '00', minutes = '00', seconds = '00', fraction = '', utc, sign, zoneHours = '00', zoneMinutes = '00'] = parts
  const date = dateOf(Number(year), Number(month), Number(day), Number(hours), Number(minutes), Number(seconds))
  const milliseconds = Math.trunc(Number(`0.${fraction}0`) * 1000)
  if (sign === undefined) return (utc === undefined && parts[4] !== undefined ? asLocal(date) : date) + milliseconds
  return date + milliseconds - zoneOf(sign, Number(zoneHours), Number(zoneMinutes))
}

/**
 * @param {number} month from 1
 * @returns {number} ms since 1970, in UTC; NaN if the time does not exist
 */
function dateOf (year, month, day, hours, minutes, seconds) {
  if (month < 1 || month > 12 || hours > 23 || minutes > 59 || seconds > 59) return NaN
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCDate() === day ? date.setUTCHours(hours, minutes, seconds) : NaN
}

/** Returns how far a zone is ahead of UTC, in ms; NaN if it is not valid. */
function zoneOf (sign, hours, minutes) {
  if (hours > 23 || minutes > 59) return NaN
  return (hours * HOUR_MS + minutes * MINUTE_MS) * (sign === '-' ? -1 : 1)
}

// Converts a date and time to the time zone of this machine, keeping day and time of day.
function asLocal (ms) {
  if (Number.isNaN(ms)) return NaN
  const date = new Date(ms)
  const local = new Date(0)
  local.setFullYear(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate())
  return local.setHours(date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds(), 0)
}

module.exports = { readISODate, dateOf, zoneOf, LATEST_MS }
