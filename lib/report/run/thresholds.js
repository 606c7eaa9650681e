'use strict'

const { verdictsOf } = require('../../thresholds/evaluate')
const { actualInWords, boundInWords, limitInWords, missInWords } = require('../../thresholds/words')
const { inFigures, inTexts, long, verdict } = require('../document')
const { clean: shown } = require('../text')

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

module.exports = { thresholdTable }
