'use strict'

/** Whether the same bytes are repeated `count` times: compares the bytes with themselves, shifted by one length. */
function repeats (buffer, start, length, count) {
  return buffer.compare(buffer, start + length, start + count * length, start, start + (count - 1) * length) === 0
}

module.exports = repeats
