'use strict'

const { inspect } = require('node:util')
const { nameWithoutSecrets, urlWithoutSecrets, withoutSecrets } = require('./secrets')

const LONGEST_TEXT = 2000
// More text is searched than is shown, so that a secret is recognized even if its end isn't shown.
const MOST_READ = 16384

// Three kinds of escape sequences, which differ in how they end: a string for the terminal (a title, a link) ends at its
// terminator, a control sequence (a color, a cursor movement) at its final letter, any other after one character.
/* eslint-disable no-control-regex -- finding control characters is the point */
const ESCAPE_SEQUENCES = new RegExp([
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u001b\\|\u009c)/,
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/,
  /\u001b[ -/]*[0-~]/
].map(({ source }) => source).join('|'), 'g')
/* eslint-enable no-control-regex */
const LINE_BREAKS = /[\t\r\n\v\f\u0085\u2028\u2029]+/g
const CONTROLS = /\p{Cc}/gu
// Characters that change the direction of the surrounding text, or are invisible.
const UNSEEN = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

// Text in the output of a step that CI runners execute as a command: at the start of a line (GitHub), or anywhere in it (Azure
// Pipelines, TeamCity, GitHub's older form).
const LINE_COMMAND = /(^|\s):(?=:[a-z-]+(?:\s|::))/gi
const BRACKET_COMMAND = /##(?=[\w.-]*\[)/g

/**
 * Makes text from outside safe to show anywhere: on one line, without control characters, escape sequences, secrets and
 * commands for CI runners.
 * Everything that prints, draws or writes text from a server, a file or an option must use this.
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

/** The same for a name that the tester chose, of an endpoint, a scenario or a check. */
function cleanName (name) {
  return cleaned(name, nameWithoutSecrets)
}

function cleaned (value, hide) {
  const text = typeof value === 'string' ? value : inspect(value, { depth: 1, breakLength: Infinity })
  const visible = withoutUnseen(withoutEscapes(text.slice(0, MOST_READ)).replace(LINE_BREAKS, ' ').replace(CONTROLS, ''))
  return withoutCommands(hide(visible).slice(0, LONGEST_TEXT).toWellFormed().trim())
}

/** Disarms commands for CI runners: `::add-mask::x` becomes `: :add-mask::x`, and `##[group]` becomes `# #[group]`. */
function withoutCommands (line) {
  return line.replace(BRACKET_COMMAND, '# #').replace(LINE_COMMAND, '$1: ')
}

/** Removes escape sequences, which terminals execute instead of showing them. */
function withoutEscapes (text) {
  return text.replace(ESCAPE_SEQUENCES, '')
}

/** Removes invisible characters that change how the rest of a text looks. */
function withoutUnseen (text) {
  return text.replace(UNSEEN, '')
}

module.exports = { clean, cleanName, cleanUrl, withoutCommands, withoutEscapes, withoutUnseen }
