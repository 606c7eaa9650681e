'use strict'

// Everything that is reported of a drawn result or study, as texts by name. Documents are split into their sections.

const { createColors } = require('picocolors')
const { formatHttperf, printResult } = require('../../..')
const { describe } = require('../../../lib/report/html/document-page')
const { endpointTable } = require('../../../lib/report/result-tables')
const runDocument = require('../../../lib/report/run')
const { stepCells } = require('../../../lib/report/study/capacity')
const { pointLine } = require('../../../lib/report/study/jamming')
const { rowLine } = require('../../../lib/report/study/sweep')
const { studyDocument } = require('../../../lib/report/study-document')
const { tableText } = require('../../../lib/report/table-text')
const { fleetTable, latencyTable, ratesTable } = require('../../../lib/report/tables')
const { withoutEscapes } = require('../../../lib/report/text')
const { readResult } = require('../../../lib/report/well-formed')
const { documentInWords } = require('../documents')
const { EVERYTHING, FORMATS, terminal } = require('../formats')
const { drawnRun } = require('./runs')
const { outputOfChart, outputOfFlame } = require('./scripts')
const { KINDS, drawnStudy } = require('./studies')
const { outputOfTrack } = require('./tracks')

const PLAIN = createColors(false)
const WIDTHS = [40, 64, 76, 80, 90, 99, 100, 120, 200]

function sectionsOf (document, name) {
  const { sections, ...others } = documentInWords(document)
  return { [name]: JSON.stringify(others), ...Object.fromEntries(sections.map(({ title, parts }) => [`${name}: ${title}`, JSON.stringify(parts)])) }
}

// Logarithms may differ in their last digits from one version of V8 to another.
const rounded = (key, value) => typeof value === 'number' ? Number(value.toPrecision(9)) : value
const pageOf = (value, settings) => describe(value, settings).parts.filter(Boolean).map(({ markup, charts = [] }) => `${markup}${JSON.stringify(charts, rounded)}`).join('')
const printed = (value, options) => withoutEscapes(printResult(value, options))

const NEEDS_ACCOUNTING = 'a line for scripts'
const written = (result, names) => Object.fromEntries(names.filter((name) => result.accounting || name !== NEEDS_ACCOUNTING).map((name) => [name, FORMATS[name](result)]))

/** What people and programs read of the result of a run, or of a study: everything but documents. @param {object} value @returns {Record<string, string>} */
function textsOf (value) {
  const isStudy = value.kind !== undefined
  const { parts, title } = describe(value)
  return {
    ...(!isStudy && written(value, Object.keys(FORMATS))),
    terminal: printed(value, { ...terminal(200), ...EVERYTHING }),
    programs: printResult(value, { outputStream: {}, ...EVERYTHING }),
    title,
    page: parts.filter(Boolean).map(({ markup }) => String(markup)).join('')
  }
}

// The tables whose columns depend on the width, as wide as there may be room for them.
function tablesOf (given) {
  const result = readResult(given)
  return Array.from({ length: 12 }, (_, index) => ({ width: 40 + 6 * index, colors: PLAIN }))
    .flatMap((style) => [latencyTable(result, style), ratesTable(result, style), ...(style.width % 4 === 0 ? [fleetTable(result, style), tableText(endpointTable([{ result }]), style, 20)] : [])]).join('\n')
}

/** @param {number} seed @returns {Record<string, string>} */
function outputsOfRun (seed) {
  const result = drawnRun(seed)
  const options = { ...terminal(WIDTHS[seed % WIDTHS.length]), ...(seed % 2 === 0 && EVERYTHING) }
  // Half of the results in those formats that take long.
  const names = ['Markdown', 'JUnit', 'a line for scripts', 'GitHub', ...(seed % 2 === 0 ? ['only the conclusion', 'CSV of the timeline'] : ['programs, everything'])]
  return {
    ...sectionsOf(runDocument([result], {}), 'document'),
    terminal: printResult(result, options),
    ...written(result, names),
    ...(result.accounting && result.bytes && { httperf: formatHttperf(result) }),
    ...(seed % 4 === 2 && { tables: tablesOf(result) }),
    // What several runs have in common is in other files than what one has.
    ...(seed % 3 === 0 && sectionsOf(runDocument([0, 1, 2].slice(0, 2 + seed % 2).map((more) => drawnRun(seed + more)), { title: seed % 2 === 0 ? undefined : 'together' }), 'several')),
    ...(seed % 3 === 1 && { page: pageOf(result) }),
    ...(seed % 12 === 2 && { pages: pageOf([result, drawnRun(seed + 1)]) })
  }
}

/** @param {string} kind @param {number} seed @returns {Record<string, string>} */
function outputsOfStudy (kind, seed) {
  const { study, settings } = drawnStudy(kind, seed)
  return {
    ...sectionsOf(studyDocument(study, settings), 'document'),
    terminal: printResult(study, terminal(WIDTHS[seed % WIDTHS.length])),
    programs: printed(study, { outputStream: {}, verbose: seed % 2 === 0 }),
    ...(seed % 3 === 1 && { page: pageOf(kind === 'comparison' ? { metrics: {}, ...study } : study, settings) })
  }
}

// What is printed of each step while a study lasts. Steps themselves have more than those that were saved.
const LINES = {
  sweep: ({ rows }) => rows.flatMap((row) => row.targets.map((target) => rowLine(row, { ...target, failures: target.failures ?? undefined }, row.targets.length === 1))),
  capacity: ({ steps }) => steps.map((step) => stepCells(step).join(' ')),
  comparison: () => [],
  jamming: ({ levels }) => levels.flatMap((level) => level.points.map((point) => pointLine(point, { ...level, payload: level.payload ?? undefined })))
}

// More studies than are shown in full, and whatever is said about them, which takes a millisecond for each.
const SEEN = 1000
const outputsOfDocuments = (seed) => Object.fromEntries(KINDS.map((kind) => {
  const { study, settings } = drawnStudy(kind, SEEN + seed)
  return [kind, JSON.stringify([documentInWords(studyDocument(study, settings)), LINES[kind](study)])]
}))

const chartsOf = (value, settings) => describe(value, settings).parts.flatMap((part) => part?.charts ?? [])

/** What the scripts of pages do with the charts of a drawn run, or of a study. @param {number} seed @returns {Record<string, string>} */
function outputsOfScripts (seed) {
  const kind = [null, null, ...KINDS][seed % (KINDS.length + 2)]
  const valueOf = (number) => {
    if (kind === null) return [drawnRun(number)]
    const { study, settings } = drawnStudy(kind, number)
    return [kind === 'comparison' ? { metrics: {}, ...study } : study, settings]
  }
  const [charts, others] = [chartsOf(...valueOf(seed)), chartsOf(...valueOf(seed + KINDS.length + 2))]
  return Object.fromEntries(charts.map((spec) => {
    if (spec.flame) return [spec.id, outputOfFlame(spec, { isReduced: seed % 4 === 0, isPrinting: seed % 8 === 1 })]
    return [spec.id, outputOfChart(spec, others.find(({ id }) => id === spec.id))]
  }))
}

/** By kind, functions from a seed to texts by name. */
const OUTPUTS = {
  run: outputsOfRun,
  ...Object.fromEntries(KINDS.map((kind) => [kind, (seed) => outputsOfStudy(kind, seed)])),
  documents: outputsOfDocuments,
  script: outputsOfScripts,
  track: async (seed) => ({ shown: await outputOfTrack(seed) })
}

module.exports = { OUTPUTS, textsOf }
