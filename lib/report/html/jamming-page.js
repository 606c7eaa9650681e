'use strict'

const { checkScale } = require('../study/jamming')
const { aboutLevel, answersOf, levelName } = require('../study/jamming-words')
const { chartFigure, linearRange, logRange, looks, section } = require('./chart')
const { wordsOfStudies } = require('./glossary')
const { listed } = require('./lists')
const { html, shown, shownUrl } = require('./markup')
const numbers = require('../../words/numbers')
const { sweepConditions } = require('./sweep-conditions')
const table = require('./table')
const { studyWords } = require('./words')

/**
 * The page of a search for the jamming threshold: the round trip against the messages that the server receives, where each level
 * jams elsewhere, and against those that it sends, where all jam at the same wall.
 *
 * @param {object} search what `findJamming` resolves with
 * @param {{ title?: string, options?: object, scale?: 'linear'|'log' }} settings
 * @returns {object} for `renderPage`
 */
function jammingPage (search, { title, options, scale }) {
  checkScale(scale)
  const lines = linesOf(search)
  const draw = (figure) => roundTrips(search, lines, scale === 'log', figure)
  return {
    title: title ?? `Jamming of ${shown(search.target?.name ?? 'the server')}`,
    kind: 'search for the jamming threshold',
    lead: lead(search),
    words: wordsOfStudies('message'),
    parts: [
      { markup: html`${answersOf(search, shown).map((sentence) => html`<p class="answer">${sentence}</p>\n`)}` },
      studyWords(search.warnings),
      section('Round trips', draw(RECEIVED), draw(SENT)),
      section('Levels', levelList(lines)),
      section('All points', pointTable(lines)),
      section('Conditions', ...sweepConditions(search, options, [shown(search.target?.name ?? '')]))
    ]
  }
}

const RECEIVED = { id: 'by-received', field: 'rate', title: 'Round trip by messages received', label: 'messages that the server receives per second' }
const SENT = { id: 'by-sent', field: 'outgoing', title: 'Round trip by messages sent', label: 'messages that the server sends per second' }

/** Each level as a line through its points, in rising order of the rate. */
function linesOf ({ levels }) {
  return listed(levels).map((level, index) => ({
    level,
    name: levelName(level),
    ...looks(index),
    points: listed(level.points).filter(({ rate, outgoing }) => numbers.isNumber(rate) && numbers.isNumber(outgoing)).sort((a, b) => a.rate - b.rate)
  })).filter(({ points }) => points.length > 0)
}

function lead ({ target, start, duration, limit }) {
  const what = [
    numbers.moment(start),
    numbers.isNumber(duration) && `${numbers.span(duration)} each`,
    numbers.isNumber(limit) && `limit ${limit} ms`
  ].filter(Boolean).join(' · ')
  return html`<p class="lead"><span class="url">${[target?.url].flat().filter(Boolean).map(shownUrl).join(', ')}</span></p>
<p class="lead">${what}</p>
`
}

function roundTrips ({ limit, threshold }, lines, isLog, { id, field, title, label }) {
  if (lines.length === 0) return null
  const xs = [...new Set(lines.flatMap(({ points }) => points.map((point) => point[field])))].sort((a, b) => a - b)
  const values = lines.map(({ points }) => {
    const known = new Map(points.map((point) => [point[field], numbers.isNumber(point.p50) ? point.p50 : null]))
    return xs.map((x) => known.get(x) ?? null)
  })
  const levels = numbers.isNumber(limit) ? [{ y: limit, label: `limit ${limit} ms`, color: 'bad' }] : []
  const shownValues = [...values.flat(), ...levels.map(({ y }) => y)]
  return chartFigure({
    id,
    title,
    note: 'The median time to the own copy, one line for each level. A hollow point: the load generator could do no more.',
    summary: `The median round trip against ${label}. ${lines.map(({ name, points }) => `${name}: from ${numbers.rate(points[0][field])} to ${numbers.rate(points.at(-1)[field])} per second.`).join(' ')}`,
    chart: {
      x: { scale: 'linear', ...linearRange(xs), label, name: 'messages', unit: '/s' },
      y: isLog
        ? { scale: 'log', ...logRange(shownValues), label: 'round trip (ms, logarithmic)', unit: 'ms' }
        : { scale: 'linear', ...linearRange(shownValues), label: 'round trip (ms)', unit: 'ms' },
      series: lines.map(({ name, color, line }) => ({ name, color, line, hasPoints: true, isJoined: true })),
      data: [xs, ...values],
      levels,
      lines: field === 'outgoing' && numbers.isNumber(threshold?.outgoing) ? [{ x: threshold.outgoing, label: `threshold ${numbers.rate(threshold.outgoing)}/s`, color: 'soft' }] : [],
      hollow: lines.flatMap(({ points, color }) => points.filter(({ saturated, p50 }) => saturated === true && numbers.isNumber(p50)).map((point) => ({ x: point[field], y: point.p50, color })))
    }
  })
}

function levelList (lines) {
  if (lines.length === 0) return null
  return { markup: html`<ul>\n${lines.map(({ level }) => html`<li>${aboutLevel(level, shown)}</li>\n`)}</ul>\n` }
}

const TIMES = ['p50', 'p99', 'max', 'lastCopyP50', 'lastCopyP99']

function pointTable (lines) {
  const all = lines.flatMap(({ points }) => points)
  if (all.length === 0) return null
  const show = numbers.durations(all.map(({ p50 }) => p50))
  const head = ['Level', 'Rate/s', 'Outgoing/s', 'Received', 'p50', 'p99', 'Max', 'Last copy p50', 'Last copy p99', 'Lost', 'Drops', 'Verdict']
  const rows = lines.flatMap(({ level, name, points }) => points.map((point) => [
    { content: name, className: 'name' },
    numbers.rate(point.rate),
    numbers.rate(point.outgoing),
    numbers.count(point.received),
    ...TIMES.map((field) => numbers.atLeast(show(point[field]), listed(point.atLeast).includes(field))),
    { content: numbers.count(point.lost), className: point.lost > 0 ? 'fail' : '' },
    { content: numbers.count(point.drops), className: point.drops > 0 ? 'fail' : '' },
    judged(level, point)
  ]))
  const kinds = head.map((title) => ['Level', 'Verdict'].includes(title) ? 'text' : 'number')
  return { markup: table({ caption: 'What was measured at each rate. Times in milliseconds: of the own copy, and of the last copy of each message', isCaptionSeen: true, isStacked: true, head, kinds, rows }) }
}

function judged ({ knee, limitedBy }, { rate, saturated }) {
  if (knee?.rate !== rate) return { content: saturated === true ? 'good, generator busy' : 'good', className: 'verdict' }
  if (limitedBy === 'generator') return { content: 'generator jammed', className: 'verdict unsure' }
  return { content: shown(knee.reason ?? 'jammed'), className: 'verdict fail' }
}

module.exports = jammingPage
