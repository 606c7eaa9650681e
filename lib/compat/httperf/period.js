'use strict'

const { optionError } = require('../../base/errors')
const { createRandom } = require('../../load/random')
const { toNumber } = require('../../values/kinds')

const ALLOWED = 'dT, uT1,T2 with T1 not above T2, eT, or vT1,D1,T2,D2,… (seconds; each D above 0)'
const COUNTS = { d: [1, 1], u: [2, 2], e: [1, 1], v: [2, 32] }
// A schedule has no more at a time than one in a microsecond.
const SHORTEST_GAP = 1e-6

/**
 * `--period`: how long after one arrival the next one comes.
 *
 * @param {string} text
 * @param {string} spelling of the flag, for the error
 * @returns {{ kind: 'd'|'u'|'e'|'v', values: number[] }} seconds
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
 * The options of a schedule with such gaps; none of them where the gaps are 0, which is one after the other.
 *
 * @param {{ kind: string, values: number[] }} period
 * @param {number} arrivals how many there will be at most
 * @param {number} seed
 * @returns {object}
 */
function scheduleOf ({ kind, values }, arrivals, seed) {
  if (meanOf(kind, values) === 0) return {}
  switch (kind) {
    case 'd': return { overallRate: 1 / Math.max(values[0], SHORTEST_GAP) }
    case 'e': return { overallRate: 1 / Math.max(values[0], SHORTEST_GAP), arrivals: 'poisson', seed }
    case 'u': return { stages: uniformStages(values, arrivals, seed) }
    default: return { stages: variableStages(values, arrivals) }
  }
}

function meanOf (kind, values) {
  if (kind === 'u') return (values[0] + values[1]) / 2
  return kind === 'v' ? Math.max(...values.filter((_, index) => index % 2 === 0)) : values[0]
}

// A stage in which exactly one arrival is expected is a gap: the next one is due at its end.
function uniformStages ([from, to], arrivals, seed) {
  const random = createRandom(seed)
  return Array.from({ length: arrivals }, () => stageOf(from + (to - from) * random.next(), 1))
}

// The gaps of a pair until they have filled its time, then those of the next pair, and around again.
function variableStages (values, arrivals) {
  const stages = []
  for (let index = 0, left = arrivals; left > 0; index = (index + 2) % values.length) {
    const gap = Math.max(values[index], SHORTEST_GAP)
    const count = Math.min(left, Math.max(1, Math.ceil(values[index + 1] / gap - 1e-9)))
    stages.push(stageOf(gap, count))
    left -= count
  }
  return stages
}

function stageOf (gap, count) {
  const length = Math.max(gap, SHORTEST_GAP)
  return { duration: length * count, rate: 1 / length }
}

module.exports = { readPeriod, scheduleOf }
