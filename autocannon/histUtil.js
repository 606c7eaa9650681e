'use strict'

const hdr = require('hdr-histogram-js')
const { addPercentiles, histAsObj, percentiles } = require('hdr-histogram-percentiles-obj')
const { CannonadeError, CODES, show } = require('../lib/base/errors')

// Milliseconds, requests and bytes: the initial maximum of each histogram, and its number of digits.
const FORMS = {
  latencies: { highestTrackableValue: 1e4, numberOfSignificantValueDigits: 5 },
  requests: { highestTrackableValue: 1e6, numberOfSignificantValueDigits: 3 },
  throughput: { highestTrackableValue: 1e11, numberOfSignificantValueDigits: 3 }
}

/**
 * The histograms of a raw result, to add others to: the given ones, and new ones for the rest.
 *
 * @param {{ latencies?: Histogram, requests?: Histogram, throughput?: Histogram }} [given]
 */
function getHistograms (given = {}) {
  const build = (form) => hdr.build({ ...form, lowestDiscernibleValue: 1, bitBucketSize: 64, autoResize: true, useWebAssembly: false })
  return Object.fromEntries(Object.entries(FORMS).map(([name, form]) => [name, given[name] ?? build(form)]))
}

const encodeHist = (histogram) => hdr.encodeIntoCompressedBase64(histogram)

/**
 * @param {string} text `latencies` of a raw result, or one of `histograms`
 * @returns {?Histogram} null of an empty text
 * @throws {CannonadeError} CANNONADE_BAD_ARGUMENT for `requests` and `throughput`, which are statistics in every result here
 */
function decodeHist (text) {
  if (!text) return null
  if (typeof text !== 'string') throw new CannonadeError(CODES.BAD_ARGUMENT, `decodeHist needs a histogram as text, such as latencies of a raw result; got ${show(text)}`)
  return hdr.decodeFromCompressedBase64(text)
}

module.exports = { addPercentiles, decodeHist, encodeHist, getHistograms, histAsObj, percentiles }
