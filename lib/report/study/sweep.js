'use strict'

const format = require('../format')
const { fit } = require('../tables')
const { clean } = require('../text')
const { milliseconds, warnings, note } = require('./words')

/**
 * A sweep as the blocks of a report.
 *
 * @param {object} sweep
 * @param {{ colors: object, width: number }} style
 * @returns {{ heading: string[], tables: string[], paragraphs: object[] }}
 */
function sweepReport (sweep, style) {
  const { rows, knee, targets = [] } = sweep
  return {
    heading: targets.map(({ name, url }) => `${clean(name)}: ${[url].flat().map(clean).join(', ')}`),
    tables: rows.length === 0 ? [] : [sweepTable(rows, style)],
    paragraphs: [...[knee].flat().filter(Boolean).map(kneeInWords), ...stopped(sweep), ...warnings(sweep)]
  }
}

// A line for each target of each row.
function sweepTable (rows, style) {
  const isOne = rows.every(({ targets }) => targets.length === 1)
  const head = ['Demanded', ...(isOne ? [] : ['Target']), 'Achieved', 'p50', 'p99', 'Errors', 'Kept up']
  const lines = rows.flatMap((row) => row.targets.map((target) => rowCells(row, target, isOne)))
  return fit([{}, { tight: true }], style, () => ({ head, rows: lines }))
}

/** The cells of one target of a row. */
function rowCells ({ demanded }, { name, achieved, p50, p99, errors, errorPercent, keepsUp, limitedBy }, isOne) {
  return [
    format.rate(demanded),
    ...(isOne ? [] : [shortened(clean(name))]),
    format.rate(achieved),
    milliseconds(p50),
    milliseconds(p99),
    errors === 0 ? '0' : `${format.thousands(errors)} (${format.rate(errorPercent)}%)`,
    keepsUp ? 'yes' : limitedBy === 'generator' ? 'no: the generator' : 'no'
  ]
}

const LONGEST_NAME = 20

function shortened (name) {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name
}

const REASONS = {
  rate: 'the rate is no longer kept up with',
  errors: 'there are errors',
  latency: 'the median latency has doubled'
}

function kneeInWords ({ name, rate, p50, p99, beyond, reason, limitedBy }) {
  const whose = limitedBy === 'generator' ? ' It is that of the load generator, not of the server.' : ''
  return note(`The knee of ${clean(name)} is at ${format.rate(rate)} requests per second (p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}): at ${format.rate(beyond)} ${REASONS[reason] ?? clean(reason)}.${whose}`)
}

function stopped ({ stoppedBy }) {
  if (!stoppedBy) return []
  return [note(stoppedBy === 'stop' ? 'The sweep was stopped before it was over.' : `The sweep ended early, since this limit was passed: ${clean(stoppedBy)}.`)]
}

module.exports = { sweepReport, rowCells, kneeInWords }
