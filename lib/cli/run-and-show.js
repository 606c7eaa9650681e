'use strict'

const { errorMonitor } = require('node:events')
const Awaitable = require('../base/awaitable')
const { optionProblem } = require('../base/errors')
const { createPlan } = require('../plan')
const { askedFor } = require('../plan/given')
const run = require('../run')
const { nothing } = require('../report/shown')
const track = require('../report/track')
const { clean } = require('../report/text')
const { warnOfIgnored } = require('./curl-line')
const { warnOfExtraWords } = require('./mistaken-words')
const { printFailure } = require('./failure')
const { onInterrupt } = require('./shared/interrupt')
const { hasResultFiles, writeResultFiles } = require('./result-files')
const { resultStream, watchedStreams } = require('./result-stream')
const { printVerdict } = require('./verdict')

/**
 * Executes a load test and displays it as the options say: the result as a line of JSON or CSV on stdout, or as tables on stderr
 * (on stdout if it is redirected to a file or a pipe). The first Ctrl-C, SIGTERM or SIGHUP ends the run, and so does the
 * loss of the output's reader.
 *
 * @param {object} options from parseArguments
 * @returns {Run}
 */
function runAndShow (options) {
  // Display options are removed, since this function displays the run; otherwise the run would do so too.
  const asked = askedFor(options)
  const { json, csvLine, ...ofRun } = asked
  const lineOf = lineFor(asked)
  // Fails before anything is sent if the package is missing.
  const toOpenTelemetry = options.opentelemetry ? require('../watch/opentelemetry') : null
  toOpenTelemetry?.loadApi()
  const instance = run(ofRun)
  toOpenTelemetry?.(instance)
  warnOfSkipped(options)
  const tables = options.outputStream ?? resultStream(options)
  const watched = lineOf ? [process.stdout] : watchedStreams(tables)
  if (options.renderProgressBar !== false) instance.once('dashboard', ({ url }) => process.stderr.write(`Dashboard at ${url}\n`))
  if (options.renderProgressBar !== false) instance.once('prometheus', ({ url }) => process.stderr.write(`Metrics at ${url}\n`))
  // A run that fails midway has a result as well, which says that it covers only a part.
  const onResult = (show) => {
    instance.on('done', show)
    instance.on(errorMonitor, (error) => { if (error?.result?.requests.sent > 0) show(error.result) })
  }
  if (lineOf) onResult((result) => process.stdout.write(lineOf(result)))
  if (!lineOf) track(instance, { ...asked, resultStream: tables })
  // With such a line, only progress is displayed, on stderr.
  else if (options.live || options.statusInterval > 0) track(instance, { ...options, ...nothing })
  if (hasResultFiles(options)) onResult((result) => save(result, instance, options))
  if (options.github) instance.on('done', (result) => gitHubTold(result, lineOf !== null))
  let isInterrupted = false
  instance.on('done', (result) => printVerdict(result, { ...asked, isInterrupted, isLine: lineOf !== null, outputStream: lineOf ? options.outputStream : tables }))

  const letGo = onInterrupt(() => {
    isInterrupted = true
    instance.stop()
  })
  for (const stream of watched) stream.once('error', instance.stop)
  const ended = () => {
    letGo()
    for (const stream of watched) stream.removeListener('error', instance.stop)
  }
  Awaitable.outcomeOf(instance).then(ended, ended)
  return instance
}

// How stdout gets the result as one line; null if it gets tables, or nothing.
function lineFor ({ json, csvLine }) {
  if (json) return require('../report/json')
  return csvLine ? require('../report/csv-line') : null
}

// A file that cannot be written does not fail the run: its result is displayed anyway.
function save (result, instance, options) {
  try {
    writeResultFiles(result, options, { options: instance.opts })
  } catch (error) {
    process.exitCode = printFailure(error)
  }
}

// Programs expect these lines before the run, each unwrapped. The result contains them as warnings.
function warnOfSkipped (options) {
  warnOfExtraWords(options)
  warnOfIgnored(options)
  if (!options.har) return
  try {
    const { warnings } = createPlan(options)
    for (const { message } of warnings.filter(({ code }) => code === 'HAR_REQUESTS_SKIPPED')) {
      process.stderr.write(`${clean(message)}\n`)
    }
  } catch { /* the run says what is wrong */ }
}

// A summary that cannot be written does not fail the run.
function gitHubTold (result, isLine) {
  try {
    require('../report/github')(result, { summary: process.env.GITHUB_STEP_SUMMARY, write: (line) => (isLine ? process.stderr : process.stdout).write(line) })
  } catch (error) {
    process.exitCode = printFailure(optionProblem('github', `--github: the summary cannot be written: ${error.message}`, { cause: error }))
  }
}

module.exports = { runAndShow }
