'use strict'

const path = require('node:path')
const { inspect } = require('node:util')
const { HIDDEN, isSecret, withoutSecrets } = require('../outside/secrets')
const { withoutCommands, withoutUnseen } = require('../outside/text')
const { Sentence, either, named, words } = require('./sentence')

/**
 * The stable codes a user can meet. Tests and programs match on these, never on the sentences.
 *
 * The first group is thrown (or rejects, or goes to the callback); the second names what happened to a request or
 * a connection and appears in `result.errorCodes` beside the system's own codes (ECONNREFUSED, …).
 */
const CODES = Object.freeze({
  BAD_OPTION: 'CANNONADE_BAD_OPTION',
  BAD_ARGUMENT: 'CANNONADE_BAD_ARGUMENT',
  BAD_RESULT: 'CANNONADE_BAD_RESULT',
  BAD_SEQUENCE: 'CANNONADE_BAD_SEQUENCE',
  BAD_THRESHOLD: 'CANNONADE_BAD_THRESHOLD',
  HOOK_FAILED: 'CANNONADE_HOOK_FAILED',
  WORKER_FAILED: 'CANNONADE_WORKER_FAILED',
  CLIENT_MISUSE: 'CANNONADE_CLIENT_MISUSE',
  SERVER_FAILED: 'CANNONADE_SERVER_FAILED',
  MISSING_PACKAGE: 'CANNONADE_MISSING_PACKAGE',
  REDIS_FAILED: 'CANNONADE_REDIS_FAILED',
  AGENTS_MISSING: 'CANNONADE_AGENTS_MISSING',
  AGENT_REFUSED: 'CANNONADE_AGENT_REFUSED',
  AGENT_LOST: 'CANNONADE_AGENT_LOST',

  PROXY_REFUSED: 'CANNONADE_PROXY_REFUSED',
  CONNECT_TIMEOUT: 'CANNONADE_CONNECT_TIMEOUT',
  RESPONSE_TIMEOUT: 'CANNONADE_RESPONSE_TIMEOUT',
  BAD_RESPONSE: 'CANNONADE_BAD_RESPONSE',
  TRUNCATED_RESPONSE: 'CANNONADE_TRUNCATED_RESPONSE',
  CLOSED_BY_SERVER: 'CANNONADE_CLOSED_BY_SERVER',
  LOST_IN_PIPELINE: 'CANNONADE_LOST_IN_PIPELINE',
  SESSION_FAILED: 'CANNONADE_SESSION_FAILED',
  NO_HTTP2: 'CANNONADE_NO_HTTP2',
  STREAM_RESET: 'CANNONADE_STREAM_RESET',
  GOAWAY: 'CANNONADE_GOAWAY',
  BAD_HANDSHAKE: 'CANNONADE_BAD_HANDSHAKE',
  BAD_FRAME: 'CANNONADE_BAD_FRAME'
})

// Ours, and that of the system.
const DEADLINES = new Set([CODES.CONNECT_TIMEOUT, CODES.RESPONSE_TIMEOUT, 'ETIMEDOUT'])

/** Whether an error of this code says that a deadline has passed: what failed by it might have come to its end, later. */
function isDeadline (code) {
  return DEADLINES.has(code)
}

// What errors say, as data. Not a property: an inspected error would show it.
const sentences = new WeakMap()

/** What an error says, for whoever names options in another way. @returns {Sentence|undefined} */
function sentenceOf (error) {
  return sentences.get(error)
}

/** Every error this library throws on purpose. `code` is one of CODES. */
class CannonadeError extends Error {
  /**
   * @param {string} code one of CODES
   * @param {string|Sentence} message one sentence a person can act on
   * @param {object} [extra] further fields: `option`, `cause`, `result`, …
   */
  constructor (code, message, extra) {
    super(String(message), extra && 'cause' in extra ? { cause: extra.cause } : undefined)
    if (message instanceof Sentence) sentences.set(this, message)
    this.name = 'CannonadeError'
    this.code = code
    if (extra) {
      for (const key of Object.keys(extra)) {
        if (key !== 'cause') this[key] = extra[key]
      }
    }
  }
}

// A value of the user's own may be huge (a body, a whole options object), or hold secrets: show enough to recognise it, on
// one line.
function show (value) {
  const inspected = inspect(harmless(value), { depth: 1, breakLength: Infinity, maxArrayLength: 5, maxStringLength: 60 })
  // An error comes with the lines of its stack.
  const text = withoutCommands(inspected.replace(/\s*\n\s*/g, ' '))
  return text.length > 80 ? text.slice(0, 77) + '...' : text
}

/** A path, on one line: all of it, since its end says most. */
function showPath (path) {
  return inspect(harmless(path), { breakLength: Infinity, maxStringLength: null })
}

const MOST_LOOKED_AT = 1000

// As much of a value as is shown at all. Secrets are to be seen only while nothing has been cut off.
function harmless (value, depth = 0) {
  if (typeof value === 'string') return withoutSecrets(withoutUnseen(value.slice(0, MOST_LOOKED_AT)))
  if (depth > 1 || value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.slice(0, MOST_LOOKED_AT).map((part) => harmless(part, depth + 1))
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).slice(0, MOST_LOOKED_AT)
    .map(([name, part]) => [name, typeof part === 'string' && isSecret(name) ? HIDDEN : harmless(part, depth + 1)]))
}

// `headers['Authorization']`: what has a name of the user's own may be a secret as a whole.
const isNamedSecret = (name) => /\['([^']*)'\]$/.test(name) && isSecret(/\['([^']*)'\]$/.exec(name)[1])

/**
 * A bad option: which, what was given, what is allowed. The three are data until somebody reads the error: `message` names
 * the option as programs do, and the command puts the same into words with its flags.
 *
 * @param {string} option its path, such as 'duration' or 'stages[0].rate'
 * @param {*} value what was given
 * @param {string|Sentence} allowed completes "must be …"
 * @param {string|Sentence} [name] of the option in the sentence
 * @returns {CannonadeError} code CANNONADE_BAD_OPTION, with `option`
 */
function optionError (option, value, allowed, name = named(option)) {
  return optionProblem(option, words`${name} must be ${allowed}; ${gotInWords(option, value)}`)
}

/**
 * Anything else that is wrong with an option.
 *
 * @param {string} option its path
 * @param {string|Sentence} sentence other options in it as `named(path)`
 * @param {object} [extra] further fields, such as `cause`
 * @returns {CannonadeError} code CANNONADE_BAD_OPTION, with `option`
 */
function optionProblem (option, sentence, extra) {
  return new CannonadeError(CODES.BAD_OPTION, sentence, { option, ...extra })
}

/**
 * Two options that contradict each other.
 *
 * @param {string} option its path; may be followed by a value, as in "websocket.expect: 'nothing'"
 * @param {string} other likewise
 * @param {string|Sentence} why
 * @returns {CannonadeError} code CANNONADE_BAD_OPTION, with `option`
 */
function contradiction (option, other, why) {
  return optionProblem(option, words`${withValue(option)} and ${withValue(other)} cannot be given together: ${why}`)
}

/** An option in a sentence, which may have its value behind it: "websocket.expect: 'nothing'". */
function withValue (text) {
  const colon = text.indexOf(':')
  return colon === -1 ? named(text) : words`${named(text.slice(0, colon))}${text.slice(colon)}`
}

function gotInWords (name, value) {
  if (value === undefined) return 'it is missing'
  return `got ${isNamedSecret(name) ? 'another value' : show(value)}`
}

/**
 * What the user's code has thrown, as an error that says where: which hook, and the place in its code. Errors of ours that it let through say it themselves.
 *
 * @param {string} name of the hook, or in words what it was
 * @param {*} cause
 * @returns {CannonadeError} code CANNONADE_HOOK_FAILED, with `cause`
 */
function hookError (name, cause) {
  if (cause instanceof CannonadeError) return cause
  return new CannonadeError(CODES.HOOK_FAILED, words`${named(name)} failed: ${reasonOf(cause)}${placeInWords(cause)}`, { cause })
}

const OWN_CODE = path.join(__dirname, '..', path.sep)

// The first line of the stack in code that is neither ours nor Node's own: where the user has to look.
function placeInWords (cause) {
  if (!(cause instanceof Error) || typeof cause.stack !== 'string') return ''
  const places = [...cause.stack.matchAll(/^ {4}at (?:async )?(?:.*\()?(?:file:\/\/)?([^()\n]+:\d+:\d+)\)?$/gm)].map(([, place]) => place)
  const place = places.find((each) => !each.startsWith('node:') && !each.startsWith(OWN_CODE))
  return place === undefined ? '' : ` (at ${place})`
}

/** What was thrown, which may be anything, in words. */
function reasonOf (cause) {
  return cause instanceof Error ? cause.message : typeof cause === 'string' ? cause : show(cause)
}

/**
 * A function that reads a result, which may come from a file that anybody has written: a part that is not what it should be is
 * an error that says so, wherever it is met.
 *
 * @param {function} read such as `toHTML`
 * @returns {function} the same; throws a CannonadeError with code CANNONADE_BAD_RESULT in the place of a TypeError or RangeError
 */
function readingResults (read) {
  const reader = (...args) => {
    try {
      return read(...args)
    } catch (cause) {
      if (!(cause instanceof TypeError || cause instanceof RangeError)) throw cause
      throw new CannonadeError(CODES.BAD_RESULT, `This cannot be read as a result: ${cause.message}`, { cause })
    }
  }
  return Object.defineProperty(reader, 'name', { value: read.name })
}

const UNREADABLE = new Map([
  ['ENOENT', 'it does not exist'],
  ['ENOTDIR', 'it does not exist'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'this user may not read it']
])

/** Why a file that the user has named cannot be read, in words. @param {Error} cause as Node's fs throws it */
function whyUnreadable (cause) {
  return UNREADABLE.get(cause.code) ?? cause.message
}

/** A time in words: '1 second', '0.5 seconds'. */
function secondsInWords (seconds) {
  return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
}

module.exports = {
  CannonadeError,
  CODES,
  Sentence,
  contradiction,
  either,
  hookError,
  isDeadline,
  named,
  optionError,
  optionProblem,
  readingResults,
  reasonOf,
  secondsInWords,
  sentenceOf,
  show,
  showPath,
  whyUnreadable,
  withValue,
  words
}
