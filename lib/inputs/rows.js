'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { fileURLToPath } = require('node:url')
const { optionError, optionProblem, show, showPath, whyUnreadable } = require('../base/errors')
const { isObject } = require('../values/kinds')
const { copyPlain } = require('../values/freeze')

// Parsers by file extension.
const READERS = new Map([
  ['.csv', text => parseTable(text)],
  ['.tsv', text => parseTable(text, '\t')],
  ['.json', text => JSON.parse(withoutMark(text))],
  ['.jsonl', parseLines],
  ['.ndjson', parseLines]
])

// Removes the byte order mark that some editors write.
function withoutMark (text) {
  return text.replace(/^\ufeff/, '')
}

function columnNames (cells, line) {
  const names = new Set()
  const twice = cells.find((name) => names.size === names.add(name).size)
  if (twice !== undefined) throw new SyntaxError(`line ${line}: there are two columns named ${show(twice)}`)
  return cells
}

// The first line holds the column names. Errors name the line.
function parseTable (text, separator) {
  const rows = []
  let names
  for (const { cells, line } of require('./csv').records(withoutMark(text), separator)) {
    if (names === undefined) names = columnNames(cells, line)
    else if (cells.length === names.length) rows.push(Object.fromEntries(names.map((name, index) => [name, cells[index]])))
    else throw new SyntaxError(`line ${line}: it has ${cells.length} and not ${names.length} columns`)
  }
  return rows
}

function parseLines (text) {
  const rows = []
  withoutMark(text).split('\n').forEach((line, index) => {
    if (line.trim() === '') return
    try {
      rows.push(JSON.parse(line))
    } catch (cause) {
      throw new SyntaxError(`line ${index + 1}: ${cause.message}`)
    }
  })
  return rows
}

/**
 * Reads the rows of a feed.
 *
 * @param {{ source: string, file?: string, rows?: object[] }} feed as `feed.read` returns it; `source` is the option that
 *   the rows come from. The file extension determines the format: CSV or TSV with a header line, a JSON array, or JSON
 *   Lines
 * @returns {object[]} at least one; copies of the user's objects
 * @throws {CannonadeError} CANNONADE_BAD_OPTION naming the file or the row
 */
function readRows ({ source, file, rows }) {
  const read = file === undefined ? copyPlain(rows) : readFile(file)
  if (!Array.isArray(read) || read.length === 0) throw badRows(source, file, 'it has no rows')
  read.forEach((row, index) => {
    if (!isObject(row)) throw badRows(source, file, `row ${index + 1} is ${show(row)}, not an object`)
  })
  return read
}

function readFile (file) {
  const name = file.startsWith('file:') ? fileURLToPath(file) : file
  const read = READERS.get(path.extname(name).toLowerCase())
  if (read === undefined) throw optionError('feed.file', file, `a file whose name ends in ${[...READERS.keys()].join(', ')}`)
  try {
    return read(fs.readFileSync(name, 'utf8'))
  } catch (cause) {
    throw badRows('feed.file', file, whyUnreadable(cause), cause)
  }
}

function badRows (option, file, reason, cause) {
  const from = file === undefined ? '' : ` from ${showPath(file)}`
  const sentence = `The rows of the feed cannot be read${from}: ${reason}`
  return optionProblem(option, sentence, cause && { cause })
}

module.exports = { readRows }
