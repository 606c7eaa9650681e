'use strict'

const { headOf, nounOf } = require('../../words/noun')
const numbers = require('../../words/numbers')
const { inFigures, long } = require('../document')

/*
 * What became of all requests, or sessions: each is in exactly one box. A box is `{ key, name, meaning, isSum, isBad }`.
 */

const REQUESTS = [
  { key: 'scheduled', name: 'Came due', meaning: 'all that were scheduled; in the closed model, all that were sent', isSum: true },
  { key: 'unsent', name: 'Never sent', meaning: 'no connection was free before they timed out or the run ended', isBad: true },
  { key: 'sent', name: 'Sent', meaning: 'written to a connection', isSum: true },
  { key: 'completed', name: 'Completed', meaning: 'a complete response arrived, whatever its status' },
  { key: 'failed', name: 'Failed', meaning: 'the connection broke, or the response was invalid', isBad: true },
  { key: 'timedOut', name: 'Timed out', meaning: 'no complete response in time', isBad: true },
  { key: 'unfinished', name: 'Unfinished', meaning: 'still in flight when the run ended' }
]
const SUMS = 'Came due = never sent + sent, and sent = completed + failed + timed out + unfinished'

/** The outcome of all requests. */
function requestOutcomes (runs) {
  const accounted = runs.filter(({ result }) => result.accounting)
  if (accounted.length === 0) return null
  if (runs.length === 1) return outcomes(SUMS, headOf(nounOf(runs[0].result)), REQUESTS, runs[0].result.accounting)
  return { isCaptionSeen: true, ...outcomesOfSeveral(SUMS, 'Run', REQUESTS, accounted.map(({ name, result }) => [name, result.accounting])) }
}

/** A table of the boxes of one run, with their shares. */
function outcomes (caption, what, boxes, counts) {
  return {
    caption,
    isCaptionSeen: true,
    isStacked: false,
    columns: [{ name: what }, { name: '', of: 'bar' }, ...inFigures(['Count', 'Share'])],
    rows: boxes.map(({ key, name, meaning, isSum, isBad }) => {
      const className = isSum ? 'total' : ''
      return [
        { value: name, detail: meaning, className },
        { value: { part: counts[key], whole: counts.scheduled, isBad } },
        { ...countIn(counts, key, isBad), className },
        numbers.share(counts[key], counts.scheduled)
      ]
    })
  }
}

/** A table of the boxes of several runs, or agents. @param {Array<[string, ?object]>} all names and counts */
function outcomesOfSeveral (caption, what, boxes, all) {
  return {
    caption,
    columns: [{ name: what }, ...inFigures(boxes.map(({ name }) => name))],
    rows: all.map(([name, counts]) => [long(name), ...boxes.map(({ key, isBad }) => countIn(counts, key, isBad))])
  }
}

const countIn = (counts, key, isBad) => ({ value: numbers.count(counts?.[key]), isBad: isBad && counts?.[key] > 0 })

module.exports = { REQUESTS, outcomes, outcomesOfSeveral, requestOutcomes }
