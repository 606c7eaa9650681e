'use strict'

const { copyBoundsOf } = require('../../thresholds/certainty')
const messagesOverTime = require('./messages-over-time')
const numbers = require('../../words/numbers')
const table = require('./table')

const COUNTS = [['sent', 'Sent'], ['received', 'Received'], ['unasked', 'Unsolicited'], ['pings', 'Pings'], ['pongs', 'Pongs']]
const TIMES = [['p50', 'p50'], ['p90', 'p90'], ['p99', 'p99'], ['max', 'Longest']]

/** Shows WebSocket messages, copies of broadcasts, and how servers closed connections. */
function messages (runs) {
  const some = runs.filter(({ result }) => result.messages)
  if (some.length === 0) return null
  return [
    { markup: countsTable(some) },
    { markup: copiesTable(some.filter(({ result }) => result.broadcast)) },
    { markup: closesTable(some) },
    ...(runs.length === 1 ? messagesOverTime(runs[0].result) : [])
  ]
}

function countsTable (runs) {
  return table({
    caption: 'Messages, and their bytes before compression',
    isCaptionSeen: true,
    isStacked: true,
    head: ['Run', ...COUNTS.map(([, name]) => name), 'Bytes sent', 'Bytes received'],
    rows: runs.map(({ name, result: { messages } }) => [
      { content: name, className: 'long' },
      ...COUNTS.map(([key]) => numbers.count(messages[key])),
      numbers.count(messages.bytesSent),
      numbers.count(messages.bytesReceived)
    ])
  })
}

// If copies are missing, the time of the last copy is only a lower bound.
function copiesTable (runs) {
  if (runs.length === 0) return ''
  const show = numbers.durations(runs.flatMap(({ result: { broadcast: { lastCopy } } }) => TIMES.map(([key]) => lastCopy?.[key])))
  const time = (result, key) => {
    const { lastCopy } = result.broadcast
    if (!(lastCopy?.totalCount > 0)) return numbers.NOTHING
    return copyBoundsOf(result) === null ? show(lastCopy[key]) : `≥ ${show(lastCopy[key])}`
  }
  return table({
    caption: 'Copies of broadcast messages; times to the last copy of each message, in milliseconds from when it was due',
    isCaptionSeen: true,
    isStacked: true,
    head: ['Run', 'Expected', 'Received', 'Share', 'Per second', ...TIMES.map(([, name]) => name)],
    rows: runs.map(({ name, result }) => {
      const { expected, received, fanOut } = result.broadcast
      return [
        { content: name, className: 'long' },
        numbers.count(expected),
        { content: numbers.count(received), className: received < expected ? 'fail' : '' },
        numbers.share(received, expected),
        numbers.rate(fanOut),
        ...TIMES.map(([key]) => time(result, key))
      ]
    })
  })
}

function closesTable (runs) {
  const codes = [...new Set(runs.flatMap(({ result }) => Object.keys(result.closeCodes)))].filter((code) => /^\d{4}$/.test(code)).sort()
  if (codes.length === 0) return ''
  return table({
    caption: 'Connections closed by the server, by close code; 1005: no code, 1006: no Close frame',
    isCaptionSeen: true,
    head: ['Run', ...codes],
    rows: runs.map(({ name, result }) => [{ content: name, className: 'long' }, ...codes.map((code) => numbers.count(result.closeCodes?.[code] ?? 0))])
  })
}

module.exports = messages
