'use strict'

const { mean } = require('../statistics/summaries')

// A histogram holds whole microseconds within 0.1 %.
const MICROSECOND = 0.001
const HISTOGRAM_PRECISION = 0.001
// Of fewer than these nothing can be learned about how much they spread.
const FEWEST_BLOCKS = 5

function percentile (name) {
  return {
    name,
    unit: 'ms',
    better: 'lower',
    isRelative: true,
    value: ({ latency }) => latency.totalCount > 0 ? latency[name] : NaN,
    ofSample: (sample) => sample.requests > 0 ? sample[name] : NaN,
    resolution: (value) => Math.max(MICROSECOND / value, HISTOGRAM_PRECISION)
  }
}

/**
 * What is compared.
 *
 * - `value(result)` of a run, `ofSample(sample)` of one entry of its timeline; NaN where there is none
 * - `isRelative`: differences are ratios, and computed with logarithms, so that twice as fast and half as fast are as far
 *   from equal; else they are differences
 * - `resolution(value, result)`: the step in which it is measured, relative or absolute likewise
 */
const METRICS = [
  {
    name: 'throughput',
    unit: '/s',
    better: 'higher',
    isRelative: true,
    // Half a request stands for none, of which there is no logarithm.
    value: ({ requests, duration }) => requests.average > 0 ? requests.average : 0.5 / duration,
    ofSample: ({ requests, seconds }) => Math.max(requests, 0.5) / seconds,
    resolution: (value, { requests }) => 1 / Math.max(1, requests.total)
  },
  percentile('p50'),
  percentile('p99'),
  {
    name: 'errorRate',
    unit: 'share',
    better: 'lower',
    isRelative: false,
    value: ({ errors, requests }) => errors / (errors + requests.total),
    ofSample: ({ errors, requests }) => errors / (errors + requests),
    resolution: (value, { errors, requests }) => 1 / Math.max(1, errors + requests.total)
  }
]

const scaled = ({ isRelative }, value) => isRelative ? Math.log(value) : value

/** What is compared of a result, by name; null where there is no value. */
function valuesOf (result) {
  const values = METRICS.map(({ name, value }) => [name, value(result)])
  return Object.fromEntries(values.map(([name, value]) => [name, Number.isFinite(value) ? value : null]))
}

/** A result as a row of numbers, one for each metric, on the scale on which differences are taken. */
function rowOf (result) {
  return METRICS.map((metric) => scaled(metric, metric.value(result)))
}

/**
 * A single run as several rows: it is cut into blocks, so long that what happens in one is hardly felt in the next. They
 * spread as the run did, around what the whole of it measured.
 *
 * @param {object} result
 * @returns {number[][]} fewer than two where the run is too short
 */
function blocksOf (result) {
  const timeline = (result.timeline ?? []).filter(({ seconds }) => seconds > 0)
  const length = Math.max(1, Math.min(Math.ceil(Math.sqrt(timeline.length)), Math.floor(timeline.length / FEWEST_BLOCKS)))
  const blocks = []
  for (let start = 0; start + length <= timeline.length; start += length) {
    const samples = timeline.slice(start, start + length)
    blocks.push(METRICS.map((metric) => mean(samples.map((sample) => scaled(metric, metric.ofSample(sample))).filter(Number.isFinite))))
  }
  const whole = rowOf(result)
  return blocks.map((block) => block.map((value, index) => {
    const center = mean(blocks.map((each) => each[index]).filter(Number.isFinite))
    return value - center + whole[index]
  }))
}

module.exports = { METRICS, valuesOf, rowOf, blocksOf }
