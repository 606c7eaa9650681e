'use strict'

const { decodeHistogram } = require('../base/encoded-histogram')
const { CODES, CannonadeError, optionError, readingResults } = require('../base/errors')

const TICKS_PER_HALF_DISTANCE = 5
const MICROSECONDS_PER_MILLISECOND = 1000

/**
 * The percentiles of a result as the text that the HdrHistogram plotter and its kin read (`.hgrm`), in milliseconds.
 *
 * @param {object} result of a run; one read back from JSON as well
 * @param {{ histogram?: string }} [options] which of `result.histograms`, default 'latency'
 * @returns {string} lines `value percentile totalCount 1/(1-percentile)`, and a comment at the end
 * @throws {CannonadeError} CANNONADE_BAD_RESULT where the result has no such histogram, CANNONADE_BAD_OPTION
 */
function toHgrm (result, options) {
  const name = options?.histogram ?? 'latency'
  if (typeof name !== 'string') throw optionError('histogram', name, "the name of one of the result's histograms, such as 'latency'")
  const encoded = result?.histograms !== null && typeof result?.histograms === 'object' && Object.hasOwn(result.histograms, name) ? result.histograms[name] : undefined
  if (typeof encoded !== 'string') throw new CannonadeError(CODES.BAD_RESULT, `the result has no histogram ${name}`)
  return decodeHistogram(encoded).outputPercentileDistribution(TICKS_PER_HALF_DISTANCE, MICROSECONDS_PER_MILLISECOND)
}

module.exports = readingResults(toHgrm)
