'use strict'

const { decodeHistogram } = require('../base/encoded-histogram')
const { CODES, CannonadeError, optionError, readingResults } = require('../base/errors')

const TICKS_PER_HALF_DISTANCE = 5
const MICROSECONDS_PER_MILLISECOND = 1000

/**
 * Returns the percentiles of a result in the format of the HdrHistogram plotter (`.hgrm`), in milliseconds.
 *
 * @param {object} result of a run; also read from JSON
 * @param {{ histogram?: string }} [options] which of `result.histograms`, default 'latency'
 * @returns {string} lines `value percentile totalCount 1/(1-percentile)`, and a comment at the end
 * @throws {CannonadeError} CANNONADE_BAD_RESULT if the result doesn't have this histogram, CANNONADE_BAD_OPTION
 */
function toHgrm (result, options) {
  const name = options?.histogram ?? 'latency'
  if (typeof name !== 'string') throw optionError('histogram', name, "the name of one of the result's histograms, such as 'latency'")
  const encoded = result?.histograms !== null && typeof result?.histograms === 'object' && Object.hasOwn(result.histograms, name) ? result.histograms[name] : undefined
  if (typeof encoded !== 'string') throw new CannonadeError(CODES.BAD_RESULT, `the result has no histogram ${name}`)
  return decodeHistogram(encoded).outputPercentileDistribution(TICKS_PER_HALF_DISTANCE, MICROSECONDS_PER_MILLISECOND)
}

module.exports = readingResults(toHgrm)
