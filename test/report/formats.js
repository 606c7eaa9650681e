'use strict'

// The result of a run in every format that is a text: what the terminal shows, what programs read, Markdown, JUnit, CSV, one line for scripts, and the
// annotations of GitHub.

const { printResult, toJUnit, toMarkdown, toTimelineCSV } = require('../..')
const resultLine = require('../../lib/report/csv-line')
const writeToGitHub = require('../../lib/report/github')
const { withoutEscapes } = require('../../lib/report/text')

const terminal = (columns) => ({ outputStream: { isTTY: true, columns } })
const EVERYTHING = { renderLatencyTable: true, renderStatusCodes: true, renderSlowestTable: true }

const FORMATS = {
  'a wide terminal': (result) => withoutEscapes(printResult(result, { ...terminal(130), ...EVERYTHING })),
  'a narrow terminal': (result) => withoutEscapes(printResult(result, terminal(60))),
  programs: (result) => printResult(result, { outputStream: {} }),
  'programs, everything': (result) => printResult(result, { outputStream: {}, ...EVERYTHING }),
  'only the conclusion': (result) => printResult(result, { outputStream: {}, verbose: false }),
  Markdown: toMarkdown,
  JUnit: toJUnit,
  'CSV of the timeline': toTimelineCSV,
  'a line for scripts': resultLine,
  GitHub (result) {
    let text = ''
    writeToGitHub(result, { write: (line) => { text += line } })
    return text
  }
}

module.exports = { EVERYTHING, FORMATS, terminal }
