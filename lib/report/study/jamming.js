'use strict'

const { optionError } = require('../../base/errors')
const format = require('../../words/numbers')
const { caption } = require('../summary')
const { fit } = require('../tables')
const { clean } = require('../text')
const { aboutLevel, answersOf, levelName } = require('./jamming-words')
const { boundedTime, note, warnings } = require('./words')

/**
 * A search for the jamming threshold as the blocks of a report.
 *
 * @param {object} search
 * @param {{ colors: object, width: number }} style
 * @returns {{ heading: string[], tables: string[], paragraphs: object[] }}
 */
function jammingReport (search, style) {
  const { target, levels, start } = search
  const kept = levels.filter(({ points }) => points.length > 0)
  return {
    heading: [clean(target.name), caption({ url: target.url, start })].filter(Boolean),
    tables: kept.length === 0 ? [] : [pointTable(kept, style)],
    paragraphs: [
      ...answersOf(search, clean).map(note),
      ...kept.map((level) => note(aboutLevel(level, clean))),
      ...warnings(search)
    ]
  }
}

function pointTable (levels, style) {
  const hasPayload = levels.some(({ payload }) => format.isNumber(payload))
  const head = ['Connections', ...(hasPayload ? ['Bytes'] : []), 'Rate', 'Outgoing', 'p50', 'p99', 'Last copy p99', 'Lost', 'Good']
  const terse = head.map((name) => ({ Connections: 'Conn.', 'Last copy p99': 'Last p99' })[name] ?? name)
  const rows = levels.flatMap((level) => level.points.map((point) => [
    format.count(level.connections),
    ...(hasPayload ? [format.count(level.payload)] : []),
    ...pointCells(point),
    format.count(point.lost),
    judged(level, point)
  ]))
  return fit([{}, { tight: true }, { tight: true, isTerse: true }], style, ({ isTerse }) => ({ head: isTerse ? terse : head, rows }))
}

function pointCells (point) {
  return [format.rate(point.rate), format.rate(point.outgoing), ...['p50', 'p99', 'lastCopyP99'].map((name) => boundedTime(point, name))]
}

function judged ({ knee, limitedBy }, { rate }) {
  if (knee?.rate !== rate) return 'yes'
  return `no: ${clean(knee.reason ?? '')}${limitedBy === 'generator' ? ' (generator)' : ''}`
}

/** A point as a line of text, for as long as the search is under way. */
function pointLine (point, level) {
  const [rate, outgoing, p50, p99, last] = pointCells(point)
  return `${levelName(level)}, ${rate}/s: ${outgoing}/s outgoing, p50 ${p50}, p99 ${p99}, last copy p99 ${last}, ${judged(level, point) === 'yes' ? 'good' : judged(level, point).replace(/^no: /, '')}`
}

/** @throws {CannonadeError} CANNONADE_BAD_OPTION for a scale that there is not */
function checkScale (scale) {
  if (scale !== undefined && scale !== null && scale !== 'linear' && scale !== 'log') throw optionError('scale', scale, "'linear' or 'log'")
}

module.exports = { checkScale, jammingReport, pointLine }
