'use strict'

const { optionError } = require('../../base/errors')
const { createRandom } = require('../../load/random')
const { toNumber } = require('../../values/kinds')

const ALLOWED = 'dT, uT1,T2 with T1 not above T2, eT, or vT1,D1,T2,D2,… (seconds; each D above 0)'
const COUNTS = { d: [1, 1], u: [2, 2], e: [1, 1], v: [2, 32] }
// A schedule allows at most one arrival per microsecond.
const SHORTEST_GAP = 1e-6

/**
 * Parses `--period`: the time between arrivals.
 *
 * @param {string} text
 * @param {string} spelling of the flag, for the error
 * @returns {{ kind: 'd'|'u'|'e'|'v', values: number[] }} `values` in seconds
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function readPeriod (text, spelling) {
  const [, kind, list] = /^([duev]?)(.*)$/s.exec(text)
  const values = list.split(',').map((part) => part.trim() === '' ? undefined : toNumber(part))
  const read = { kind: kind || 'd', values }
  if (!isGood(read)) throw optionError(spelling, text, ALLOWED)
  return read
}

function isGood ({ kind, values }) {
  const [least, most] = COUNTS[kind]
  if (values.length < least || values.length > most || !values.every((value) => value >= 0)) return false
  if (kind === 'u') return values[0] <= values[1]
  return kind !== 'v' || (values.length % 2 === 0 && values.every((value, index) => index % 2 === 0 || value > 0))
}

/**
 * Returns the options of a schedule with these gaps. If all gaps are 0, there is no schedule: sessions run one after
 * another.
 *
 * @param {{ kind: string, values: number[] }} period
 * @param {{ arrivals: number, seconds: number }} most the maximum number of arrivals, and the time in which they are due
 * @param {number} seed
 * @returns {object}
 */
function scheduleOf ({ kind, values }, most, seed) {
  if (meanOf(kind, values) === 0) return {}
  switch (kind) {
    case 'd': return { overallRate: 1 / Math.max(values[0], SHORTEST_GAP) }
    case 'e': return { overallRate: 1 / Math.max(values[0], SHORTEST_GAP), arrivals: 'poisson', seed }
    case 'u': return { stages: uniformStages(values, most, seed) }
    default: return { stages: variableStages(values, most) }
  }
}

function meanOf (kind, values) {
  if (kind === 'u') return (values[0] + values[1]) / 2
  return kind === 'v' ? Math.max(...values.filter((_, index) => index % 2 === 0)) : values[0]
}

// Each gap is a stage in which exactly one arrival is due, at its end.
function uniformStages ([from, to], { arrivals, seconds }, seed) {
  const random = createRandom(seed)
  const stages = []
  for (let time = 0; stages.length < arrivals && time < seconds; time += stages.at(-1).duration) stages.push(stageOf(from + (to - from) * random.next(), 1))
  return stages
}

// Each pair is a gap and a time. The gap repeats until the time is filled; then the next pair follows, in a cycle.
function variableStages (values, { arrivals, seconds }) {
  const stages = []
  for (let index = 0, left = arrivals, time = 0; left > 0 && time < seconds; index = (index + 2) % values.length) {
    const gap = Math.max(values[index], SHORTEST_GAP)
    const count = Math.min(left, Math.max(1, Math.ceil(values[index + 1] / gap - 1e-9)))
    stages.push(stageOf(gap, count))
    left -= count
    time += stages.at(-1).duration
  }
  return stages
}

function stageOf (gap, count) {
  const length = Math.max(gap, SHORTEST_GAP)
  return { duration: length * count, rate: 1 / length }
}

module.exports = { readPeriod, scheduleOf }
