'use strict'

// With more differences than this, it is another word and not a misspelled one: 'form' must not suggest 'forever'.
function mostSlips (length) {
  if (length <= 3) return 1
  return length <= 6 ? 2 : 3
}

// People consider 'socket-path', 'SocketPath' and 'socket_path' to be the same name.
function plain (name) {
  return name.toLowerCase().replace(/[-_\s]/g, '')
}

/**
 * Finds the known name that was most likely meant.
 *
 * @param {string} name what was written
 * @param {Iterable<string>} known all valid names
 * @returns {string|undefined} undefined if none is similar enough
 */
function suggest (name, known) {
  // Loaded when something was misspelled, which is rare.
  const { distance } = require('fastest-levenshtein')
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

/**
 * The end of a sentence about a name that is not known.
 *
 * @param {string} name
 * @param {Iterable<string>} known
 * @param {string} [otherwise] if no name is similar
 * @param {function(string): string} [shown] how names are written
 * @returns {string} such as ": did you mean 'duration'?"
 */
function didYouMean (name, known, otherwise = '', shown = String) {
  const meant = suggest(name, known)
  return meant === undefined ? otherwise : `: did you mean ${shown(meant)}?`
}

module.exports = { didYouMean, suggest }
