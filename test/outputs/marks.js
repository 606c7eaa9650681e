'use strict'

const { stripVTControlCharacters } = require('node:util')
const formatHttperf = require('../../lib/report/httperf')
const printResult = require('../../lib/report/print-result')

/*
 * Documented outputs: a block of code after a mark, a comment that names the saved result and the command.
 *
 *     <!-- output closed: cannonade -d 10 http://127.0.0.1:3000 -->
 *
 * A block may begin with the command. A line with three dots stands for any number of lines; without one at its end, it has all lines
 * up to the end. `on a terminal` after the name shows what
 * a terminal of 80 columns shows; otherwise it is what is written to a file.
 */

const MARK = /^<!-- output (?<name>[\w-]+)(?<terminal> on a terminal)?: (?<command>cannonade .+) -->\n\n```\n(?<block>[^]*?)^```$/gm
const FENCE = '\n```\n'
const DOTS = '...'
const TERMINAL = { isTTY: true, columns: 80 }
const FILE = { isTTY: false }

/** @returns {Array<{ name: string, command: string, isOnTerminal: boolean, block: string }>} the documented outputs of a page */
function outputsIn (page) {
  return [...page.matchAll(MARK)].map(({ groups: { name, terminal, command, block } }) => ({ name, command, isOnTerminal: terminal !== undefined, block }))
}

/** Returns what a command prints. @param {object} output of outputsIn @param {object} result the saved result of its run */
function printed ({ command, isOnTerminal }, result) {
  const text = command.startsWith('cannonade httperf') ? formatHttperf(result) : printResult(result, { outputStream: isOnTerminal ? TERMINAL : FILE })
  return stripVTControlCharacters(text).replace(/^\n+|\n+$/g, '')
}

/**
 * Replaces the outputs of a page.
 *
 * @param {string} page
 * @param {function(object): string} printedFor returns what a command prints now, for an output of outputsIn
 */
function renewed (page, printedFor) {
  return page.replace(MARK, (whole) => {
    const [output] = outputsIn(whole)
    return `${whole.slice(0, whole.indexOf(FENCE) + FENCE.length)}${excerptOf(output, printedFor(output))}\`\`\``
  })
}

/**
 * Returns the lines of an output that a block shows.
 *
 * @param {object} output of outputsIn
 * @param {string} text what the command prints now
 * @throws {Error} if the text has no such lines any more
 */
function excerptOf ({ block, command }, text) {
  const lines = block.trimEnd().split('\n')
  const head = lines[0] === `$ ${command}` ? [lines.shift()] : []
  if (!lines.includes(DOTS)) return `${[...head, text].join('\n')}\n`
  const from = text.split('\n')
  let next = 0
  return `${[...head, ...partsOf(lines).flatMap((part, index, { length }) => {
    if (part[0] === DOTS) return part
    const begin = placeOf(part, from, next)
    next = index === length - 1 ? from.length : begin + part.length
    return from.slice(begin, next)
  })].join('\n')}\n`
}

// Lines up to the next dots, and the dots, in turn.
function partsOf (lines) {
  const parts = [[]]
  for (const line of lines) {
    if (line === DOTS) parts.push([line], [])
    else parts.at(-1).push(line)
  }
  return parts.filter(({ length }) => length > 0)
}

// Where lines are found again: at the first one with words that reads the same but for its numbers.
function placeOf (part, lines, from) {
  const anchor = Math.max(0, part.findIndex((line) => /\p{L}/u.test(line)))
  const found = lines.findIndex((line, index) => index >= from + anchor && shapeOf(line) === shapeOf(part[anchor]))
  if (found === -1) throw new Error(`the output has no line like "${part[anchor]}"`)
  return found - anchor
}

const NUMBER = /(?:≥ )?-?[\d,.:]*\d(?: ?(?:ns|µs|ms|s|kB|MB|GB|kB\/s|k|M|%))?(?![\p{L}\d])/gu

/** Returns a text without what legitimately differs between two runs: numbers with their units, and the widths that follow from them. */
function shapeOf (text) {
  return text.replace(NUMBER, '#').replace(/─+/g, '─').replace(/ +/g, ' ')
}

module.exports = { excerptOf, outputsIn, printed, renewed, shapeOf }
