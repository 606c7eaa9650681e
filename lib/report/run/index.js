'use strict'

const { conditionTable, optionTable } = require('../conditions')
const { wordsOfRuns } = require('../glossary')
const { TABLES } = require('../result-tables')
const sentences = require('../sentences')
const { slowestTable } = require('../slowest')
const { readResult } = require('../well-formed')
const { nounOf } = require('../../words/noun')
const numbers = require('../../words/numbers')
const { conditionsOf } = require('./conditions')
const { figuresOf, figureTable } = require('./figures')
const { fleet, processes } = require('./machines')
const { latencyDistribution, latencyOverlay } = require('./latency')
const messages = require('./messages')
const { requestOutcomes } = require('./outcomes')
const { overTime, overTimeOverlay } = require('./over-time')
const { diagnosis, serverOverTime } = require('./diagnosis')
const { errorCodes, grpcStatuses, statusCodes } = require('./responses')
const { modelInWords, namedRuns, targets } = require('./runs')
const sessions = require('./sessions')
const streams = require('./streams')
const { thresholdTable } = require('./thresholds')
const { verdictOf } = require('./verdict')

const MOST_SLOWEST = 100

/**
 * Converts one result, or several with overlaid charts, to a document.
 *
 * @param {object[]} given results
 * @param {{ title?: string, options?: object }} settings
 * @returns {object} see document.js
 */
function runDocument (given, { title, options }) {
  const results = given.map(readResult)
  const runs = namedRuns(results)
  const isOne = runs.length === 1
  const [first] = runs
  const noun = nounOf(...results)
  return {
    title: title ?? (isOne ? first.name : `${runs.length} runs side by side`),
    kind: 'load test report',
    lead: isOne ? leadOf(first.result) : leadOfSeveral(runs),
    words: wordsOfRuns(noun),
    answer: isOne ? verdictOf(first.result) : [],
    ...(isOne ? { figures: figuresOf(first.result) } : { opening: { title: 'Figures', parts: [{ table: figureTable(runs) }] } }),
    warnings: runs.flatMap(({ name, result }) => sentences({ ...result, thresholds: undefined }).map((sentence) => isOne ? sentence : { ...sentence, of: name })),
    sections: [
      { title: 'Thresholds', parts: [{ table: thresholdTable(runs) }] },
      { title: 'Endpoints', parts: [] },
      { title: 'Latency', parts: isOne ? [...latencyDistribution(first.result), { table: slowestTable(first.result, MOST_SLOWEST) }] : latencyOverlay(runs) },
      { title: 'Over time', parts: isOne ? [...overTime(first.result), ...serverOverTime(first.result)] : overTimeOverlay(runs) },
      { title: 'Streams', parts: streams(runs) },
      { title: 'Messages', parts: messages(runs) },
      { title: 'Sessions', parts: sessions(runs) },
      { title: 'The server', parts: isOne ? diagnosis(runs) : [] },
      { title: 'Processes', parts: processes(runs) },
      { title: 'Responses', parts: [statusCodes(runs), grpcStatuses(runs), errorCodes(runs)].map((table) => ({ table })) },
      { title: `Outcome of every ${noun}`, parts: [{ table: requestOutcomes(runs) }] },
      { title: 'Machines', parts: fleet(runs) }
    ].map(({ title, parts }) => ({ title, parts: [...parts, ...tablesIn(title, runs)] })),
    conditions: [
      conditionTable('run', runs.map(({ name, result }) => ({ name, rows: conditionsOf(result) }))),
      optionTable(options ? [{ name: '', options }] : runs.map(({ name, result }) => ({ name, options: result.options })))
    ]
  }
}

const tablesIn = (title, runs) => TABLES.filter(({ section }) => section === title).map(({ table }) => ({ table: table(runs) }))

function leadOf (result) {
  return { urls: [targets(result).join(', ')], facts: [numbers.moment(result.start), numbers.span(result.duration), modelInWords(result)] }
}

function leadOfSeveral (runs) {
  const starts = runs.map(({ result }) => numbers.moment(result.start)).filter(Boolean).sort()
  return { urls: null, facts: [`${runs.length} runs${starts.length > 0 ? `, the first of ${starts[0]}` : ''}`] }
}

module.exports = runDocument
