'use strict'

// Everything that is reported of a drawn result or study, as texts by name. Documents are split into their sections.

const { formatHttperf, printResult } = require('../../..')
const { describe } = require('../../../lib/report/html/document-page')
const runDocument = require('../../../lib/report/run')
const { studyDocument } = require('../../../lib/report/study-document')
const { withoutEscapes } = require('../../../lib/report/text')
const { documentInWords } = require('../documents')
const { EVERYTHING, FORMATS, terminal } = require('../formats')
const { drawnRun } = require('./runs')
const { outputOfChart, outputOfFlame } = require('./scripts')
const { KINDS, drawnStudy } = require('./studies')
const { outputOfTrack } = require('./tracks')

const WIDTHS = [40, 64, 76, 80, 90, 99, 100, 120, 200]

function sectionsOf (document, name) {
  const { sections, ...others } = documentInWords(document)
  return { [name]: JSON.stringify(others), ...Object.fromEntries(sections.map(({ title, parts }) => [`${name}: ${title}`, JSON.stringify(parts)])) }
}

const pageOf = (value, settings) => describe(value, settings).parts.filter(Boolean).map(({ markup, charts = [] }) => `${markup}${JSON.stringify(charts)}`).join('')
const printed = (value, options) => withoutEscapes(printResult(value, options))

/** What people and programs read of the result of a run, or of a study: everything but documents. @param {object} value @returns {Record<string, string>} */
function textsOf (value) {
  const isStudy = value.kind !== undefined
  const { parts, title } = describe(value)
  return {
    ...(!isStudy && Object.fromEntries(Object.entries(FORMATS).map(([name, write]) => [name, write(value)]))),
    terminal: printed(value, { ...terminal(200), ...EVERYTHING }),
    programs: printResult(value, { outputStream: {}, ...EVERYTHING }),
    title,
    page: parts.filter(Boolean).map(({ markup }) => String(markup)).join('')
  }
}

/** @param {number} seed @returns {Record<string, string>} */
function outputsOfRun (seed) {
  const result = drawnRun(seed)
  const options = { ...terminal(WIDTHS[seed % WIDTHS.length]), ...(seed % 2 === 0 && EVERYTHING) }
  // Half of the results in those formats that take long.
  const names = ['Markdown', 'JUnit', 'a line for scripts', 'GitHub', ...(seed % 2 === 0 ? ['only the conclusion', 'CSV of the timeline'] : ['programs, everything'])]
  return {
    ...sectionsOf(runDocument([result], {}), 'document'),
    terminal: printed(result, options),
    ...Object.fromEntries(names.map((name) => [name, FORMATS[name](result)])),
    ...(result.bytes && { httperf: formatHttperf(result) }),
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
    terminal: printed(study, terminal(WIDTHS[seed % WIDTHS.length])),
    programs: printed(study, { outputStream: {}, verbose: seed % 2 === 0 }),
    ...(seed % 3 === 1 && { page: pageOf(kind === 'comparison' ? { metrics: {}, ...study } : study, settings) })
  }
}

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
  script: outputsOfScripts,
  track: async (seed) => ({ shown: await outputOfTrack(seed) })
}

module.exports = { OUTPUTS, textsOf }
