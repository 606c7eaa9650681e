'use strict'

const { failuresOf } = require('../metrics/failure-count')
const numbers = require('../words/numbers')
const { clean } = require('./text')

const MOST_STATUSES = 4

/*
 * What failed from the point of view of a user, as the first lines of every report say it.
 */

/**
 * @param {object} result from `readResult`, or the counts of one, such as a step of a study
 * @returns {{ count: string, share: string, isBad: boolean }} `share` of all attempts; empty if nothing failed
 */
function failureFigures (result) {
  const { atLeast, atMost, attempts } = failuresOf(result)
  const isBound = atMost > atLeast
  return {
    count: numbers.atLeast(numbers.count(atLeast), isBound),
    share: atLeast > 0 ? numbers.atLeast(numbers.share(atLeast, attempts), isBound) : '',
    isBad: atLeast > 0
  }
}

/**
 * Says what the failures were: statuses, errors, bodies.
 *
 * @param {object} result
 * @returns {string[]} empty if nothing failed
 */
function kindsOfFailures (result) {
  const { errors = 0, timeouts = 0, mismatches = 0 } = result
  return [
    statusesInWords(result, isFailure),
    errors > 0 && `${numbers.counted(errors, 'error')}${timeouts > 0 ? ` (${numbers.count(timeouts)} timed out)` : ''}`,
    mismatches > 0 && numbers.counted(mismatches, 'unexpected body', 'unexpected bodies')
  ].filter(Boolean)
}

/**
 * Lists the causes of a result's errors, most frequent first: a result from elsewhere may have them in any order.
 *
 * @param {object} result
 * @returns {Array<[string, { count: number, message: ?string }]>} codes and causes
 */
function causesOfErrors ({ errorCodes }) {
  return Object.entries(errorCodes ?? {}).filter(([, cause]) => cause?.count > 0).sort(([, a], [, b]) => b.count - a.count)
}

const isFailure = (status) => /^\d/.test(status) ? /^[4-9]/.test(status) : status !== 'OK'

/**
 * Counts the failures of one endpoint, so that those of all endpoints add up to the failures of the run, except for bodies that did not
 * match and connections that could not be opened, which belong to no endpoint.
 *
 * @param {object} endpoint one of `result.endpoints`
 */
function failuresOfEndpoint ({ failed, ...endpoint }) {
  const statuses = Object.entries(countsByStatus(endpoint)).filter(([status, count]) => isFailure(status) && numbers.isNumber(count))
  return statuses.reduce((sum, [, count]) => sum + count, failed)
}

/**
 * Lists the status codes of the responses, or the statuses of gRPC calls, most frequent first: `200: 950, 503: 50`.
 *
 * @param {object} result
 * @param {function(string): boolean} [isWanted]
 * @returns {string} empty if there are none
 */
function statusesInWords (result, isWanted) {
  return countsInWords(countsByStatus(result), isWanted)
}

function countsByStatus ({ statusCodeStats, grpcStatus }) {
  const codes = Object.entries(statusCodeStats ?? {}).filter(([code]) => /^\d{3}$/.test(code)).map(([code, stats]) => [code, stats?.count])
  return grpcStatus ?? Object.fromEntries(codes)
}

/** The same for counts by status, which studies have. @param {?Record<string, number>} counts @param {function(string): boolean} [isWanted] */
function countsInWords (counts, isWanted = () => true) {
  const wanted = Object.entries(counts ?? {}).filter(([name, count]) => count > 0 && isWanted(name)).sort(([, a], [, b]) => b - a)
  const others = wanted.slice(MOST_STATUSES)
  return [
    ...wanted.slice(0, MOST_STATUSES).map(([name, count]) => `${clean(name)}: ${numbers.count(count)}`),
    ...(others.length > 0 ? [`others: ${numbers.count(others.reduce((sum, [, count]) => sum + count, 0))}`] : [])
  ].join(', ')
}

module.exports = { causesOfErrors, countsInWords, failureFigures, failuresOfEndpoint, isFailure, kindsOfFailures, statusesInWords }
