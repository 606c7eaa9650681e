'use strict'

const { distance } = require('fastest-levenshtein')

// More slips than this and it is another word, not a misspelt one: 'form' must not become 'forever'.
function mostSlips (length) {
  if (length <= 3) return 1
  return length <= 6 ? 2 : 3
}

// 'socket-path', 'SocketPath' and 'socket_path' are the same name to a person.
function plain (name) {
  return name.toLowerCase().replace(/[-_\s]/g, '')
}

/**
 * The known name that somebody most likely meant.
 *
 * @param {string} name what was written
 * @param {Iterable<string>} known the names there are
 * @returns {string|undefined} undefined where none is near enough
 */
function suggest (name, known) {
  const written = plain(name)
  const limit = mostSlips(written.length)
  let nearest
  let fewest = Infinity
  for (const candidate of known) {
    const slips = distance(written, plain(candidate))
    if (slips < fewest) {
      nearest = candidate
      fewest = slips
    }
  }
  return fewest <= limit ? nearest : undefined
}

module.exports = { suggest }
