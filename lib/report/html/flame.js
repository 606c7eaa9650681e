'use strict'

const { PACKAGE, flameLibrary } = require('./flame-library')
const { html } = require('./markup')

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
 * @param {Array<[number, number, number]>} figure.nodes parent, frame, ms; see diagnose/flame.js
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

module.exports = flameFigure
