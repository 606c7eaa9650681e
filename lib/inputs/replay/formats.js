'use strict'

const { show } = require('../../base/errors')
const { toNumber, isGiven, isObject } = require('../../values/kinds')
const { headers, isHeaderValue } = require('../../values/headers')
const { method } = require('../../values/method')
const { path } = require('../../values/requests')
const { dateOf, readISODate, zoneOf, LATEST_MS } = require('../iso-date')
const { NOT_REPLAYED } = require('../not-replayed')

const MONTHS = new Map(['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'].map((name, index) => [name, index]))
// host ident user [time] "request" status bytes, and in the combined format "referer" "user agent". The user name may
// contain spaces and brackets. Each bracket is tried only once and times are short, so matching takes time linear in the
// length of the line.
const LOG_LINE = /^\S+ \S+ .*?\[([^\][]{1,60})\] "([^"\\]*(?:\\.[^"\\]*)*)"(?: \S+ \S+(?: "([^"\\]*(?:\\.[^"\\]*)*)" "([^"\\]*(?:\\.[^"\\]*)*)")?)?/
const LOG_TIME = /^(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}):(\d{2}):(\d{2}) ([+-])(\d{2})(\d{2})$/
const REQUEST_LINE = /^(\S+) (\S+)(?: HTTP\/\d(?:\.\d)?)?$/
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\\/?#]*/i

/** Thrown with the reason why a line does not match its format. */
class Malformed extends Error {}

let lastTime = { text: '', ms: NaN }

// Caches the last time, since many lines have the same second.
function readLogTime (text) {
  if (text !== lastTime.text) lastTime = { text, ms: parseLogTime(text) }
  return lastTime.ms
}

function parseLogTime (text) {
  const parts = LOG_TIME.exec(text)
  if (parts === null || !MONTHS.has(parts[2])) throw new Malformed('its time is not like 10/Oct/2000:13:55:36 -0700')
  const [, day, month, year, hours, minutes, seconds, sign, zoneHours, zoneMinutes] = parts
  const time = dateOf(Number(year), MONTHS.get(month) + 1, Number(day), Number(hours), Number(minutes), Number(seconds)) - zoneOf(sign, Number(zoneHours), Number(zoneMinutes))
  if (Number.isNaN(time)) throw new Malformed(`its time is not a valid date: ${text}`)
  return time
}

// Servers escape quotes within a field as \" or \x22.
function unescape (text) {
  return text.includes('\\') ? text.replace(/\\(?:x([0-9a-f]{2})|(.))/gi, (_, hex, other) => hex === undefined ? other : String.fromCharCode(parseInt(hex, 16))) : text
}

function readLogLine (line, withClient) {
  const parts = LOG_LINE.exec(line)
  if (parts === null) throw new Malformed('it is not a line of an access log: host ident user [time] "request" status bytes')
  const [, time, request, referer, agent] = parts
  const words = REQUEST_LINE.exec(unescape(request))
  if (words === null) throw new Malformed(`its request is not a method and a path: ${show(request)}`)
  const read = { time: readLogTime(time), method: readMethod(words[1]), path: readPath(words[2]) }
  return withClient ? { ...read, headers: clientHeaders(referer, agent) } : read
}

// Returns headers in the form of `headers.read`. Values that no client could have sent are dropped.
function clientHeaders (referer, agent) {
  const read = new Map()
  for (const [name, value] of [['Referer', referer], ['User-Agent', agent]]) {
    if (value === undefined || value === '-' || value === '') continue
    const text = unescape(value)
    if (isHeaderValue(text)) read.set(name.toLowerCase(), { name, values: [text] })
  }
  return read
}

function readMethod (given) {
  return read('method', () => method.read(given, 'method'))
}

// Proxies log the full URL, so the origin is removed.
function readPath (given) {
  if (typeof given !== 'string') throw new Malformed('it has no path')
  return path.read(given.replace(ORIGIN, ''), 'path')
}

function read (what, readPart) {
  try {
    return readPart()
  } catch (error) {
    throw new Malformed(`its ${what} cannot be sent: ${error.message}`)
  }
}

function readJsonLine (line) {
  let given
  try {
    given = JSON.parse(line)
  } catch {
    throw new Malformed('it is not JSON')
  }
  if (!isObject(given)) throw new Malformed('it is not an object with time and path')
  const { time, method = 'GET', path, headers: fields, body, title } = given
  for (const [name, value] of Object.entries({ body, title })) {
    if (isGiven(value) && typeof value !== 'string') throw new Malformed(`its ${name} is not a string`)
  }
  return {
    time: readTime(time),
    method: readMethod(method),
    path: readPath(path),
    headers: !isGiven(fields) ? undefined : replayed(read('headers', () => headers.read(fields, 'headers'))),
    body: body ?? undefined,
    title: title || undefined
  }
}

// Accepts ISO 8601, or milliseconds since 1970.
function readTime (given) {
  const ms = toNumber(given) ?? (typeof given === 'string' ? readISODate(given) : NaN)
  if (!(Math.abs(ms) <= LATEST_MS)) throw new Malformed('its time is neither a valid ISO 8601 date nor a number of milliseconds')
  return ms
}

function replayed (read) {
  for (const name of NOT_REPLAYED) read.delete(name)
  return read
}

/**
 * For each format: a function that parses a line to `{ time (ms), method, path, headers, body, title }`, or throws Malformed.
 */
const READERS = {
  common: (line) => readLogLine(line, false),
  combined: (line) => readLogLine(line, true),
  jsonl: readJsonLine
}

/**
 * Detects the format of a line; null if it is unknown.
 *
 * @param {string} line
 * @returns {?string}
 */
function formatOf (line) {
  if (line.trimStart().startsWith('{')) return isHar(line) ? 'har' : isReadable(READERS.jsonl, line) ? 'jsonl' : null
  const parts = LOG_LINE.exec(line)
  if (parts === null || !isReadable(READERS.common, line)) return null
  return parts[3] === undefined ? 'common' : 'combined'
}

// The first line of a HAR file is either the whole object, or only its beginning.
function isHar (line) {
  try {
    return isObject(JSON.parse(line).log)
  } catch {
    return /^\s*\{\s*("log"|$)/.test(line)
  }
}

function isReadable (readLine, line) {
  try {
    readLine(line)
    return true
  } catch (error) {
    if (error instanceof Malformed) return false
    throw error
  }
}

module.exports = { READERS, Malformed, formatOf }
