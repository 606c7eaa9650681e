'use strict'

const { HISTOGRAM_OF, missingName } = require('../metrics/figures')
const { Bounds, NONE_MISSING } = require('./bounds')
const { decode, percentOf } = require('./histograms')
const { missingOf } = require('./missing')

/*
 * How far the figures of a result can be trusted where some of their values are not known: see bounds.js.
 */

// What one value that is not known can make as large as it likes.
const MOVED_BY_ONE = new Set(['max', 'mean', 'average', 'total', 'stddev'])

const NONE = Object.freeze({ count: 0, smallest: null })

/**
 * What is not known of the values of a figure.
 *
 * @param {object} result of a run, or of a warm-up; also one of an earlier version, which only says how many requests had
 *   no answer, and one of autocannon
 * @param {string} place where the figure stands in it: 'latency', 'latencyWithUnfinished', 'stream.gap', see metrics/figures.js
 * @param {object} [endpoint] one of `result.endpoints`, whose latency is meant
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
  return new Bounds(statistics, { bounds, missing }, encoded)
}

const isCounted = (bounds) => Number.isFinite(bounds?.count)

function boundsOfLatency (result, statistics, endpoint) {
  const { latencyBounds } = endpoint ?? result
  return isCounted(latencyBounds) ? latencyBounds : possibleBounds(result, statistics, endpoint)
}

function boundsWithUnfinished ({ latencyWithUnfinishedBounds: told, histograms, accounting }, statistics) {
  const encoded = { all: histograms?.latencyWithUnfinished, bounds: histograms?.latencyWithUnfinishedBounds }
  const histogram = decode(encoded.bounds)
  // The histogram has what was in flight when the closed model ended as well, which need not count.
  if (isCounted(told)) return new Bounds(statistics, { bounds: told }, histogram?.totalCount === told.count ? encoded : { all: encoded.all })
  if (histogram === null) return new Bounds(statistics, { bounds: { count: Math.min(statistics.totalCount, unanswered(accounting, ['failed'])), smallest: null } }, encoded)
  const smallest = histogram.totalCount === 0 ? null : histogram.lowestEquivalentValue(histogram.getValueAtPercentile(0)) / 1000
  return new Bounds(statistics, { bounds: { count: histogram.totalCount, smallest } }, encoded)
}

// Of a result that does not tell: as many as there may be.
function possibleBounds ({ rate, accounting, non2xx }, { totalCount }, endpoint) {
  if (!rate || !accounting) return NONE
  const { completed } = endpoint ?? accounting
  // With excludeErrorStats the completed requests are not all in there.
  const most = non2xx === 0 ? Math.max(0, totalCount - completed) : totalCount
  return { count: Math.min(most, unanswered(accounting)), smallest: null }
}

function unanswered (accounting, more = []) {
  return ['timedOut', 'unfinished', 'unsent', ...more].reduce((sum, box) => sum + (accounting?.[box] ?? 0), 0)
}

/**
 * What is not known of the times of last copies (docs/realtime.md, "Broadcast"): where copies are missing nobody knows of which
 * messages, and each of them may have had its last copy later, or never. A message of which no copy came has no time at all.
 *
 * @param {object} result
 * @returns {?{ count: number, total: number, range: function(string, number): object }} null where all copies have come
 */
function copyBoundsOf ({ broadcast, accounting, histograms }) {
  if (!broadcast || !(broadcast.received < broadcast.expected)) return null
  const { expected, received, lastCopy } = broadcast
  const { totalCount = 0 } = lastCopy ?? {}
  const without = Math.max(0, (accounting?.sent ?? totalCount) - totalCount)
  const bounds = new Bounds(lastCopy ?? {}, {
    bounds: { count: Math.min(totalCount, Math.max(0, expected - received - without)), smallest: null },
    missing: { ...NONE_MISSING, count: without }
  }, { all: histograms?.lastCopy })
  return {
    count: expected - received,
    total: expected,
    range: (name, value = lastCopy?.[name], percent = percentOf(name)) => ({
      // What had no copy yet when the run was over would have come later than others.
      atLeast: name === 'stddev' ? 0 : value,
      atMost: bounds.range(name, value, percent).atMost
    })
  }
}

/**
 * Whether a statistic of a figure is not known, but to some end.
 *
 * @param {object} result
 * @param {string} name such as 'p99'
 * @param {string} [place] see boundsOf
 * @returns {boolean}
 */
function isLowerBound (result, name, place = 'latency') {
  const { atLeast, atMost } = boundsOf(result, place).range(name)
  return atMost > atLeast
}

/**
 * What a report marks of a figure. A result of an earlier version does not tell which of its figures are bounds: it is shown
 * as it was, and only judged by how many there may be.
 *
 * @param {object} result
 * @param {string} [place] see boundsOf
 * @returns {?Bounds} null where there is nothing to mark
 */
function markedBounds (result, place = 'latency') {
  const isTold = (place === 'latency' && result.latencyBounds?.count > 0) || result.missing?.[HISTOGRAM_OF.get(place)]?.count > 0
  return isTold ? boundsOf(result, place) : null
}

/**
 * Whether a report marks a statistic of a figure, or a percentile that is no field, as a lower bound.
 *
 * @param {object} result
 * @param {string} name
 * @param {number} [value] ms; default that in the result
 * @param {string} [place] see boundsOf
 */
function isMarked (result, name, value, place) {
  const bounds = markedBounds(result, place)
  if (bounds === null) return false
  const { atLeast, atMost } = bounds.range(name, value)
  return atMost > atLeast
}

module.exports = { boundsOf, copyBoundsOf, isLowerBound, isMarked, markedBounds, percentOf, MOVED_BY_ONE }
