'use strict'

const { CannonadeError, CODES } = require('../errors')
const sentences = require('./sentences')
const { isStudy, studyReport } = require('./study')
const { samplingLines, summaryLines } = require('./summary')
const { latencyTable, percentileTable, ratesTable, statusCodeTable } = require('./tables')
const { colorsFor, isTerminal, wrap } = require('./text')
const { checkWellFormed } = require('./well-formed')

const WIDTH = 80
// Tables of an ordinary run need some more for the spacing that programs know.
const TABLE_WIDTH = 100
const NARROWEST = 40

/**
 * A result as text: the tables, the lines under them, and in words what a reader must not miss. The same for a result
 * read back from JSON, and for one of autocannon's; and for the answers of `compare`, `sweep` and `findCapacity`, which
 * have tables of their own.
 *
 * @param {object} result
 * @param {object} [options]
 * @param {object} [options.outputStream] where the text will go, default `process.stderr`. Only looked at: colours are
 *   used where it is a terminal and NO_COLOR is not set
 * @param {boolean} [options.renderResultsTable] the tables of latency, requests and bytes; default true. The lines about the
 *   samples stay without them
 * @param {boolean} [options.renderLatencyTable] the table of all percentiles; default false
 * @param {boolean} [options.renderStatusCodes] the table of status codes; default false
 * @param {boolean} [options.verbose] default true; false prints no table and no words, only the summary: one line, and
 *   one more for each kind of trouble
 * @returns {string} lines of at most 80 columns, those of tables of at most 100, the last one ended
 * @throws {CannonadeError} CANNONADE_BAD_ARGUMENT when `result` is no object, CANNONADE_BAD_RESULT when it says to be the
 *   answer of a study and is none
 */
function printResult (result, options = {}) {
  if (result === null || typeof result !== 'object') {
    throw new CannonadeError(CODES.BAD_ARGUMENT, 'printResult needs the result of a run')
  }
  const { outputStream = process.stderr, verbose = true } = options ?? {}
  const colors = colorsFor(outputStream)
  if (isStudy(result)) {
    checkWellFormed(result)
    return printStudy(result, { colors, width: widthFor(outputStream, WIDTH) }, verbose)
  }
  const summary = summaryLines(result, colors).join('\n')
  if (!verbose) return summary + '\n'

  const tables = tableBlocks(result, options ?? {}, { colors, width: widthFor(outputStream, TABLE_WIDTH) })
  const words = paragraphs(result, { colors, width: widthFor(outputStream, WIDTH) })
  const blocks = [...tables, summary, words]
  return '\n' + blocks.filter((block) => block !== '').join('\n\n') + '\n'
}

function tableBlocks (result, { renderResultsTable = true, renderLatencyTable = false, renderStatusCodes = false }, style) {
  const tables = []
  if (renderResultsTable) tables.push(latencyTable(result, style), ratesTable(result, style))
  if (renderStatusCodes) tables.push(statusCodeTable(result, style))
  return [
    tables.filter((table) => table !== '').join('\n'),
    samplingLines(result).join('\n'),
    renderLatencyTable ? percentileTable(result, style) : ''
  ]
}

// Without `verbose`, only what it comes to.
function printStudy (study, style, verbose) {
  const { heading, tables, paragraphs } = studyReport(study, style)
  const words = painted(paragraphs, style)
  if (!verbose) return words + '\n'
  return '\n' + [heading.join('\n'), ...tables, words].filter((block) => block !== '').join('\n\n') + '\n'
}

function paragraphs (result, style) {
  return painted(sentences(result), style)
}

function painted (paragraphs, { width, colors }) {
  const paint = { error: colors.red, warning: colors.yellow, note: String }
  return paragraphs
    .flatMap(({ severity, text }) => wrap(text, width, '  ').map(paint[severity]))
    .join('\n')
}

// Narrower only where the terminal is: what is saved in a file looks the same everywhere.
function widthFor (stream, widest) {
  if (!isTerminal(stream)) return widest
  return Math.min(widest, Math.max(NARROWEST, stream.columns > 0 ? stream.columns : WIDTH))
}

module.exports = printResult
