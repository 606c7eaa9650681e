'use strict'

const { optionError } = require('../../base/errors')
const numbers = require('../../words/numbers')
const { linearRange, logRange, looks } = require('../axes')
const { bad, bounded, inWords, note, verdict, warningsOf } = require('../document')
const { wordsOfJamming } = require('../glossary')
const provenance = require('../provenance')
const { caption } = require('../summary')
const { clean } = require('../text')
const { cpuCells, cpuColumns } = require('./monitored')

/**
 * Converts a jamming study to a document. One chart plots the round trip against the rate of messages that the server
 * receives, in which each level jams at a different rate; another one against the rate of messages that it sends, in
 * which all levels jam at about the same rate.
 *
 * @param {object} search what `findJamming` resolves with
 * @param {{ scale?: 'linear'|'log' }} settings
 */
function jammingDocument (search, { scale }) {
  checkScale(scale)
  const { start, duration, limit, environment, options } = search
  const target = search.target ?? { name: 'the server', url: [] }
  const lines = linesOf(search)
  const draw = (figure) => ({ chart: roundTrips(search, lines, scale === 'log', figure) })
  return {
    title: `Jamming of ${target.name || 'the server'}`,
    kind: 'search for the jamming threshold',
    heading: [target.name, caption({ url: target.url, start })],
    lead: { urls: target.url ?? [], facts: [numbers.moment(start), duration !== null && `${numbers.span(duration)} each`, limit !== null && `limit ${numbers.time(limit)}`] },
    words: wordsOfJamming(),
    answer: answersOf(search).map(note),
    remarks: lines.map(({ level }) => note(aboutLevel(level))),
    warnings: warningsOf(search),
    sections: [
      { title: 'Round trips', parts: [draw(RECEIVED), draw(SENT)] },
      { title: 'Levels', parts: [{ table: levelTable(lines) }] },
      { title: 'All points', parts: [{ table: pointTable(lines) }] }
    ],
    conditions: provenance(environment),
    names: [target.name],
    options
  }
}

const RECEIVED = { id: 'by-received', field: 'rate', title: 'Round trip by messages received', label: 'messages that the server receives per second' }
const SENT = { id: 'by-sent', field: 'outgoing', title: 'Round trip by messages sent', label: 'messages that the server sends per second' }

/** Returns each level as a line through its points, sorted by rate. */
function linesOf ({ levels }) {
  return levels.map((level, index) => ({
    level,
    name: levelName(level),
    ...looks(index),
    points: level.points.filter(({ rate, outgoing }) => rate !== null && outgoing !== null).sort((a, b) => a.rate - b.rate)
  })).filter(({ points }) => points.length > 0)
}

function roundTrips ({ limit, threshold }, lines, isLog, { id, field, title, label }) {
  // Beyond the knee, times depend on how long the runs were. In a file that was edited, all points may be beyond it.
  const drawn = lines.map(({ level: { knee }, points, ...line }) => ({ ...line, points: points.filter(({ rate }) => !knee || rate <= knee.rate) }))
    .filter(({ points }) => points.length > 0)
  if (drawn.length === 0) return null
  const xs = [...new Set(drawn.flatMap(({ points }) => points.map((point) => point[field])))].sort((a, b) => a - b)
  const series = [
    ...drawn.map((line) => ({ ...line, time: 'p50' })),
    ...drawn.map(({ name, ...line }) => ({ ...line, name: `${name}, mean`, line: 'dotted', time: 'mean' }))
  ]
  const values = series.map(({ points, time }) => {
    const known = new Map(points.map((point) => [point[field], point[time]]))
    return xs.map((x) => known.get(x) ?? null)
  })
  const hollow = drawn.flatMap(({ points, color }) => points.filter(({ saturated, p50 }) => saturated === true && p50 !== null).map((point) => ({ x: point[field], y: point.p50, color })))
  const levels = limit !== null ? [{ y: limit, label: `limit ${numbers.time(limit)}`, color: 'bad' }] : []
  const shownValues = [...values.flat(), ...levels.map(({ y }) => y)]
  return {
    id,
    title,
    note: `The median time to the own copy, one line per level, and its mean as a dotted line, up to the rate that jams.${hollow.length > 0 ? ' At hollow points the load generator was saturated.' : ''}`,
    summary: `The median and mean round trip against ${label}. ${drawn.map(({ name, points }) => `${name}: from ${numbers.rate(points[0][field])} to ${numbers.rate(points.at(-1)[field])} per second.`).join(' ')}`,
    chart: {
      x: { scale: 'linear', ...linearRange(xs), label, name: 'messages', unit: '/s' },
      y: isLog
        ? { scale: 'log', ...logRange(shownValues), label: 'round trip (ms, logarithmic)', unit: 'ms' }
        : { scale: 'linear', ...linearRange(shownValues), label: 'round trip (ms)', unit: 'ms' },
      series: series.map(({ name, color, line, time }) => ({ name, color, line, hasPoints: time === 'p50', isJoined: true })),
      data: [xs, ...values],
      levels,
      lines: field === 'outgoing' && threshold?.outgoing != null ? [{ x: threshold.outgoing, label: `threshold ${numbers.rate(threshold.outgoing)}/s`, color: 'soft' }] : [],
      hollow
    }
  }
}

function levelTable (lines) {
  const rateOf = (step) => step ? [step.rate, step.outgoing] : [null, null]
  return {
    only: 'page',
    caption: 'The highest good rate of each level, and the lowest at which it jams, in messages per second',
    isCaptionSeen: true,
    columns: [
      { name: 'Level' },
      ...['Good at', 'Outgoing', 'Jams at', 'Outgoing'].map((name) => ({ name, of: 'rate', hasUnits: true })),
      { name: 'Because' },
      { name: 'Recovery' }
    ],
    rows: lines.map(({ level, name, color, line }) => [
      { value: name, look: { color, line }, className: 'short' },
      ...rateOf(level.lastGood),
      ...rateOf(level.knee),
      whyItJams(level),
      { value: recoveryOf(level), className: 'short' }
    ])
  }
}

const TIMES = [['p50', 'p50'], ['Mean', 'mean'], ['p99', 'p99'], ['Max', 'max', 'page'], ['Last copy p50', 'lastCopyP50', 'page'], ['Last copy p99', 'lastCopyP99']]

function pointTable (lines) {
  const hasPayload = lines.some(({ level }) => level.payload !== null)
  const all = lines.flatMap(({ points }) => points)
  return {
    caption: 'Results at each rate. Times are for the own copy, and for the last copy of each message',
    isCaptionSeen: true,
    folded: numbers.counted(all.length, 'point'),
    columns: [
      { name: 'Connections', brief: 'Conn.', of: 'count' },
      ...(hasPayload ? [{ name: 'Bytes', of: 'count' }] : []),
      { name: 'Rate', of: 'rate' },
      { name: 'Outgoing', of: 'rate' },
      { name: 'Received', of: 'count', only: 'page' },
      ...TIMES.map(([name, field, only]) => ({ name, of: 'time', only, brief: name.replace('Last copy', 'Last'), ...(field === 'mean' && { gives: 1 }) })),
      { name: 'Lost', of: 'count' },
      { name: 'Drops', of: 'count', only: 'page' },
      ...cpuColumns(all),
      { name: 'Good' }
    ],
    rows: lines.flatMap(({ level, points }) => points.map((point) => [
      level.connections,
      ...(hasPayload ? [level.payload] : []),
      point.rate,
      point.outgoing,
      point.received,
      ...TIMES.map(([, field]) => bounded(point, field)),
      bad(point.lost),
      bad(point.drops),
      ...cpuCells(point, all),
      judged(level, point)
    ]))
  }
}

// A level has the reason of its lowest bad rate only.
function judged ({ knee }, { rate, saturated }) {
  if (!knee || rate < knee.rate) return saturated ? { ...verdict('yes, generator busy'), brief: 'yes' } : verdict('yes')
  const why = rate === knee.rate ? `no: ${clean(knee.reason ?? '')}` : 'no'
  return saturated ? verdict(`${why} (generator)`, 'unsure') : { ...verdict(why, 'fail'), brief: why.replace('growing latency', 'growing') }
}

/** Returns a point as a progress line, with the last copy if 80 columns have room for it. */
function pointLine (point, level) {
  const [p50, p99, last] = ['p50', 'p99', 'lastCopyP99'].map((name) => inWords(bounded(point, name), 'time'))
  const { brief, value } = judged(level, point)
  const word = (brief ?? value) === 'yes' ? 'good' : value.replace(/^no: /, '')
  const line = (more) => `${levelName(level)}, ${numbers.rate(point.rate)}/s: ${numbers.rate(point.outgoing)}/s outgoing, p50 ${p50}, p99 ${p99}${more}, ${word}`
  const whole = line(`, last copy p99 ${last}`)
  return whole.length <= LINE ? whole : line('')
}

const LINE = 80

/** @throws {CannonadeError} CANNONADE_BAD_OPTION for an unknown scale */
function checkScale (scale) {
  if (scale !== undefined && scale !== null && scale !== 'linear' && scale !== 'log') throw optionError('scale', scale, "'linear' or 'log'")
}

const REASONS = {
  latency: 'the median time to the own copy exceeds the limit',
  'growing latency': 'the time to the own copy was still growing at the end of the run',
  undelivered: 'messages are not delivered',
  'connection lost': 'connections are lost'
}

/** Returns '25 connections', or '25 connections, 1,000 bytes' if the message size is set. */
function levelName ({ connections, payload }) {
  const bytes = typeof payload === 'number' ? `, ${numbers.count(payload)} bytes` : ''
  return `${numbers.count(connections)} ${connections === 1 ? 'connection' : 'connections'}${bytes}`
}

/**
 * Returns the answer of a jamming study in sentences: one, or one per message size.
 *
 * @param {object} search
 * @returns {string[]}
 */
function answersOf (search) {
  const { payloads, levels } = search
  if (payloads?.length > 1) {
    return payloads.map((each) => `With ${numbers.count(each.payload)} bytes: ${answer({ ...each, levels: levels.filter(({ payload }) => payload === each.payload) })}`)
  }
  return [answer(search)]
}

function answer ({ threshold, limitedBy, levels }) {
  if (threshold?.spread) {
    const { outgoing, spread: [low, high] } = threshold
    const range = low === high ? '' : ` (${numbers.rate(low)} to ${numbers.rate(high)})`
    return `The server jams at ${numbers.rate(outgoing)} outgoing messages per second${range}${stillGood(levels)}.`
  }
  if (limitedBy === 'generator') return 'The load generator jammed before the server did: the threshold of the server is unknown.'
  if (limitedBy === 'maximum asked for') return 'The server did not jam, even at the maximum rate of the search.'
  if (limitedBy) return `It was limited by ${limitedBy}.`
  const begun = levels?.findLast(({ knee }) => knee)
  if (!begun) return 'The threshold is unknown: the search ended before it was found.'
  return `The server jams somewhere between ${numbers.rate(begun.lastGood?.outgoing ?? 0)} and ${numbers.rate(begun.knee.outgoing)} outgoing messages per second: the search ended before it was narrowed down.`
}

// The highest rate that was good at all levels: the threshold lies between this one and the one that jams.
function stillGood (levels = []) {
  const good = levels.filter(({ knee, limitedBy }) => knee && limitedBy === 'server').map(({ lastGood }) => lastGood?.outgoing ?? 0)
  const least = Math.min(...good)
  return least > 0 && Number.isFinite(least) ? `; at ${numbers.rate(least)}, messages arrived in time` : ''
}

/** Describes the result of one level in up to three sentences. */
function aboutLevel (level) {
  const { knee, lastGood } = level
  const name = levelName(level)
  if (!knee) return `${name}: good${lastGood ? ` up to ${rateOf(lastGood)}` : ''}.`
  const before = lastGood ? `good up to ${rateOf(lastGood)}; at` : 'even at'
  return `${name}: ${before} ${rateOf(knee)} ${whyItJams(level)}.${recovered(level)}`
}

const rateOf = ({ rate, outgoing }) => `${numbers.rate(rate)} messages per second (${numbers.rate(outgoing)} outgoing)`

/** Returns why a level jams, in a few words. */
function whyItJams ({ knee, limitedBy }) {
  if (!knee) return ''
  const reason = REASONS[knee.reason] ?? knee.reason ?? ''
  if (!limitedBy) return `${reason} (not narrowed down)`
  return limitedBy === 'generator' ? `${reason}, because of the load generator` : reason
}

/** Returns after how long a level had recovered, in a few words. */
function recoveryOf ({ recovery }) {
  if (!recovery) return ''
  return recovery.seconds === null ? `not within ${numbers.rate(recovery.within)} s` : `after ${numbers.rate(recovery.seconds)} s`
}

function recovered ({ recovery }) {
  if (!recovery) return ''
  const { rate, seconds, within } = recovery
  if (seconds === null) return ` Afterwards, at ${numbers.rate(rate)} again, it did not recover within ${numbers.rate(within)} s.`
  return ` Afterwards, at ${numbers.rate(rate)} again, times were back to normal after ${numbers.rate(seconds)} s.`
}

module.exports = { checkScale, jammingDocument, pointLine }
