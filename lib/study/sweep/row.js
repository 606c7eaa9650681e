'use strict'

const { keepsUp, sustainedRate } = require('../keeping-up')
const { limitedBy, withSaturation } = require('../limited-by')

// Net I/O is in the unit of httperf and autobench.
const KILOBYTE = 1024

/**
 * What one target did at one rate.
 *
 * @param {string} name
 * @param {object} result
 * @param {object|null} idle the result of this target in which it answered most quickly so far
 * @param {{ demanded: number, arrivals: string, enough: number }} load see keepsUp
 * @returns {object} rates per second, times in ms (null where nothing was answered), netIO in KiB per second
 */
function targetOf (name, result, idle, { demanded, arrivals, enough }) {
  const { duration, requests, latency, serviceTime, timeToFirstByte, accounting, errors } = result
  const isKeepingUp = keepsUp(result, demanded, { arrivals, enough })
  const limit = isKeepingUp
    ? { limitedBy: null, reasons: result.generator.reasons }
    : withSaturation(limitedBy(result, idle), result, idle)
  return {
    name,
    achieved: result.rate.achieved,
    sustained: round(sustainedRate(result)),
    keepsUp: isKeepingUp,
    limitedBy: limit.limitedBy,
    saturated: result.generator.saturated || limit.limitedBy === 'generator',
    reasons: limit.reasons,
    requestRate: round(accounting.sent / duration),
    connectionRate: round(result.connectionStats.opened / duration),
    replyRate: { min: requests.min, avg: requests.average, max: requests.max, stddev: requests.stddev },
    responseTime: measured(latency, 'mean', accounting),
    serviceTime: measured(serviceTime, 'mean', accounting),
    timeToFirstByte: measured(timeToFirstByte, 'mean', accounting),
    p50: measured(latency, 'p50', accounting),
    p90: measured(latency, 'p90', accounting),
    p99: measured(latency, 'p99', accounting),
    p99_9: measured(latency, 'p99_9', accounting),
    netIO: round((result.bytes.read + result.bytes.written) / KILOBYTE / duration),
    errors,
    errorPercent: round(errors === 0 ? 0 : 100 * errors / (errors + accounting.completed)),
    completed: accounting.completed,
    unsent: accounting.unsent,
    unfinished: accounting.unfinished,
    timeouts: result.timeouts,
    non2xx: result.non2xx
  }
}

// Requests that were never answered are in the latency as well, at the age they had reached: not a time of the server's.
function measured (statistics, name, { completed }) {
  return completed === 0 || statistics.totalCount === 0 ? null : statistics[name]
}

function round (value) {
  return Math.round(value * 1000) / 1000
}

module.exports = { targetOf }
