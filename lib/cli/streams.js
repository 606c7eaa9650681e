'use strict'

const { tellFailure } = require('./failure')

/**
 * Keeps the process alive when whoever reads its output goes away (`| head`, a terminal that is closed): nobody is left to
 * be told of that. Any other failure to write, a full disk for instance, is said and makes the exit code 1.
 */
function guardOutput () {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (error.code === 'EPIPE' || (error.code === 'EIO' && stream.isTTY)) return
      process.exitCode = 1
      if (stream !== process.stderr) tellFailure(error)
    })
  }
}

/** Resolves when everything written so far is out, or cannot be. */
async function outputWritten () {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.writableLength > 0) await new Promise((resolve) => stream.write('', resolve))
  }
}

module.exports = { guardOutput, outputWritten }
