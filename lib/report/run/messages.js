'use strict'

const { copyBoundsOf } = require('../../thresholds/certainty')
const { durationAxis, linearAxis } = require('../axes')
const { inFigures, inTexts, long } = require('../document')
const numbers = require('../../words/numbers')
const { atMost, samplesOf } = require('./samples')
const { MOST_POINTS, timeChart } = require('./time-chart')

const COUNTS = [['sent', 'Sent'], ['received', 'Received'], ['unasked', 'Unsolicited'], ['pings', 'Pings'], ['pongs', 'Pongs'], ['bytesSent', 'Bytes sent'], ['bytesReceived', 'Bytes received']]
const TIMES = [['p50', 'p50'], ['p90', 'p90'], ['p99', 'p99'], ['max', 'Longest']]

/** Shows WebSocket messages, copies of broadcasts, and how servers closed connections. */
function messages (runs) {
  const some = runs.filter(({ result }) => result.messages)
  if (some.length === 0) return []
  return [
    { table: countsTable(some) },
    { table: copiesTable(some.filter(({ result }) => result.broadcast)) },
    { table: closesTable(some) },
    ...(runs.length === 1 ? messagesOverTime(runs[0].result) : [])
  ]
}

function countsTable (runs) {
  return {
    caption: 'Messages, and their bytes before compression',
    isCaptionSeen: true,
    columns: [...inTexts(['Run']), ...inFigures(COUNTS.map(([, name]) => name))],
    rows: runs.map(({ name, result: { messages } }) => [long(name), ...COUNTS.map(([key]) => numbers.count(messages[key]))])
  }
}

// If copies are missing, the time of the last copy is only a lower bound.
function copiesTable (runs) {
  const show = numbers.durations(runs.flatMap(({ result: { broadcast: { lastCopy } } }) => TIMES.map(([key]) => lastCopy?.[key])))
  const time = (result, key) => {
    const { lastCopy } = result.broadcast
    if (!(lastCopy?.totalCount > 0)) return numbers.NOTHING
    return copyBoundsOf(result) === null ? show(lastCopy[key]) : `≥ ${show(lastCopy[key])}`
  }
  return {
    caption: 'Copies of broadcast messages; times to the last copy of each message, in milliseconds from when it was due',
    isCaptionSeen: true,
    columns: [...inTexts(['Run']), ...inFigures(['Expected', 'Received', 'Share', 'Per second', ...TIMES.map(([, name]) => name)])],
    rows: runs.map(({ name, result }) => {
      const { expected, received, fanOut } = result.broadcast
      return [
        long(name),
        numbers.count(expected),
        { value: numbers.count(received), isBad: received < expected },
        numbers.share(received, expected),
        numbers.rate(fanOut),
        ...TIMES.map(([key]) => time(result, key))
      ]
    })
  }
}

function closesTable (runs) {
  const codes = [...new Set(runs.flatMap(({ result }) => Object.keys(result.closeCodes)))].filter((code) => /^\d{4}$/.test(code)).sort()
  if (codes.length === 0) return null
  return {
    caption: 'Connections closed by the server, by close code; 1005: no code, 1006: no Close frame',
    isCaptionSeen: true,
    isStacked: false,
    columns: [...inTexts(['Run']), ...inFigures(codes)],
    rows: runs.map(({ name, result }) => [long(name), ...codes.map((code) => numbers.count(result.closeCodes[code] ?? 0))])
  }
}

const MOST_ROWS = 60

const perSecond = (name) => ({ messages, seconds }) => messages[name] !== null && seconds > 0 ? messages[name] / seconds : null

const RATES = [
  { name: 'received', color: 'series-4', line: 'solid', read: perSecond('received') },
  { name: 'sent', color: 'series-1', line: 'solid', read: perSecond('sent') }
]
const DELAYS = [
  { name: 'own copy, p50', color: 'series-1', line: 'solid', read: ({ p50 }) => p50 },
  { name: 'own copy, p99', color: 'series-1', line: 'dashed', read: ({ p99 }) => p99 },
  { name: 'last copy', color: 'series-2', line: 'solid', read: ({ messages }) => messages.lastCopy }
]

/**
 * Shows messages over time: how many were sent and received, and when the copies of broadcasts arrived. The latency of
 * other messages has its own chart.
 *
 * @param {object} result
 * @returns {object[]}
 */
function messagesOverTime (result) {
  const all = samplesOf(result).filter(({ messages }) => messages !== null)
  if (all.length === 0) return []
  const { samples } = atMost(all, MOST_POINTS)
  const counts = linesOf(RATES, samples)
  const isBroadcast = all.some(({ messages }) => messages.lastCopy !== null)
  const times = isBroadcast ? linesOf(DELAYS, samples) : []
  return [
    timeChart({
      id: 'messages-over-time',
      title: 'Messages per second over time',
      summary: `Messages per second over time: ${counts.map(({ name, values }) => `at most ${numbers.rate(Math.max(...values))} ${name}`).join(', ')}.`,
      tableTitle: 'Messages over time as a table',
      table: timeTable(all, isBroadcast),
      samples,
      all,
      height: 220,
      y: linearAxis(counts.flatMap(({ values }) => values), 'messages per second'),
      series: counts
    }),
    times.length === 0
      ? null
      : timeChart({
        id: 'copies-over-time',
        title: 'Copies over time',
        note: 'The time from when a message was due until its sender received its own copy, and the longest time of any copy that arrived in the sample.',
        summary: 'The time to the own copy and to the last copy of messages, over time.',
        samples,
        all,
        height: 240,
        y: durationAxis(times.map(({ values }) => values), 'time'),
        series: times
      })
  ]
}

// Omits series without values, since results of other programs may lack some.
function linesOf (kinds, samples) {
  return kinds.map((kind) => ({ ...kind, values: samples.map(kind.read) })).filter(({ values }) => values.some((value) => value !== null))
}

function timeTable (all, isBroadcast) {
  const { samples } = atMost(all, MOST_ROWS)
  const times = isBroadcast ? DELAYS : []
  const show = numbers.durations(samples.flatMap((sample) => times.map(({ read }) => read(sample))))
  return {
    caption: 'Messages over time',
    isStacked: false,
    columns: inFigures(['Until (s)', ...RATES.map(({ name }) => `${name}/s`), ...times.map(({ name }) => `${name}, ms`)]),
    rows: samples.map((sample) => [
      numbers.tenths(sample.time), ...RATES.map(({ read }) => numbers.rate(read(sample))), ...times.map(({ read }) => show(read(sample)))
    ])
  }
}

module.exports = Object.assign(messages, { messagesOverTime })
