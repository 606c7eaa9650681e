'use strict'

const os = require('node:os')
const { performance } = require('node:perf_hooks')

// Ctrl-C; what `timeout`, CI systems and `docker stop` send; a terminal that is closed.
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

// One wish may come as two signals: `timeout` signals its child and then the group that the child is in, npm and npx pass on
// what the terminal has sent to everybody already. Nobody presses Ctrl-C twice as fast as this.
const ECHO_MS = 100

/** What a shell reports for a process that a signal has ended. @param {string} signal */
const exitCodeOf = (signal) => 128 + os.constants.signals[signal]

/**
 * Asks for an orderly end at the first Ctrl-C, SIGTERM or SIGHUP. At the second, whatever keeps that end from coming, the
 * process exits at once with 128 and the number of the signal.
 *
 * @param {function(string)} stop called with the name of the signal
 * @returns {function()} ends the watch: signals do again what they do in any process. Where it was another signal than
 *   Ctrl-C, which is how a person ends a run, the exit code of the process will be 128 and its number
 */
function onInterrupt (stop) {
  let first = null
  function interrupted (signal) {
    const now = performance.now()
    if (first === null) {
      first = { signal, at: now }
      stop(signal)
    } else if (now - first.at > ECHO_MS) {
      // The next prompt of the shell should not stand in the middle of a progress bar.
      if (process.stderr.isTTY) process.stderr.write('\n')
      process.exit(exitCodeOf(signal))
    }
  }
  for (const signal of SIGNALS) process.on(signal, interrupted)
  return () => {
    for (const signal of SIGNALS) process.removeListener(signal, interrupted)
    if (first !== null && first.signal !== 'SIGINT') process.exitCode = exitCodeOf(first.signal)
  }
}

module.exports = { exitCodeOf, onInterrupt }
