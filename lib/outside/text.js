'use strict'

const { inspect } = require('node:util')
const { urlWithoutSecrets, withoutSecrets } = require('./secrets')

const LONGEST_TEXT = 2000
// More than is shown is looked at, so that no secret is taken for something else because its end is missing.
const MOST_READ = 16384

// Three kinds of escape sequences, told apart by how they end: a string for the terminal (a title, a link) at its end
// mark, a control sequence (a colour, a move of the cursor) at its final letter, any other after one character.
/* eslint-disable no-control-regex -- finding control characters is the point */
const ESCAPE_SEQUENCES = new RegExp([
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u001b\\|\u009c)/,
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/,
  /\u001b[ -/]*[0-~]/
].map(({ source }) => source).join('|'), 'g')
/* eslint-enable no-control-regex */
const LINE_BREAKS = /[\t\r\n\v\f\u0085\u2028\u2029]+/g
const CONTROLS = /\p{Cc}/gu
// Characters that turn the direction of the text around them, or hide in it.
const UNSEEN = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

// What a runner of CI takes for an order where it stands in the output of a step: at the start of a line (GitHub), or anywhere
// in it (Azure Pipelines, TeamCity, GitHub's older form).
const LINE_COMMAND = /(^|\s):(?=:[a-z-]+(?:\s|::))/gi
const BRACKET_COMMAND = /##(?=[\w.-]*\[)/g

/**
 * A text from outside as it may be shown anywhere: on one line, without control characters, escape sequences, secrets or
 * commands to a runner of CI.
 * Whatever prints, draws or writes what came from a server, a file or an option does it through this.
 *
 * @param {*} value a string; anything else is shown as `util.inspect` does
 * @returns {string} at most 2,000 characters
 */
function clean (value) {
  return cleaned(value, withoutSecrets)
}

/** The same for a URL, or the path of one. */
function cleanUrl (url) {
  return cleaned(url, urlWithoutSecrets)
}

function cleaned (value, hide) {
  const text = typeof value === 'string' ? value : inspect(value, { depth: 1, breakLength: Infinity })
  const visible = withoutUnseen(withoutEscapes(text.slice(0, MOST_READ)).replace(LINE_BREAKS, ' ').replace(CONTROLS, ''))
  return withoutCommands(hide(visible).slice(0, LONGEST_TEXT).toWellFormed().trim())
}

/** A line that no runner of CI obeys: `::add-mask::x` becomes `: :add-mask::x`, and `##[group]` `# #[group]`. */
function withoutCommands (line) {
  return line.replace(BRACKET_COMMAND, '# #').replace(LINE_COMMAND, '$1: ')
}

/** A text without the sequences that make a terminal do something instead of showing it. */
function withoutEscapes (text) {
  return text.replace(ESCAPE_SEQUENCES, '')
}

/** A text without characters that nobody sees and that change how the rest looks. */
function withoutUnseen (text) {
  return text.replace(UNSEEN, '')
}

module.exports = { clean, cleanUrl, withoutCommands, withoutEscapes, withoutUnseen }
