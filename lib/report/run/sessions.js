'use strict'

const { linearAxis } = require('../axes')
const { inFigures, inTexts, long } = require('../document')
const numbers = require('../../words/numbers')
const { outcomes, outcomesOfSeveral } = require('./outcomes')
const { atMost, samplesOf } = require('./samples')
const { MOST_POINTS, timeChart } = require('./time-chart')

const BOXES = [
  { key: 'scheduled', name: 'Came due', meaning: 'users that arrived on schedule, or replaced those that had left', isSum: true },
  { key: 'unstarted', name: 'Never started', meaning: 'still waiting for other sessions to end when the run ended', isBad: true },
  { key: 'started', name: 'Started', meaning: 'made their first call', isSum: true },
  { key: 'completed', name: 'Completed', meaning: 'all calls got a response' },
  { key: 'failed', name: 'Failed', meaning: 'a call failed or timed out, or there was no connection', isBad: true },
  { key: 'unfinished', name: 'Unfinished', meaning: 'still in progress when the run ended' }
]
const TIMES = [['p50', 'p50'], ['p90', 'p90'], ['p99', 'p99'], ['max', 'Max']]

/** Sessions: how they ended, how long they took, and how many there were over time. */
function sessions (runs) {
  const some = runs.filter(({ result }) => result.sessions)
  if (some.length === 0) return []
  const isOne = runs.length === 1
  const [{ result }] = some
  return [
    {
      table: isOne
        ? outcomes('Came due = never started + started, and started = completed + failed + unfinished', 'Sessions', BOXES, result.sessions)
        : outcomesOfSeveral('Outcome of every session', 'Run', BOXES, some.map(({ name, result: { sessions } }) => [name, sessions]))
    },
    { table: lifetimes(some, isOne) },
    isOne ? overTime(result) : null
  ]
}

function lifetimes (runs, isOne) {
  const all = runs.flatMap(({ name, result: { sessions } }) => [
    [isOne ? 'Lifetime (completed)' : `${name}, completed`, sessions.lifetime, sessions],
    [isOne ? 'Time to failure' : `${name}, failed`, sessions.failTime, null]
  ]).filter(([, statistics]) => statistics?.totalCount > 0)
  const show = numbers.durations(all.flatMap(([, statistics]) => TIMES.map(([key]) => statistics[key])))
  return {
    caption: 'Duration of sessions from when they were due, in milliseconds',
    isCaptionSeen: true,
    columns: [...inTexts(['']), ...inFigures([...TIMES.map(([, name]) => name), 'Connections per session', 'Peak'])],
    rows: all.map(([name, statistics, sessions]) => [
      long(name),
      ...TIMES.map(([key]) => show(statistics[key])),
      sessions === null ? '' : numbers.rate(sessions.connections?.average),
      sessions === null ? '' : numbers.count(sessions.peak)
    ])
  }
}

function overTime (result) {
  const all = samplesOf(result).filter(({ sessions }) => sessions !== null)
  if (all.length === 0) return null
  const { samples } = atMost(all, MOST_POINTS)
  const kinds = [
    { name: 'open', color: 'series-1', line: 'solid', values: samples.map(({ sessions }) => sessions.open) },
    { name: 'started', color: 'series-4', line: 'dotted', values: samples.map(({ sessions }) => sessions.started) },
    { name: 'failed', color: 'bad', line: 'solid', values: samples.map(({ sessions }) => sessions.failed) }
  ].filter(({ name, values }) => name !== 'failed' || values.some((count) => count > 0))
  const most = kinds[0].values.reduce((a, b) => Math.max(a, b), 0)
  return timeChart({
    id: 'sessions-over-time',
    title: 'Sessions over time',
    note: 'Sessions open at the end of each sample, and started and failed during it.',
    summary: `Sessions over time: at most ${numbers.count(most)} open at the end of a sample.`,
    samples,
    all,
    height: 220,
    y: linearAxis(kinds.flatMap(({ values }) => values), 'sessions'),
    series: kinds
  })
}

module.exports = Object.assign(sessions, { sessionsOverTime: overTime })
