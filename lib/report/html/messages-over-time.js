'use strict'

const { durationAxis, linearAxis } = require('../axes')
const numbers = require('../../words/numbers')
const { atMost, samplesOf } = require('./samples')
const table = require('./table')
const { MOST_POINTS, timeChart } = require('./time-chart')

const MOST_ROWS = 60

const perSecond = (name) => ({ messages, seconds }) => messages[name] !== null && seconds > 0 ? messages[name] / seconds : null

const COUNTS = [
  { name: 'received', color: 'series-4', line: 'solid', read: perSecond('received') },
  { name: 'sent', color: 'series-1', line: 'solid', read: perSecond('sent') }
]
const TIMES = [
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
  const counts = linesOf(COUNTS, samples)
  const isBroadcast = all.some(({ messages }) => messages.lastCopy !== null)
  const times = isBroadcast ? linesOf(TIMES, samples) : []
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
  const times = isBroadcast ? TIMES : []
  const show = numbers.durations(samples.flatMap((sample) => times.map(({ read }) => read(sample))))
  return table({
    caption: 'Messages over time',
    head: ['Until (s)', ...COUNTS.map(({ name }) => `${name}/s`), ...times.map(({ name }) => `${name}, ms`)],
    kinds: ['number'],
    rows: samples.map((sample) => [
      numbers.tenths(sample.time), ...COUNTS.map(({ read }) => numbers.rate(read(sample))), ...times.map(({ read }) => show(read(sample)))
    ])
  })
}

module.exports = messagesOverTime
