'use strict'

const { optionProblem, show } = require('../../base/errors')

const ESCAPE = /\\([0-7]{1,3}|[^])/g
const MEANINGS = new Map(Object.entries({ n: '\r\n', r: '\r', a: '\n', '\\': '\\' }))

/**
 * Parses the header fields of `--add-header`. In its texts, `\n` ends a line, `\r` is a carriage return, `\a` a line
 * feed, `\\` a backslash, and `\12` the character with that octal code.
 *
 * @param {string[]} texts
 * @returns {Record<string, string[]>} values by name
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function readHeaders (texts) {
  const fields = {}
  for (const line of texts.flatMap((text) => unescaped(text).split(/\r?\n/))) {
    if (line === '') continue
    const matched = /^([^\s:]+):\s*(.*)$/s.exec(line)
    if (matched === null) throw optionProblem('--add-header', `--add-header must be lines such as 'Accept: */*\\n'; got ${show(line)}`)
    const [, name, value] = matched
    const known = Object.keys(fields).find((each) => each.toLowerCase() === name.toLowerCase()) ?? name
    fields[known] = [...fields[known] ?? [], value]
  }
  return fields
}

function unescaped (text) {
  return text.replace(ESCAPE, (_, escape) => /^[0-7]/.test(escape) ? String.fromCharCode(parseInt(escape, 8) & 0xff) : MEANINGS.get(escape) ?? escape)
}

module.exports = { readHeaders }
