'use strict'

const fs = require('node:fs')
const { named, optionProblem, words } = require('../base/errors')
const { resultFileFlags } = require('./result-files')

const STDOUT = /^\/(?:dev\/stdout|dev\/fd\/1|proc\/(?:self|thread-self)\/fd\/1)$/

/**
 * Returns the stream for the tables: stdout if it is redirected to a file or a pipe, as in `> result.txt` and
 * `| tee result.txt`; otherwise stderr. Progress always goes to stderr. So do the tables if an option writes a file to stdout, as in
 * `--record /dev/stdout | gzip`.
 *
 * @param {object} options with file names as `record`, `html` and so on
 * @returns {stream.Writable}
 */
function resultStream (options) {
  if (fileOnStdout(options) !== undefined) return process.stderr
  const kind = kindOf(process.stdout)
  return kind === 'file' || kind === 'pipe' ? process.stdout : process.stderr
}

/** The name of an option that writes a file to stdout; undefined if there is none. @param {object} options with file names */
function fileOnStdout (options) {
  return ['record', ...resultFileFlags.map(({ name }) => name)].find((name) => STDOUT.test(options[name]))
}

/**
 * @param {object} options
 * @throws {CannonadeError} CANNONADE_BAD_OPTION if two of them write to stdout
 */
function checkStdout (options) {
  const lines = ['json', 'csvLine'].filter((name) => options[name])
  const other = lines[1] ?? fileOnStdout(options)
  if (lines.length === 0 || other === undefined) return
  throw optionProblem(lines[0], words`${named(lines[0])} and ${named(other)} cannot both write to stdout, which has one line for the result and nothing else`)
}

/**
 * Returns the streams whose readers end the run when they go away. If the tables go to a pipe, they are written only at the
 * end, so it is the progress that shows earlier that nobody reads any more, as in `2>&1 | head`. A file keeps the tables,
 * whoever reads the progress.
 *
 * @param {stream.Writable} tables where the tables go
 * @returns {stream.Writable[]}
 */
function watchedStreams (tables) {
  return tables === process.stdout && kindOf(tables) === 'pipe' ? [tables, process.stderr] : [tables]
}

// The pipes of a program that was started by Node.js are sockets. Devices are terminals, /dev/null and so on.
function kindOf ({ fd }) {
  try {
    const stat = fs.fstatSync(fd)
    if (stat.isFile()) return 'file'
    return stat.isFIFO() || stat.isSocket() ? 'pipe' : 'device'
  } catch {
    return 'device'
  }
}

module.exports = { checkStdout, resultStream, watchedStreams }
