'use strict'

const { failuresOf } = require('../metrics/failure-count')
const { csvLine } = require('../outside/cells')

const time = (name) => ({ latency, accounting }) => latency.totalCount > 0 && accounting.completed > 0 ? latency[name] : null

/** In the order in which docs/command.md lists them. */
const COLUMNS = [
  ({ url }) => [url].flat().join(' '),
  ({ connections }) => connections,
  ({ rate }) => rate?.offered,
  ({ duration }) => duration,
  ({ accounting }) => accounting.completed,
  ({ requests }) => requests.average,
  ...['mean', 'p50', 'p90', 'p99', 'max'].map(time),
  (result) => failuresOf(result).atLeast,
  ({ accounting: { timedOut, unfinished, unsent } }) => timedOut + unfinished + unsent
]

/**
 * Returns a run as one line of comma-separated values, for scripts that collect many runs in one file.
 *
 * @param {object} result of a run
 * @returns {string} ends with a line feed
 */
function resultLine (result) {
  return csvLine(COLUMNS.map((read) => read(result)), ',')
}

module.exports = resultLine
