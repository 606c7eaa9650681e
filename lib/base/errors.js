'use strict'

const { inspect } = require('node:util')
const { HIDDEN, isSecret, withoutSecrets } = require('../outside/secrets')
const { withoutCommands, withoutUnseen } = require('../outside/text')
const { Sentence, either, named, words } = require('./sentence')
const { isError, userPlaceOf } = require('./user-code')

/**
 * The stable error codes that users may see. Tests and programs should match on these, never on the sentences.
 *
 * The first group is thrown (or rejects, or is passed to the callback). The second names what happened to a request or a connection,
 * and appears in `result.errorCodes` along with system error codes (ECONNREFUSED, …).
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
  BODY_TOO_LONG: 'CANNONADE_BODY_TOO_LONG',
  TRUNCATED_RESPONSE: 'CANNONADE_TRUNCATED_RESPONSE',
  CLOSED_BY_SERVER: 'CANNONADE_CLOSED_BY_SERVER',
  LOST_IN_PIPELINE: 'CANNONADE_LOST_IN_PIPELINE',
  SESSION_FAILED: 'CANNONADE_SESSION_FAILED',
  SESSION_ENDED: 'CANNONADE_SESSION_ENDED',
  FAIL_ON: 'CANNONADE_FAIL_ON',
  NO_HTTP2: 'CANNONADE_NO_HTTP2',
  STREAM_RESET: 'CANNONADE_STREAM_RESET',
  GOAWAY: 'CANNONADE_GOAWAY',
  BAD_HANDSHAKE: 'CANNONADE_BAD_HANDSHAKE',
  BAD_FRAME: 'CANNONADE_BAD_FRAME'
})

// Our own codes, and that of the system.
const DEADLINES = new Set([CODES.CONNECT_TIMEOUT, CODES.RESPONSE_TIMEOUT, 'ETIMEDOUT'])

/** Whether an error with this code means that a deadline passed: without it, the operation might have succeeded later. */
function isDeadline (code) {
  return DEADLINES.has(code)
}

// Messages of errors, as data. Not a property, because it would be shown when an error is inspected.
const sentences = new WeakMap()

/** The message of an error as data, for callers that use other names for options. @returns {Sentence|undefined} */
function sentenceOf (error) {
  return sentences.get(error)
}

const ours = new WeakSet()

/** Every error this library throws on purpose. `code` is one of CODES. */
class CannonadeError extends Error {
  /**
   * @param {string} code one of CODES
   * @param {string|Sentence} message one sentence that a person can act on
   * @param {object} [extra] further fields: `option`, `cause`, `result`, …
   */
  constructor (code, message, extra) {
    super(String(message), extra && 'cause' in extra ? { cause: extra.cause } : undefined)
    if (message instanceof Sentence) sentences.set(this, message)
    ours.add(this)
    this.name = 'CannonadeError'
    this.code = code
    if (extra) {
      for (const key of Object.keys(extra)) {
        if (key !== 'cause') this[key] = extra[key]
      }
    }
  }
}

/** Whether something that was thrown is one of our errors. `instanceof` would run the code of a proxy, which may throw as well. */
function isOurs (thrown) {
  return ours.has(thrown)
}

// The lines of the stack of an inspected error, which say nothing of a value.
const FRAMES = /\n +(?:at .*(?::\d+|<anonymous>|\(index \d+)\)?|\.\.\. \d+ lines matching .*)/g

// A user's value may be huge (a body, a whole options object) or contain secrets: show enough to recognize it, on one line.
function show (value) {
  const inspected = inspect(harmless(value), { depth: 1, breakLength: Infinity, maxArrayLength: 5, maxStringLength: 60 })
  const text = withoutCommands(inspected.replace(FRAMES, '').replace(/\s*\n\s*/g, ' '))
  return text.length > 80 ? text.slice(0, 77) + '...' : text
}

/** Shows a whole path on one line, because its end is the most important part. */
function showPath (path) {
  return inspect(harmless(path), { breakLength: Infinity, maxStringLength: null })
}

const MOST_LOOKED_AT = 1000

// Limits a value to the part that can be shown. Secrets are removed first, because they cannot be recognized in truncated text.
function harmless (value, depth = 0) {
  if (typeof value === 'string') return withoutSecrets(withoutUnseen(value.slice(0, MOST_LOOKED_AT)))
  if (depth > 1 || value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.slice(0, MOST_LOOKED_AT).map((part) => harmless(part, depth + 1))
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).slice(0, MOST_LOOKED_AT)
    .map(([name, part]) => [name, typeof part === 'string' && isSecret(name) ? HIDDEN : harmless(part, depth + 1)]))
}

// For example `headers['Authorization']`: an entry named by the user may be a secret as a whole.
const isNamedSecret = (name) => /\['([^']*)'\]$/.test(name) && isSecret(/\['([^']*)'\]$/.exec(name)[1])

/**
 * An invalid option: which one, what was given, and what is allowed. These are kept as data until the error is read: `message` uses
 * the option's name in programs, and the command line shows the same sentence with its flags.
 *
 * @param {string} option its path, such as 'duration' or 'stages[0].rate'
 * @param {*} value what was given
 * @param {string|Sentence} allowed completes "must be …"
 * @param {string|Sentence} [name] of the option, as used in the sentence
 * @returns {CannonadeError} code CANNONADE_BAD_OPTION, with `option`
 */
function optionError (option, value, allowed, name = named(option)) {
  return optionProblem(option, words`${name} must be ${allowed}; ${gotInWords(option, value)}`)
}

/**
 * Any other problem with an option.
 *
 * @param {string} option its path
 * @param {string|Sentence} sentence names other options as `named(path)`
 * @param {object} [extra] further fields, such as `cause`
 * @returns {CannonadeError} code CANNONADE_BAD_OPTION, with `option`
 */
function optionProblem (option, sentence, extra) {
  return new CannonadeError(CODES.BAD_OPTION, sentence, { option, ...extra })
}

/**
 * An error for two options that contradict each other.
 *
 * @param {string} option its path, optionally followed by a value, as in "websocket.expect: 'nothing'"
 * @param {string} other likewise
 * @param {string|Sentence} why
 * @returns {CannonadeError} code CANNONADE_BAD_OPTION, with `option`
 */
function contradiction (option, other, why) {
  return optionProblem(option, words`${withValue(option)} and ${withValue(other)} cannot be given together: ${why}`)
}

/** The name of an option for a sentence, optionally followed by its value: "websocket.expect: 'nothing'". */
function withValue (text) {
  const colon = text.indexOf(':')
  return colon === -1 ? named(text) : words`${named(text.slice(0, colon))}${text.slice(colon)}`
}

function gotInWords (name, value) {
  if (value === undefined) return 'it is missing'
  return `got ${isNamedSecret(name) ? 'another value' : show(value)}`
}

/**
 * Wraps an error from user code so that it says which hook failed, and where in the code. One of our own errors keeps its code and
 * sentence, because it already says what is wrong.
 *
 * @param {string} name of the hook, or a description of it
 * @param {*} cause
 * @returns {CannonadeError} code CANNONADE_HOOK_FAILED, with `cause`
 */
function hookError (name, cause) {
  if (isOurs(cause)) return placed(cause)
  return new CannonadeError(CODES.HOOK_FAILED, words`${named(name)} failed: ${failureInWords(cause)}`, { cause })
}

/**
 * Describes a failure of the user's code: what it threw, and where.
 *
 * @param {*} cause
 * @returns {string} such as "no token (at /app/hooks.js:12:7)"
 */
function failureInWords (cause) {
  return reasonOf(cause) + placeInWords(cause)
}

function placeInWords (cause) {
  const place = userPlaceOf(cause)
  return place === null ? '' : ` (at ${place})`
}

// Adds the place to the message of an error that we threw because the user's code misused this package.
function placed (error) {
  const place = placeInWords(error)
  if (error.message.endsWith(place)) return error
  const sentence = sentenceOf(error)
  error.message += place
  if (sentence !== undefined) sentences.set(error, words`${sentence}${place}`)
  return error
}

/** Describes what was thrown, which may be anything: an error whose message is an object, or an object that cannot be read. */
function reasonOf (cause) {
  try {
    const reason = isError(cause) ? cause.message || cause.name : cause
    return typeof reason === 'string' ? reason : show(reason)
  } catch {
    return 'an error that cannot be shown'
  }
}

/**
 * Wraps a function that reads a result. The result may come from a file with arbitrary content, so wherever a part of it is invalid,
 * the error says so.
 *
 * @param {function} read such as `toHTML`
 * @returns {function} throws a CannonadeError with code CANNONADE_BAD_RESULT instead of a TypeError or RangeError
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

/** Explains why a file that the user named cannot be read. @param {Error} cause from Node's fs */
function whyUnreadable (cause) {
  return UNREADABLE.get(cause.code) ?? cause.message
}

/** A duration in words: '1 second', '0.5 seconds'. */
function secondsInWords (seconds) {
  return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
}

/**
 * Creates the error for a threshold that cannot be checked, in one sentence.
 *
 * @param {*} threshold as it was written
 * @param {string|Sentence} why
 * @returns {CannonadeError} code CANNONADE_BAD_THRESHOLD, with `threshold`
 */
function badThreshold (threshold, why) {
  const reason = onOneLine(why)
  return new CannonadeError(CODES.BAD_THRESHOLD, words`The threshold ${show(threshold)} cannot be checked: ${reason}`, { threshold })
}

/** Returns a text that quotes names, which may contain line breaks, as one line. @param {string|Sentence} why */
function onOneLine (why) {
  if (why instanceof Sentence) return new Sentence(why.parts.map((part) => typeof part === 'string' ? onOneLine(part) : part))
  return why.replace(/[\t\r\n\v\f\u0085\u2028\u2029]+/g, ' ').replace(/\p{Cc}/gu, '')
}

module.exports = {
  CannonadeError,
  CODES,
  Sentence,
  badThreshold,
  contradiction,
  either,
  failureInWords,
  hookError,
  isDeadline,
  isOurs,
  named,
  onOneLine,
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
