'use strict'

/**
 * The records of a text of separated values, as RFC 4180 writes them: a cell may stand in quotes, and has then separators,
 * line ends and doubled quotes in it. Empty lines are none.
 *
 * @param {string} text
 * @param {string} separator one character
 * @yields {{ cells: string[], line: number }} `line`: where it begins, from 1
 * @throws {SyntaxError} naming the line
 */
function * records (text, separator) {
  const cell = new RegExp(`"([^"]*(?:""[^"]*)*)("?) *|[^${separator}\r\n]*`, 'y')
  let position = 0
  let line = 1
  while (position < text.length) {
    const record = { cells: [], line }
    let after
    do {
      cell.lastIndex = position
      const [whole, quoted, quote] = cell.exec(text)
      if (quote === '') throw new SyntaxError(`line ${line}: a quote has no second one`)
      record.cells.push(quoted === undefined ? whole : quoted.replaceAll('""', '"'))
      if (quoted !== undefined) line += lineEndsIn(quoted)
      position += whole.length
      after = text[position]
      if (after === separator) position++
    } while (after === separator)
    if (after !== undefined && after !== '\r' && after !== '\n') throw new SyntaxError(`line ${line}: something stands between the quote that ends a cell and the next separator`)
    if (record.cells.length > 1 || record.cells[0] !== '') yield record
    position += text.startsWith('\r\n', position) ? 2 : 1
    line++
  }
}

const lineEndsIn = (text) => text.split(/\r\n|\r|\n/).length - 1

module.exports = { records }
