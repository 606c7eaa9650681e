'use strict'

const format = require('../../words/numbers')
const { caption } = require('../summary')
const { fit } = require('../tables')
const { clean } = require('../text')
const { actualOf, noCapacity, whoLimits } = require('./capacity-words')
const { arrivalsOf, rateHead } = require('./arrivals')
const { kneeInWords } = require('./sweep')
const { boundedTime, warnings, note } = require('./words')

/**
 * A search for the capacity as the blocks of a report.
 *
 * @param {object} search
 * @param {{ colors: object, width: number }} style
 * @returns {{ heading: string[], tables: string[], paragraphs: object[] }}
 */
function capacityReport (search, style) {
  const { target, slo, steps, knee, start } = search
  return {
    heading: [`${clean(target.name)} while ${slo.map(clean).join(', ')}`, caption({ url: target.url, start })].filter(Boolean),
    tables: steps.length === 0 ? [] : [stepTable(steps, arrivalsOf(search), style)],
    paragraphs: [note(answer(search)), ...(knee ? [kneeInWords(knee, arrivalsOf(search))] : []), ...warnings(search)]
  }
}

function stepTable (steps, arrivals, style) {
  const head = [rateHead(arrivals, 'Rate'), 'Phase', 'Achieved', 'p50', 'p99', 'Passed']
  const rows = (isTerse) => steps.map((step) => [format.rate(step.rate), clean(step.phase), ...stepCells(step, isTerse)])
  return fit([{}, { tight: true }, { tight: true, isTerse: true }], style, ({ isTerse }) => ({ head, rows: rows(isTerse) }))
}

// Beside a rate that did not pass stands the figure that decided, which may be none of the others: 'no: 5xx < 1% (12.5%)'.
function stepCells (step, isTerse = false) {
  const { achieved, passed, missed } = step
  const actual = isTerse ? '' : actualOf(step, missed[0])
  const verdict = passed ? 'yes' : `no: ${clean(missed[0])}${actual === '' ? '' : ` (${clean(actual)})`}`
  return [format.rate(achieved), boundedTime(step, 'p50'), boundedTime(step, 'p99'), verdict]
}

function answer (search) {
  const { capacity, interval: [low, high], limitedBy, limitingThreshold, isConfirmed } = search
  if (!(capacity > 0)) return noCapacity(search, clean)
  const rate = (value) => format.rate(value)
  const range = high === null ? 'or more' : `between ${rate(low)} and ${rate(high)}`
  const confirmed = isConfirmed ? 'confirmed by a longer run' : 'not confirmed'
  const found = `The capacity is ${isCutShort(search) ? 'at least ' : ''}${rate(capacity)} ${arrivalsOf(search)} per second (${range}, ${confirmed}).`
  if (limitedBy === 'maximum asked for') return `${found} That is the most that was asked for.`
  if (limitedBy === null) return found
  return `${found} It is limited by ${whoLimits(limitedBy) ?? clean(limitedBy)}: beyond it, this is not met: ${clean(limitingThreshold)}.`
}

// What had not been tried yet may have passed as well.
function isCutShort ({ warnings }) {
  return Array.isArray(warnings) && warnings.some((warning) => ['STOPPED', 'OUT_OF_TIME', 'AGENT_LOST'].includes(warning?.code))
}

module.exports = { capacityReport, stepCells }
