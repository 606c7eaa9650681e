'use strict'

const Papa = require('papaparse')

// What a file may have between its cells, when nobody says.
const SEPARATORS = [',', ';', '\t', '|']
const REASONS = {
  MissingQuotes: 'a quote is not closed',
  InvalidQuotes: 'there is text between the closing quote of a cell and the next separator'
}
const QUOTED_OR_LINE_END = /"[^"]*"|\r\n?/g

/**
 * The records of a text of separated values, as RFC 4180 writes them: a cell may stand in quotes, and has then separators,
 * line ends and doubled quotes in it. Empty lines are none.
 *
 * @param {string} text
 * @param {string} [separator] default: the one of `, ; | tab` that gives each of the first records as many cells
 * @returns {Array<{ cells: string[], line: number }>} `line`: where it begins, from 1
 * @throws {SyntaxError} naming the line
 */
function records (text, separator) {
  // Papa Parse takes one kind of line end for a whole text; within quotes they are part of a cell.
  const even = text.replace(QUOTED_OR_LINE_END, (found) => found[0] === '"' ? found : '\n')
  const found = []
  const lines = new LineCounter(even)
  let start = 0
  Papa.parse(even, {
    delimiter: separator ?? separatorOf(even),
    newline: '\n',
    step ({ data: cells, errors, meta: { cursor } }) {
      const line = lines.upTo(start)
      start = cursor
      const wrong = errors.find(({ code }) => Object.hasOwn(REASONS, code))
      if (wrong !== undefined) throw new SyntaxError(`line ${line}: ${REASONS[wrong.code]}`)
      if (cells.length > 1 || cells[0] !== '') found.push({ cells, line })
    }
  })
  return found
}

function separatorOf (text) {
  return Papa.parse(text, { preview: 10, skipEmptyLines: true, newline: '\n', delimitersToGuess: SEPARATORS }).meta.delimiter
}

/** The number of the line at a place, asked for places in their order. */
class LineCounter {
  constructor (text) {
    this.text = text
    this.next = text.indexOf('\n')
    this.line = 1
  }

  upTo (place) {
    while (this.next !== -1 && this.next < place) {
      this.line++
      this.next = this.text.indexOf('\n', this.next + 1)
    }
    return this.line
  }
}

module.exports = { records }
