'use strict'

const { optionError } = require('../base/errors')
const { kind, toNumber, isObject } = require('../values/kinds')
const { duration } = require('../values/duration')

const RATES = 'a number of requests per second, 0 or more, or two of them for a ramp'
const FORMS = "an array of { duration, rate }, or a string such as '10s:100, 30s:100..2000, 10s:0', " +
  'with at least one rate above 0'

/**
 * The steps and ramps of a run, in order: each is `{ duration, from, to }`, in seconds and requests per second.
 */
const stages = kind(FORMS, (value, name) => {
  const given = typeof value === 'string' ? value.split(',').filter(part => part.trim() !== '') : value
  if (!Array.isArray(given)) return undefined
  const read = given.map((stage, i) => readStage(stage, `${name}[${i}]`))
  return read.some(stage => stage.from > 0 || stage.to > 0) ? read : undefined
}, { keys: ['duration', 'rate'] })

function readStage (stage, where) {
  if (typeof stage === 'string') stage = splitStage(stage, where)
  if (!isObject(stage)) throw optionError(where, stage, 'an object { duration, rate }')
  const seconds = duration.read(stage.duration, `${where}.duration`)
  const { from, to } = isObject(stage.rate) ? stage.rate : { from: stage.rate, to: stage.rate }
  return { duration: seconds, from: readRate(from, stage.rate, where), to: readRate(to, stage.rate, where) }
}

// Parses a stage such as '30s:100..2000'.
function splitStage (stage, where) {
  const colon = stage.indexOf(':')
  if (colon === -1) throw optionError(where, stage, "a duration and a rate, such as '10s:100' or '30s:100..2000'")
  const rates = stage.slice(colon + 1).split('..')
  const rate = rates.length === 2 ? { from: rates[0], to: rates[1] } : rates[0]
  return { duration: stage.slice(0, colon), rate: rates.length > 2 ? stage.slice(colon + 1) : rate }
}

function readRate (value, given, where) {
  const rate = toNumber(value)
  if (rate === undefined || rate < 0) throw optionError(`${where}.rate`, given, RATES)
  return rate
}

module.exports = { stages }
