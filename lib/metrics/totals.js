'use strict'

const { statusesOf } = require('./counts')
const Distribution = require('./distribution')
const { PARTS, liveParts, ofEach, timesOfParts } = require('./parts')
const { placeOf } = require('./places')
const Recorder = require('./recorder')
const { composeTimings } = require('./timings')

/*
 * Everything counted so far, for monitoring a run. Plain data that can be added up:
 *
 *     { counters: { sent: 5, … }, statuses: { 200: 4 }, errors: { ECONNRESET: 1 }, timings: { latency: { counts, sum }, … } }
 *
 * Created once per sample, and only if the run is monitored. During the run, `latency` is not included, because each interval
 * contains its own.
 */

/**
 * @param {Recorder} recorder after `takeInterval`
 * @param {number[]} bounds of the buckets, in seconds
 */
function totalsOfRecorder (recorder, bounds) {
  const { open, sent, scheduled, distributions, errorCodes, usedEndpoints } = recorder
  const counted = {
    ...liveParts(recorder),
    open,
    counters: { ...recorder.counters, scheduled: open ? scheduled : sent },
    endpoints: usedEndpoints.map(({ statusEntries, outcomeEntries }) => ({ statuses: statusEntries, outcomes: outcomeEntries })),
    errorCodes
  }
  const timeToFirstByte = new Distribution().add(distributions.timeToFirstByte).add(distributions.earlyFirstByte)
  return totalsOf(counted, { ...distributions, timeToFirstByte }, bounds)
}

/**
 * @param {object} summary merged, see merge.js
 * @param {number[]} bounds
 */
function totalsOfSummary (summary, bounds) {
  // In the closed model, the service time is the latency.
  const { latency, serviceTime, timeToFirstByte } = composeTimings(summary)
  return totalsOf(summary, { ...summary.distributions, latency, serviceTime, timeToFirstByte }, bounds)
}

function totalsOf (counted, timings, bounds) {
  const { counters, errorCodes } = counted
  const own = {
    counters,
    statuses: sumOfEntries(statusesOf(counted).map(({ statuses }) => statuses)),
    errors: sumsOfErrors(errorCodes.toData()),
    timings: toTimings({ ...timings, ...timesOfParts(counted) }, bounds)
  }
  return addTotals([own, ...ofEach(counted, (part, data) => part.totals(data))])
}

/** The totals of a run that has not counted anything yet. */
function noTotals (bounds) {
  const totals = totalsOfRecorder(new Recorder({ endpoints: 0, open: true, timeout: 0 }), bounds)
  return { ...totals, timings: { ...totals.timings, latency: toBuckets(new Distribution(), bounds) } }
}

// Distributions that are exported as histograms: of requests and connections, and of the parts.
const TIMINGS = [
  'latency', 'serviceTime', 'timeToFirstByte', 'connectTime',
  ...PARTS.flatMap(({ series }) => series).flatMap(({ timings = [] }) => timings.map(([name]) => name))
]

function toTimings (distributions, bounds) {
  const present = TIMINGS.filter((name) => name in distributions)
  return Object.fromEntries(present.map((name) => [name, toBuckets(distributions[name], bounds)]))
}

function sumsOfErrors (data) {
  return Object.fromEntries(data.map(([code, phases]) => [code, phases.reduce((sum, count) => sum + count, 0)]))
}

function sumOfEntries (all) {
  const sums = {}
  for (const [name, count] of all.flat()) sums[name] = (sums[name] ?? 0) + count
  return sums
}

/** Adds up several of them: threads, or rounds. @param {object[]} all at least one: counts by name, in groups, and timings */
function addTotals (all) {
  return all.reduce((one, other) => {
    const groups = Object.entries(other).map(([group, more]) => [group, group === 'timings' ? addTimings(one.timings, more) : addNumbers(one[group], more)])
    return { ...one, ...Object.fromEntries(groups) }
  })
}

function addNumbers (one, other) {
  const sum = { ...one }
  for (const [name, count] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + count
  return sum
}

function addTimings (one, other) {
  const sum = { ...one }
  for (const [name, buckets] of Object.entries(other)) sum[name] = name in sum ? addBuckets(sum[name], buckets) : buckets
  return sum
}

/**
 * Turns a Distribution into counts between fixed bounds. Such counts can simply be added up, across threads and across
 * rounds.
 *
 * @param {Distribution} distribution
 * @param {number[]} bounds in seconds, ascending
 * @returns {{ counts: number[], sum: number }} `counts`: for each bound, how many values are above the previous bound
 *   and not above this one (with the 0.1% resolution of an HDR histogram), followed by how many are above all bounds;
 *   `sum` in seconds
 */
function toBuckets (distribution, bounds) {
  const { places, count, max, sum } = distribution
  const counts = []
  let place = places === null ? -1 : places.nextFrom(0)
  let total = 0
  for (const bound of bounds) {
    const microseconds = Math.round(bound * 1e6)
    const before = total
    if (microseconds >= max) {
      total = count
    } else {
      const last = placeOf(microseconds)
      for (; place !== -1 && place <= last; place = places.nextFrom(place + 1)) total += places.countAt(place)
    }
    counts.push(total - before)
  }
  counts.push(count - total)
  return { counts, sum: sum / 1e6 }
}

/** Adds two results of `toBuckets` that use the same bounds. */
function addBuckets (one, other) {
  return { counts: one.counts.map((count, index) => count + other.counts[index]), sum: one.sum + other.sum }
}

module.exports = { noTotals, totalsOfRecorder, totalsOfSummary, addTotals, toBuckets, addBuckets }
