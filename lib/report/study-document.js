'use strict'

const { tableText } = require('./table-text')
const { readStudy } = require('./well-formed')

// Loaded on use, since most reports are of single runs.
const DOCUMENTS = {
  sweep: () => require('./study/sweep').sweepDocument,
  capacity: () => require('./study/capacity').capacityDocument,
  comparison: () => require('./study/comparison').comparisonDocument,
  jamming: () => require('./study/jamming').jammingDocument
}

/** Whether a value is the answer of `sweep`, `findCapacity`, `findJamming` or `compare`. */
function isStudy (value) {
  return value !== null && typeof value === 'object' && Object.hasOwn(DOCUMENTS, value.kind)
}

/**
 * Converts the answer of a study to a document.
 *
 * @param {object} study for which isStudy returns true
 * @param {object} [settings] `{ title, options, scale }`, as in `toHTML`
 * @returns {object} see document.js
 */
function studyDocument (study, settings = {}) {
  const { conditionTable, optionTable } = require('./conditions')
  const { conditions, names = [], options, title, ...document } = DOCUMENTS[study.kind]()(readStudy(study), settings)
  const used = [settings.options ?? options].flat().map((each, index) => ({ name: names[index] ?? `Target ${index + 1}`, options: each }))
  return { ...document, title: settings.title ?? title, conditions: [conditionTable(document.kind, [{ rows: conditions }]), optionTable(used)] }
}

/**
 * Converts the answer of a study to the blocks of a report on a terminal.
 *
 * @param {object} study well-formed
 * @param {{ colors: object, width: number }} style
 * @returns {{ heading: string[], tables: string[], paragraphs: Array<{ severity: string, text: string }> }}
 */
function studyReport (study, style) {
  const { heading, answer, checks = [], remarks, warnings, sections } = studyDocument(study, { isBrief: true })
  const tables = sections.flatMap(({ parts }) => parts).flatMap(({ table }) => table ?? []).filter(({ only, rows }) => only !== 'page' && rows.length > 0)
  return { heading: heading.filter(Boolean), tables: tables.map((table) => tableText(table, style)), paragraphs: [...answer, ...checks, ...remarks, ...warnings] }
}

module.exports = { isStudy, studyDocument, studyReport }
