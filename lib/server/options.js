'use strict'

const { named, optionError, optionProblem, words } = require('../base/errors')

const WEBSOCKET_KINDS = ['echo', 'broadcast', 'chat']
const LONGEST_DELAY_MS = 3_600_000
const LARGEST_BODY = 256 * 1024 * 1024
const MOST_WORKERS = 128

/**
 * The options of `startServer`: one entry per option, with its default, its help text, and a function that converts the user's
 * value (or throws CANNONADE_BAD_OPTION). Numbers may be strings, because they often come from a command line or an
 * environment variable.
 */
const serverOptions = Object.freeze([
  {
    name: 'port',
    default: 9090,
    help: 'port to listen on; 0 picks a free one',
    parse: (value) => integer('port', value, 0, 65535)
  },
  {
    name: 'host',
    default: 'localhost',
    help: 'name or address to listen on; localhost means 127.0.0.1 and ::1',
    parse: (value) => {
      if (typeof value !== 'string' || value.trim() === '') throw optionError('host', value, 'a host name or an address')
      return value.trim().replace(/^\[(.*)\]$/, '$1')
    }
  },
  {
    name: 'http2',
    default: false,
    help: 'serve HTTP/2 without TLS (prior knowledge) instead of HTTP/1.1',
    parse: (value) => truth('http2', value)
  },
  {
    name: 'websocket',
    default: null,
    help: 'serve WebSocket: echo, broadcast (to all), or chat (to all at the same path); needs the package ws',
    choices: WEBSOCKET_KINDS,
    parse: (value) => oneOf('websocket', value, WEBSOCKET_KINDS)
  },
  {
    name: 'workers',
    default: 1,
    help: 'processes that share the port; 1 serves in this process',
    parse: (value) => integer('workers', value, 1, MOST_WORKERS)
  },
  {
    name: 'delay',
    default: 0,
    help: 'milliseconds to wait before each response: 20, 0.5, or a random time in a range, 5-20',
    parse: parseDelay
  },
  {
    name: 'status',
    default: 200,
    help: 'status code of responses',
    parse: (value) => integer('status', value, 200, 599)
  },
  {
    name: 'bodySize',
    default: null,
    help: 'bytes of each body (default: a short text with the number of the request)',
    parse: (value) => integer('bodySize', value, 0, LARGEST_BODY)
  },
  {
    name: 'errorRate',
    default: 0,
    help: 'share of responses with status 500, evenly spread: 0.1 or 10%',
    parse: parseShare
  },
  {
    name: 'verbose',
    default: false,
    help: 'print one line for each request',
    parse: (value) => truth('verbose', value)
  }
])

/**
 * Checks and completes the user's options. The result is plain data that can be sent to another process.
 *
 * @param {object} [opts] the user's options; undefined and null count as not given
 * @returns {object} all options by name; `delay` is `{ from, to }` in ms, `errorRate` a number from 0 to 1
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function parseServerOptions (opts = {}) {
  if (opts === null || typeof opts !== 'object') throw optionError('the options of the server', opts, 'an object')
  refuseUnknown(opts)

  const parsed = {}
  for (const option of serverOptions) {
    const value = opts[option.name] ?? option.default
    parsed[option.name] = value === null ? null : option.parse(value)
  }
  checkWebSocket(parsed)
  return parsed
}

// With a mistyped name, the server would silently ignore the option.
function refuseUnknown (opts) {
  const known = serverOptions.map((option) => option.name)
  for (const name of Object.keys(opts)) {
    if (known.includes(name)) continue
    throw optionProblem(name, words`${named(name)} is not an option of the server; the options are ${known.join(', ')}`)
  }
}

function parseDelay (value) {
  const allowed = 'milliseconds (like 20 or 0.5), or a range like 5-20 or { from: 5, to: 20 }, at most an hour'
  let from = value
  let to = value
  if (typeof value === 'string' && value.includes('-')) {
    [from, to] = splitRange(value)
  } else if (typeof value === 'object') {
    ({ from, to } = value)
  }
  const range = { from: toNumber(from), to: toNumber(to) }
  if (!(range.from >= 0 && range.to >= range.from && range.to <= LONGEST_DELAY_MS)) {
    throw optionError('delay', value, allowed)
  }
  return range
}

function splitRange (text) {
  const parts = text.split('-')
  return parts.length === 2 ? parts : [NaN, NaN]
}

function parseShare (value) {
  const percent = typeof value === 'string' && value.trim().endsWith('%')
  const share = percent ? toNumber(value.trim().slice(0, -1)) / 100 : toNumber(value)
  if (!(share >= 0 && share <= 1)) throw optionError('errorRate', value, 'a share from 0 to 1, or from 0% to 100%')
  return share
}

function oneOf (name, value, known) {
  if (!known.includes(value)) throw optionError(name, value, known.map((each) => `'${each}'`).join(' or '))
  return value
}

// A process doesn't know the clients of the other processes.
function checkWebSocket ({ websocket, http2, workers }) {
  const conflict = http2 ? 'http2' : websocket !== 'echo' && workers > 1 ? 'workers' : null
  if (websocket === null || conflict === null) return
  const why = conflict === 'http2' ? 'WebSocket uses HTTP/1.1' : 'a process does not know which clients are connected to another'
  throw optionProblem('websocket', words`${named('websocket')} and ${named(conflict)} cannot be given together: ${why}`)
}

function truth (name, value) {
  if (typeof value !== 'boolean') throw optionError(name, value, 'true or false')
  return value
}

function integer (name, value, least, most) {
  const number = toNumber(value)
  if (!Number.isInteger(number) || number < least || number > most) {
    throw optionError(name, value, `a whole number from ${least} to ${most}`)
  }
  return number
}

// Decimal notation only: Number() would accept '', '0x10' and true, too.
function toNumber (value) {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\s*(\d+(\.\d*)?|\.\d+)\s*$/.test(value) ? Number(value) : NaN
}

module.exports = { serverOptions, parseServerOptions }
