'use strict'

const format = require('../format')
const { clean } = require('../text')

/** From this share on, percent say nothing to anybody: a thousand times as much. */
const THOUSANDFOLD = 999

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** What the first, second, … of several servers is called where its name would take too much room. @param {number} index from 0 */
const letter = (index) => LETTERS[index] ?? `#${index + 1}`

/**
 * A share as a percentage: '5.7 %', '-10 %', '+4.2 %' where `signed`; what is more than anybody can picture is
 * 'more than 1,000-fold', or shorter in a table.
 */
function percent (share, { signed = false, isInTable = false } = {}) {
  if (!format.isNumber(share)) return format.NOTHING
  if (share >= THOUSANDFOLD) return isInTable ? '> 1,000-fold' : 'more than 1,000-fold'
  const value = Number((share * 100).toPrecision(3))
  return `${signed && value > 0 ? '+' : ''}${format.grouped(value)} %`
}

/** The warnings of a study, as the paragraphs of a report. */
function warnings ({ warnings }) {
  return (Array.isArray(warnings) ? warnings : []).filter((warning) => warning?.message)
    .map(({ message }) => ({ severity: 'warning', text: `Warning: ${clean(message)}` }))
}

/** A time of one target at one rate, with a sign where it is only a lower bound. */
function boundedTime (target, name) {
  return format.atLeast(format.time(target[name]), format.isNumber(target[name]) && Array.isArray(target.atLeast) && target.atLeast.includes(name))
}

const note = (text) => ({ severity: 'note', text })
const warning = (text) => ({ severity: 'warning', text })
const error = (text) => ({ severity: 'error', text })

module.exports = { THOUSANDFOLD, boundedTime, letter, percent, warnings, note, warning, error }
