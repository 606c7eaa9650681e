'use strict'

const { named, optionError, optionProblem, words } = require('../base/errors')
const printResult = require('../report/print-result')
const { showsResult } = require('../report/shown')
const { clean } = require('../report/text')
const { isObject } = require('../values/kinds')

/** The flag that decides whether an inconclusive check fails. */
const strictFlag = Object.freeze({
  name: 'strict',
  help: 'also fail if a regression check is inconclusive (the default if CI is set); --no-strict does not'
})

/**
 * Returns the exit code of a comparison with a limit: 1 if the limit was exceeded, or if the check is strict and
 * inconclusive.
 *
 * @param {object} comparison
 * @param {boolean} [strict] as given; defaults to whether the environment variable CI is set
 * @returns {number}
 */
function regressionCode ({ passed, regressionVerdict }, strict = isInCI(process.env)) {
  if (passed !== false) return 0
  return regressionVerdict === 'inconclusive' && !strict ? 0 : 1
}

// Some set CI to '', '0' or 'false' to turn it off.
function isInCI ({ CI }) {
  return CI !== undefined && !['', '0', 'false'].includes(CI.toLowerCase())
}

/** Flags that can make a benchmark fail, in addition to thresholds. */
const verdictFlags = Object.freeze([
  {
    name: 'baseline',
    argument: 'FILE',
    read: (file) => require('./saved-results').readRuns(file),
    help: 'compare with a saved result, or with several, one a line'
  },
  {
    name: 'maxRegression',
    argument: 'SHARE',
    help: 'with --baseline: fail if throughput, p50, p99 or the failure rate is shown to be worse by more than this, such as 5%'
  },
  strictFlag
])

// Loaded only if there is a baseline, since most benchmarks have none.
const compareResults = (sides, opts) => require('../study/compare/comparison-result').compareResults(sides, opts)

/**
 * @param {object} options
 * @throws {CannonadeError} CANNONADE_BAD_OPTION if a regression limit is given without a baseline, or is invalid
 */
function checkVerdict ({ baseline, maxRegression }) {
  if (maxRegression === undefined) return
  if (baseline === undefined) throw optionProblem('maxRegression', words`${named('maxRegression')} needs a baseline: give --baseline FILE as well`)
  // Throws for a bad limit now, instead of after the run.
  compareResults([baseline, baseline], { maxRegression })
}

/**
 * Checks the results with which a run is to be compared, before it begins. A config file may contain anything.
 *
 * @param {*} baseline
 * @throws {CannonadeError} CANNONADE_BAD_OPTION, CANNONADE_BAD_RESULT
 */
function checkBaseline (baseline) {
  if (!isObject(baseline) && !Array.isArray(baseline)) throw optionError('baseline', baseline, 'a file with results, or such results')
  require('../study/compare/prepare').readSaved(baseline, 'baseline')
}

/**
 * Compares a result with the baseline, if there is one, and prints the comparison on stderr. A failed threshold or a
 * regression sets the exit code to 1; so does a run without any response, whose reason is printed as well.
 *
 * @param {object} result
 * @param {object} options
 */
function printVerdict (result, { baseline, maxRegression, strict, isInterrupted, outputStream = process.stderr, ...shown }) {
  if (result.passed === false) process.exitCode = 1
  const unanswered = result.warnings.find(({ code }) => code === 'NO_ANSWER' || code === 'NO_CONNECTION')
  // If the user ended the run before the first response, the missing response is not a failure.
  if (unanswered !== undefined && !isInterrupted) {
    process.exitCode = 1
    if (!showsWords(shown)) process.stderr.write(`${clean(unanswered.message)}\n`)
  }
  if (baseline === undefined) return
  const comparison = compareResults([baseline, result], { maxRegression })
  outputStream.write(printResult(comparison, { outputStream }))
  process.exitCode ||= regressionCode(comparison, strict)
}

// Whether the reason is already printed below the tables.
function showsWords ({ isLine, ...shown }) {
  return !isLine && showsResult(shown)
}

module.exports = { checkBaseline, checkVerdict, printVerdict, verdictFlags, strictFlag, regressionCode }
