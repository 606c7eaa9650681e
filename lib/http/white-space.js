'use strict'

/**
 * A text without the spaces and tabs at both ends, as HTTP means it. What `trim` takes away besides may be a byte of UTF-8: header
 * fields are read as Latin-1, in which `à` ends in a no-break space.
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
