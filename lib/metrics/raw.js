'use strict'

const { decodeCounts, encodeCounts } = require('../base/encoded-histogram')
const Places = require('./places')

/**
 * The fields that only autocannon results with skipAggregateResult have, as far as a complete result can have them too.
 * Programs add these up themselves. `latencies` counts whole milliseconds, rounded down as in autocannon.
 *
 * @param {object} result
 * @returns {object} fields for a result that can be aggregated
 */
function rawFields ({ histograms, latency, requests, throughput }) {
  return {
    latencies: inMilliseconds(histograms.latency, latency.max),
    totalCompletedRequests: requests.total,
    totalRequests: requests.sent,
    totalBytes: throughput.total
  }
}

// Values are capped at the recorded maximum, because the upper end of a place may be larger.
function inMilliseconds (encoded, max) {
  const pairs = decodeCounts(encoded)
  const places = new Places()
  for (let index = 0, place = -1; index < pairs.length; index += 2) {
    place += pairs[index]
    places.record(Math.floor(Math.min(Places.highestOf(place) / 1000, max)), pairs[index + 1])
  }
  return encodeCounts(places.toPairs())
}

module.exports = { rawFields }
