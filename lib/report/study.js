'use strict'

const { capacityReport } = require('./study/capacity')
const comparisonReport = require('./study/comparison')
const { jammingReport } = require('./study/jamming')
const { sweepReport } = require('./study/sweep')

const REPORTS = { sweep: sweepReport, capacity: capacityReport, comparison: comparisonReport, jamming: jammingReport }

/** Whether something is the answer of `sweep`, `findCapacity`, `findJamming` or `compare`. */
function isStudy (value) {
  return value !== null && typeof value === 'object' && Object.hasOwn(REPORTS, value.kind)
}

/**
 * The answer of a study as the blocks of a report.
 *
 * @param {object} study of which isStudy is true
 * @param {{ colors: object, width: number }} style
 * @returns {{ heading: string[], tables: string[], paragraphs: Array<{ severity: string, text: string }> }}
 */
function studyReport (study, style) {
  return REPORTS[study.kind](study, style)
}

module.exports = { isStudy, studyReport }
