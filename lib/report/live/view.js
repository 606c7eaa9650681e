'use strict'

const { NOTHING, count, rate: showRate, shortRate, time } = require('../../words/numbers')
const headline = require('../headline')
const { nounOfOptions } = require('../../words/noun')
const { progressText } = require('../progress-text')
const { failingStatuses } = require('./words')
const { clean, cut } = require('../text')

const LABEL_WIDTH = 13
const VALUE_WIDTH = 11
const OTHER_LINES = 8
const TALLEST = 4

const rate = (value) => value >= 1e8 ? shortRate(value) : showRate(value)

const ROWS = [
  { label: 'rate', field: 'rate', show: rate, color: 'cyan' },
  { label: 'p50', field: 'p50', show: time, color: 'green' },
  { label: 'p99', field: 'p99', show: time, color: 'yellow' },
  { label: 'errors/s', field: 'errorRate', show: rate, color: 'red' },
  { label: 'connections', field: 'connections', show: count, color: 'gray' }
]

/**
 * Returns the full-screen view of a run: its options, its progress, the current values, and their recent history.
 *
 * @param {object} run
 * @param {object} run.opts `instance.opts`
 * @param {object} run.progress see progress-text.js
 * @param {object[]} run.history windows of `Now`, with `errorRate`, the newest last
 * @param {{ completed: number, errors: number, statuses?: object }} run.totals so far
 * @param {string} [run.note] why there is no response yet, or what the run is waiting for
 * @param {{ columns: number, rows: number }} size of the terminal
 * @param {object} colors from picocolors
 * @returns {string[]} at most `rows` lines, none wider than `columns`
 */
function view ({ opts, progress, history, totals, note }, { columns, rows }, colors) {
  const room = Math.max(1, columns - 1)
  const height = Math.min(TALLEST, Math.max(1, Math.floor((rows - OTHER_LINES - ROWS.length) / ROWS.length)))
  const hasGaps = rows >= OTHER_LINES + ROWS.length * (height + 1)
  const lines = [
    ...[headline(opts).join(', ')].map((text) => colors.bold(cut(clean(text), room))),
    cut(progressText('[:bar] :percent', progress, room), room),
    '',
    ...rowsFor(opts).flatMap((row) => [...figure(row, history, { room, height }, colors), ...(hasGaps ? [''] : [])]),
    ...(hasGaps ? [] : ['']),
    cut(`${[`${count(totals.completed)} completed`, ...failingStatuses(totals.statuses), `${count(totals.errors)} errors`].join(', ')}, after ${progress.elapsed.toFixed(0)} s${note ? `: ${note}` : ''}`, room),
    colors.gray(cut('Ctrl-C ends the run', room))
  ]
  return lines.slice(0, Math.max(1, rows))
}

function rowsFor (opts) {
  const [rateRow, ...others] = ROWS
  return [{ ...rateRow, label: `${nounOfOptions(opts)}s/s` }, ...others]
}

function figure ({ label, field, show, color }, history, { room, height }, colors) {
  const values = history.map((window) => window[field])
  const text = label.padEnd(LABEL_WIDTH) + (values.length === 0 ? NOTHING : show(values.at(-1))).padEnd(VALUE_WIDTH)
  const width = room - text.length - 2
  if (width <= 0) return [cut(text, room)]
  const picture = sparkline(values, { width, height })
  // The number is next to the bottom line of its sparkline.
  return picture.map((line, index) => {
    const isFoot = index === picture.length - 1
    return `${isFoot ? text : ' '.repeat(text.length)}  ${colors[color](line)}`
  })
}

const EIGHTHS = ['', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/**
 * Draws values as bars in terminal columns, with the newest on the right.
 *
 * @param {Array<?number>} values null for missing values
 * @param {object} size
 * @param {number} size.width columns; if there are more values, only the last ones are shown
 * @param {number} size.height lines
 * @returns {string[]} lines from top to bottom, none wider than `width`. The largest value shown fills the height, and
 *   every value above zero is visible
 */
function sparkline (values, { width, height }) {
  const shown = width > 0 ? values.slice(-width) : []
  const largest = shown.reduce((max, value) => Math.max(max, value ?? 0), 0)
  const eighths = shown.map((value) => value > 0 ? Math.max(1, Math.round(value / largest * height * 8)) : 0)
  return Array.from({ length: height }, (_, line) => {
    const below = (height - 1 - line) * 8
    return eighths.map((amount) => EIGHTHS[Math.min(8, Math.max(0, amount - below))] || ' ').join('')
  })
}

module.exports = Object.assign(view, { sparkline })
