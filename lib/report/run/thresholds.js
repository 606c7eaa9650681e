'use strict'

const { verdictsOf } = require('../../thresholds/evaluate')
const { actualInWords, boundInWords, limitInWords, missInWords } = require('../../thresholds/words')
const { isNumber } = require('../../words/numbers')
const { inFigures, inTexts, long, verdict } = require('../document')
const { cleanName: shown } = require('../text')

/** The thresholds of the runs, and whether they were met. @param {Array<{ name: string, result: object }>} runs */
function thresholdTable (runs) {
  const isOne = runs.length === 1
  return {
    caption: 'Thresholds and verdicts',
    columns: [...inTexts(['Threshold', ...(isOne ? [] : ['Run'])]), ...inFigures(['Actual', 'Limit', 'Missed by']), ...inTexts(['Verdict'])],
    rows: runs.flatMap(({ name, result }) => verdictsOf(result).map((threshold) => [
      long(shown(threshold.threshold), { isCode: true }),
      ...(isOne ? [] : [{ value: name, className: 'text' }]),
      threshold.actual === undefined ? '' : shown(boundInWords(threshold) || actualInWords(threshold)),
      threshold.operator === undefined ? '' : shown(limitInWords(threshold)),
      threshold.operator === undefined ? '' : shown(missInWords(threshold)),
      threshold.passed ? verdict('✓ passed', 'pass') : verdict('✗ failed', 'fail')
    ]))
  }
}

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
    .map(({ threshold, limit, passed }) => ({ y: limit, label: shown(threshold), color: passed ? 'soft' : 'bad' }))
}

/** Adds the limits that are near to the values of a chart, so that its axis includes them. @param {number[][]} values ms */
function withLevels (values, levels) {
  const largest = values.flat().reduce((most, value) => isNumber(value) ? Math.max(most, value) : most, 0)
  return [...values, levels.map(({ y }) => y).filter((y) => y <= FURTHEST * largest)]
}

module.exports = { levelsOf, thresholdTable, withLevels }
