'use strict'

const { CODES, CannonadeError, optionError, readingResults } = require('../../base/errors')
const { csvLine } = require('../../outside/cells')
const { autobenchTable } = require('./autobench')

const DEMANDED = ['demanded', (target, { demanded }) => demanded]
const CONNECTIONS = ['connections', (target, { connections }) => connections]
const isOfUsers = ({ connections }) => connections !== undefined

/** Our own columns: one line for each target of each row. */
const OWN = [
  ['target', ({ name }) => name],
  ...[
    'achieved', 'sustained', 'keepsUp', 'limitedBy', 'saturated', 'requestRate', 'connectionRate'
  ].map((name) => [name, (target) => target[name]]),
  ...['min', 'avg', 'max', 'stddev'].map((name) => [`replyRate.${name}`, ({ replyRate }) => replyRate?.[name]]),
  ...[
    'responseTime', 'serviceTime', 'timeToFirstByte', 'p50', 'p90', 'p99', 'p99_9', 'netIO', 'errors', 'errorPercent',
    'completed', 'unsent', 'unfinished', 'timeouts', 'non2xx'
  ].map((name) => [name, (target) => target[name]]),
  ['reasons', ({ reasons }) => Array.isArray(reasons) ? reasons.join('; ') : '']
]

/** Additional columns if responses are streams. */
const OF_STREAM = [
  ['events', ({ stream }) => stream?.events],
  ['eventRate', ({ stream }) => stream?.rate],
  ...['timeToFirstEvent', 'gap'].flatMap((of) => ['p50', 'p90', 'p99'].map((key) => [`${of}.${key}`, ({ stream }) => stream?.[of]?.[key]]))
]

const TABLES = { own: ownTable, autobench: autobenchTable }

/**
 * Returns the rows of a sweep, or the points of a jamming search, as comma-separated values.
 *
 * @param {object[]|{ rows: object[] }|{ kind: 'jamming', levels: object[] }} study the rows, or the whole result of a sweep or of
 *   `findJamming`
 * @param {object} [options]
 * @param {string} [options.separator=','] between cells
 * @param {'own'|'autobench'} [options.columns='own'] `own` has a line for each target of each row, with the names of the
 *   fields as headings. `autobench` has exactly autobench's columns, with all targets of a row in one line; only for a sweep
 * @returns {string} lines, beginning with the headings, each with a line feed at the end; cells are quoted if necessary
 * @throws {CannonadeError} CANNONADE_BAD_OPTION, CANNONADE_BAD_RESULT if there are neither rows nor points
 */
function toCSV (study, { separator = ',', columns = 'own' } = {}) {
  if (!Object.hasOwn(TABLES, columns)) throw optionError('columns', columns, "'own' or 'autobench'")
  if (typeof separator !== 'string' || separator === '' || /["\r\n]/.test(separator)) throw optionError('separator', separator, 'a string such as \',\' or \'\\t\'')
  return tableOf(study, columns).map((cells) => csvLine(cells, separator)).join('')
}

function tableOf (study, columns) {
  if (study?.kind === 'jamming') {
    if (!Array.isArray(study.levels) || !study.levels.every((level) => Array.isArray(level?.points))) throw bad('toCSV needs the levels of a search for the jamming threshold')
    if (columns !== 'own') throw optionError('columns', columns, "'own': those of autobench are of a sweep")
    return jammingTable(study.levels)
  }
  const rows = Array.isArray(study) ? study : study?.rows
  if (!Array.isArray(rows) || !rows.every((row) => Array.isArray(row?.targets))) throw bad('toCSV needs the rows of a sweep')
  if (columns !== 'own' && rows.some(isOfUsers)) throw optionError('columns', columns, "'own': those of autobench are of a sweep of rates")
  return TABLES[columns](rows)
}

function bad (sentence) {
  return new CannonadeError(CODES.BAD_RESULT, sentence)
}

/** Additional columns for monitored processes, as in the timeline of a run. */
function ofProcesses (targets) {
  const pids = [...new Set(targets.flatMap(({ monitor }) => Array.isArray(monitor) ? monitor.map((entry) => entry?.pid).filter(Number.isSafeInteger) : []))]
  return pids.flatMap((pid) => ['cpu', 'memory'].map((name) => [`${name} ${pid}`, ({ monitor }) => monitor?.find((entry) => entry?.pid === pid)?.[name]]))
}

function ownTable (rows) {
  const all = rows.flatMap(({ targets }) => targets)
  const columns = [rows.some(isOfUsers) ? CONNECTIONS : DEMANDED, ...OWN, ...(all.some(({ stream }) => stream) ? OF_STREAM : []), ...ofProcesses(all)]
  const lines = rows.flatMap((row) => row.targets.map((target) => columns.map(([, read]) => read(target, row))))
  return [columns.map(([name]) => name), ...lines]
}

const COLUMNS = [
  'rate', 'sent', 'outgoing', 'received', 'p50', 'p99', 'mean', 'max', 'lost', 'drops', 'saturated', 'ratio', 'lastCopyP50', 'lastCopyP99'
]

/**
 * Returns the points of a jamming search as cells of a table, beginning with the headings.
 *
 * @param {object[]} levels
 * @returns {Array<Array>} `payload` is the last column, if there is one
 */
function jammingTable (levels) {
  const hasPayload = levels.some(({ payload }) => payload !== undefined)
  const lines = levels.flatMap(({ connections, payload, points }) => points.map((point) => [
    connections, ...COLUMNS.map((name) => point[name]), joined(point.atLeast), joined(point.reasons), ...(hasPayload ? [payload] : [])
  ]))
  return [['connections', ...COLUMNS, 'atLeast', 'reasons', ...(hasPayload ? ['payload'] : [])], ...lines]
}

const joined = (texts) => Array.isArray(texts) ? texts.join('; ') : ''

module.exports = readingResults(toCSV)
