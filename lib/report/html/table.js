'use strict'

const { html } = require('./markup')

/**
 * A table that a screen reader can follow and a phone can scroll; or, where `isStacked`, whose rows stand there below each
 * other, each cell with the name of its column: for tables whose last columns say the most.
 *
 * @param {object} table
 * @param {string} table.caption what it shows; heard, and seen where `isCaptionSeen`
 * @param {Array<string|{ content: string, className: string, label: string }>} table.head names of the columns; `label`: the
 *   name as a text, where the content is markup
 * @param {Array} table.rows arrays of cells; the first cell of each names its row. A cell is a text, markup, or
 *   `{ content, className }`
 * @param {string[]} [table.kinds] of the columns: 'text' or 'number'; default: the first is text, the others are numbers
 * @param {boolean} [table.isCaptionSeen]
 * @param {boolean} [table.isHeadHeard] the names of the columns are for screen readers only
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

// So many columns stand closer together.
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

/** The class of a name in a head: a word is broken only where it is one that nobody reads, such as a URL. */
function nameClass (name) {
  return String(name ?? '').split(/\s/).some((word) => word.length > LONGEST_WORD) ? 'name broken' : 'name'
}

// Within an attribute there is text and no markup.
const labelOf = (given) => String((isCell(given) ? given.label ?? given.content : given) ?? '')
const contentOf = (given) => isCell(given) ? given.content : given
const isCell = (cell) => cell !== null && typeof cell === 'object' && 'content' in cell

module.exports = Object.assign(table, { nameClass })
