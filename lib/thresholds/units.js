'use strict'

const { badThreshold, show } = require('../base/errors')

const NUMBER = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)\s*(.*)$/i

const MANY = [['k', 1e3], ['K', 1e3], ['M', 1e6], ['G', 1e9]]
const BYTES = [
  ['B', 1], ['kB', 1e3], ['KB', 1e3], ['MB', 1e6], ['GB', 1e9], ['KiB', 2 ** 10], ['MiB', 2 ** 20], ['GiB', 2 ** 30]
]
/** Units of time, in milliseconds. Unicode has two characters for micro. */
const TIMES = [
  ['ns', 1e-6], ['us', 1e-3], ['\u00b5s', 1e-3], ['\u03bcs', 1e-3], ['ms', 1], ['s', 1e3], ['sec', 1e3],
  ['m', 6e4], ['min', 6e4], ['h', 36e5]
]
const PER_SECOND = /\s*\/\s*s(ec)?$/

// 'k', 'k/s', 'req/s', 'k req/s' and 'rps' are all accepted for requests per second.
function withoutRequests (unit) {
  return unit.replace(/\s*rps$/, '').replace(PER_SECOND, '').replace(/\s*req(uests)?$/, '')
}

/**
 * The kinds of values in a result.
 *
 * - `words`: what such a value is called, and `help`: how to write a limit for it
 * - `unit`: the unit in which values are compared and shown
 * - `units`: the size of each accepted unit in terms of `unit`; `bare`: the same for a number without a unit
 * - `plain(unit)`: the unit without optional parts
 */
const KINDS = {
  milliseconds: {
    words: 'a duration', help: 'ns, us, ms (also without a unit), s, m or h', unit: 'ms', units: new Map(TIMES), bare: 1
  },
  seconds: {
    words: 'a duration',
    help: 'ns, us, ms, s (also without a unit), m or h',
    unit: 's',
    units: new Map(TIMES.map(([name, milliseconds]) => [name, milliseconds / 1000])),
    bare: 1
  },
  count: { words: 'a count', help: 'a plain number, k or M', unit: '', units: new Map(MANY), bare: 1 },
  rate: {
    words: 'a number per second', help: 'a plain number, k or M', unit: '/s', units: new Map(MANY), bare: 1, plain: withoutRequests
  },
  bytes: { words: 'a number of bytes', help: 'B, kB, MB, GB, KiB or MiB', unit: 'B', units: new Map([...MANY, ...BYTES]), bare: 1 },
  byteRate: {
    words: 'a number of bytes per second',
    help: 'B, kB, MB, GB, KiB or MiB',
    unit: 'B/s',
    units: new Map([...MANY, ...BYTES]),
    bare: 1,
    plain: (unit) => unit.replace(PER_SECOND, '')
  },
  share: { words: 'a share', help: '%, or a number from 0 to 1', unit: '%', units: new Map([['%', 1]]), bare: 100 },
  percent: { words: 'a percentage', help: '%', unit: '%', units: new Map([['%', 1]]), bare: 1 },
  truth: { words: 'true or false', help: 'true or false', unit: '' }
}

// Removes floating-point errors (1.1 s as 1100.0000000000002 ms), which would decide a comparison at the limit.
function tidy (number) {
  return Number(number.toPrecision(15))
}

/**
 * Converts the limit of a threshold to a number in the unit in which its field is compared.
 *
 * @param {number|string|boolean} written
 * @param {object} field see names.js
 * @param {string} threshold the whole text, for error messages
 * @returns {{ limit: number|boolean, unit: string }} unit '%' for a count: percent of the field's `whole`
 * @throws {CannonadeError} CANNONADE_BAD_THRESHOLD
 */
function readLimit (written, field, threshold) {
  const text = String(written).trim()
  if (field.kind === 'truth') return { limit: readTruth(text, field, threshold), unit: '' }

  const kind = KINDS[field.kind]
  const [, digits, given] = NUMBER.exec(text) ?? []
  const number = Number(digits)
  if (digits === undefined || !Number.isFinite(number)) {
    throw badThreshold(threshold, `${show(text)} is not a valid limit for ${field.metric}, which is ${kind.words}: use ${kind.help}`)
  }
  if (given === '%' && field.whole !== null) return { limit: number, unit: '%' }

  const unit = kind.plain ? kind.plain(given) : given
  const factor = unit === '' ? kind.bare : kind.units.get(unit)
  if (factor === undefined) {
    const orPercent = field.whole === null || kind.unit === '%' ? '' : ', or %'
    throw badThreshold(threshold, `${show(given)} is not a valid unit for ${field.metric}, which is ${kind.words}: use ${kind.help}${orPercent}`)
  }
  if (field.kind === 'share' && unit === '' && Math.abs(number) > 1) {
    throw badThreshold(threshold, `${field.metric} is a share, a number from 0 to 1: did you mean ${digits}%?`)
  }
  return { limit: tidy(number * factor), unit: kind.unit }
}

function readTruth (text, field, threshold) {
  if (text === 'true' || text === 'false') return text === 'true'
  throw badThreshold(threshold, `${show(text)} is not a valid limit for ${field.metric}, which is true or false`)
}

/**
 * Parses a duration as written in limits of thresholds: a number of milliseconds, or a number with a unit ('200ms').
 *
 * @param {*} value
 * @returns {number|undefined} milliseconds; undefined if it is not a duration
 */
function toMilliseconds (value) {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  const [, digits, unit] = NUMBER.exec(String(value).trim()) ?? []
  const number = Number(digits) * (unit === '' ? 1 : KINDS.milliseconds.units.get(unit))
  return Number.isFinite(number) ? tidy(number) : undefined
}

module.exports = { KINDS, readLimit, tidy, toMilliseconds }
