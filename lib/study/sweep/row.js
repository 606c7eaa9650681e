'use strict'

const { perSecond, thousandth } = require('../../base/rounding')
const { isLowerBound } = require('../../thresholds')
const { failuresOf } = require('../../thresholds/failures')
const { achievedRate } = require('../keeping-up')
const { limitedBy, withSaturation } = require('../limited-by')
const { monitoredIn, statusesOf } = require('../row-values')

// Net I/O has the unit that httperf and autobench use.
const KILOBYTE = 1024

/**
 * Returns the measurements of one target at one rate, or with one number of connections.
 *
 * @param {string} name
 * @param {object} result
 * @param {object|null} idle the result of this target with the fastest responses so far
 * @param {{ sustained: number, keepsUp: ?boolean }} assessment see keeping-up.js; `keepsUp` is null in the closed model, which demands no
 *   rate
 * @returns {object} rates per second, times in ms (null if there was no response), netIO in KiB per second; `atLeast`: the names of
 *   those times that are only lower bounds; `stream`, if responses are streams: events, and percentiles; `monitor`: see monitoredIn
 */
function targetOf (name, result, idle, { sustained, keepsUp: isKeepingUp }) {
  const { duration, requests, latency, serviceTime, timeToFirstByte, accounting, errors, stream } = result
  const limit = isKeepingUp === false
    ? withSaturation(limitedBy(result, idle), result, idle)
    : { limitedBy: null, reasons: result.generator.reasons }
  return {
    name,
    achieved: achievedRate(result),
    sustained: thousandth(sustained),
    keepsUp: isKeepingUp,
    limitedBy: limit.limitedBy,
    saturated: result.generator.saturated || limit.limitedBy === 'generator',
    reasons: limit.reasons,
    requestRate: perSecond(accounting.sent, duration),
    connectionRate: perSecond(result.connectionStats.opened, duration),
    replyRate: { min: requests.min, avg: requests.average, max: requests.max, stddev: requests.stddev },
    responseTime: measured(latency, 'mean', accounting),
    serviceTime: measured(serviceTime, 'mean', accounting),
    timeToFirstByte: measured(timeToFirstByte, 'mean', accounting),
    p50: measured(latency, 'p50', accounting),
    p90: measured(latency, 'p90', accounting),
    p99: measured(latency, 'p99', accounting),
    p99_9: measured(latency, 'p99_9', accounting),
    atLeast: lowerBounds(result),
    netIO: perSecond((result.bytes.read + result.bytes.written) / KILOBYTE, duration),
    errors,
    errorPercent: thousandth(errors === 0 ? 0 : 100 * errors / (errors + accounting.completed)),
    completed: accounting.completed,
    unsent: accounting.unsent,
    unfinished: accounting.unfinished,
    timeouts: result.timeouts,
    non2xx: result.non2xx,
    failures: failuresOf(result).atLeast,
    statuses: statusesOf([result]),
    ...(stream && { stream: streamOf(stream) }),
    ...monitoredIn(result)
  }
}

// Latency includes requests without a response, at the age they reached. If there was no response at all, these are not server times.
function measured (statistics, name, { completed }) {
  return completed === 0 || statistics.totalCount === 0 ? null : statistics[name]
}

function streamOf ({ events, rate, timeToFirstEvent, gap }) {
  const times = ({ totalCount, p50, p90, p99 }) => totalCount === 0 ? { p50: null, p90: null, p99: null } : { p50, p90, p99 }
  return { events, rate, timeToFirstEvent: times(timeToFirstEvent), gap: times(gap) }
}

const TIMES = [
  ...Object.entries({ responseTime: 'mean', p50: 'p50', p90: 'p90', p99: 'p99', p99_9: 'p99_9' }).map(([name, statistic]) => [name, 'latency', statistic]),
  ...['serviceTime', 'timeToFirstByte'].map((name) => [name, name, 'mean']),
  ...['timeToFirstEvent', 'gap'].flatMap((of) => ['p50', 'p90', 'p99'].map((statistic) => [`stream.${of}.${statistic}`, `stream.${of}`, statistic]))
]

// The names of the times that are lower bounds, because of requests without a response.
function lowerBounds (result) {
  if (result.accounting.completed === 0) return []
  return TIMES.filter(([, place, statistic]) => isLowerBound(result, statistic, place)).map(([name]) => name)
}

module.exports = { targetOf }
