'use strict'

const os = require('node:os')
const { performance } = require('node:perf_hooks')

// Sent by Ctrl-C; by `timeout`, CI systems and `docker stop`; and when a terminal closes.
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

// One request may arrive as two signals: `timeout` signals its child and then the child's process group, and npm and npx
// forward what the terminal already sent to every process. Nobody presses Ctrl-C twice within this time.
const ECHO_MS = 100

/** The exit code that a shell reports for a process ended by a signal. @param {string} signal */
const exitCodeOf = (signal) => 128 + os.constants.signals[signal]

/**
 * Requests a graceful stop at the first Ctrl-C, SIGTERM or SIGHUP. At the second, the process exits immediately with 128
 * plus the number of the signal.
 *
 * @param {function(string)} stop called with the name of the signal
 * @returns {function()} stops listening, which restores the default effect of signals. If the first signal was not Ctrl-C
 *   (the usual way to end a run), the process will exit with 128 plus its number
 */
function onInterrupt (stop) {
  let first = null
  function interrupted (signal) {
    const now = performance.now()
    if (first === null) {
      first = { signal, at: now }
      stop(signal)
    } else if (now - first.at > ECHO_MS) {
      // Keeps the shell's next prompt off the line of the progress bar.
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
