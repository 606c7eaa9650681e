'use strict'

const { createColors } = require('picocolors')
const stringWidth = require('string-width')
const { clean, cleanUrl, withoutCommands, withoutEscapes } = require('../outside/text')

// All that is shown but for a few texts from outside: each character takes one column.
const NARROW = /^[ -\u02ff]*$/

/** How many columns of a terminal a text without control characters takes. */
function widthOf (text) {
  return NARROW.test(text) ? text.length : stringWidth(text)
}

// What a reader takes for one character: an emoji may be many code points.
const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' })

function charactersOf (text) {
  return NARROW.test(text) ? text : Array.from(CHARACTERS.segment(text), ({ segment }) => segment)
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
  // Breaking a text may put at the start of a line what must not stand there.
  return [...lines, line].map(withoutCommands)
}

/** As much of a line as fits into so many columns. */
function cut (text, columns) {
  let width = 0
  let end = 0
  for (const character of charactersOf(text)) {
    width += widthOf(character)
    if (width > columns) return text.slice(0, end)
    end += character.length
  }
  return text
}

function cutWord (word, width) {
  if (widthOf(word) <= width) return [word]
  const pieces = ['']
  for (const character of charactersOf(word)) {
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

module.exports = { clean, cleanUrl, colorsFor, cut, isTerminal, widthOf, withoutEscapes, wrap }
