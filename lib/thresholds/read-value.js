'use strict'

const { decodeHistogram } = require('../base/encoded-histogram')

/** What the '%' of a limit is of, from the result, the object that the field is in, and the endpoint it belongs to. The names stand in shape.js. */
const WHOLES = {
  attempts: ({ requests, errors }) => requests?.total + errors,
  completed: ({ requests }) => requests?.total,
  sent: ({ accounting, requests }) => accounting?.sent ?? requests?.sent,
  scheduled: ({ accounting }) => accounting?.scheduled,
  offered: (result, { offered }) => offered,
  sessions: ({ sessions }) => sessions?.scheduled,
  received: ({ messages }) => messages?.received,
  expected: ({ broadcast }) => broadcast?.expected,
  endpoint: (result, parent, { completed, failed }) => completed + failed
}

/**
 * The value of a field in a result, in the unit of the limit it is compared with.
 *
 * @param {object} result
 * @param {object} field see names.js
 * @param {string} unit '%' where a share is asked for
 * @returns {number|boolean|null} null where this result has no such value
 */
function readValue (result, field, unit) {
  const { path, isDuration, percentile, whole, absent } = field
  const base = path[0] === 'warmup' ? result.warmup : result
  const parent = path.slice(0, -1).reduce(child, result)
  if (parent === undefined || parent === null || base === undefined) return absent
  // Of no values at all zeros are recorded, and as a latency they would pass anything.
  if (isDuration && parent.totalCount === 0) return null

  if (percentile !== null) return fromHistogram(base.histograms?.[percentile.histogram], percentile.percent, parent)
  const isErrorRate = path.at(-1) === 'errorRate'
  const value = isErrorRate ? base.errors : child(parent, path.at(-1)) ?? absent
  if (typeof value === 'boolean') return value
  if (typeof value !== 'number' || !Number.isFinite(value)) return null
  if (unit !== '%' || field.kind === 'percent') return value
  const all = whole === null ? 1 : WHOLES[whole](base, parent, endpointOf(base, path))
  return all > 0 ? value * 100 / all : null
}

// Not the field's own parent: a gRPC status is one level further down.
function endpointOf ({ endpoints }, path) {
  return child(endpoints, path[path.indexOf('endpoints') + 1])
}

function child (object, key) {
  if (object === undefined || object === null) return undefined
  if (typeof key === 'object') return object.find?.(({ title }) => title === key.title)
  return Object.hasOwn(object, key) ? object[key] : undefined
}

// Microseconds in the histogram; rounded there, so that the true extremes go before it.
function fromHistogram (encoded, percent, { min, max }) {
  if (typeof encoded !== 'string') return null
  const histogram = decodeHistogram(encoded)
  const milliseconds = histogram.getValueAtPercentile(percent) / 1000
  return Math.max(min, Math.min(max, milliseconds))
}

module.exports = { child, readValue }
