'use strict'

const format = require('../format')
const { clean } = require('../text')

/** A share as a percentage: '5.7%', '-10%', '+4.2%' where `signed`. */
function percent (share, { signed = false } = {}) {
  if (!format.isNumber(share)) return format.NOTHING
  const value = Number((share * 100).toPrecision(3))
  const text = value.toLocaleString('en-US', { maximumFractionDigits: 3 })
  return `${signed && value > 0 ? '+' : ''}${text}%`
}

/** Milliseconds with their unit. */
function milliseconds (value) {
  return format.isNumber(value) ? format.durationWithUnit(value, format.unitOf({ p50: value, max: value })) : format.NOTHING
}

/** The warnings of a study, as the paragraphs of a report. */
function warnings ({ warnings }) {
  return (Array.isArray(warnings) ? warnings : []).filter((warning) => warning?.message)
    .map(({ message }) => ({ severity: 'warning', text: `Warning: ${clean(message)}` }))
}

const note = (text) => ({ severity: 'note', text })
const error = (text) => ({ severity: 'error', text })

module.exports = { percent, milliseconds, warnings, note, error }
