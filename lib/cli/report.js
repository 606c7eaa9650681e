'use strict'

const { text } = require('node:stream/consumers')
const { named, optionProblem, words } = require('../base/errors')
const { recognise } = require('../report/html/recognise')
const printResult = require('../report/print-result')
const { askFlags } = require('./shared/version')
const { readFile } = require('../plan/read-file')
const { applySettings } = require('./read-command')
const { checkResultFiles, hasResultFiles, resultFileFlags, writeResultFiles } = require('./result-files')
const { parseSaved } = require('./saved-results')

const OF_ONE_RUN = ['junit', 'markdown', 'hdr']

// `cannonade report FILE…`
const report = {
  name: 'report',
  call: 'cannonade report',
  usage: 'cannonade report [options] FILE…',
  about: [
    'Shows results saved as JSON (cannonade -j URL > result.json) as tables, or as an HTML report with charts, which overlays ' +
      'several results. If FILE is -, the result is read from standard input.'
  ],
  groups: [{
    title: 'Options',
    flags: [
      { name: 'html', argument: 'FILE', help: 'write a self-contained HTML report' },
      { name: 'csv', argument: 'FILE', help: 'write the timeline of a result, or the rows of a sweep or jamming study, as CSV' },
      ...resultFileFlags.filter(({ name }) => OF_ONE_RUN.includes(name)).map((flag) => ({ ...flag, help: flag.help.replace(/^also /, '') })),
      { letter: 'T', name: 'title', argument: 'TITLE', help: 'title of the HTML report' },
      ...askFlags
    ]
  }],
  defaultOf: () => undefined,
  notes: ['Without a file to write, it prints the same tables to stdout as a run does.'],
  examples: [
    'cannonade report result.json',
    'cannonade report before.json after.json --html both.html',
    'cannonade -j localhost:3000 | cannonade report - --csv timeline.csv'
  ],
  optionsFrom,
  run
}

function optionsFrom (settings, operands) {
  if (operands.length === 0) {
    throw optionProblem('FILE', 'cannonade report needs a file with a result: cannonade -j URL > result.json makes one', { isUsageNeeded: true })
  }
  const options = { files: operands }
  applySettings(settings, options)
  checkResultFiles(options)
  return options
}

async function run (options) {
  const values = []
  for (const file of options.files) values.push(...await readResults(file))
  const all = values.flat()
  const value = all.length === 1 ? all[0] : all
  recognise(value)
  if (typeof options.csv === 'string' && Array.isArray(value)) {
    throw optionProblem('csv', words`${named('csv')} is the timeline of one result; got ${all.length} results`)
  }
  checkOneRun(value, options)
  writeResultFiles(value, options, { title: options.title })
  if (!hasResultFiles(options)) printAll(values)
}

function checkOneRun (value, options) {
  const name = OF_ONE_RUN.find((each) => typeof options[each] === 'string')
  if (name === undefined || (!Array.isArray(value) && value.kind === undefined)) return
  throw optionProblem(name, words`${named(name)} needs a file with the result of one run`)
}

function printAll (values) {
  for (const value of values) {
    process.stdout.write(printResult(value, { outputStream: process.stdout }))
  }
}

async function readResults (file) {
  if (file === '-') return parseSaved(await text(process.stdin), 'the standard input')
  return parseSaved(readFile(file, 'result').toString(), `'${file}'`)
}

module.exports = { report }
