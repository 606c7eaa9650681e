'use strict'

const { readingResults } = require('../base/errors')
const { verdictsOf } = require('../thresholds/evaluate')
const { isMarked } = require('../thresholds/marked')
const { verdictInWords } = require('../thresholds/words')
const format = require('../words/numbers')
const { doneOf, nounOf } = require('../words/noun')
const { inWords } = require('./document')
const { hotTable } = require('./diagnosis')
const { causesOfErrors, failureFigures, statusesInWords } = require('./failures')
const { TABLES } = require('./result-tables')
const { slowestTable } = require('./slowest')
const { caption, secondsOf } = require('./summary')
const { clean, cleanName } = require('./text')
const { checkRun, readResult } = require('./well-formed')

const MOST_ROWS = 100
const MOST_FUNCTIONS = 10
const MOST_SLOWEST = 10
const COLUMNS = [['p50', 'p50'], ['p90', 'p90'], ['p99', 'p99'], ['p99.9', 'p99_9'], ['max', 'max']]

/**
 * Returns a result as Markdown, for the summary of a CI job or a comment: a table of latency and rates, the verdict on each
 * threshold, errors and warnings.
 *
 * @param {object} given the result of a run; also read from JSON
 * @returns {string} lines with a line feed at the end
 * @throws {CannonadeError} CANNONADE_BAD_RESULT if it isn't the result of a run
 */
function toMarkdown (given) {
  checkRun(given)
  const read = readResult(given)
  const result = { ...read, thresholds: verdictsOf(read) }
  const tables = TABLES.map(({ table }) => rowsOf(table([{ result }])))
  return [heading(result), figures(result), ...tables, verdicts(result), notes(result), rowsOf(slowestTable(result, MOST_SLOWEST)), rowsOf(hotTable(result, MOST_FUNCTIONS))].filter((block) => block !== '').join('\n\n') + '\n'
}

function heading (result) {
  const { thresholds, passed } = result
  const mark = thresholds.length > 0 ? (passed && thresholds.every((threshold) => threshold.passed) ? '✅ ' : '❌ ') : ''
  return `### ${mark}${escaped(cleanName(result.title ?? '') || 'Load test')}\n\n${escaped(caption({ ...result, title: undefined }))}`
}

function figures (result) {
  const rows = [['Latency', result.latency, 'latency']]
  if (result.rate && result.serviceTime) rows.push(['Service time', result.serviceTime, 'serviceTime'])
  if (result.sessions?.lifetime) rows.push(['Session', result.sessions.lifetime, 'sessions.lifetime'])
  if (result.stream) rows.push(['First event', result.stream.timeToFirstEvent, 'stream.timeToFirstEvent'], ['Event gap', result.stream.gap, 'stream.gap'])
  if (result.broadcast?.lastCopy) rows.push(['Last copy', result.broadcast.lastCopy, 'broadcast.lastCopy'])
  const shown = rows.filter(([, statistics]) => statistics?.totalCount > 0)
  const { accounting, requests } = result
  const noun = nounOf(result)
  const completed = accounting?.completed ?? requests?.total ?? 0
  const counts = [
    `**${format.rate(requests?.average)}** ${noun}s/s`,
    `${format.count(completed)} of ${format.count(accounting?.scheduled ?? requests?.sent ?? completed)} ${noun}s ${doneOf(noun)} in ${format.seconds(secondsOf(result))} s`,
    failuresOf(result),
    ...(result.messages ? [] : [escaped(statusesInWords(result))]),
    ...(result.stream ? [`${format.count(result.stream.events ?? 0)} events (${format.rate(result.stream.rate)}/s)`] : [])
  ].filter(Boolean).join(' · ')
  if (shown.length === 0) return counts
  return [
    counts,
    '',
    `| | ${COLUMNS.map(([name]) => name).join(' | ')} |`,
    `|---|${COLUMNS.map(() => '---:').join('|')}|`,
    ...shown.map(([label, statistics, place]) => `| ${label} | ${COLUMNS.map(([, key]) => format.atLeast(format.time(statistics[key]), isMarked(result, key, statistics[key], place))).join(' | ')} |`)
  ].join('\n')
}

function failuresOf (result) {
  const { count, share, isBad } = failureFigures(result)
  return isBad ? `**${count}** failures (${share})` : 'no failures'
}

function rowsOf ({ columns, rows }) {
  if (rows.length === 0) return ''
  return [
    `| ${columns.map(({ name }) => name).join(' | ')} |`,
    `|${columns.map(({ of }) => of === undefined ? '---' : '---:').join('|')}|`,
    ...rows.slice(0, MOST_ROWS).map((cells) => `| ${cells.map((cell, index) => escaped(inWords(cell, columns[index].of))).join(' | ')} |`)
  ].join('\n')
}

function verdicts ({ thresholds }) {
  if (thresholds.length === 0) return ''
  const rows = thresholds.map((threshold) => `| ${threshold.passed ? '✅' : '❌'} | ${code(cleanName(threshold.threshold))} | ${escaped(cleanName(verdictInWords(threshold)).slice(cleanName(threshold.threshold).length + 2))} |`)
  return ['| | Threshold | |', '|---|---|---|', ...rows].join('\n')
}

function notes (result) {
  const causes = causesOfErrors(result).map(([name, { count, message }]) => `- ${format.count(count)} × ${code(clean(name))}${message ? `: ${escaped(clean(message))}` : ''}`)
  const warnings = result.warnings.map(({ message }) => `- ⚠️ ${escaped(clean(message))}`)
  const findings = (result.diagnosis?.findings ?? []).map(({ message }) => `- 🔎 ${escaped(clean(message))}`)
  return [...causes, ...warnings, ...findings].join('\n')
}

// Escapes text from outside, so that it cannot become markup, a link, a mention or a table cell.
function escaped (text) {
  return text.replace(/[\\`*_{}[\]<>()#+!|~@&]/g, (sign) => `&#${sign.charCodeAt(0)};`).replace(/\s+/g, ' ').replace(/:\/\//g, '&#58;//').replace(/^([-=]|\d+\.(?= |$))/, '&#8203;$1')
}

const code = (text) => `<code>${escaped(text)}</code>`

module.exports = readingResults(toMarkdown)
