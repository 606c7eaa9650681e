'use strict'

const numbers = require('../../words/numbers')
const { inWords, partsOf } = require('../document')
const { html } = require('./markup')
const table = require('./table')

/**
 * Renders a table of a document (document.js) as part of a page.
 *
 * @returns {?{ markup: Markup }} null if the table is empty
 */
function tablePart ({ only, columns, rows, ...rest }) {
  if (only === 'terminal' || rows.length === 0) return null
  const shown = columns.flatMap((column, index) => column.only === 'terminal' ? [] : [{ ...column, index, show: notationOf(column, rows.map((cells) => cells[index])) }])
  return {
    markup: table({
      isStacked: true,
      ...rest,
      head: shown.map(headOf),
      kinds: shown.map(({ of }) => of === undefined ? 'text' : of === 'picture' ? 'picture' : 'number'),
      rows: rows.map((cells) => shown.map((column) => cellMarkup(cells[column.index], column)))
    })
  }
}

const UNITS = { time: ' ms', rate: '/s' }

// Column names may be long URLs, which may be broken.
function headOf ({ name, of, hasUnits = false }) {
  const content = hasUnits || name.endsWith('/s') ? name : `${name}${UNITS[of] ?? ''}`
  return { content, className: table.nameClass(content) === 'name' ? '' : 'name broken' }
}

// All times of a column share one unit, which its head names.
function notationOf ({ of, hasUnits }, cells) {
  return of === 'time' && !hasUnits ? numbers.durations(cells.map((cell) => partsOf(cell).value)) : undefined
}

function cellMarkup (given, { of, show }) {
  const { isBad, className = '', value, detail } = partsOf(given)
  if (of === 'picture') return intervalBar(value)
  const words = inWords(given, of, show)
  return { content: detail ? html`${words}<span class="note below">${detail}</span>` : words, className: isBad ? `${className} fail`.trim() : className }
}

// Draws the interval of a difference, with a line at zero.
function intervalBar (picture) {
  if (!picture) return ''
  const { from, to, point, scale } = picture
  const place = (value) => `${Math.min(100, Math.max(0, 50 + 50 * value / scale)).toFixed(2)}%`
  const dot = point === null ? '' : html`<circle class="point" cx="${place(point)}" cy="50%" r="3.5"/>`
  return html`<svg class="interval" aria-hidden="true">
<line class="zero" x1="50%" x2="50%" y1="0" y2="100%"/><line class="range" x1="${place(from ?? -scale)}" x2="${place(to ?? scale)}" y1="50%" y2="50%"/>${dot}
</svg>`
}

module.exports = tablePart
