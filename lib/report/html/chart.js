'use strict'

const { html } = require('./markup')

const HEIGHT = 300

/**
 * A chart with its table, as part of a page. Drawn in the browser, see browser/; where no script runs there is the table alone.
 *
 * @param {object} figure
 * @param {string} figure.id one word, once in a page
 * @param {string} figure.title
 * @param {string} [figure.note] how to read it
 * @param {string} figure.summary what a person would say who sees it, for one who does not
 * @param {Markup} [figure.table] the same numbers; without one, the numbers stand in the table of another chart
 * @param {string} [figure.tableTitle]
 * @param {object} figure.chart plain data:
 *   - `x`, `y`: `{ scale: 'linear' | 'log' | 'percentile', min, max, label, name?, unit?, isWhole? }`
 *   - `series`: `{ name, color, line, isFilled?, hasPoints?, isHalo?, isMarks?, isJoined?, unit? }`. The first is drawn on top;
 *     a halo is wide and pale, marks are triangles at the bottom for values above zero, joined are values across nulls
 *   - `data`: the x values, and the y values of each series, null where there is none
 *   - `lines`: vertical ones, `{ x, label, color }`; `hollow`: points, `{ x, y, color }`
 *   - `levels`: horizontal ones, `{ y, label, color }`
 *   - `group`: charts of one group have one cursor, and are zoomed together
 *   - `steps`: values hold for a stretch of x; 'before' their own x, or 'after' it. Default: points joined by straight lines
 * @returns {{ markup: Markup, charts: object[] }}
 */
function chartFigure ({ id, title, note, summary, tableTitle, table, chart }) {
  const markup = html`<figure id="${id}"${table ? '' : html` class="bare"`}>
<figcaption>${title}${note ? html`<span class="note">${note}</span>` : ''}</figcaption>
<div class="plot" role="img" aria-label="${summary}"></div>
${table ? html`<details open><summary>${tableTitle}</summary>\n${table}</details>\n` : ''}</figure>
`
  return { markup, charts: [{ id, height: HEIGHT, lines: [], levels: [], hollow: [], ...chart }] }
}

/** Several parts of a page as one, under a heading. */
function section (title, ...parts) {
  const shown = parts.flat().filter(Boolean)
  if (shown.length === 0) return null
  return {
    markup: html`<section><h2>${title}</h2>
${shown.map((part) => part.markup ?? part)}</section>
`,
    charts: shown.flatMap((part) => part.charts ?? [])
  }
}

module.exports = { chartFigure, section }
