'use strict'

const fs = require('node:fs')
const { CannonadeError, CODES, optionError, show, showPath, whyUnreadable } = require('../errors')
const { toNumber } = require('./kinds')
const { readEntry } = require('./requests')

// The form of httperf's --wsesslog: a session ends at an empty line, a line that is not indented begins a burst, those that
// are go with it.
const FIELD = /([a-z-]+)\s*=\s*("(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|[^\s"']\S*|$)\s*/iy
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'PATCH'])
const ESCAPES = new Map(Object.entries({ n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b', f: '\f', v: '\v', '\n': '' }))

/**
 * Reads a session log in httperf's form.
 *
 *     # a comment
 *     /index.html think=2.0
 *         /style.css
 *         /logo.png
 *     /order method=POST contents="item=7"
 *
 *     /another/session.html
 *
 * An empty line ends a session. A line that is not indented begins a burst; the indented ones below belong to it. Behind
 * the path there may be `method=`, `contents=` (in quotes, with escapes; a backslash at the end of a line continues it) and
 * `think=`: the pause, in seconds, before what follows the burst. `httperf` sends a Content-length with contents, and so do we.
 *
 * @param {string} text
 * @returns {Array<Array<object|object[]>>} one sequence for each session, in the form of the option `requests`, with arrays
 *   for bursts
 * @throws {CannonadeError} CANNONADE_BAD_OPTION naming the line and what is wrong with it
 */
function parseSessionLog (text) {
  if (typeof text !== 'string') throw optionError('the session log', text, 'a text')
  const sessions = []
  let session = []
  let pause
  const end = () => {
    if (session.length > 0) sessions.push(session.map((burst) => burst.length === 1 ? burst[0] : burst))
    session = []
    pause = undefined
  }
  for (const { line, number } of linesOf(text)) {
    if (/^\s*#/.test(line)) continue
    if (line.trim() === '') {
      end()
      continue
    }
    const { think, ...request } = readLine(line.trim(), number)
    if (/^\s/.test(line)) {
      if (session.length === 0) throw malformed(number, 'it is indented, but there is no line before it that it could go with')
      session.at(-1).push(request)
    } else {
      session.push([pause === undefined ? request : { ...request, thinkTime: pause }])
      pause = undefined
    }
    // A burst has one think time: the one that was written last.
    if (think !== undefined) pause = think
  }
  end()
  if (sessions.length === 0) throw new CannonadeError(CODES.BAD_OPTION, 'the session log holds no session: each line is a path, an empty line ends a session', { option: 'sessions.log' })
  return sessions
}

// The lines, joined where one ends in a backslash, with the number of the first.
function * linesOf (text) {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  for (let index = 0; index < lines.length; index++) {
    const number = index + 1
    let line = lines[index]
    while (/(^|[^\\])(\\\\)*\\$/.test(line) && index + 1 < lines.length) line = `${line.slice(0, -1)}${lines[++index]}`
    yield { line, number }
  }
}

function readLine (line, number) {
  const [path] = /^\S+/.exec(line)
  const request = { path }
  FIELD.lastIndex = path.length + /^\s*/.exec(line.slice(path.length))[0].length
  while (FIELD.lastIndex < line.length) {
    const from = FIELD.lastIndex
    const field = FIELD.exec(line)
    if (field === null) throw malformed(number, `${show(line.slice(from))} is not method=, think= or contents= with a value`)
    readField(request, field[1].toLowerCase(), field[2], number)
  }
  return request
}

function readField (request, name, written, number) {
  const value = unquoted(written)
  switch (name) {
    case 'method':
      if (!METHODS.has(String(value).toUpperCase())) throw malformed(number, `${show(value)} is not a method`)
      request.method = String(value).toUpperCase()
      break
    case 'think': {
      const seconds = toNumber(String(value))
      if (!(seconds >= 0)) throw malformed(number, `think=${value} is not a number of seconds`)
      request.think = seconds
      break
    }
    case 'contents':
      request.body = value
      break
    default:
      throw malformed(number, `${show(name)} is not known: there are method, think and contents`)
  }
}

const ESCAPE = /\\(x[0-9a-f]{1,2}|[0-7]{1,3}|[^])/gi

// A text; bytes where an escape stands for one that is no character of its own in UTF-8.
function unquoted (written) {
  const quote = written[0]
  if (quote !== '"' && quote !== "'") return written
  const inner = written.slice(1, -1)
  if (![...inner.matchAll(ESCAPE)].some(([, escape]) => codeOf(escape) > 0x7f)) return inner.replace(ESCAPE, (_, escape) => meaningOf(escape))
  return Buffer.concat(inner.split(ESCAPE).map((part, index) => index % 2 === 0 ? Buffer.from(part) : Buffer.from(meaningOf(part), 'latin1')))
}

function meaningOf (escape) {
  const code = codeOf(escape)
  return code === null ? ESCAPES.get(escape) ?? escape : String.fromCharCode(code)
}

// The number that an escape gives; null where it gives none.
function codeOf (escape) {
  if (/^x./i.test(escape)) return parseInt(escape.slice(1), 16)
  return /^[0-7]/.test(escape) ? parseInt(escape, 8) & 0xff : null
}

function malformed (number, why) {
  return new CannonadeError(CODES.BAD_OPTION, `line ${number} of the session log: ${why}`, { option: 'sessions.log' })
}

/**
 * The sessions of a log as a plan takes them: each different request once, and the scripts that go through them.
 *
 * @param {string|Array} log a path, or what parseSessionLog returns
 * @returns {{ requests: object[], scripts: Array<Array<{ requests: number[], thinkTime: ?object }>> }}
 */
function readSessionLog (log) {
  const sequences = typeof log === 'string' ? parseSessionLog(readFile(log)) : log
  const known = new Map()
  const requests = []
  const indexOf = (entry, where) => {
    const key = isText(entry) ? JSON.stringify({ ...entry, thinkTime: undefined }) : entry
    if (!known.has(key)) {
      known.set(key, requests.length)
      requests.push(readEntry(entry, where))
    }
    return known.get(key)
  }
  const scripts = sequences.map((sequence, session) => sequence.map((burst, step) => {
    const where = `sessions.log[${session}][${step}]`
    const entries = [burst].flat()
    return { requests: entries.map((entry) => indexOf(entry, where)), thinkTime: readEntry(entries[0] ?? {}, where).thinkTime ?? null }
  }))
  const empty = scripts.findIndex((script) => script.length === 0 || script.some(({ requests }) => requests.length === 0))
  if (empty !== -1) throw optionError(`sessions.log[${empty}]`, sequences[empty], 'an array of at least one request')
  return { requests, scripts }
}

// Where there is nothing but text and numbers, two entries that are written alike are the same request.
function isText (entry) {
  return entry !== null && typeof entry === 'object' && ['path', 'method', 'body', 'title', 'thinkTime'].every((name) => entry[name] === undefined || typeof entry[name] !== 'object') &&
    Object.keys(entry).every((name) => typeof entry[name] !== 'function' && !(entry[name] instanceof Map))
}

function readFile (path) {
  try {
    return fs.readFileSync(path, 'utf8')
  } catch (cause) {
    throw new CannonadeError(CODES.BAD_OPTION, `sessions.log: ${showPath(path)} cannot be read: ${whyUnreadable(cause)}`, { option: 'sessions.log', cause })
  }
}

module.exports = { parseSessionLog, readSessionLog }
