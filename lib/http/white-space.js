'use strict'

/**
 * Removes spaces and tabs at both ends, as HTTP defines it. `trim` would remove more, which may be part of a UTF-8 character: header
 * fields are decoded as Latin-1, in which the UTF-8 bytes of `à` end in a no-break space.
 *
 * @param {string} text
 * @returns {string}
 */
function trimSpaces (text) {
  let start = 0
  let end = text.length
  while (start < end && isSpace(text.charCodeAt(start))) start++
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isSpace (code) {
  return code === 0x20 || code === 0x09
}

module.exports = trimSpaces
