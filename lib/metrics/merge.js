'use strict'

const Distribution = require('./distribution')
const { ErrorCodes } = require('./error-codes')
const { beyond, distributionsOf, mergeMissing } = require('./missing-times')
const { mergeParts, timesOfParts } = require('./parts')

/**
 * Adds up what several recorders (threads, machines) counted, as if a single one had counted it all. Exact and associative:
 * counters and histograms are summed, and nothing is averaged.
 *
 * @param {object[]} summaries from Recorder.summary, at least one, all of the same plan
 * @param {Function} [Kind] the class of the merged distributions: Span for summaries from Recorder.interim
 * @returns {object} `{ open, fromDueTime, counters, most, distributions, endpoints, missing, verifies, errorCodes }` with live Distributions;
 *   so are `bounds` and `missing` of an endpoint, which may be null; `requests` if the endpoints are those of calls (see call-endpoints.js); and each part by its name (see parts/index.js), null if the run does
 *   not have it
 */
function merge (summaries, Kind = Distribution) {
  const [first] = summaries
  const distributions = Object.fromEntries(Object.keys(first.distributions).map((name) =>
    [name, sumOfDistributions(summaries.map(({ distributions }) => distributions[name]), Kind)]))
  const { requests, groups, hasOthers } = matchEndpoints(summaries)
  const endpoints = groups.map((parts) => mergeEndpoints(parts, Kind))
  const counters = sumOfEach(summaries.map(({ counters }) => counters))
  const parts = mergeParts(summaries, Kind, merge)
  return {
    open: first.open,
    fromDueTime: first.fromDueTime,
    counters,
    most: greatestOfEach(summaries.map(({ most }) => most)),
    distributions,
    endpoints,
    ...(requests !== undefined && { requests, hasOtherEndpoints: hasOthers }),
    missing: mergeMissing(summaries.map(({ missing }) => missing), Kind, distributionsOf(distributions, endpoints, timesOfParts({ ...parts, counters, endpoints }))),
    verifies: summaries.some(({ verifies }) => verifies),
    errorCodes: summaries.reduce((codes, summary) => codes.add(summary.errorCodes), new ErrorCodes()),
    ...parts
  }
}

// Without calls, endpoint k is the k-th request of the plan everywhere.
function matchEndpoints (summaries) {
  if (summaries[0].called !== undefined) return require('./call-endpoints').matchCalls(summaries)
  return { groups: summaries[0].endpoints.map((_, index) => summaries.map(({ endpoints }) => endpoints[index])) }
}

function mergeEndpoints (parts, Kind) {
  const latency = sumOfDistributions(parts.map(({ latency }) => latency), Kind)
  const withOutcomes = parts.map(({ outcomes }) => outcomes).filter(Boolean)
  return {
    ...sumOfEach(parts.map(({ completed, failed, timedOut }) => ({ completed, failed, timedOut }))),
    statuses: sumOfEntries(parts.map(({ statuses }) => statuses)),
    outcomes: withOutcomes.length === 0 ? null : sumOfEntries(withOutcomes),
    latency,
    bounds: sumOfSome(parts.map(({ bounds }) => bounds), Kind),
    missing: sumOfSome(parts.map(({ missing }) => missing), Kind),
    interrupted: sumOfSome(parts.map(({ interrupted = null }) => interrupted), Kind),
    waiting: beyond(parts.flatMap(({ waiting }) => waiting), latency).sort((a, b) => a - b)
  }
}

// Returns null if all of them are null.
function sumOfSome (parts, Kind) {
  const some = parts.filter((part) => part !== null)
  return some.length === 0 ? null : sumOfDistributions(some, Kind)
}

function sumOfEntries (all) {
  const sums = new Map()
  for (const [key, count] of all.flat()) sums.set(key, (sums.get(key) ?? 0) + count)
  return [...sums].sort(([a], [b]) => a - b)
}

function sumOfEach (objects) {
  return Object.fromEntries(Object.keys(objects[0]).map((name) =>
    [name, objects.reduce((sum, object) => sum + object[name], 0)]))
}

function greatestOfEach (objects) {
  return Object.fromEntries(Object.keys(objects[0]).map((name) => [name, Math.max(...objects.map((object) => object[name]))]))
}

function sumOfDistributions (parts, Kind) {
  if (parts.length === 1) return Kind.from(parts[0])
  return parts.reduce((sum, part) => sum.add(Kind.from(part)), new Kind())
}

module.exports = { merge }
