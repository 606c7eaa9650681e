'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { optionError, optionProblem } = require('../base/errors')
const { isGiven } = require('../values/kinds')

const REASONS = new Map([
  ['ENOENT', 'its folder does not exist'],
  ['ENOTDIR', 'its folder is a file'],
  ['EACCES', 'this user may not write there'],
  ['EROFS', 'it is read-only there'],
  ['EISDIR', 'it is a folder']
])

/** Flags that write the result of a run to a file. Studies have the first two. */
const resultFileFlags = Object.freeze([
  { name: 'html', argument: 'FILE', isCommon: true, help: 'also write a self-contained HTML report' },
  { name: 'csv', argument: 'FILE', help: 'also write the timeline as CSV, one sample a line' },
  { name: 'junit', argument: 'FILE', help: 'also write a JUnit report for CI: each threshold is a test case' },
  { name: 'markdown', argument: 'FILE', help: 'also write a summary as Markdown' },
  { name: 'hdr', argument: 'FILE', help: 'also write the latency percentiles for the HdrHistogram plotter (.hgrm)' }
])

/** Studies whose result is a table. */
const WITH_ROWS = ['sweep', 'jamming']

// Writers are loaded on use: most runs write no file, and charts take long to load.
const WRITERS = {
  html: (result, settings) => require('../report/html')(result, settings),
  csv: (result, settings) => WITH_ROWS.includes(result?.kind)
    ? require('../study/sweep/csv')(result, settings?.csv)
    : require('../report/csv')(result),
  junit: (result) => require('../report/junit')(result),
  markdown: (result) => require('../report/markdown')(result),
  hdr: (result) => require('../report/hgrm')(result)
}

/**
 * Throws if a file cannot be written. Called before the run, whose result would otherwise be lost.
 *
 * @param {object} options with file names as `html`, `csv` and so on
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function checkResultFiles (options) {
  for (const name of Object.keys(WRITERS)) {
    const { [name]: file } = options
    if (isGiven(file) && file !== false && (typeof file !== 'string' || file === '')) throw optionError(name, file, 'the path of a file')
  }
  for (const name of namesIn(options)) {
    try {
      checkWritable(options[name])
    } catch (cause) {
      throw failure(name, options[name], cause)
    }
  }
}

function checkWritable (file) {
  const stats = fs.statSync(file, { throwIfNoEntry: false })
  if (stats?.isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' })
  fs.accessSync(stats === undefined ? path.dirname(path.resolve(file)) : file, fs.constants.W_OK)
}

/**
 * Writes a result to the files that the options name.
 *
 * @param {object|object[]} result as `toHTML` accepts it
 * @param {object} options
 * @param {object} [settings] the settings of `toHTML`, and as `csv` those of `toCSV`
 * @throws {CannonadeError} CANNONADE_BAD_OPTION if writing fails, CANNONADE_BAD_RESULT if the result does not support the
 *   format
 */
function writeResultFiles (result, options, settings) {
  for (const name of namesIn(options)) {
    const text = WRITERS[name](result, settings)
    try {
      fs.writeFileSync(options[name], text)
    } catch (cause) {
      throw failure(name, options[name], cause)
    }
  }
}

/** Whether the options name a file to write. */
function hasResultFiles (options) {
  return namesIn(options).length > 0
}

const namesIn = (options) => Object.keys(WRITERS).filter((name) => typeof options[name] === 'string')

function failure (name, file, cause) {
  const reason = REASONS.get(cause.code) ?? cause.message
  return optionProblem(name, `Failed to write ${name} file: '${file}': ${reason}`, { cause })
}

module.exports = { checkResultFiles, hasResultFiles, resultFileFlags, writeResultFiles }
