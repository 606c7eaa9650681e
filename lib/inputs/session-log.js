'use strict'

const { isUtf8 } = require('node:buffer')
const fs = require('node:fs')
const { named, optionError, optionProblem, show, showPath, whyUnreadable, words } = require('../base/errors')
const { toNumber } = require('../values/kinds')
const { readEntry } = require('../values/requests')

// The format of httperf's --wsesslog: an empty line ends a session, an unindented line begins a burst, and indented lines
// belong to the burst above.
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'PATCH'])
// The only escapes that httperf knows. It sends any other escaped character as it is.
const ESCAPES = new Map(Object.entries({ n: '\n', r: '\r', t: '\t' }))

const BLANKS = /[^\S\n]*/y
// A backslash at the end of a line continues it between two fields as well.
const BETWEEN_FIELDS = /(?:[^\S\n]|\\\r?\n)*/y
const REST_OF_LINE = /[^\n]*/y
const PATH = /\S+/y
const FIELD_NAME = /[a-z-]+[^\S\n]*=[^\S\n]*/iy
const UNQUOTED = /[^\s"'\\]*/y
const WITHIN = { '"': /[^"\\\n]*/y, "'": /[^'\\\n]*/y }

/**
 * Reads a session log in httperf's format.
 *
 *     # a comment
 *     /index.html think=2.0
 *         /style.css
 *         /logo.png
 *     /order method=POST contents="item=7"
 *
 *     /another/session.html
 *
 * An empty line ends a session. A line that isn't indented begins a burst; the indented lines below it are sent together when it
 * has been answered. The path may be followed by `method=`, `contents=` and `think=`: the pause, in seconds, before what follows the
 * burst. Contents may be quoted; `\n`, `\r` and `\t` have the same meaning as in C, a backslash at the end of a line stands for the
 * newline, and any other backslash for the character after it.
 *
 * @param {string} text
 * @returns {Array<Array<object|object[]>>} one sequence per session, in the format of the option `requests`, with arrays for requests
 *   that are sent together
 * @throws {CannonadeError} CANNONADE_BAD_OPTION with the number of the line and what is wrong with it
 */
function parseSessionLog (text) {
  if (typeof text !== 'string') throw optionError('the session log', text, 'a string')
  const log = new LogText(text.replace(/^\uFEFF/, ''))
  const sessions = []
  let session = []
  let pause
  const end = () => {
    if (session.length > 0) sessions.push(session.flatMap(stepsOf))
    session = []
    pause = undefined
  }
  for (; !log.isAtEnd; log.endLine()) {
    const isIndented = log.take(BLANKS) !== ''
    if (log.isAtLineEnd) {
      end()
      continue
    }
    if (log.next === '#') continue
    const { line } = log
    const { think, ...request } = readRequest(log)
    if (isIndented) {
      if (session.length === 0) throw malformed(line, 'it is indented, but no line before it begins a burst')
      session.at(-1).push(request)
    } else {
      session.push([pause === undefined ? request : { ...request, thinkTime: pause }])
      pause = undefined
    }
    // A burst has one think time; the last one given wins.
    if (think !== undefined) pause = think
  }
  end()
  if (sessions.length === 0) throw optionProblem('sessions.log', 'the session log contains no session: each line is a path, an empty line ends a session')
  return sessions
}

// The first call of a burst is sent alone, and the others once its response has been received.
function stepsOf ([first, ...others]) {
  if (others.length === 0) return [first]
  const [second, ...rest] = others
  const atOnce = { ...second, thinkTime: 0 }
  return [first, rest.length === 0 ? atOnce : [atOnce, ...rest]]
}

/** Scans a text in one pass and tracks the line number. */
class LogText {
  constructor (text) {
    this.text = text
    this.at = 0
    this.line = 1
  }

  get next () {
    return this.text[this.at]
  }

  get isAtEnd () {
    return this.at >= this.text.length
  }

  get isAtLineEnd () {
    return this.isAtEnd || this.next === '\n'
  }

  /** Consumes and returns the match of a sticky pattern at this position; '' if there is none. */
  take (pattern) {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0] ?? ''
    this.at += found.length
    if (found.includes('\n')) this.line += found.split('\n').length - 1
    return found
  }

  endLine () {
    this.take(REST_OF_LINE)
    this.at++
    this.line++
  }
}

function readRequest (log) {
  const { line } = log
  const request = { path: log.take(PATH) }
  for (log.take(BETWEEN_FIELDS); !log.isAtLineEnd; log.take(BETWEEN_FIELDS)) {
    const name = log.take(FIELD_NAME).replace('=', '').trim().toLowerCase()
    if (name === '') throw malformed(line, `${show(log.take(REST_OF_LINE).trim())} is not method=, think= or contents= with a value`)
    readField(request, name, readValue(log), line)
  }
  return request
}

// Reads a value as httperf does: quotes may begin and end anywhere within it, and a space outside quotes ends it.
function readValue (log) {
  const { line } = log
  let value = ''
  for (let quote = null; ;) {
    value += log.take(quote === null ? UNQUOTED : WITHIN[quote])
    const sign = log.next
    if (log.isAtLineEnd) {
      if (quote === null) return value
      throw malformed(line, `a ${quote} is not closed`)
    }
    if (sign === '\\') {
      value += readEscape(log)
      continue
    }
    if (quote === null && sign !== '"' && sign !== "'") return value
    log.at++
    quote = quote === null ? sign : null
  }
}

const ESCAPE = /\\(\r?\n|[^]|$)/y

function readEscape (log) {
  const escaped = log.take(ESCAPE).slice(1)
  return escaped.endsWith('\n') ? '\n' : ESCAPES.get(escaped) ?? escaped
}

function readField (request, name, value, line) {
  switch (name) {
    case 'method':
      if (!METHODS.has(value.toUpperCase())) throw malformed(line, `${show(value)} is not a method`)
      request.method = value.toUpperCase()
      break
    case 'think': {
      const seconds = toNumber(value)
      if (!(seconds >= 0)) throw malformed(line, `think=${show(value)} is not a number of seconds`)
      request.think = seconds
      break
    }
    case 'contents':
      request.body = value
      break
    default:
      throw malformed(line, `${show(name)} is not known: there are method, think and contents`)
  }
}

function malformed (number, why) {
  return optionProblem('sessions.log', `line ${number} of the session log: ${why}`)
}

/**
 * Returns the sessions of a log as a plan needs them: each distinct request once, and scripts that refer to the requests.
 *
 * @param {string|Array} log a path, or what parseSessionLog returns
 * @returns {{ requests: object[], scripts: Array<Array<{ requests: number[], thinkTime: ?object }>> }}
 */
function readSessionLog (log) {
  const sequences = typeof log === 'string' ? readLogFile(log, 'sessions.log') : log
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

// Whether an entry consists only of text and numbers, so that equal entries can share one request.
function isText (entry) {
  return entry !== null && typeof entry === 'object' && ['path', 'method', 'body', 'title', 'thinkTime'].every((name) => entry[name] === undefined || typeof entry[name] !== 'object') &&
    Object.keys(entry).every((name) => typeof entry[name] !== 'function' && !(entry[name] instanceof Map))
}

/**
 * Reads the sessions of a log file. Paths and contents are sent as the file's bytes, even if it is not UTF-8.
 *
 * @param {string} path
 * @param {string} option that names the file, for errors
 * @returns {Array} as parseSessionLog returns them
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function readLogFile (path, option) {
  const bytes = readFile(path, option)
  return isUtf8(bytes) ? parseSessionLog(bytes.toString()) : parseSessionLog(bytes.toString('latin1')).map((session) => session.map(withBytes))
}

function withBytes (step) {
  if (Array.isArray(step)) return step.map(withBytes)
  const path = step.path.replace(/[\x80-\xff]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  return step.body === undefined ? { ...step, path } : { ...step, path, body: Buffer.from(step.body, 'latin1') }
}

function readFile (path, option) {
  try {
    return fs.readFileSync(path)
  } catch (cause) {
    throw optionProblem(option, words`${named(option)}: ${showPath(path)} cannot be read: ${whyUnreadable(cause)}`, { cause })
  }
}

module.exports = { parseSessionLog, readLogFile, readSessionLog }
