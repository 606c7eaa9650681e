'use strict'

const { inWords, partsOf } = require('../document')
const { studyDocument } = require('../study')
const numbers = require('../../words/numbers')
const { chartFigure, section } = require('./chart')
const { studyOptions } = require('./conditions')
const { figure } = require('./headline-figures')
const { html } = require('./markup')
const table = require('./table')
const { sentenceList } = require('./words')

/**
 * The page of a study.
 *
 * @param {object} study the answer of `compare`, `sweep`, `findCapacity` or `findJamming`, or what there is of it
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

// A name may be a long URL.
function headOf ({ name, of, hasUnits = false }) {
  const content = hasUnits || name.endsWith('/s') ? name : `${name}${UNITS[of] ?? ''}`
  return { content, className: table.nameClass(content) === 'name' ? '' : 'name broken' }
}

// A column of times is written in one way, and its head names the unit.
function notationOf ({ of, hasUnits }, cells) {
  return of === 'time' && !hasUnits ? numbers.durations(cells.map((cell) => partsOf(cell).value)) : undefined
}

function cellMarkup (given, { of, show }) {
  const { isBad, className = '', value, detail } = partsOf(given)
  if (of === 'picture') return intervalBar(value)
  const words = inWords(given, of, show)
  return { content: detail ? html`${words}<span class="note below">${detail}</span>` : words, className: isBad ? `${className} fail`.trim() : className }
}

// In which range a difference lies, with the line of no difference at all.
function intervalBar (picture) {
  if (!picture) return ''
  const { from, to, point, scale } = picture
  const place = (value) => `${Math.min(100, Math.max(0, 50 + 50 * value / scale)).toFixed(2)}%`
  const dot = point === null ? '' : html`<circle class="point" cx="${place(point)}" cy="50%" r="3.5"/>`
  return html`<svg class="interval" aria-hidden="true">
<line class="zero" x1="50%" x2="50%" y1="0" y2="100%"/><line class="range" x1="${place(from ?? -scale)}" x2="${place(to ?? scale)}" y1="50%" y2="50%"/>${dot}
</svg>`
}

function conditionTable (kind, conditions) {
  const rows = conditions.filter(([, value]) => value)
  return rows.length === 0
    ? null
    : {
        markup: table({
          caption: `The conditions of the ${kind}`,
          head: ['Condition', 'Value'],
          isHeadHeard: true,
          kinds: ['text', 'text'],
          rows: rows.map(([name, value]) => [{ content: name, className: name.length > 20 ? 'long' : 'short' }, { content: value, className: 'long' }])
        })
      }
}

module.exports = studyPage
