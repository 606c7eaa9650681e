'use strict'

const { inspect } = require('node:util')
const { createColors } = require('picocolors')

const LONGEST_TEXT = 2000

// Three kinds of escape sequences, told apart by how they end: a string for the terminal (a title, a link) at its end
// mark, a control sequence (a colour, a move of the cursor) at its final letter, any other after one character.
/* eslint-disable no-control-regex -- finding control characters is the point */
const ESCAPE_SEQUENCES = new RegExp([
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)/,
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/,
  /\u001b[ -/]*[0-~]/
].map(({ source }) => source).join('|'), 'g')
/* eslint-enable no-control-regex */
const LINE_BREAKS = /[\t\r\n\v\f\u0085\u2028\u2029]+/g
// Beside the control characters, those that turn the direction of the text around them or hide in it.
const UNSEEN = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u
const COMBINING = /\p{M}/u

/**
 * A text from outside as it may be shown on a terminal: on one line, without control characters or escape sequences.
 *
 * @param {*} value a string; anything else is shown as `util.inspect` does
 * @returns {string} at most 2,000 characters
 */
function clean (value) {
  const text = typeof value === 'string' ? value : inspect(value, { depth: 1, breakLength: Infinity })
  return withoutEscapes(text.slice(0, LONGEST_TEXT)).replace(LINE_BREAKS, ' ').replace(UNSEEN, '').toWellFormed().trim()
}

/** A text without the sequences that make a terminal do something instead of showing it. */
function withoutEscapes (text) {
  return text.replace(ESCAPE_SEQUENCES, '')
}

/** How many columns of a terminal a text without control characters takes. */
function widthOf (text) {
  let width = 0
  for (const character of text) {
    if (!COMBINING.test(character)) width += WIDE.test(character) ? 2 : 1
  }
  return width
}

/**
 * Breaks a paragraph at its spaces so that no line is wider than `width`; a word that is wider itself is cut.
 *
 * @param {string} text
 * @param {number} width columns
 * @param {string} [indent] put before each line but the first
 * @returns {string[]} lines
 */
function wrap (text, width, indent = '') {
  const lines = []
  let line = ''
  for (const word of text.split(/ +/).flatMap((word) => cutWord(word, width - indent.length))) {
    const longer = line.trim() === '' ? line + word : `${line} ${word}`
    if (line.trim() !== '' && widthOf(longer) > width) {
      lines.push(line)
      line = indent + word
    } else {
      line = longer
    }
  }
  return [...lines, line]
}

function cutWord (word, width) {
  if (widthOf(word) <= width) return [word]
  const pieces = ['']
  for (const character of word) {
    if (widthOf(pieces.at(-1)) + widthOf(character) > width) pieces.push('')
    pieces[pieces.length - 1] += character
  }
  return pieces
}

/** Whether a stream is a terminal on which a line can be drawn over. */
function isTerminal (stream) {
  return stream?.isTTY === true && process.env.TERM !== 'dumb'
}

/** picocolors for a stream: functions that colour a text where the stream shows colours and NO_COLOR is not set. */
function colorsFor (stream) {
  return createColors(isTerminal(stream) && !process.env.NO_COLOR)
}

module.exports = { clean, colorsFor, isTerminal, widthOf, withoutEscapes, wrap }
