'use strict'

const { boundsOf, isLowerBound } = require('../../thresholds')
const { mean } = require('../statistics/summaries')

// A histogram of ours holds whole microseconds within 0.1 %, one of autocannon's whole milliseconds.
const MICROSECOND = 0.001
const MILLISECOND = 1
const HISTOGRAM_PRECISION = 0.001
// Of fewer than these nothing can be learned about how much they spread.
const FEWEST_BLOCKS = 5

// Where none of these has a fraction, there were none to be had.
const TELLING = ['p50', 'p90', 'p99', 'max']

function percentile (name) {
  return {
    name,
    unit: 'ms',
    better: 'lower',
    isRelative: true,
    value: (result) => leastOf(result, 'latency', result.latency, name),
    isBound: (result) => isLowerBound(result, name),
    ofSample: (sample) => sample.requests > 0 ? sample[name] : NaN,
    resolution: (value, result) => Math.max(stepOf(result) / value, HISTOGRAM_PRECISION),
    least: stepOf
  }
}

function stepOf ({ latency }) {
  return TELLING.every((name) => Number.isInteger(latency[name] ?? 0)) ? MILLISECOND : MICROSECOND
}

// Of streams; a percentile of times that a sample has as well.
function streamTime (name, of, key) {
  return {
    name,
    unit: 'ms',
    better: 'lower',
    isRelative: true,
    value: (result) => leastOf(result, `stream.${of}`, result.stream[of], key),
    isBound: (result) => isLowerBound(result, key, `stream.${of}`),
    ofSample: (sample) => sample.stream?.[of]?.[key] ?? NaN,
    resolution: (value) => Math.max(MICROSECOND / value, HISTOGRAM_PRECISION),
    least: () => MICROSECOND
  }
}

// Where it is not known for certain, at least that.
function leastOf (result, place, statistics, name) {
  return statistics.totalCount > 0 ? boundsOf(result, place).range(name).atLeast : NaN
}

/**
 * What is compared.
 *
 * - `value(result)` of a run, `ofSample(sample)` of one entry of its timeline; NaN where there is none
 * - `isRelative`: differences are ratios, and computed with logarithms, so that twice as fast and half as fast are as far
 *   from equal; else they are differences
 * - `isBound(result)`: whether the value is only known to be at least that
 * - `resolution(value, result)`: the step in which it is measured, relative or absolute likewise
 * - `least(result)`, of ratios: what can be told from 0. A value of 0 is one that is less, and has no logarithm: where there
 *   is one, whatever is less counts as this much, on all sides. See floorOf
 */
const METRICS = [
  {
    name: 'throughput',
    unit: '/s',
    better: 'higher',
    isRelative: true,
    value: ({ requests }) => requests.average,
    isBound: () => false,
    ofSample: ({ requests, seconds }) => Math.max(requests, 0.5) / seconds,
    resolution: (value, { requests }) => 1 / Math.max(1, requests.total),
    // Half a request stands for none.
    least: ({ duration }) => 0.5 / duration
  },
  percentile('p50'),
  percentile('p99'),
  {
    name: 'errorRate',
    unit: 'share',
    better: 'lower',
    isRelative: false,
    value: ({ errors, requests }) => errors / (errors + requests.total),
    isBound: () => false,
    ofSample: ({ errors, requests }) => errors / (errors + requests),
    resolution: (value, { errors, requests }) => 1 / Math.max(1, errors + requests.total)
  }
]

/** What is compared where all responses are streams. */
const STREAM_METRICS = [
  {
    name: 'eventRate',
    unit: '/s',
    better: 'higher',
    isRelative: true,
    value: ({ stream }) => stream.rate,
    isBound: () => false,
    ofSample: ({ stream, seconds }) => Math.max(stream?.events ?? 0, 0.5) / seconds,
    resolution: (value, { stream }) => 1 / Math.max(1, stream.events),
    least: ({ duration }) => 0.5 / duration
  },
  streamTime('firstEventP50', 'timeToFirstEvent', 'p50'),
  streamTime('firstEventP99', 'timeToFirstEvent', 'p99'),
  streamTime('gapP50', 'gap', 'p50'),
  streamTime('gapP99', 'gap', 'p99')
]

/** What can be compared of these results. */
function metricsOf (results) {
  return results.every(isOfStreams) ? [...METRICS, ...STREAM_METRICS] : METRICS
}

// A saved one may be anything.
function isOfStreams ({ stream }) {
  return Number.isFinite(stream?.rate) && [stream.timeToFirstEvent, stream.gap].every((times) => Number.isFinite(times?.totalCount))
}

const scaled = ({ isRelative }, value, least = 0) => isRelative ? Math.log(Math.max(value, least)) : value

/**
 * What the values of a metric count as at least, so that those of 0 can be compared as well; 0 where there are none.
 *
 * @param {object} metric
 * @param {object[]} results of all sides
 */
function floorOf (metric, results) {
  if (!metric.isRelative) return 0
  return Math.max(0, ...results.filter((result) => metric.value(result) === 0).map((result) => metric.least(result)).filter(Number.isFinite))
}

/** What is compared of a result, by name; null where there is no value. */
function valuesOf (result) {
  const values = metricsOf([result]).map(({ name, value }) => [name, value(result)])
  return Object.fromEntries(values.map(([name, value]) => [name, Number.isFinite(value) ? value : null]))
}

/**
 * A result as a row of numbers, one for each metric, on the scale on which differences are taken.
 *
 * @param {object} result
 * @param {number[]} leasts one for each metric, see floorOf
 * @param {object[]} metrics
 */
function rowOf (result, leasts, metrics) {
  return metrics.map((metric, index) => scaled(metric, metric.value(result), leasts[index]))
}

/**
 * A single run as several rows: it is cut into blocks, so long that what happens in one is hardly felt in the next. They
 * spread as the run did, around what the whole of it measured.
 *
 * @param {object} result
 * @param {number[]} leasts one for each metric, see floorOf
 * @param {object[]} metrics
 * @returns {number[][]} fewer than two where the run is too short
 */
function blocksOf (result, leasts, metrics) {
  const timeline = (result.timeline ?? []).filter(({ seconds }) => seconds > 0)
  const length = Math.max(1, Math.min(Math.ceil(Math.sqrt(timeline.length)), Math.floor(timeline.length / FEWEST_BLOCKS)))
  const blocks = []
  for (let start = 0; start + length <= timeline.length; start += length) {
    const samples = timeline.slice(start, start + length)
    blocks.push(metrics.map((metric, index) => {
      return mean(samples.map((sample) => scaled(metric, metric.ofSample(sample), leasts[index])).filter(Number.isFinite))
    }))
  }
  const whole = rowOf(result, leasts, metrics)
  return blocks.map((block) => block.map((value, index) => {
    const center = mean(blocks.map((each) => each[index]).filter(Number.isFinite))
    return value - center + whole[index]
  }))
}

module.exports = { METRICS, STREAM_METRICS, metricsOf, floorOf, valuesOf, rowOf, blocksOf }
