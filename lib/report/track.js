'use strict'

const { errorMonitor } = require('node:events')
const { CannonadeError, CODES } = require('../base/errors')
const { unverifiedNote } = require('./summary')
const headline = require('./headline')
const { displayFor, liveSettings } = require('./live')
const printResult = require('./print-result')
const { shownBy, showsResult } = require('./shown')
const { colorsFor, isTerminal } = require('./text')

/**
 * Shows a run: its options; on a terminal a progress bar, and below it the current values, every second; without a terminal a
 * progress line every few seconds; and the result, or the result so far if the run fails. With `forever`, it does so for each round.
 *
 * @param {EventEmitter} instance the return value of `run(opts)`
 * @param {object} [options]
 * @param {object} [options.outputStream] default `process.stderr`
 * @param {object} [options.resultStream] where the result goes, default `outputStream`
 * @param {boolean} [options.renderProgressBar] and the other names of shown.js: what to show. If all tables are disabled, nothing is
 *   printed at the end
 * @param {boolean} [options.verbose] default true; false prints only the summary at the end, without tables
 * @param {boolean} [options.live] on a terminal, use the full screen during the run, with the history of each value, instead
 *   of the progress bar; default false
 * @param {number} [options.statusInterval] without a terminal: seconds between progress lines; default 5, or 0 (none) if
 *   `renderProgressBar` is false
 * @param {string} [options.progressBarString] default `running [:bar] :percent`; see progress-text.js for the tokens
 * @returns {EventEmitter} the instance
 * @throws {CannonadeError} CANNONADE_BAD_ARGUMENT without an instance, CANNONADE_BAD_OPTION
 */
function track (instance, options) {
  if (typeof instance?.on !== 'function') {
    throw new CannonadeError(CODES.BAD_ARGUMENT, 'instance required for tracking')
  }
  const settings = withDefaults(options)
  const screen = screenFor(settings.outputStream)
  const page = settings.resultStream === settings.outputStream ? screen : screenFor(settings.resultStream)
  let display = null
  let underWay = false
  let hasAnswers = false

  function announce (opts, what) {
    if (settings.renderProgressBar) screen.print(headline(opts, what).join('\n') + '\n\n')
  }

  // A warm-up has no progress display, so only its headline is printed.
  function warmUp (warmup) {
    announce({ ...instance.opts, ...warmup, amount: null }, 'warmup')
  }

  function begin () {
    if (underWay) return
    underWay = true
    announce(instance.opts)
    display = displayFor(screen, settings, instance.opts)
    // Listens only for the first error, since a permanent listener would be called for each of possibly millions.
    if (display !== null) instance.once('reqError', trouble)
  }

  function trouble (error) {
    if (!hasAnswers) display?.trouble(error)
  }

  function update (tick) {
    begin()
    hasAnswers ||= tick.counter > 0
    display?.update(tick)
  }

  function end (result) {
    display?.end(result)
    instance.removeListener('reqError', trouble)
    display = null
    underWay = false
    hasAnswers = false
  }

  function linger ({ seconds }) {
    end()
    if (settings.renderProgressBar) screen.print(`The run is over. Waiting at most ${seconds} s for its last metrics to be read.\n`)
  }

  function finish (result) {
    end(result)
    if (!instance.opts.forever) stopListening()
    show(result)
  }

  function show (result) {
    if (!showsResult(settings)) return
    const note = unverifiedNote(instance.opts)
    page.print(printResult(result, { ...settings, outputStream: settings.resultStream }) + (note === '' ? '' : `${note}\n`))
  }

  // The error itself is not printed: the program's error handler reports it.
  function fail (error) {
    end(error?.result)
    stopListening()
    if (!showsResult(settings) || !(error?.result?.requests?.sent > 0)) return
    if (settings.renderProgressBar) screen.print('The run failed. Results so far:\n')
    show(error.result)
  }

  // Uses errorMonitor because an 'error' listener would count as handling the error, which is up to the program.
  const listeners = [['warmup', warmUp], ['start', begin], ['tick', update], ['linger', linger], ['done', finish], [errorMonitor, fail]]
  for (const [event, listener] of listeners) instance.on(event, listener)
  function stopListening () {
    for (const [event, listener] of listeners) instance.removeListener(event, listener)
  }
  return instance
}

function withDefaults (options) {
  const given = options ?? {}
  const outputStream = given.outputStream ?? process.stderr
  return {
    outputStream,
    resultStream: given.resultStream ?? outputStream,
    ...shownBy(given),
    verbose: given.verbose ?? true,
    ...liveSettings(given),
    progressBarString: given.progressBarString ?? `${colorsFor(outputStream).green('running')} [:bar] :percent`
  }
}

// On a terminal, all output goes through the status line, so that it never appears in the middle of another run's
// progress bar.
function screenFor (stream) {
  const canDraw = isTerminal(stream)
  const line = canDraw ? require('./status-line').of(stream) : null
  return { canDraw, line, colors: colorsFor(stream), print: (text) => line ? line.print(text) : stream.write(text) }
}

module.exports = track
