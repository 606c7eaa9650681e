'use strict'

// RFC 6265, section 5.1.1. Servers write dates in many formats; browsers accept all that contain the same four parts, in any
// order.
const DELIMITERS = /[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+/
const TIME = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?!\d)/
const DAY = /^\d{1,2}(?!\d)/
const MONTH = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i
const YEAR = /^\d{2,4}(?!\d)/
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const FIRST_YEAR = 1601

/**
 * Parses the `Expires` attribute of a cookie. Always in UTC, regardless of the time zone it names or of this process's.
 *
 * @param {string} text
 * @returns {number} ms since 1970; NaN if it is not a valid date
 */
function readCookieDate (text) {
  let time = null
  let day = null
  let month = null
  let year = null
  for (const token of text.split(DELIMITERS)) {
    if (time === null && TIME.test(token)) time = TIME.exec(token).slice(1).map(Number)
    else if (day === null && DAY.test(token)) day = parseInt(token, 10)
    else if (month === null && MONTH.test(token)) month = MONTHS.indexOf(token.slice(0, 3).toLowerCase())
    else if (year === null && YEAR.test(token)) year = wholeYear(parseInt(token, 10))
  }
  if (time === null || day === null || month === null || year === null || year < FIRST_YEAR) return NaN
  const [hours, minutes, seconds] = time
  if (hours > 23 || minutes > 59 || seconds > 59) return NaN
  const date = Date.UTC(year, month, day, hours, minutes, seconds)
  return new Date(date).getUTCDate() === day ? date : NaN
}

// Expands a year of two digits.
function wholeYear (year) {
  if (year >= 100) return year
  return year < 70 ? 2000 + year : 1900 + year
}

module.exports = readCookieDate
