'use strict'

const { HISTOGRAM_OF } = require('../metrics/figures')

/*
 * What reports mark as a lower bound. Nothing is, in most results, so what computes bounds is loaded on demand.
 */

/**
 * The bounds that a report marks in a figure. Results of earlier versions do not tell which of their figures are bounds: reports show
 * them as they are, but verdicts take into account how many there may be.
 *
 * @param {object} result
 * @param {string} [place] see boundsOf
 * @returns {?Bounds} null if there is nothing to mark
 */
function markedBounds (result, place = 'latency') {
  const isTold = (place === 'latency' && result.latencyBounds?.count > 0) || result.missing?.[HISTOGRAM_OF.get(place)]?.count > 0
  return isTold ? require('./certainty').boundsOf(result, place) : null
}

/**
 * Whether a report marks a statistic of a figure, or a percentile that is not a field, as a lower bound.
 *
 * @param {object} result
 * @param {string} name
 * @param {number} [value] ms; default: the one in the result
 * @param {string} [place] see boundsOf
 */
function isMarked (result, name, value, place) {
  const bounds = markedBounds(result, place)
  return bounds !== null && require('./certainty').isExceeded(bounds.range(name, value), value ?? bounds.statistics[name])
}

/** Whether a standard deviation may be less than it is in the result, so that a report shows nothing. The parameters are those of `isMarked`. */
function isDeviationUnknown (result, value, place) {
  const bounds = markedBounds(result, place)
  return bounds !== null && bounds.range('stddev', value).atLeast < value
}

module.exports = { isDeviationUnknown, isMarked, markedBounds }
