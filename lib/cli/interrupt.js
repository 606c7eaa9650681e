'use strict'

// What a shell reports for a process that SIGINT has ended.
const EXIT_CODE = 128 + 2

/**
 * Asks for an orderly end at the first Ctrl-C. At the second, whatever keeps that end from coming, the process exits at
 * once with code 130.
 *
 * @param {function()} stop
 * @returns {function()} ends the watch: Ctrl-C does again what it does in any process
 */
function onInterrupt (stop) {
  let isStopping = false
  function interrupted () {
    if (isStopping) {
      // The next prompt of the shell should not stand in the middle of a progress bar.
      if (process.stderr.isTTY) process.stderr.write('\n')
      process.exit(EXIT_CODE)
    }
    isStopping = true
    stop()
  }
  process.on('SIGINT', interrupted)
  return () => process.removeListener('SIGINT', interrupted)
}

module.exports = { onInterrupt }
