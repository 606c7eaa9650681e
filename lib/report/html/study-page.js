'use strict'

const { studyDocument } = require('../study')
const { chartFigure, section } = require('./chart')
const { studyOptions } = require('./conditions')
const { figure } = require('./headline-figures')
const tablePart = require('./document-table')
const { html } = require('./markup')
const table = require('./table')
const { sentenceList } = require('./words')

/**
 * Returns the page of a study.
 *
 * @param {object} study the answer of `compare`, `sweep`, `findCapacity` or `findJamming`, which may be incomplete
 * @param {{ title?: string, options?: object, scale?: string }} settings
 * @returns {object} for `renderPage`
 */
function studyPage (study, settings) {
  const document = studyDocument(study, settings)
  const { title, kind, lead, words, answer, checks = [], figures = [], warnings, sections, conditions, names } = document
  return {
    title: settings.title ?? title,
    kind,
    lead: leadMarkup(lead),
    words,
    parts: [
      { markup: html`${answer.map(({ text }) => html`<p class="answer">${text}</p>\n`)}` },
      figures.length === 0 ? null : { markup: html`<dl class="figures four">\n${figures.map(figure)}</dl>\n` },
      sentenceList([...checks.filter(({ severity }) => severity !== 'note'), ...warnings]),
      ...sections.map(({ title, parts }) => section(title, ...parts.map(partMarkup))),
      section('Conditions', conditionTable(kind, conditions), studyOptions(settings.options ?? document.options, names))
    ]
  }
}

function leadMarkup ({ urls, facts }) {
  return html`<p class="lead"><span class="url">${urls.filter(Boolean).join(' · ')}</span></p>
<p class="lead">${facts.filter(Boolean).join(' · ')}</p>
`
}

function partMarkup (part) {
  if (part.table) return tablePart(part.table)
  if (part.list) return part.list.length === 0 ? null : { markup: html`<ul>\n${part.list.map((text) => html`<li>${text}</li>\n`)}</ul>\n` }
  return part.chart ? chartFigure({ ...part.chart, table: part.chart.table && tablePart(part.chart.table)?.markup }) : null
}

function conditionTable (kind, conditions) {
  const rows = conditions.filter(([, value]) => value)
  return rows.length === 0
    ? null
    : {
        markup: table({
          caption: `Conditions of the ${kind}`,
          head: ['Condition', 'Value'],
          isHeadHeard: true,
          kinds: ['text', 'text'],
          rows: rows.map(([name, value]) => [{ content: name, className: name.length > 20 ? 'long' : 'short' }, { content: value, className: 'long' }])
        })
      }
}

module.exports = studyPage
