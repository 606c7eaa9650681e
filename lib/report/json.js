'use strict'

// JSON does not escape these characters, but terminals interpret some of them, and line-based readers treat others as
// line ends.
const UNSAFE = /[\u007f-\u009f\u2028\u2029]/g
// CI runners interpret commands such as `##[error]` anywhere in a line of output.
const COMMAND = /#(?=#[\w.-]*\[)/g

/**
 * Returns a result as one line of newline-delimited JSON. Long fields come last, since some readers search for the first
 * `"errors":` in the line.
 *
 * @param {object} result
 * @returns {string} ends with a newline, and contains no other line breaks or control characters
 */
function jsonLine (result) {
  return JSON.stringify(withLongLast(result)).replace(UNSAFE, escapeCharacter).replace(COMMAND, escapeCharacter) + '\n'
}

function withLongLast (result) {
  if (!isObject(result) || Array.isArray(result)) return result
  const { warmup, timeline, histograms, ...rest } = result
  // JSON.stringify omits fields that are undefined.
  return { ...rest, warmup: withLongLast(warmup), timeline, histograms }
}

const isObject = (value) => typeof value === 'object' && value !== null

function escapeCharacter (character) {
  return '\\u' + character.charCodeAt(0).toString(16).padStart(4, '0')
}

module.exports = jsonLine
