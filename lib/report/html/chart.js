'use strict'

const { PACKAGE, flameLibrary } = require('./flame-library')
const { html } = require('./markup')

const HEIGHT = 300

/**
 * Creates a chart with its table, as part of a page. The browser draws it, see browser/; without scripts, only the table
 * is shown.
 *
 * @param {object} figure
 * @param {string} figure.id one word, unique in a page
 * @param {string} figure.title
 * @param {string} [figure.note] how to read it
 * @param {string} figure.summary describes the chart to readers who cannot see it
 * @param {Markup} [figure.table] the same numbers; may be omitted if the table of another chart contains them
 * @param {string} [figure.tableTitle]
 * @param {object} figure.chart plain data:
 *   - `x`, `y`: `{ scale: 'linear' | 'log' | 'percentile', min, max, label, name?, unit?, isWhole?, labels? }`. `labels`: the
 *     names of the values 1, 2, … of x, instead of numbers
 *   - `series`: `{ name, color, line, isFilled?, hasPoints?, isHalo?, isMarks?, isJoined?, unit? }`. The first is drawn
 *     on top. A halo is wide and pale; marks are triangles at the bottom for values above zero; a joined series connects
 *     values across nulls, a loose one (`isLoose`) connects none
 *   - `data`: the x values, and the y values of each series, with null for missing ones
 *   - `lines`: vertical lines, `{ x, label, color }`; `hollow`: hollow points, `{ x, y, color }`
 *   - `levels`: horizontal lines, `{ y, label, color }`
 *   - `heat`: a heat map below the series, `{ bounds, columns: [{ from, to, shares }] }`: how much of each column lies between
 *     two neighbouring bounds
 *   - `isPaired`: the values at each x are joined by a line
 *   - `group`: charts of one group share the cursor and the zoom
 *   - `steps`: draw a step line in which values apply 'before' or 'after' their x. Default: straight lines between points
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

/** Combines several parts of a page under a heading. */
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

/**
 * Creates a flame graph with its table, as part of a page. The browser draws it, see browser/flame.js; without scripts, or if the package
 * that draws it is not installed, only the table is shown.
 *
 * @param {object} figure
 * @param {string} figure.id one word, unique in a page
 * @param {string} figure.title
 * @param {string} figure.note how to read it
 * @param {string} figure.summary describes the graph to readers who cannot see it
 * @param {Markup} figure.table the heaviest calls
 * @param {string} figure.tableTitle
 * @param {object[]} figure.kinds `{ name, color }`, where functions come from
 * @param {Array<[string, string, number]>} figure.frames name, place, and index of the kind
 * @param {Array<[number, number, number]>} figure.nodes parent, frame, ms; see diagnose/diagnosis.js
 * @returns {{ markup: Markup, charts: object[] }}
 */
function flameFigure ({ id, title, note, summary, tableTitle, table, kinds, frames, nodes }) {
  if (flameLibrary() === null) {
    return {
      markup: html`<figure id="${id}"><figcaption>${tableTitle}<span class="note">To see them as a flame graph, install the package ${PACKAGE} (npm install ${PACKAGE}) and create this page again.</span></figcaption>
${table}</figure>
`
    }
  }
  const legend = kinds.map(({ name, color }) => html`<li class="flame-${color}">${name}</li>`)
  const markup = html`<figure id="${id}" class="flame">
<figcaption>${title}<span class="note">${note}</span></figcaption>
<div class="plot">
<div class="tools"><input type="search" placeholder="Find a function" aria-label="Find a function"> <button type="button">Show everything</button> <span class="found" role="status"></span></div>
<div class="graph" role="img" aria-label="${summary}"></div>
<p class="pointed note">&nbsp;</p>
<ul class="legend">${legend}</ul>
</div>
<details open><summary>${tableTitle}</summary>\n${table}</details>
</figure>
`
  return { markup, charts: [{ id, flame: { colors: kinds.map(({ color }) => color), frames, nodes } }] }
}

module.exports = { chartFigure, section, flameFigure }
