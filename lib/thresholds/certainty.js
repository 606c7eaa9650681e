'use strict'

const { HISTOGRAM_OF, interruptedName, missingName } = require('../metrics/figures')
const { Bounds, NONE_MISSING, isExceeded } = require('./bounds')
const { decode, percentOf } = require('./histograms')
const { missingOf } = require('./missing')

/*
 * How far the figures of a result can be trusted if some of their values are unknown: see bounds.js.
 */

// Statistics that a single unknown value can make arbitrarily large.
const MOVED_BY_ONE = new Set(['max', 'mean', 'average', 'total', 'stddev'])

const NONE = Object.freeze({ count: 0 })

/**
 * Finds what is unknown about the values of a figure.
 *
 * @param {object} result of a run or of a warm-up; also one of an earlier version, which only tells how many requests had no
 *   response, and one of autocannon
 * @param {string} place path of the figure in the result: 'latency', 'latencyWithUnfinished', 'stream.gap', see metrics/figures.js
 * @param {object} [endpoint] one of `result.endpoints`; if given, its latency is used
 * @returns {Bounds}
 */
function boundsOf (result, place, endpoint) {
  const statistics = place.split('.').reduce((part, key) => part?.[key], endpoint ?? result)
  if (statistics === null || typeof statistics !== 'object') return new Bounds({ totalCount: 0 }, {})
  if (place === 'latencyWithUnfinished') return boundsWithUnfinished(result, statistics)
  const histograms = (endpoint ?? result).histograms ?? {}
  const name = HISTOGRAM_OF.get(place)
  const bounds = place === 'latency' ? boundsOfLatency(result, statistics, endpoint) : NONE
  const missing = missingOf(result, place, statistics, endpoint)
  const encoded = { all: histograms[name], bounds: histograms.latencyBounds, missing: missing.isPartly ? undefined : histograms[missingName(name)] }
  return new Bounds(statistics, { bounds, missing, interrupted: interruptedOf(result, name, endpoint) }, encoded)
}

// Unsent requests belong to no endpoint, so they may have been of any.
function interruptedOf (result, name, endpoint) {
  const owners = endpoint === undefined ? [[result, name]] : [[endpoint, name], [result, 'sendDelay']]
  return owners.map(([{ interrupted, histograms, latencyBounds }, figure]) => ({
    ...interrupted?.[figure],
    encoded: histograms?.[interruptedName(figure)],
    isInside: figure === 'latencyWithUnfinished' || (figure === 'latency' && latencyBounds?.count > 0)
  }))
    .filter(({ count }) => count > 0)
}

const isCounted = (bounds) => Number.isFinite(bounds?.count)

function boundsOfLatency (result, statistics, endpoint) {
  const { latencyBounds } = endpoint ?? result
  return isCounted(latencyBounds) ? latencyBounds : possibleBounds(result, statistics, endpoint)
}

function boundsWithUnfinished (result, statistics) {
  const { latencyWithUnfinishedBounds: told, histograms, accounting } = result
  const encoded = { all: histograms?.latencyWithUnfinished, bounds: histograms?.latencyWithUnfinishedBounds }
  const histogram = decode(encoded.bounds)
  // The histogram also contains requests in flight at the end of the closed model, which may not count.
  const interrupted = interruptedOf(result, 'latencyWithUnfinished')
  if (isCounted(told)) return new Bounds(statistics, { bounds: told, interrupted }, histogram?.totalCount === told.count ? encoded : { all: encoded.all })
  if (histogram === null) return new Bounds(statistics, { bounds: { count: Math.min(statistics.totalCount, unanswered(accounting, ['failed'])) } }, encoded)
  const smallest = histogram.totalCount === 0 ? null : histogram.lowestEquivalentValue(histogram.getValueAtPercentile(0)) / 1000
  return new Bounds(statistics, { bounds: { count: histogram.totalCount, smallest } }, encoded)
}

// For a result that does not tell how many bounds it has: the largest possible number.
function possibleBounds ({ rate, accounting, non2xx }, { totalCount }, endpoint) {
  if (!rate || !accounting) return NONE
  const { completed } = endpoint ?? accounting
  // With excludeErrorStats, the latencies do not include all completed requests.
  const most = non2xx === 0 ? Math.max(0, totalCount - completed) : totalCount
  return { count: Math.min(most, unanswered(accounting)) }
}

function unanswered (accounting, more = []) {
  return ['timedOut', 'unfinished', 'unsent', ...more].reduce((sum, box) => sum + (accounting?.[box] ?? 0), 0)
}

/**
 * What is unknown about the times of last copies (docs/realtime.md, "Broadcast"). If copies are missing, it is unknown of which
 * messages: any of them may have had its last copy later, or never. A message without any copy has no time at all.
 *
 * @param {object} result
 * @returns {?{ count: number, total: number, range: function(string, number): object }} null if all copies arrived
 */
function copyBoundsOf ({ broadcast, accounting, histograms }) {
  if (!broadcast || !(broadcast.received < broadcast.expected)) return null
  const { expected, received, lastCopy } = broadcast
  const { totalCount = 0 } = lastCopy ?? {}
  const without = Math.max(0, (accounting?.sent ?? totalCount) - totalCount)
  const bounds = new Bounds(lastCopy ?? {}, {
    bounds: { count: Math.min(totalCount, Math.max(0, expected - received - without)) },
    missing: { ...NONE_MISSING, count: without }
  }, { all: histograms?.lastCopy })
  return {
    count: expected - received,
    total: expected,
    range: (name, value = lastCopy?.[name], percent = percentOf(name)) => ({
      // Messages without a copy at the end of the run would have got theirs later than others.
      atLeast: name === 'stddev' ? 0 : value,
      atMost: bounds.range(name, value, percent).atMost
    })
  }
}

/**
 * Whether a statistic in the result is only a lower bound of the true value.
 *
 * @param {object} result
 * @param {string} name such as 'p99'
 * @param {string} [place] see boundsOf
 * @returns {boolean}
 */
function isLowerBound (result, name, place = 'latency') {
  const bounds = boundsOf(result, place)
  return isExceeded(bounds.range(name), bounds.statistics[name])
}

module.exports = { boundsOf, copyBoundsOf, isExceeded, isLowerBound, percentOf, MOVED_BY_ONE }
