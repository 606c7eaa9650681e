'use strict'

const { headOf, nounOf } = require('../../words/noun')
const { html } = require('./markup')
const numbers = require('../../words/numbers')
const { bar } = require('./responses')
const table = require('./table')

const BOXES = [
  { key: 'scheduled', name: 'Came due', meaning: 'all that were scheduled; in the closed model, all that were sent', isSum: true },
  { key: 'unsent', name: 'Never sent', meaning: 'no connection was free before they timed out or the run ended', isBad: true },
  { key: 'sent', name: 'Sent', meaning: 'written to a connection', isSum: true },
  { key: 'completed', name: 'Completed', meaning: 'a complete response arrived, whatever its status' },
  { key: 'failed', name: 'Failed', meaning: 'the connection broke, or the response was invalid', isBad: true },
  { key: 'timedOut', name: 'Timed out', meaning: 'no complete response in time', isBad: true },
  { key: 'unfinished', name: 'Unfinished', meaning: 'still in flight when the run ended' }
]

/** The outcome of all requests. Each request is in exactly one category. */
function accounting (runs) {
  const accounted = runs.filter(({ result }) => result.accounting)
  if (accounted.length === 0) return null
  return { markup: accounted.length === 1 && runs.length === 1 ? ofOne(accounted[0].result) : ofSeveral(accounted) }
}

function ofOne (result) {
  const { accounting } = result
  return table({
    caption: 'Came due = never sent + sent, and sent = completed + failed + timed out + unfinished',
    isCaptionSeen: true,
    head: [headOf(nounOf(result)), '', 'Count', 'Share'],
    kinds: ['text', 'wide'],
    rows: BOXES.map(({ key, name, meaning, isSum, isBad }) => {
      const className = [isSum && 'total', isBad && accounting[key] > 0 && 'fail'].filter(Boolean).join(' ')
      return [
        { content: html`${name}<span class="note below">${meaning}</span>`, className: isSum ? 'total' : '' },
        bar(accounting[key], accounting.scheduled, isBad),
        { content: numbers.count(accounting[key]), className },
        numbers.share(accounting[key], accounting.scheduled)
      ]
    })
  })
}

function ofSeveral (runs) {
  return table({
    caption: 'Came due = never sent + sent, and sent = completed + failed + timed out + unfinished',
    isCaptionSeen: true,
    isStacked: true,
    head: ['Run', ...BOXES.map(({ name }) => name)],
    rows: runs.map(({ name, result }) => [
      { content: name, className: 'long' },
      ...BOXES.map(({ key, isBad }) => ({ content: numbers.count(result.accounting[key]), className: isBad && result.accounting[key] > 0 ? 'fail' : '' }))
    ])
  })
}

module.exports = accounting
