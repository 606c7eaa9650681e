'use strict'

const { roundSeconds } = require('../statistics')
const { definePart } = require('./part')

/*
 * Latencies are counted between bounds of 10^(k/8) ms, eight to a power of ten. To find the bucket of a whole number of microseconds
 * without a logarithm, a table has those bounds that lie within each power of two: at most three.
 *
 *     bits   values     bounds within (us)   bucket
 *     5      16 … 31    18, 24               the one of 16, and 1 more for each bound that is not above the value
 */
const IN_TEN = 8
// The first bound is a microsecond. Below it, there is only 0.
const FIRST_POWER = -3 * IN_TEN
const BUCKETS = 128
const LARGEST_INT = 2 ** 31 - 1

// Bound `index` is 10^(index / 8) us; value >= bound if value^8 >= 10^index, which integers decide exactly.
const LEAST = Array.from({ length: BUCKETS }, (_, index) => leastFrom(index))

function leastFrom (index) {
  const near = Math.round(10 ** (index / IN_TEN))
  return BigInt(near) ** BigInt(IN_TEN) >= 10n ** BigInt(index) ? near : near + 1
}

// By bit length: the bucket of the smallest value, and the bounds above it.
const BITS = 32
const WITHIN = 3
const FIRST = new Uint8Array(BITS)
const BOUNDS = new Float64Array(BITS * WITHIN).fill(Infinity)
for (let bits = 1, bucket = 0; bits < BITS; bits++) {
  const smallest = 2 ** (bits - 1)
  while (LEAST[bucket] <= smallest) bucket++
  FIRST[bits] = bucket
  for (let above = 0; LEAST[bucket + above] < 2 * smallest; above++) BOUNDS[bits * WITHIN + above] = LEAST[bucket + above]
}

/** @param {number} microseconds a non-negative integer @returns {number} 0 for 0; n if it is in [10^((n - 1) / 8), 10^(n / 8)) us */
function bucketOf (microseconds) {
  if (microseconds > LARGEST_INT) return LEAST.findLastIndex((bound) => bound <= microseconds) + 1
  const bits = BITS - Math.clz32(microseconds)
  const at = bits * WITHIN
  let bucket = FIRST[bits]
  if (microseconds >= BOUNDS[at]) bucket++
  if (microseconds >= BOUNDS[at + 1]) bucket++
  if (microseconds >= BOUNDS[at + 2]) bucket++
  return bucket
}

/** The lower bound of a bucket, ms. */
function boundOf (bucket) {
  return bucket === 0 ? 0 : 10 ** ((bucket - 1 + FIRST_POWER) / IN_TEN)
}

/** Counts how many latencies lie between which bounds. */
class Heat {
  constructor () {
    this.counts = new Float64Array(BUCKETS + 1)
    this.totals = new Float64Array(BUCKETS + 1)
  }

  /** @param {number} microseconds a non-negative integer */
  add (microseconds, count) {
    this.counts[bucketOf(microseconds)] += count
  }

  /** @returns {object} plain data: the counts since the last call, without zeros at both ends */
  takeInterval () {
    const { counts, totals } = this
    const interval = trimmed(counts)
    interval.counts.forEach((count, index) => { totals[interval.first + index] += count })
    counts.fill(0)
    return interval
  }

  /** All counts, after `takeInterval`. */
  toData () {
    return trimmed(this.totals)
  }
}

function trimmed (counts) {
  const first = counts.findIndex((count) => count > 0)
  return first === -1 ? { first: 0, counts: [] } : { first, counts: Array.from(counts.subarray(first, counts.findLastIndex((count) => count > 0) + 1)) }
}

function join (parts) {
  const heat = new Heat()
  for (const { first, counts } of parts) counts.forEach((count, index) => { heat.totals[first + index] += count })
  return heat.toData()
}

/**
 * `result.heat`. What came after the last sample, in the drain and at its end, gets a row of its own.
 *
 * @param {object} total the counts of the whole run
 * @param {object} run see buildResult
 */
function heatResult (total, { timeline: { samples }, seconds, drain }) {
  const none = { first: 0, counts: [] }
  const rows = samples.map(({ end, heat = none }) => ({ time: roundSeconds(end / 1000), heat }))
  const seen = join(rows.map(({ heat }) => heat))
  const rest = trimmed(Float64Array.from({ length: BUCKETS + 1 }, (_, bucket) => countIn(total, bucket) - countIn(seen, bucket)))
  if (rest.counts.length > 0) addRest(rows, rest, roundSeconds(seconds + drain.seconds))
  const last = total.first + total.counts.length
  const buckets = Array.from({ length: last - total.first }, (_, index) => total.first + index)
  return {
    times: rows.map(({ time }) => time),
    bounds: buckets.length === 0 ? [] : [...buckets, last].map(boundOf),
    counts: rows.map(({ heat }) => buckets.map((bucket) => countIn(heat, bucket)))
  }
}

const countIn = ({ first, counts }, bucket) => counts[bucket - first] ?? 0

function addRest (rows, rest, time) {
  const last = rows.at(-1)
  if (last === undefined || time > last.time) rows.push({ time, heat: rest })
  else last.heat = join([last.heat, rest])
}

/** How latencies are distributed in each sample. */
const heat = definePart({
  name: 'heat',
  create: () => new Heat(),
  toData: (counted) => counted.toData(),
  merge: (parts) => parts.some((part) => part == null) ? null : join(parts),
  takeInterval: (counted) => counted.takeInterval(),
  join,
  // It has a place of its own in the result.
  row: () => undefined,
  result: (total, run) => ({ heat: heatResult(total, run) })
})

module.exports = { Heat, boundOf, bucketOf, heat }
