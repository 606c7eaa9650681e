'use strict'

const { decodeHistogram } = require('../base/encoded-histogram')
const { failuresOf, isOfFailures } = require('./failures')

/** What '%' in a limit refers to, by the names in shape.js. Takes the result, the object that contains the field, and its endpoint. */
const WHOLES = {
  attempts: ({ requests, accounting, errors }) => (requests?.total ?? accounting?.completed) + errors,
  completed: ({ requests, accounting }) => requests?.total ?? accounting?.completed,
  sent: ({ accounting, requests }) => accounting?.sent ?? requests?.sent,
  scheduled: ({ accounting }) => accounting?.scheduled,
  offered: (result, { offered }) => offered,
  sessions: ({ sessions }) => sessions?.scheduled,
  received: ({ messages }) => messages?.received,
  expected: ({ broadcast }) => broadcast?.expected,
  endpoint: (result, parent, { completed, failed }) => completed + failed
}

/** How many values, requests or sessions a field is computed from, by the names in shape.js. Undefined if the result does not say. */
const BASES = {
  values: (result, { totalCount }) => totalCount,
  completed: WHOLES.completed,
  sent: WHOLES.sent,
  expected: WHOLES.expected,
  completedSessions: ({ sessions }) => sessions?.completed,
  latencies: ({ latency }, parent, endpoint) => (endpoint?.latency ?? latency)?.totalCount,
  latenciesWithUnfinished: ({ latencyWithUnfinished }) => latencyWithUnfinished?.totalCount
}

/**
 * Reads the value of a field from a result, in the unit of the limit that it is compared with.
 *
 * @param {object} result
 * @param {object} field see names.js
 * @param {string} unit '%' to get a share
 * @returns {number|boolean|null} null if this result has no such value
 */
function readValue (result, field, unit) {
  const { path, isDuration, percentile, whole, absent, basis } = field
  if (path.includes('checks')) return percentOfChecks(result, path)
  const { base } = placeIn(result, path)
  const parent = isOfFailures(field) ? base : path.slice(0, -1).reduce(child, result)
  if (parent === undefined || parent === null || base === undefined) return absent
  // The statistics of an empty distribution are 0, and a latency of 0 would meet any upper limit. The same is true of means and shares.
  if (isDuration && parent.totalCount === 0) return null
  if (basis !== null && BASES[basis](base, parent, endpointOf(base, path)) === 0) return null

  if (percentile !== null) return fromHistogram(base.histograms?.[percentile.histogram], percentile.percent, parent)
  const value = valueOf(base, parent, field) ?? absent
  if (typeof value === 'boolean') return value
  if (typeof value !== 'number' || !Number.isFinite(value)) return null
  if (unit !== '%' || field.kind === 'percent') return value
  const all = whole === null ? 1 : WHOLES[whole](base, parent, endpointOf(base, path))
  return all > 0 ? value * 100 / all : null
}

// Without any check there is no share, and no threshold on it passes.
function percentOfChecks (result, path) {
  const place = path.indexOf('checks')
  const given = path.slice(0, place + 1).reduce(child, result)
  const all = Array.isArray(given) ? given.filter(Boolean) : []
  const checks = path.length === place + 1 ? all : all.filter(({ name }) => name === path[place + 1].name)
  const passed = checks.reduce((sum, check) => sum + check.passed, 0)
  const made = checks.reduce((sum, check) => sum + check.passed + check.failed, 0)
  return made === 0 ? null : passed * 100 / made
}

/**
 * Finds the result that a field belongs to: that of the warm-up, or an entry of `scenarios`, whose fields are those of a result.
 *
 * @param {object} result
 * @param {Array} path of the field
 * @returns {{ run: ?object, base: ?object, names: Array }} `run`: the result that `base` is part of; `names`: the path from `base`
 */
function placeIn (result, path) {
  const [run, own] = path[0] === 'warmup' ? [result.warmup, path.slice(1)] : [result, path]
  if (own[0] !== 'scenarios') return { run, base: run, names: own }
  return { run, base: child(run?.scenarios, own[1]), names: own.slice(2) }
}

function valueOf (base, parent, field) {
  if (isOfFailures(field)) return base.requests === undefined && base.non2xx === undefined ? undefined : failuresOf(base).atLeast
  const name = field.path.at(-1)
  return name === 'errorRate' ? base.errors : child(parent, name)
}

// Searches by the endpoint's key, because the field may be nested more deeply: a gRPC status is one level further down.
function endpointOf ({ endpoints }, path) {
  return child(endpoints, path[path.indexOf('endpoints') + 1])
}

/**
 * The fields that a threshold is about. In a result with scenarios, each of them has an endpoint of its own for a title.
 *
 * @param {object} result
 * @param {object} field see names.js
 * @returns {object[]} the field itself, or one for each endpoint if several have its title
 */
function fieldsIn (result, field) {
  const { path } = field
  const key = path.indexOf('endpoints') + 1
  const title = key > 0 ? path[key]?.title : undefined
  if (title === undefined) return [field]
  const endpoints = path.slice(0, key).reduce(child, result)
  if (!Array.isArray(endpoints)) return [field]
  const named = endpoints.flatMap((endpoint, index) => endpoint?.title === title ? [{ ...field, path: path.with(key, index) }] : [])
  return named.length > 1 ? named : [field]
}

function child (object, key) {
  if (object === undefined || object === null) return undefined
  if (typeof key === 'object') return object.find?.((each) => key.name === undefined ? each?.title === key.title : each?.name === key.name)
  return Object.hasOwn(object, key) ? object[key] : undefined
}

// The histogram has rounded microseconds, so the value is limited to the exact minimum and maximum.
function fromHistogram (encoded, percent, { min, max }) {
  if (typeof encoded !== 'string') return null
  const histogram = decodeHistogram(encoded)
  const milliseconds = histogram.getValueAtPercentile(percent) / 1000
  return Math.max(min, Math.min(max, milliseconds))
}

module.exports = { child, fieldsIn, placeIn, readValue }
