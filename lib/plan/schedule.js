'use strict'

const { either, optionError } = require('../base/errors')
const world = require('../world')
const { isObject, kind, toNumber, wholeNumber } = require('../values/kinds')
const { duration } = require('../values/duration')

const LARGEST_SEED = 2 ** 32 - 1
// More than one thread can send to any server. Every due request is counted, so a typo such as 1e12 would keep the thread
// busy for days.
const MOST_PER_SECOND = 1e6

const seed = wholeNumber(0, LARGEST_SEED)

const burstSize = wholeNumber(1)

/** `size` requests at once, every `interval` seconds. */
const bursts = kind(either('an object { size, interval }', 'SIZE/SEC, such as 100/5s'), (value, name) => {
  if (!isObject(value)) return undefined
  return {
    size: burstSize.read(value.size, `${name}.size`),
    interval: duration.read(value.interval, `${name}.interval`)
  }
}, { keys: ['size', 'interval'] })

/** @returns {number} a random seed for a run without one, so that the run can be reproduced */
function chooseSeed () {
  return world.guessableInt(LARGEST_SEED + 1)
}

// Checks how many requests are due at a time. The texts complete "must be …".
function checkAmounts ({ stages, bursts, overallRate, connectionRate, connections, workers, fleet }) {
  const most = MOST_PER_SECOND * (workers ?? fleet?.agents ?? 1)
  const perThread = `${MOST_PER_SECOND} for each ${fleet === null ? 'thread' : 'agent'}`
  const check = (name, value, amount, what) => {
    if (amount > most) throw optionError(name, value, `${what}, at most ${perThread}`)
  }
  check('overallRate', overallRate, overallRate, 'a number greater than 0 (requests per second)')
  check('connectionRate', connectionRate, connectionRate * connections, `such that ${connections} connections have a rate greater than 0`)
  check('bursts.size', bursts?.size, bursts?.size, 'a whole number, 1 or more')
  stages?.forEach(({ from, to }, index) => check(`stages[${index}].rate`, Math.max(from, to), Math.max(from, to), 'a number of requests per second'))
}

/**
 * Describes when requests are due; lib/load computes due times from it. null means the closed model: each connection
 * sends its next request when it has received the response.
 *
 * @param {object} options as read; `seed` is a number
 * @returns {object|null}
 * @throws CANNONADE_BAD_OPTION if more requests are due than a thread can send
 */
function createSchedule (options) {
  checkAmounts(options)
  const { stages, bursts, overallRate, connectionRate, connections, arrivals, seed } = options
  if (stages !== null) return { kind: 'stages', stages, arrivals, seed }
  if (bursts !== null) return { kind: 'bursts', size: bursts.size, interval: bursts.interval }
  if (connectionRate !== null) {
    return { kind: 'constant', rate: connectionRate * connections, arrivals, seed, perConnection: true }
  }
  if (overallRate !== null) return { kind: 'constant', rate: overallRate, arrivals, seed, perConnection: false }
  return null
}

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

module.exports = { bursts, chooseSeed, createSchedule, seed, stages }
