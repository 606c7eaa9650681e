'use strict'

const Distribution = require('./distribution')
const { ErrorCodes } = require('./error-codes')
const { mergeMessages } = require('./messages')
const { mergeReplyWindows } = require('./reply-windows')
const { mergeSessions } = require('./sessions')
const { mergeStreams } = require('./streams')
const { mergeTargets } = require('./target-tally')

/**
 * Adds up what several recorders saw (threads, machines) as if one had seen it all. Exact and associative: counters
 * are sums, distributions are sums of histograms; nothing is averaged.
 *
 * @param {object[]} summaries as Recorder.summary gives them, at least one, all of the same plan
 * @param {Function} [Kind] what a distribution is to become: with what Recorder.standing gives, a Span
 * @returns {object} `{ open, fromDueTime, counters, most, distributions, endpoints, errorCodes, replies, sessions, stream, messages, targets }` with live Distributions; of an
 *   endpoint `bounds` is one as well, or null
 */
function merge (summaries, Kind = Distribution) {
  const [first] = summaries
  return {
    open: first.open,
    fromDueTime: first.fromDueTime,
    counters: sumOfEach(summaries.map(({ counters }) => counters)),
    most: greatestOfEach(summaries.map(({ most }) => most)),
    distributions: Object.fromEntries(Object.keys(first.distributions).map((name) =>
      [name, sumOfDistributions(summaries.map(({ distributions }) => distributions[name]), Kind)])),
    endpoints: first.endpoints.map((_, index) => mergeEndpoints(summaries.map(({ endpoints }) => endpoints[index]), Kind)),
    errorCodes: summaries.reduce((codes, summary) => codes.add(summary.errorCodes), new ErrorCodes()),
    replies: mergeReplyWindows(summaries.map(({ replies }) => replies)),
    sessions: first.sessions == null ? null : mergeSessions(summaries.map(({ sessions }) => sessions), Kind),
    stream: first.stream == null ? null : mergeStreams(summaries.map(({ stream }) => stream), Kind),
    messages: first.messages == null ? null : mergeMessages(summaries.map(({ messages }) => messages), Kind),
    targets: mergeTargets(summaries.map(({ targets }) => targets))
  }
}

function mergeEndpoints (parts, Kind) {
  const withOutcomes = parts.map(({ outcomes }) => outcomes).filter(Boolean)
  return {
    ...sumOfEach(parts.map(({ completed, failed, timedOut }) => ({ completed, failed, timedOut }))),
    statuses: sumOfEntries(parts.map(({ statuses }) => statuses)),
    outcomes: withOutcomes.length === 0 ? null : sumOfEntries(withOutcomes),
    latency: sumOfDistributions(parts.map(({ latency }) => latency), Kind),
    bounds: parts.every(({ bounds }) => bounds === null)
      ? null
      : sumOfDistributions(parts.map(({ bounds }) => bounds).filter(Boolean), Kind)
  }
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
