'use strict'

const { named, optionProblem, show, words } = require('../../base/errors')
const { kind, isGiven, isObject } = require('../../values/kinds')
const { suggest } = require('../../base/suggest')
const { boundsOf } = require('../../thresholds')
const { milliseconds, share } = require('../settings')

// Predicates: whether a target of a row, with its result, exceeds the limit, or may exceed it.
const LIMITS = {
  errorRate: { ...share, isPast: ({ errorPercent }, limit) => errorPercent > limit * 100 },
  achievedRatio: { ...share, isPast: ({ achieved }, limit, demanded) => achieved < limit * demanded },
  p99: { ...milliseconds, isPast: ({ p99 }, limit, demanded, result) => p99 === null || boundsOf(result, 'latency').range('p99').atMost > limit }
}

/** Any of `{ errorRate, achievedRatio, p99 }`: a sweep ends when each target exceeds one of them. */
const stopWhen = kind('an object { errorRate, achievedRatio, p99 }', (value, name) => {
  if (!isObject(value)) return undefined
  const given = Object.entries(value).filter(([, limit]) => isGiven(limit))
  return Object.fromEntries(given.map(([key, limit]) => {
    if (Object.hasOwn(LIMITS, key)) return [key, LIMITS[key].read(limit, `${name}.${key}`)]
    const meant = suggest(key, Object.keys(LIMITS))
    const sentence = words`${named(name)} has no limit called ${show(key)}: ${meant === undefined ? `there are ${Object.keys(LIMITS).join(', ')}` : `did you mean ${meant}?`}`
    throw optionProblem(`${name}.${key}`, sentence)
  }))
})

/** @returns {string|null} the name of the first limit that this target of a row, with this result, exceeds */
function pastLimit (limits, target, demanded, result) {
  return Object.keys(limits).find((name) => LIMITS[name].isPast(target, limits[name], demanded, result)) ?? null
}

module.exports = { stopWhen, pastLimit }
