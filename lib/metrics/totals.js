'use strict'

const { addBuckets, toBuckets } = require('./buckets')
const { grpcStatus } = require('./counts')
const Distribution = require('./distribution')
const Recorder = require('./recorder')
const { composeTimings } = require('./timings')

/*
 * All that has been counted so far, for somebody who watches the run from outside. Plain data that adds up:
 *
 *     { counters: { sent: 5, … }, statuses: { 200: 4 }, errors: { ECONNRESET: 1 }, timings: { latency: { counts, sum }, … } }
 *
 * Made once per sample and only where somebody watches. While the run lasts, `latency` is not in it: each interval brings
 * that of its own.
 */

/**
 * @param {Recorder} recorder after `takeInterval`
 * @param {number[]} bounds of the buckets, in seconds
 */
function totalsOfRecorder (recorder, bounds) {
  const { open, sent, scheduled, distributions, errorCodes, usedEndpoints, messages } = recorder
  const statuses = {}
  for (const { statuses: counts } of usedEndpoints) {
    for (let status = 0; status < counts.length; status++) {
      if (counts[status] !== 0) statuses[status] = (statuses[status] ?? 0) + counts[status]
    }
  }
  const timeToFirstByte = new Distribution().add(distributions.timeToFirstByte).add(distributions.earlyFirstByte)
  return {
    counters: { ...recorder.counters, scheduled: open ? scheduled : sent, ...sessionCounters(recorder.sessions), ...streamCounters(recorder.stream), ...messageCounters(messages) },
    statuses: messages === null ? statuses : Object.fromEntries(messages.handshakes),
    calls: recorder.calls ? grpcStatus(usedEndpoints.map((endpoint) => ({ outcomes: endpoint.outcomeEntries }))) ?? {} : {},
    errors: sumsOfErrors(errorCodes.toData()),
    timings: toTimings({ ...distributions, timeToFirstByte, ...sessionTimings(recorder.sessions), ...streamTimings(recorder.stream?.distributions) }, bounds)
  }
}

/**
 * @param {object} summary merged, see merge.js
 * @param {number[]} bounds
 */
function totalsOfSummary (summary, bounds) {
  const { counters, endpoints, errorCodes, distributions } = summary
  const statuses = {}
  for (const endpoint of endpoints) {
    for (const [status, count] of endpoint.statuses) statuses[status] = (statuses[status] ?? 0) + count
  }
  // In the closed model the service time is the latency.
  const { latency, serviceTime, timeToFirstByte } = composeTimings(summary)
  const timings = toTimings({ ...distributions, latency, serviceTime, timeToFirstByte, ...sessionTimings(summary.sessions), ...streamTimings(summary.stream) }, bounds)
  const { messages = null } = summary
  for (const [status, count] of messages?.handshakes ?? []) statuses[status] = count
  const ofMessages = messages && { ...messages.counters, broadcast: messages.broadcast }
  return { counters: { ...counters, ...sessionCounters(summary.sessions?.counters), ...streamCounters(summary.stream), ...messageCounters(ofMessages) }, statuses, calls: grpcStatus(endpoints) ?? {}, errors: sumsOfErrors(errorCodes.toData()), timings }
}

/** Those of a run that has not counted anything yet. */
function noTotals (bounds) {
  const totals = totalsOfRecorder(new Recorder({ endpoints: 0, open: true, timeout: 0 }), bounds)
  return { ...totals, timings: { ...totals.timings, latency: toBuckets(new Distribution(), bounds) } }
}

const TIMINGS = ['latency', 'serviceTime', 'timeToFirstByte', 'connectTime', 'clientDelay', 'waitDelay', 'sessionLifetime', 'timeToFirstEvent', 'eventGap']

// Of a run whose requests belong to sessions; there is none of it in others.
function sessionCounters (sessions) {
  if (sessions === null || sessions === undefined) return undefined
  const { scheduled, unstarted, started, completed, failed, unfinished } = sessions
  return { sessionsScheduled: scheduled, sessionsUnstarted: unstarted, sessionsStarted: started, sessionsCompleted: completed, sessionsFailed: failed, sessionsUnfinished: unfinished }
}

// Of a run that speaks WebSocket.
function messageCounters (messages) {
  if (messages === null) return undefined
  const { received, unasked, pings, pongs, broadcast } = messages
  return {
    messagesReceived: received,
    messagesUnasked: unasked,
    pings,
    pongs,
    ...(broadcast && { copiesExpected: broadcast.expected, copiesReceived: broadcast.received })
  }
}

function sessionTimings (sessions) {
  return sessions === null ? undefined : { sessionLifetime: sessions.lifetime }
}

// Of a run whose responses are streams.
function streamCounters (stream) {
  return stream ? { streamEvents: stream.events } : undefined
}

function streamTimings (distributions) {
  return distributions ? { timeToFirstEvent: distributions.timeToFirstEvent, eventGap: distributions.gap } : undefined
}

function toTimings (distributions, bounds) {
  const present = TIMINGS.filter((name) => name in distributions)
  return Object.fromEntries(present.map((name) => [name, toBuckets(distributions[name], bounds)]))
}

function sumsOfErrors (data) {
  return Object.fromEntries(data.map(([code, phases]) => [code, phases.reduce((sum, count) => sum + count, 0)]))
}

/** Several together: threads, or rounds. @param {object[]} all at least one */
function addTotals (all) {
  return all.reduce((one, other) => ({
    counters: addNumbers(one.counters, other.counters),
    statuses: addNumbers(one.statuses, other.statuses),
    calls: addNumbers(one.calls, other.calls),
    errors: addNumbers(one.errors, other.errors),
    timings: addTimings(one.timings, other.timings)
  }))
}

function addNumbers (one, other) {
  const sum = { ...one }
  for (const [name, count] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + count
  return sum
}

function addTimings (one, other) {
  const sum = { ...one }
  for (const [name, buckets] of Object.entries(other)) sum[name] = name in sum ? addBuckets(sum[name], buckets) : buckets
  return sum
}

module.exports = { noTotals, totalsOfRecorder, totalsOfSummary, addTotals }
