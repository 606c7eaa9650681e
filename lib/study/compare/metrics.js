'use strict'

const { boundsOf, isLowerBound } = require('../../thresholds')
const { failuresOf } = require('../../thresholds/failures')
const { mean } = require('../statistics/summaries')

// Our histograms hold whole microseconds, accurate to 0.1%; autocannon's hold whole milliseconds.
const MICROSECOND = 0.001
const MILLISECOND = 1
const HISTOGRAM_PRECISION = 0.001
// Fewer blocks say nothing about their spread.
const FEWEST_BLOCKS = 5

// If none of these has a fraction, the result has only whole milliseconds.
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

// A metric of streams: a percentile of times that samples have, too.
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

// The minimum of the true value, if that isn't known for certain.
function leastOf (result, place, statistics, name) {
  return statistics.totalCount > 0 ? boundsOf(result, place).range(name).atLeast : NaN
}

// Counts whatever a user would call a failure: a server that answers everything with 500 makes no errors.
function failureRate (result) {
  const { atLeast, attempts } = failuresOf(result)
  return atLeast / attempts
}

function non2xxOf ({ statuses = {} }) {
  return Object.entries(statuses).reduce((sum, [name, count]) => name === '2xx' ? sum : sum + count, 0)
}

/**
 * The metrics that are compared.
 *
 * - `value(result)` of a run, `ofSample(sample)` of one entry of its timeline; NaN if there is none
 * - `isRelative`: differences are ratios, computed with logarithms, so that twice as fast and half as fast are equally far
 *   from equal; otherwise, they are differences
 * - `isBound(result)`: whether the value is only known to be at least that
 * - `resolution(value, result)`: the step in which it is measured, also relative or absolute
 * - `least(result)`, for ratios: the smallest value that can be distinguished from 0. A value of 0 has no logarithm: if there
 *   is one, all smaller values count as this value, on all sides. See floorOf
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
    // No requests count as half a request.
    least: ({ duration }) => 0.5 / duration
  },
  percentile('p50'),
  percentile('p99'),
  {
    name: 'errorRate',
    unit: 'share',
    better: 'lower',
    isRelative: false,
    value: failureRate,
    isBound: () => false,
    ofSample: (sample) => failureRate({ ...sample, ...sample.statuses, non2xx: non2xxOf(sample), requests: { total: sample.requests } }),
    resolution: (value, result) => 1 / Math.max(1, failuresOf(result).attempts)
  }
]

/** Additional metrics if all responses are streams. */
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

/** The metrics that these results have. */
function metricsOf (results) {
  return results.every(isOfStreams) ? [...METRICS, ...STREAM_METRICS] : METRICS
}

// A saved result may have any form.
function isOfStreams ({ stream }) {
  return Number.isFinite(stream?.rate) && [stream.timeToFirstEvent, stream.gap].every((times) => Number.isFinite(times?.totalCount))
}

const scaled = ({ isRelative }, value, least = 0) => isRelative ? Math.log(Math.max(value, least)) : value

/**
 * The minimum that values of a metric count as, so that zeros can be compared, too; 0 if there are no zeros.
 *
 * @param {object} metric
 * @param {object[]} results of all sides
 */
function floorOf (metric, results) {
  if (!metric.isRelative) return 0
  return Math.max(0, ...results.filter((result) => metric.value(result) === 0).map((result) => metric.least(result)).filter(Number.isFinite))
}

/** The metrics of a result, by name; null if there is no value. */
function valuesOf (result) {
  const values = metricsOf([result]).map(({ name, value }) => [name, value(result)])
  return Object.fromEntries(values.map(([name, value]) => [name, Number.isFinite(value) ? value : null]))
}

/**
 * Returns a result as a row of numbers, one for each metric, on the scale on which differences are computed.
 *
 * @param {object} result
 * @param {number[]} leasts one for each metric, see floorOf
 * @param {object[]} metrics
 */
function rowOf (result, leasts, metrics) {
  return metrics.map((metric, index) => scaled(metric, metric.value(result), leasts[index]))
}

/**
 * Returns a single run as several rows: it is cut into blocks that are long enough to hardly affect each other. They have the
 * spread of the run, around the values of the whole run.
 *
 * @param {object} result
 * @param {number[]} leasts one for each metric, see floorOf
 * @param {object[]} metrics
 * @returns {number[][]} fewer than two if the run is too short
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
