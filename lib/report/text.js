'use strict'

const { createColors } = require('picocolors')
const { clean, cleanName, cleanUrl, withoutCommands, withoutEscapes } = require('../outside/text')

// Fast path: each of these characters takes one column. It covers all output except some text from outside.
const NARROW = /^[ -\u02ff]*$/

/** Returns the width of a text without control characters, in terminal columns. */
function widthOf (text) {
  return NARROW.test(text) ? text.length : require('string-width')(text)
}

// Splits text into what readers see as characters: an emoji may consist of many code points.
// Created on demand: it loads Unicode tables, which takes as long as loading a third of this package.
let characters = null

function charactersOf (text) {
  if (NARROW.test(text)) return text
  characters ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return Array.from(characters.segment(text), ({ segment }) => segment)
}

/**
 * Wraps a paragraph at spaces so that no line is wider than `width`; wider words are split.
 *
 * @param {string} text
 * @param {number} width columns
 * @param {string} [indent] precedes each line except the first
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
  // Wrapping may move text to the start of a line that CI runners would interpret as a command.
  return [...lines, line].map(withoutCommands)
}

/** Returns as much of a line as fits into the given number of columns. */
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

/** Whether a stream is a terminal on which lines can be redrawn. */
function isTerminal (stream) {
  return stream?.isTTY === true && process.env.TERM !== 'dumb'
}

/** Returns picocolors functions for a stream. They add colours only if it is a terminal and NO_COLOR is not set. */
function colorsFor (stream) {
  return createColors(isTerminal(stream) && !process.env.NO_COLOR)
}

module.exports = { clean, cleanName, cleanUrl, colorsFor, cut, isTerminal, widthOf, withoutEscapes, wrap }
