'use strict'

const numbers = require('../../words/numbers')
const { inWords, partsOf } = require('../document')
const { html } = require('./markup')

// Tables with at least this many columns are denser.
const MANY_COLUMNS = 11
// Only names with longer words than this, such as URLs, may be broken within a word.
const LONGEST_WORD = 18
const KINDS = { picture: 'picture', bar: 'wide' }
const UNITS = { time: ' ms', rate: '/s' }

/**
 * Renders a table of a document (document.js) as part of a page: accessible, and on phones it scrolls. If it is stacked, phones show each
 * row as a list of cells with column names instead, for tables whose last columns are the most important.
 *
 * @param {?object} given with `isHeadHeard`, only screen readers get the names of the columns; they always get the caption
 * @returns {?{ markup: Markup }} null if there is no table, or if it is empty
 */
function tablePart (given) {
  if (!given || given.only === 'terminal' || given.rows.length === 0) return null
  const { note, rows, folded, caption, isCaptionSeen = false, isHeadHeard = false, isStacked = true } = given
  const columns = given.columns.flatMap((column, index) => column.only === 'terminal'
    ? []
    : [{ ...column, index, kind: column.of === undefined ? 'text' : KINDS[column.of] ?? 'number', head: headOf(column), show: notationOf(column, rows.map((cells) => cells[index])) }])
  const row = (cells) => html`<tr>${columns.map((column, place) => {
    const own = cellMarkup(cells[column.index], column)
    if (place === 0) return cell(own, column, html`th scope="row"`, 'th')
    return cell(own, column, isStacked ? html`td data-label="${column.head.label}"` : html`td`, 'td')
  })}</tr>
`
  const markup = html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table${classOf(columns.length, isStacked)}>
<caption${isCaptionSeen ? '' : html` class="heard"`}>${caption}</caption>
<thead${isHeadHeard ? html` class="heard"` : ''}><tr>${columns.map((column) => cell(column.head, column, html`th scope="col"`, 'th'))}</tr></thead>
<tbody>
${rows.map(row)}</tbody>
</table></div>
`
  const noted = note ? html`<p class="note">${note}</p>${markup}` : markup
  return { markup: folded ? html`<details><summary>${folded}</summary>\n${noted}</details>\n` : noted }
}

function classOf (columns, isStacked) {
  const names = [isStacked && 'stacked', columns >= MANY_COLUMNS && 'dense'].filter(Boolean)
  return names.length === 0 ? '' : html` class="${names.join(' ')}"`
}

function cell ({ content, className }, { kind }, open, name) {
  return html`<${open} class="${`${kind} ${className}`.trim()}">${content}</${name}>`
}

// The label is the name as text: attributes cannot have markup.
function headOf ({ name, of, hasUnits = false, look, className }) {
  if (look) return { content: named(name, look), className: isLong(name) ? 'name broken' : 'name', label: name }
  const content = hasUnits || name.endsWith('/s') ? name : `${name}${UNITS[of] ?? ''}`
  return { content, className: className ?? (isLong(content) ? 'name broken' : ''), label: content }
}

const isLong = (name) => String(name ?? '').split(/\s/).some((word) => word.length > LONGEST_WORD)

// All times of a column share one unit, which its head names.
function notationOf ({ of, hasUnits }, cells) {
  return of === 'time' && !hasUnits ? numbers.durations(cells.map((cell) => partsOf(cell).value)) : undefined
}

function cellMarkup (given, { of, show }) {
  const { isBad, className = '', value, detail, isCode, look } = partsOf(given)
  if (of === 'picture') return { content: intervalBar(value), className: '' }
  if (of === 'bar') return { content: bar(value), className: '' }
  const words = look ? named(value, look) : isCode ? html`<code>${value}</code>` : inWords(given, of, show)
  return { content: detail ? html`${words}<span class="note below">${detail}</span>` : words, className: isBad ? `${className} fail`.trim() : className }
}

const DASHES = { dashed: '5 3', dotted: '1.5 2.5' }

// Draws a short sample of a series' line before its name.
function named (name, { color, line }) {
  const dashes = DASHES[line] ? html` stroke-dasharray="${DASHES[line]}"` : ''
  return html`<svg class="swatch ${color.replace('series', 'color')}" aria-hidden="true"><line x1="0" y1="50%" x2="100%" y2="50%"${dashes}/></svg>${name}`
}

// Draws a share as a bar, next to the number.
function bar ({ part, whole, isBad }) {
  const percent = whole > 0 && part > 0 ? Math.min(100, Math.max(0.5, part / whole * 100)).toFixed(2) : 0
  return html`<svg class="bar" aria-hidden="true">
<rect class="track" width="100%" height="100%" rx="2"/><rect class="fill${isBad ? ' bad' : ''}" width="${percent}%" height="100%" rx="2"/>
</svg>`
}

// Draws the interval of a difference, with a line at zero. An end that is null has no bound: an arrow points there.
function intervalBar (picture) {
  if (!picture) return ''
  const { from, to, point, scale } = picture
  const place = (value) => `${(50 + 50 * value / scale).toFixed(2)}%`
  const dot = point === null ? '' : html`<circle class="point" cx="${place(point)}" cy="50%" r="3.5"/>`
  const arrows = [from === null && ['0%', 'M7,-4L0,0L7,4'], to === null && ['100%', 'M-7,-4L0,0L-7,4']].filter(Boolean)
  return html`<svg class="interval" aria-hidden="true">
<line class="zero" x1="50%" x2="50%" y1="0" y2="100%"/><line class="range" x1="${place(from ?? -scale)}" x2="${place(to ?? scale)}" y1="50%" y2="50%"/>${arrows.map(([x, path]) => html`<svg x="${x}" y="50%"><path class="range" d="${path}"/></svg>`)}${dot}
</svg>`
}

module.exports = tablePart
