'use strict'

const { chartFigure, flameFigure, section } = require('./chart')
const tablePart = require('./document-table')
const { html } = require('./markup')
const { cleanName } = require('../text')
const runDocument = require('../run')
const { studyDocument } = require('../study-document')
const { recognise } = require('./recognise')

const WARNING = /^Warning: /
const NAMES = { error: 'Error', warning: 'Warning', note: 'Note' }

/**
 * Renders a document (document.js) as a page.
 *
 * @param {object} document
 * @returns {object} for `renderPage`
 */
function documentPage ({ title, kind, lead, words, answer = [], checks = [], figures = [], opening, warnings, sections, conditions }) {
  return {
    title,
    kind,
    lead: leadMarkup(lead),
    words,
    parts: [
      { markup: html`${answer.map(({ severity, text }) => html`<p class="answer${severity === 'error' ? ' fail' : ''}">${text}</p>\n`)}` },
      figures.length === 0 ? null : { markup: html`<dl class="figures${figures.length === 4 ? ' four' : ''}">\n${figures.map(figure)}</dl>\n` },
      opening && sectionMarkup(opening),
      sentenceList([...checks.filter(({ severity }) => severity !== 'note'), ...warnings]),
      ...sections.map(sectionMarkup),
      section('Conditions', ...conditions.map(tablePart))
    ]
  }
}

function leadMarkup ({ urls, facts }) {
  return html`${urls ? html`<p class="lead"><span class="url">${urls.filter(Boolean).join(' · ')}</span></p>\n` : ''}<p class="lead">${facts.filter(Boolean).join(' · ')}</p>
`
}

function figure ({ name, value, unit, more, isBad }) {
  const amount = html`${value}${unit ? html` <small>${unit}</small>` : ''}`
  return html`<div class="figure${isBad ? ' bad' : ''}"><dt>${name}</dt><dd class="value">${amount}</dd><dd class="more">${more}</dd></div>
`
}

const sectionMarkup = ({ title, parts }) => section(title, ...parts.map(partMarkup))

/** Renders a part of a section, which may be null. */
function partMarkup (part) {
  if (!part) return null
  if (part.table) return tablePart(part.table)
  if (part.list) return part.list.length === 0 ? null : { markup: html`<ul>\n${part.list.map((text) => html`<li>${text}</li>\n`)}</ul>\n` }
  if (part.flame) return flameFigure({ ...part.flame, table: tablePart(part.flame.table)?.markup })
  return part.chart ? chartFigure({ ...part.chart, table: tablePart(part.chart.table)?.markup }) : null
}

// Lists errors and warnings. `of` is the run that a sentence is about, if there are several.
function sentenceList (all) {
  const items = all.map(({ severity, text, of }) => html`<li class="${severity}"><span class="kind">${NAMES[severity]}${of ? html` in ${of}` : ''}:</span> ${text.replace(WARNING, '')}</li>
`)
  return items.length === 0 ? null : { markup: html`<ul class="words" aria-label="Errors and warnings">\n${items}</ul>\n` }
}

/**
 * Returns the page for a result, results or a study. Parameters and errors are those of `toHTML`.
 *
 * @returns {object} for `renderPage`
 */
function describe (value, settings) {
  const { kind, content } = recognise(value)
  const { title, options, scale } = settings ?? {}
  const document = (kind === 'results' ? runDocument : studyDocument)(content, { title: title === undefined ? undefined : cleanName(title), options, scale })
  return documentPage(document)
}

module.exports = { describe, partMarkup }
