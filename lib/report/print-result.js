'use strict'

const { CODES, CannonadeError, readingResults } = require('../base/errors')
const sentences = require('./sentences')
const { isStudy, studyReport } = require('./study-document')
const { answered, caption, samplingLines, summaryLines } = require('./summary')
const { TABLES, processTable } = require('./result-tables')
const { shownBy, tablesAt } = require('./shown')
const { fleetTable, furtherPercentiles, latencyTable, ratesTable } = require('./tables')
const { tableText } = require('./table-text')
const { colorsFor, isTerminal, wrap } = require('./text')
const { checkWellFormed, readResult } = require('./well-formed')

// The width of text; tables use the terminal's width. Without a terminal, tables get 100 columns, for the spacing that
// programs expect.
const WIDTH = 80
const TABLE_WIDTH = 100
const NARROWEST = 40
const MOST_ROWS = 20
const MOST_FUNCTIONS = 10

/**
 * Returns a result as text: a heading, tables, a summary, errors and warnings. It accepts results that were read from JSON, those of
 * autocannon, and those of `compare`, `sweep`, `findCapacity` and `findJamming`, which have different tables.
 *
 * @param {object} result
 * @param {object} [options]
 * @param {object} [options.outputStream] where the text will be printed, default `process.stderr`; it determines the format. For a
 *   terminal, there are colors unless NO_COLOR is set, tables as wide as the terminal, and durations with suitable units; otherwise,
 *   tables are those that programs read, with autocannon's columns, in milliseconds
 * @param {boolean} [options.renderResultsTable] and the other names of shown.js: which tables to print. Without any, the lines about
 *   the samples are still printed
 * @param {boolean} [options.verbose] default true; false prints no tables, only a summary line, one line for each kind of problem,
 *   warnings and failed thresholds
 * @returns {string} lines of at most 80 columns, except for one with a URL; tables are as wide as the terminal, or at most 100
 *   columns. There is a line feed at the end
 * @throws {CannonadeError} CANNONADE_BAD_ARGUMENT if `result` is not an object, CANNONADE_BAD_RESULT if the result of a study is
 *   malformed
 */
function printResult (result, options = {}) {
  if (result === null || typeof result !== 'object') {
    throw new CannonadeError(CODES.BAD_ARGUMENT, 'printResult needs the result of a run')
  }
  const { outputStream = process.stderr, verbose = true } = options ?? {}
  const style = styleFor(outputStream)
  if (isStudy(result)) {
    checkWellFormed(result)
    return printStudy(result, style, verbose)
  }
  return printRun(readResult(result), style, options ?? {})
}

function printRun (result, style, options) {
  const summary = summaryLines(result, style).join('\n')
  if (options.verbose === false) return [summary, painted(sentences.verdictSentences(result), style)].filter((block) => block !== '').join('\n') + '\n'
  const { blocks: main, after } = mainBlocks(result, options, style)
  const blocks = [...main, summary, ...after, painted(sentences(result), style)]
  return (style.isForPrograms ? '' : '\n') + blocks.filter((block) => block !== '').join('\n\n') + '\n'
}

function mainBlocks (result, options, style) {
  const shownParts = shownBy(options)
  const { renderResultsTable } = shownParts
  const tables = []
  const processes = renderResultsTable ? tableText(processTable([{ result }]), style) : ''
  const others = TABLES.filter(({ option = 'renderResultsTable' }) => shownParts[option]).map(({ table }) => tableText(table([{ result }]), style, MOST_ROWS))
  if (renderResultsTable) tables.push(latencyTable(result, style), ratesTable(result, style))
  if (!style.isForPrograms) tables.push(processes)
  tables.push(...tablesAt('under', result, options, style))
  const shown = tables.filter((table) => table !== '')
  const sampling = renderResultsTable && shown.length === 0 ? [] : samplingLines(result, style)
  const further = renderResultsTable ? furtherPercentiles(result, style) : []
  const below = tablesAt('below', result, options, style)
  const hot = renderResultsTable && result.diagnosis !== null ? tableText(require('./diagnosis').hotTable(result, MOST_FUNCTIONS), style) : ''
  const fleet = renderResultsTable ? fleetTable(result, style) : ''
  // Tables that autocannon doesn't have come last, since they would shift the lines below them.
  if (style.isForPrograms) return { blocks: [...blocksForPrograms(result, shown, further, sampling, style), ...below], after: [processes, ...others, fleet, hot] }
  return { blocks: [caption(result), shown.join('\n'), sampling.join('\n'), ...below, ...others, fleet, hot], after: [] }
}

// Some programs find tables by line number. So additional text goes on the lines that autocannon leaves empty: one above
// the tables and one below. On a terminal, readers look at the end first, so the summary is there.
function blocksForPrograms (result, tables, further, sampling, style) {
  const title = caption(result)
  // Not wrapped, so that the URL can be copied.
  const heading = `${title === '' ? '' : `${title}: `}${answered(result, style.colors)}`
  if (tables.length === 0) return [heading, sampling.join('\n')]
  return [[heading, ...tables, further.join('\n'), ...sampling].join('\n')]
}

// Without `verbose`, prints only the conclusion.
function printStudy (study, style, verbose) {
  const { heading, tables, paragraphs } = studyReport(study, style)
  const words = painted(paragraphs, style)
  if (!verbose) return words + '\n'
  return '\n' + [heading.join('\n'), ...tables, words].filter((block) => block !== '').join('\n\n') + '\n'
}

function painted (paragraphs, { wordWidth, colors }) {
  const paint = { error: colors.red, warning: colors.yellow, note: String }
  return paragraphs
    .flatMap(({ severity, text }) => wrap(text, wordWidth, '  ').map(paint[severity]))
    .join('\n')
}

// Output to files must not depend on the terminal.
function styleFor (stream) {
  const colors = colorsFor(stream)
  if (!isTerminal(stream)) return { colors, width: TABLE_WIDTH, wordWidth: WIDTH, isForPrograms: true }
  const width = Math.max(NARROWEST, stream.columns > 0 ? stream.columns : WIDTH)
  return { colors, width, wordWidth: Math.min(width, WIDTH), isForPrograms: false }
}

module.exports = readingResults(printResult)
