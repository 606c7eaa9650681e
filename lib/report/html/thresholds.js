'use strict'

const { verdictsOf } = require('../../thresholds/evaluate')
const { actualInWords, boundInWords, limitInWords, missInWords } = require('../../thresholds/words')
const { html, shown } = require('./markup')
const table = require('./table')

/**
 * Shows the thresholds of the runs, and whether they were met.
 *
 * @param {Array<{ name: string, result: object }>} runs
 */
function thresholdTable (runs) {
  const rows = runs.flatMap(({ name, result }) => verdictsOf(result).map((threshold) => [
    { content: html`<code>${shown(threshold.threshold)}</code>`, className: 'long' },
    ...(runs.length > 1 ? [{ content: name, className: 'text' }] : []),
    found(threshold),
    limit(threshold),
    missed(threshold),
    verdict(threshold.passed)
  ]))
  if (rows.length === 0) return null
  const head = ['Threshold', ...(runs.length > 1 ? ['Run'] : []), 'Actual', 'Limit', 'Missed by', 'Verdict']
  return { markup: table({ caption: 'Thresholds and verdicts', head, kinds: kindsFor(head), rows, isStacked: true }) }
}

const kindsFor = (head) => head.map((name) => ['Actual', 'Limit', 'Missed by'].includes(name) ? 'number' : 'text')

const found = (threshold) => threshold.actual === undefined ? '' : shown(boundInWords(threshold) || actualInWords(threshold))
const limit = (threshold) => threshold.operator === undefined ? '' : shown(limitInWords(threshold))
const missed = (threshold) => threshold.operator === undefined ? '' : shown(missInWords(threshold))

/** Shows passed or failed in words, not just in colour. */
function verdict (passed, [yes, no] = ['✓ passed', '✗ failed']) {
  return { content: passed ? yes : no, className: passed ? 'verdict pass' : 'verdict fail' }
}

/** Shows the verdict of one or all regression checks. Results of earlier versions contain only whether they passed. */
function regressionVerdict (found, passed) {
  return found === 'inconclusive' ? { content: '? inconclusive', className: 'verdict unsure' } : verdict(passed === true)
}

module.exports = { regressionVerdict, thresholdTable, verdict }
