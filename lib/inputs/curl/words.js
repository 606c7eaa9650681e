'use strict'

const { optionProblem } = require('../../base/errors')
const { escapedByte, joined } = require('./bytes')

const SPACE = /\s/
const ESCAPES = new Map(Object.entries({ n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', v: '\v', '\\': '\\', "'": "'", '"': '"', '?': '?' }))
const CODED = /^(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|c([^]))/

/**
 * Splits a command into words as a POSIX shell does: single and double quotes, `$'…'` with its escapes, backslashes, and
 * continued lines. If the line uses `^` throughout instead, as browsers do when they copy for cmd.exe, that is understood
 * too. Nothing is expanded: a `$` stands for itself.
 *
 * @param {string} text
 * @returns {string[]} bytes that are not UTF-8 are escaped as in bytes.js
 * @throws {CannonadeError} CANNONADE_BAD_OPTION if a quote is not closed
 */
function wordsOf (text) {
  return new Words(isForCmd(text) ? fromCmd(text) : text).all()
}

// Detects lines for cmd.exe, such as `--header ^"accept: */*^"`, with a ^ at line ends.
function isForCmd (text) {
  return /\^["\r\n]/.test(text) && !/(^|\s)\$?'/.test(text)
}

// Converts cmd.exe escapes: ^ makes the next character literal, and \" is a quote within a word.
function fromCmd (text) {
  return text.replace(/\^\r?\n\s*/g, (_) => ' ').replace(/\^([^])/g, '$1').replace(/\\(["\\])/g, '\\$1')
}

class Words {
  constructor (text) {
    this.text = text
    this.at = 0
  }

  all () {
    const words = []
    for (let word = this.next(); word !== null; word = this.next()) words.push(word)
    return words
  }

  next () {
    while (this.at < this.text.length && (SPACE.test(this.text[this.at]) || this.continued())) this.at += this.continued() || 1
    if (this.at >= this.text.length) return null
    let word = ''
    while (this.at < this.text.length && !SPACE.test(this.text[this.at])) {
      const skip = this.continued()
      if (skip > 0) this.at += skip
      else word += this.piece()
    }
    return joined(word)
  }

  // Returns the length of a line continuation (backslash and line end) at this position; 0 if there is none.
  continued () {
    return /^\\\r?\n/.exec(this.text.slice(this.at, this.at + 3))?.[0].length ?? 0
  }

  piece () {
    const { text, at } = this
    if (text.startsWith("$'", at)) return this.quoted(at + 2, "'", ansi)
    if (text[at] === "'") return this.quoted(at + 1, "'", null)
    if (text[at] === '"') return this.quoted(at + 1, '"', inDoubleQuotes)
    if (text[at] === '\\' && at + 1 < text.length) {
      this.at += 2
      return text[at + 1]
    }
    this.at++
    return text[at]
  }

  quoted (from, quote, unescape) {
    const { text } = this
    let content = ''
    let at = from
    while (at < text.length && text[at] !== quote) {
      const escape = unescape !== null && text[at] === '\\' ? unescape(text, at + 1) : null
      content += escape === null ? text[at] : escape.text
      at += escape === null ? 1 : 1 + escape.length
    }
    if (at >= text.length) throw optionProblem('curl', `the curl line has a ${quote} that is not closed`)
    this.at = at + 1
    return content
  }
}

function inDoubleQuotes (text, at) {
  if (text[at] === '\n') return { text: '', length: 1 }
  return '"\\$`'.includes(text[at]) ? { text: text[at], length: 1 } : null
}

// Escapes in $'…': \xHH and \NNN are bytes, \u and \U are characters, and unknown escapes keep their backslash.
function ansi (text, at) {
  const coded = CODED.exec(text.slice(at, at + 9))
  if (coded === null) return ESCAPES.has(text[at]) ? { text: ESCAPES.get(text[at]), length: 1 } : null
  const [{ length }, hex, octal, short, long, control] = coded
  if (control !== undefined) return { text: String.fromCharCode(control.charCodeAt(0) & 0x1f), length }
  if (short !== undefined || long !== undefined) return { text: String.fromCodePoint(Math.min(parseInt(short ?? long, 16), 0x10ffff)), length }
  const byte = hex === undefined ? parseInt(octal, 8) & 0xff : parseInt(hex, 16)
  return { text: byte < 0x80 ? String.fromCharCode(byte) : escapedByte(byte), length }
}

module.exports = wordsOf
