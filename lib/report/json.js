'use strict'

// JSON leaves these as they are: a terminal acts on some of them, and readers of lines take others for the end of one.
const UNSAFE = /[\u007f-\u009f\u2028\u2029]/g
// Runners of CI obey `##[error]` and its like wherever they stand in a line of output.
const COMMAND = /#(?=#[\w.-]*\[)/g

/**
 * A result as one line of newline-delimited JSON. What is long comes last: there are readers that look for the first
 * `"errors":` in the line.
 *
 * @param {object} result
 * @returns {string} ends with a newline, and holds no other line break and no control character
 */
function jsonLine (result) {
  return JSON.stringify(withLongLast(result)).replace(UNSAFE, escapeCharacter).replace(COMMAND, escapeCharacter) + '\n'
}

function withLongLast (result) {
  if (!isObject(result) || Array.isArray(result)) return result
  const { warmup, timeline, histograms, ...rest } = result
  // What is undefined is left out of the line.
  return { ...rest, warmup: withLongLast(warmup), timeline, histograms }
}

const isObject = (value) => typeof value === 'object' && value !== null

function escapeCharacter (character) {
  return '\\u' + character.charCodeAt(0).toString(16).padStart(4, '0')
}

module.exports = jsonLine
