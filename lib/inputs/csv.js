'use strict'

const Papa = require('papaparse')

// The separators to try if none is given.
const SEPARATORS = [',', ';', '\t', '|']
const REASONS = {
  MissingQuotes: 'a quote is not closed',
  InvalidQuotes: 'there is text between the closing quote of a cell and the next separator'
}
const QUOTED_OR_LINE_END = /"[^"]*"|\r\n?/g

/**
 * Parses separated values as in RFC 4180: a quoted cell may contain separators, line breaks and doubled quotes. Empty
 * lines are skipped.
 *
 * @param {string} text
 * @param {string} [separator] default: whichever of `, ; | tab` splits all of the first records into the same number of
 *   cells
 * @returns {Array<{ cells: string[], line: number }>} `line`: the line where the record begins, from 1
 * @throws {SyntaxError} naming the line
 */
function records (text, separator) {
  // Papa Parse expects one kind of line ending throughout a text. Line endings within quotes are part of a cell, so they
  // are kept.
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

// Papa Parse compares ten records, however few it returns.
function separatorOf (text) {
  return Papa.parse(text, { preview: 1, skipEmptyLines: true, newline: '\n', delimitersToGuess: SEPARATORS }).meta.delimiter
}

/** Finds the line number of positions, which must be given in rising order. */
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
