'use strict'

// Each is loaded when there is one to report: most of what is reported are results.
const REPORTS = {
  sweep: () => require('./study/sweep').sweepReport,
  capacity: () => require('./study/capacity').capacityReport,
  comparison: () => require('./study/comparison'),
  jamming: () => require('./study/jamming').jammingReport
}

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
  const report = REPORTS[study.kind]()
  return report(study, style)
}

module.exports = { isStudy, studyReport }
