'use strict'

const { decodeCounts, encodeCounts } = require('../base/encoded-histogram')
const Places = require('./places')

/**
 * What autocannon's results have before `aggregateResult` has seen them, as far as a whole result has room for it: programs add
 * these up themselves. `latencies` counts whole milliseconds, rounded down as there.
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

// No value of a place is larger than the largest of all.
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
