'use strict'

const { tellFailure } = require('./failure')

/**
 * Ignores write errors that occur because the reader of the output has gone away (`| head`, a closed terminal). Any other
 * write error, such as a full disk, is reported and sets the exit code to 1.
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

/** Resolves when everything written so far has been flushed or has failed. */
async function outputWritten () {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.writableLength > 0) await new Promise((resolve) => stream.write('', resolve))
  }
}

module.exports = { guardOutput, outputWritten }
