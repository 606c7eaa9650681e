'use strict'

const format = require('../../words/numbers')
const { clean } = require('../text')

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** What the first, second, … of several servers is called where its name would take too much room. @param {number} index from 0 */
const letter = (index) => LETTERS[index] ?? `#${index + 1}`

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

module.exports = { boundedTime, letter, warnings, note, warning, error }
