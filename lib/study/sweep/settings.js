'use strict'

const { contradiction, named, optionError, optionProblem, show, words } = require('../../base/errors')
const { count, isGiven, isObject, kind, rate } = require('../../values/kinds')
const { suggest } = require('../../base/suggest')
const { boundsOf } = require('../../thresholds')
const { failuresOf } = require('../../thresholds/failures')
const { milliseconds, share } = require('../settings')

// More rates are never practical, and a step that is far too small must not fill the memory.
const MOST = 10000
// Rounding: 0.1 + 0.1 + … doesn't exactly reach its multiple.
const TOLERANCE = 1e-9
// Ten numbers of connections between 1 and 50.
const GROWTH = 1.5

// What a sweep steps through, in ascending order. `between` counts from one number to the other.
const steps = (one, noun, between) => kind(`an object { from, to, step }, or an array of ${noun}`, (value, name) => {
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined
    return [...new Set(value.map((each, index) => one.read(each, `${name}[${index}]`)))].sort((a, b) => a - b)
  }
  if (!isObject(value)) return undefined
  const [from, to] = ['from', 'to'].map((part) => one.read(value[part], `${name}.${part}`))
  if (to < from) throw optionError(`${name}.to`, to, words`at least ${named(`${name}.from`)}, which is ${from}`)
  return between(from, to, value.step, name)
})

/** The rates of a sweep, requests per second. */
const rates = steps(rate, 'numbers greater than 0', (from, to, step, name) => ladder(from, to, rate.read(step, `${name}.step`), { name, noun: 'rates' }))

/** The numbers of connections of a sweep. */
const connections = steps(count, 'whole numbers greater than 0', (from, to, step, name) =>
  isGiven(step) ? ladder(from, to, count.read(step, `${name}.step`), { name, noun: 'numbers' }) : growing(from, to))

function ladder (from, to, step, { name, noun }) {
  const length = Math.floor((to - from) / step + TOLERANCE) + 1
  if (length > MOST) throw optionError(`${name}.step`, step, `large enough for at most ${MOST} ${noun}: from ${from} to ${to} it makes ${length}`)
  return Array.from({ length }, (_, index) => Number((from + index * step).toPrecision(12)))
}

function growing (from, to) {
  const numbers = []
  for (let number = from; number < to; number = Math.round(number * GROWTH)) numbers.push(number)
  return [...numbers, to]
}

// Predicates: whether a target of a row, with its result, exceeds the limit, or may exceed it.
const LIMITS = {
  errorRate: { ...share, isPast: ({ errorPercent }, limit) => errorPercent > limit * 100 },
  failureRate: { ...share, isPast: (target, limit, demanded, result) => failureShare(result) > limit },
  achievedRatio: { ...share, isPast: ({ achieved }, limit, demanded) => achieved < limit * demanded },
  p99: { ...milliseconds, isPast: ({ p99 }, limit, demanded, result) => p99 === null || boundsOf(result, 'latency').range('p99').atMost > limit }
}

// Whatever may have failed counts.
function failureShare (result) {
  const { atMost, attempts } = failuresOf(result)
  return attempts === 0 ? 0 : atMost / attempts
}

/** Any of these limits: a sweep ends when each target exceeds one of them. */
const stopWhen = kind(`an object { ${Object.keys(LIMITS).join(', ')} }`, (value, name) => {
  if (!isObject(value)) return undefined
  const given = Object.entries(value).filter(([, limit]) => isGiven(limit))
  return Object.fromEntries(given.map(([key, limit]) => {
    if (Object.hasOwn(LIMITS, key)) return [key, LIMITS[key].read(limit, `${name}.${key}`)]
    const meant = suggest(key, Object.keys(LIMITS))
    const sentence = words`${named(name)} has no limit called ${show(key)}: ${meant === undefined ? `there are ${Object.keys(LIMITS).join(', ')}` : `did you mean ${meant}?`}`
    throw optionProblem(`${name}.${key}`, sentence)
  }))
})

/** A share of the demanded rate means nothing in a sweep that demands none. */
function checkStopWhen (limits, { setting }) {
  if (setting !== 'rates' && limits.achievedRatio !== undefined) throw contradiction('stopWhen.achievedRatio', setting, 'without rates, there is nothing to achieve')
}

/** @returns {string|null} the name of the first limit that this target of a row, with this result, exceeds */
function pastLimit (limits, target, demanded, result) {
  return Object.keys(limits).find((name) => LIMITS[name].isPast(target, limits[name], demanded, result)) ?? null
}

module.exports = { checkStopWhen, connections, pastLimit, rates, stopWhen }
