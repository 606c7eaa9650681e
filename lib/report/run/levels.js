'use strict'

const { verdictsOf } = require('../../thresholds/evaluate')
const { isNumber } = require('../../words/numbers')
const { clean } = require('../text')

const LATENCY = /^latency\.(?:p\d+(?:_\d+)?|mean|average|max)$/
// A limit that is further away than this is not drawn, because the chart would show nothing else.
const FURTHEST = 4

/**
 * Returns the upper limits of the latency that thresholds set, as horizontal lines of a chart.
 *
 * @param {object} result
 * @returns {Array<{ y: number, label: string, color: string }>} ms
 */
function levelsOf (result) {
  return verdictsOf(result)
    .filter(({ metric, operator, limit, unit }) => LATENCY.test(metric) && /^<=?$/.test(operator) && unit === 'ms' && isNumber(limit) && limit > 0)
    .map(({ threshold, limit, passed }) => ({ y: limit, label: clean(threshold), color: passed ? 'soft' : 'bad' }))
}

/** Adds the limits that are near to the values of a chart, so that its axis includes them. @param {number[][]} values ms */
function withLevels (values, levels) {
  const largest = values.flat().reduce((most, value) => isNumber(value) ? Math.max(most, value) : most, 0)
  return [...values, levels.map(({ y }) => y).filter((y) => y <= FURTHEST * largest)]
}

module.exports = { levelsOf, withLevels }
