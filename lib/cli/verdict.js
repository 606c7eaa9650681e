'use strict'

const { named, optionProblem, words } = require('../base/errors')
const printResult = require('../report/print-result')
const { showsResult } = require('../report/shown')
const { clean } = require('../report/text')
const { readRuns } = require('./saved-results')
const { regressionCode, strictFlag } = require('./strict')

/** The flags that give a benchmark something to fail by, besides its thresholds. */
const verdictFlags = Object.freeze([
  {
    name: 'baseline',
    argument: 'FILE',
    read: readRuns,
    help: 'compare with a saved result, or with several, one a line'
  },
  {
    name: 'maxRegression',
    argument: 'SHARE',
    help: 'with --baseline: fail if throughput, p50, p99 or the error rate is shown to be worse by more than this, such as 5%'
  },
  strictFlag
])

// Loaded where there is a baseline, which most benchmarks do without.
const compareResults = (sides, opts) => require('../study/compare/results').compareResults(sides, opts)

/**
 * @param {object} options
 * @throws {CannonadeError} CANNONADE_BAD_OPTION where there is nothing that a regression could be one from
 */
function checkVerdict ({ baseline, maxRegression }) {
  if (maxRegression === undefined) return
  if (baseline === undefined) throw optionProblem('maxRegression', words`${named('maxRegression')} needs a baseline: give --baseline FILE as well`)
  // Whatever is wrong with it shall be said before the run.
  compareResults([baseline, baseline], { maxRegression })
}

/**
 * Compares a result with the baseline, where there is one, and says on stderr what came of it. A threshold that was not
 * met, or a regression, makes the exit code 1; and so does a run in which nothing was answered, with the reason in a
 * sentence.
 *
 * @param {object} result
 * @param {object} options
 */
function tellVerdict (result, { baseline, maxRegression, strict, isInterrupted, outputStream = process.stderr, ...shown }) {
  if (result.passed === false) process.exitCode = 1
  const unanswered = result.warnings.find(({ code }) => code === 'NO_ANSWER' || code === 'NO_CONNECTION')
  // Who ends a run before its first answer has not been left without one.
  if (unanswered !== undefined && !isInterrupted) {
    process.exitCode = 1
    if (!showsWords(shown)) process.stderr.write(`${clean(unanswered.message)}\n`)
  }
  if (baseline === undefined) return
  const comparison = compareResults([baseline, result], { maxRegression })
  outputStream.write(printResult(comparison, { outputStream }))
  process.exitCode ||= regressionCode(comparison, strict)
}

// The tables have it under them.
function showsWords ({ json, ...shown }) {
  return !json && showsResult(shown)
}

module.exports = { checkVerdict, tellVerdict, verdictFlags }
