'use strict'

const fs = require('node:fs')

const BLOCK_BYTES = 1024 * 1024
// A line of an access log has a few hundred bytes; one with a recorded body may have a few megabytes. This limit prevents
// a file without line ends, which is not a log, from being read into memory as a whole.
const LONGEST_BYTES = 16 * 1024 * 1024
const NEWLINE = 10

/**
 * Yields the lines of a file, reading one block at a time.
 *
 * @param {string} file
 * @yields {{ text: ?string, number: number, place: number, length: number }} `number` from 1; `place` and `length` in
 *   bytes, without the line end; `text` is null if the line is too long
 */
function * linesOf (file) {
  const handle = fs.openSync(file, 'r')
  try {
    let block = Buffer.allocUnsafe(BLOCK_BYTES)
    let filled = 0
    let place = 0
    let number = 0
    for (;;) {
      const count = fs.readSync(handle, block, filled, block.length - filled, place + filled)
      const end = filled + count
      let start = 0
      for (let newline = block.indexOf(NEWLINE, filled); newline !== -1 && newline < end; newline = block.indexOf(NEWLINE, start)) {
        yield { text: block.toString('utf8', start, newline), number: ++number, place: place + start, length: newline - start }
        start = newline + 1
      }
      if (count === 0) {
        if (end > start) yield { text: block.toString('utf8', start, end), number: ++number, place: place + start, length: end - start }
        return
      }
      place += start
      filled = end - start
      block.copy(block, 0, start, end)
      if (filled === block.length) {
        if (filled >= LONGEST_BYTES) {
          yield { text: null, number: ++number, place, length: filled }
          return
        }
        const larger = Buffer.allocUnsafe(block.length * 2)
        block.copy(larger)
        block = larger
      }
    }
  } finally {
    fs.closeSync(handle)
  }
}

module.exports = { linesOf }
