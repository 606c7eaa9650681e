'use strict'

const { either, named, optionError, optionProblem, show, words } = require('../base/errors')
const { LONGEST_TIMER_MS } = require('../world/long-timer')
const { isObject, kind, toNumber } = require('./kinds')

// The whole text must consist of numbers with units. `timestring` skips what it does not understand: it reads '-5s' as
// 5 seconds and '1m 30' as one minute, and a run of the wrong length is worse than an error.
const NUMBERS_WITH_UNITS = /^(?:(?:\d+(?:\.\d+)?|\.\d+)\s*[a-z]+[\s,]*)+$/i

// Timers accept at most 2^31 - 1 milliseconds; with more, they fire immediately.
const LONGEST_TIMER_SECONDS = Math.floor(LONGEST_TIMER_MS / 1000)

const GOOD = [[0.2, 0.2], ['10', 10], ['2.5', 2.5], ['1m 30s', 90], ['500ms', 0.5]]
const BAD = ['', 'soon', '1 fortnight', '10x', '1m 30', 's10', '1.2.3s', '-5s', -1, '-1', NaN, Infinity, true, [], {}]
const TOO_LONG = LONGEST_TIMER_SECONDS + 1

const FORMS = "seconds as a number, or a string such as '90', '1m 30s' or '2 weeks'"

/**
 * Parses a duration.
 *
 * @param {*} value a number of seconds (fractions allowed), or a string: a number of seconds, or numbers with units
 * @returns {number|undefined} seconds; undefined if it is not a duration
 */
function toSeconds (value) {
  const number = toNumber(value)
  if (number !== undefined || typeof value !== 'string') return number
  const written = value.trim()
  if (!NUMBERS_WITH_UNITS.test(written)) return undefined
  try {
    return require('timestring')(written)
  } catch {
    return undefined // an unknown unit
  }
}

// Programs written for autocannon look for its error message about `duration`, on the command line too.
function toSecondsOrThrow (value, name) {
  const seconds = toSeconds(value)
  if (seconds !== undefined) return seconds
  if (value === undefined || name !== 'duration') throw optionError(name, value, FORMS)
  const sentence = words`duration entered was in an invalid format: it must be ${FORMS}; got ${show(value)}`
  throw optionProblem(name, either(sentence, words`${named(name)}: ${sentence}`))
}

/** A duration greater than 0. */
const duration = kind(`greater than 0 (${FORMS})`, (value, name) => {
  const seconds = toSecondsOrThrow(value, name)
  return seconds > 0 ? seconds : undefined
}, { good: GOOD, bad: [...BAD, 0] })

/** The duration of a run. 0 means one sample, unless `amount` ends the run. */
const runDuration = kind(`0 or more (${FORMS})`, (value, name, { amount = null, sampleInt } = {}) => {
  const seconds = toSecondsOrThrow(value, name)
  if (seconds === 0 && amount === null && sampleInt > 0) return sampleInt / 1000
  return seconds >= 0 ? seconds : undefined
}, { good: [...GOOD, ['2 weeks', 1209600], [100000000, 100000000]], bad: BAD })

/** A duration greater than 0 that fits into a single timer. */
const timerSeconds = kind(`greater than 0 and at most ${LONGEST_TIMER_SECONDS} (${FORMS})`, value => {
  const seconds = toSeconds(value)
  return seconds > 0 && seconds <= LONGEST_TIMER_SECONDS ? seconds : undefined
}, { good: GOOD, bad: [...BAD, 0, TOO_LONG] })

/** A duration that fits into a single timer, 0 allowed. */
const timerSecondsOrZero = kind(`from 0 to ${LONGEST_TIMER_SECONDS} (${FORMS})`, value => {
  const seconds = toSeconds(value)
  return seconds >= 0 && seconds <= LONGEST_TIMER_SECONDS ? seconds : undefined
}, { good: [...GOOD, [0, 0]], bad: [...BAD, TOO_LONG] })

/** The deadline of a request: like timerSeconds, but with autocannon's error message, which programs look for. */
const timeout = kind(timerSeconds.allowed, (value, name) => {
  try {
    return timerSeconds.read(value, name)
  } catch {
    throw optionError(name, value, timerSeconds.allowed, either(name, words`${named(name)}: ${name}`))
  }
}, { good: GOOD, bad: timerSeconds.bad })

/**
 * The pause of a user before a request, in seconds: fixed, drawn from a range each time, or exponentially distributed
 * around a mean. 0 means no pause.
 */
const thinkTime = kind('a duration, a range as [from, to] or { from, to }, or { mean }', (value, name) => {
  if (isObject(value) && 'mean' in value) return readMean(value, name)
  const range = readRange(value, name)
  if (range === undefined) return undefined
  if (range.to < range.from) throw optionError(name, value, 'a range from the shortest to the longest time')
  return range.to === 0 ? null : range
}, { keys: ['from', 'to', 'mean'] })

function readMean (value, name) {
  if ('from' in value || 'to' in value) throw optionError(name, value, 'either a range or a mean')
  const mean = timerSecondsOrZero.read(value.mean, `${name}.mean`)
  return mean === 0 ? null : { mean }
}

function readRange (value, name) {
  const { read } = timerSecondsOrZero
  if (isObject(value)) return { from: read(value.from, `${name}.from`), to: read(value.to, `${name}.to`) }
  if (!Array.isArray(value)) return { from: read(value, name), to: read(value, name) }
  return value.length === 2 ? { from: read(value[0], `${name}[0]`), to: read(value[1], `${name}[1]`) } : undefined
}

/** The think time of a single request. Here 0 overrides the think time of the run: this request has no pause. */
const ownThinkTime = kind(thinkTime.allowed, (value, name) => thinkTime.read(value, name) ?? { from: 0, to: 0 })

module.exports = { toSeconds, duration, runDuration, timeout, timerSeconds, timerSecondsOrZero, thinkTime, ownThinkTime }
