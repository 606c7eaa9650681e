'use strict'

// More slips than this and it is another word, not a misspelt one: 'form' must not become 'forever'.
function mostSlips (length) {
  if (length <= 3) return 1
  return length <= 6 ? 2 : 3
}

// 'socket-path', 'SocketPath' and 'socket_path' are the same name to a person.
function plain (name) {
  return name.toLowerCase().replace(/[-_\s]/g, '')
}

// Levenshtein's: how many letters have to be put in, taken out or changed. Of the table of all beginnings of both, one line
// at a time.
function distance (a, b) {
  let line = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const next = [row]
    for (let column = 1; column <= b.length; column++) {
      const changed = line[column - 1] + (a[row - 1] === b[column - 1] ? 0 : 1)
      next.push(Math.min(changed, line[column] + 1, next[column - 1] + 1))
    }
    line = next
  }
  return line[b.length]
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
