'use strict'

const { html } = require('./markup')

/**
 * Renders an accessible table that scrolls on phones. With `isStacked`, phones show each row as a list of cells with
 * column names instead, for tables whose last columns are the most important.
 *
 * @param {object} table
 * @param {string} table.caption describes the table to screen readers; visible only if `isCaptionSeen`
 * @param {Array<string|{ content: string, className: string, label: string }>} table.head names of the columns; `label`:
 *   the name as text, if the content is markup
 * @param {Array} table.rows arrays of cells; the first cell names the row. A cell is a text, markup, or `{ content,
 *   className }`
 * @param {string[]} [table.kinds] per column: 'text' or 'number'; default: text for the first column, number for the
 *   others
 * @param {boolean} [table.isCaptionSeen]
 * @param {boolean} [table.isHeadHeard] whether only screen readers get the names of the columns
 * @param {boolean} [table.isStacked]
 * @returns {Markup}
 */
function table ({ caption, head, rows, kinds = [], isCaptionSeen = false, isHeadHeard = false, isStacked = false }) {
  const kindOf = (column) => kinds[column] ?? (column === 0 ? 'text' : 'number')
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table${classOf(head.length, isStacked)}>
<caption${isCaptionSeen ? '' : html` class="heard"`}>${caption}</caption>
<thead${isHeadHeard ? html` class="heard"` : ''}><tr>${head.map((name, column) => cell(name, kindOf(column), html`th scope="col"`, 'th'))}</tr></thead>
<tbody>
${rows.map((cells) => row(cells, kindOf, isStacked ? head : null))}</tbody>
</table></div>
`
}

// Tables with at least this many columns are denser.
const MANY_COLUMNS = 11

function classOf (columns, isStacked) {
  const names = [isStacked && 'stacked', columns >= MANY_COLUMNS && 'dense'].filter(Boolean)
  return names.length === 0 ? '' : html` class="${names.join(' ')}"`
}

function row (cells, kindOf, labels) {
  return html`<tr>${cells.map((each, column) => {
    if (column === 0) return cell(each, kindOf(column), html`th scope="row"`, 'th')
    const label = labels === null ? '' : html` data-label="${labelOf(labels[column])}"`
    return cell(each, kindOf(column), html`td${label}`, 'td')
  })}</tr>
`
}

function cell (given, kind, open, name) {
  const className = isCell(given) ? given.className ?? '' : ''
  return html`<${open} class="${`${kind} ${className}`.trim()}">${contentOf(given)}</${name}>`
}

const LONGEST_WORD = 18

/** Returns the class of a column name. Only names with very long words, such as URLs, may be broken within a word. */
function nameClass (name) {
  return String(name ?? '').split(/\s/).some((word) => word.length > LONGEST_WORD) ? 'name broken' : 'name'
}

// Attributes need text instead of markup.
const labelOf = (given) => String((isCell(given) ? given.label ?? given.content : given) ?? '')
const contentOf = (given) => isCell(given) ? given.content : given
const isCell = (cell) => cell !== null && typeof cell === 'object' && 'content' in cell

module.exports = Object.assign(table, { nameClass })
