'use strict'

const checkTimelineParts = require('./timeline-parts')

const PERCENTILES = [
  'p0_001', 'p0_01', 'p0_1', 'p1', 'p2_5', 'p10', 'p25', 'p50', 'p75', 'p90', 'p95', 'p97_5', 'p99', 'p99_9', 'p99_99', 'p99_999'
]
const BOXES = ['scheduled', 'unsent', 'sent', 'completed', 'failed', 'timedOut', 'unfinished']

/**
 * Returns what doesn't add up in a result: checks everything that must hold for every run, whatever happened in it. A warm-up is
 * checked, too.
 *
 * @param {object} result of a run
 * @param {object} [opts] options of the run: `excludeErrorStats`, `ignoreCoordinatedOmission`, `drain` and `sessions` matter here
 * @param {number} [opts.inherited] connections that were open when the run began, default: those that its warm-up left open
 * @param {?number} [opts.left] for the result of a warm-up: how many connections it left open, default null
 * @returns {string[]} sentences; none if everything is correct
 */
function violations ({ mergeable, ...result }, { excludeErrorStats = false, ignoreCoordinatedOmission = false, drain = null, sessions = null, inherited = leftOpen(result.warmup), left = null } = {}) {
  const found = []
  const equal = (actual, expected, what) => {
    if (!Object.is(actual, expected)) found.push(`${what}: ${actual}, not ${expected}`)
  }
  const near = (actual, expected, tolerance, what) => {
    if (!(Math.abs(actual - expected) <= tolerance)) found.push(`${what}: ${actual}, not ${expected} ± ${tolerance}`)
  }
  const check = { equal, near, true: (truth, what) => equal(truth, true, what) }
  const hasDueTimes = Boolean(result.rate || result.sessions)
  for (const each of [...unbalanced(result), ...repeated(result)]) found.push(each)
  checkBoxes(result, check)
  checkStatuses(result, check)
  checkEndpoints(result, check)
  if (hasDueTimes) checkDueTimes(result, check, excludeErrorStats, ignoreCoordinatedOmission)
  else checkClosedModel(result, check, excludeErrorStats)
  // The timeline covers the window, not the drain.
  if (!hasDueTimes && left === null) checkWholeTimeline(result, check, excludeErrorStats)
  checkErrors(result, check)
  checkConnections(result, check, inherited, left ?? 0)
  checkTimeline(result, check)
  checkTimelineParts(result, check, left !== null || mayDrain(result, drain, sessions))
  checkSlowest(result, check, excludeErrorStats)
  checkHeat(result, check)
  for (const [name, statistics] of statisticsOf(result)) checkOrder(name, statistics, check)
  checkPlainData('result', result, found)
  if (result.warmup) found.push(...violations({ ...result.warmup, options: result.options }, { excludeErrorStats, ignoreCoordinatedOmission, left: inherited }).map((each) => `warm-up: ${each}`))
  return found
}

// A fixed number of sessions runs to completion.
function mayDrain ({ warnings }, drain, sessions) {
  const wasCut = warnings.some(({ code, message }) => code === 'STOPPED' && /^The run was stopped after [\d.,]+ of its [\d.,]+ seconds/.test(message))
  return !wasCut && (drain !== 0 || Boolean(sessions?.amount))
}

/** Whether all of a result adds up: `violations` as an assertion of a test. */
function addsUp (t, result, opts) {
  t.strictSame(violations(result, opts), [], 'everything adds up')
}

/** How many connections a warm-up has left to its run. */
function leftOpen (warmup) {
  if (!warmup) return 0
  const { opened, closedByServer, closedByClient } = warmup.connectionStats
  return opened - closedByServer - closedByClient
}

// One for each option, each message or each agent.
const SEVERAL = ['OPTION_WITHOUT_EFFECT', 'HAR_REQUESTS_MISSING', 'USER_CODE_FAILED', 'AGENT_LOST', 'AGENT_STOPPED']

/** Which warnings a result has more than once, although one of their kind is enough. */
function repeated ({ warnings }) {
  const codes = warnings.map(({ code }) => code).filter((code) => !SEVERAL.includes(code))
  return codes.filter((code, index) => codes.indexOf(code) !== index).map((code) => `there are several warnings ${code}`)
}

/** Which of the identities of requests and of sessions do not hold: each of them is in one box. */
function unbalanced ({ accounting, sessions }) {
  const found = []
  const equal = (actual, expected, what) => { if (actual !== expected) found.push(`${what}: ${actual}, not ${expected}`) }
  const { scheduled, unsent, sent, completed, failed, timedOut, unfinished } = accounting
  equal(unsent + sent, scheduled, 'scheduled = unsent + sent')
  equal(completed + failed + timedOut + unfinished, sent, 'sent = completed + failed + timedOut + unfinished')
  if (!sessions) return found
  const { lengths, lifetime, failTime } = sessions
  equal(sessions.unstarted + sessions.started, sessions.scheduled, 'sessions: scheduled = unstarted + started')
  equal(sessions.completed + sessions.failed + sessions.unfinished, sessions.started, 'sessions: started = completed + failed + unfinished')
  equal(lengths.reduce((all, count) => all + count, 0), sessions.started, 'sessions: lengths has each started session')
  equal(lengths.reduce((all, count, responses) => all + count * responses, 0), completed, 'sessions: lengths has each response')
  equal(lifetime.totalCount, sessions.completed, 'sessions: lifetime has what was completed')
  equal(failTime.totalCount, sessions.failed, 'sessions: failTime has what failed')
  return found
}

function checkBoxes ({ accounting, requests, errors, timeouts, connectionStats, latencyWithUnfinished }, { equal, true: isTrue }) {
  const { scheduled, sent, completed, failed, timedOut } = accounting
  equal(Object.keys(accounting).join(), BOXES.join(), 'the boxes')
  for (const name of BOXES) isTrue(Number.isSafeInteger(accounting[name]) && accounting[name] >= 0, `${name} is a count`)
  equal(requests.sent, sent, 'requests.sent')
  equal(requests.total, completed, 'requests.total')
  equal(errors, failed + timedOut + connectionStats.failed, 'errors')
  equal(timeouts, timedOut, 'timeouts')
  // Responses of error statuses are missing from both with excludeErrorStats.
  isTrue(latencyWithUnfinished.totalCount <= scheduled, 'latencyWithUnfinished counts no request twice')
}

function checkStatuses ({ accounting, statusCodeStats, non2xx, ...result }, { equal }) {
  if (result.messages) {
    checkMessages({ accounting, statusCodeStats, non2xx, ...result }, equal)
    return
  }
  const classes = { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 }
  for (const [status, { count }] of Object.entries(statusCodeStats)) {
    if (`${status[0]}xx` in classes) classes[`${status[0]}xx`] += count
  }
  equal(sum(Object.values(statusCodeStats), 'count'), accounting.completed, 'the sum of statusCodeStats')
  for (const name of Object.keys(classes)) equal(result[name], classes[name], name)
  // gRPC calls that aren't OK count as well.
  equal(non2xx, accounting.completed - (result.grpcStatus ? result.grpcStatus.OK ?? 0 : classes['2xx']), 'non2xx')
  if (result.grpcStatus) equal(Object.values(result.grpcStatus).reduce((sum, count) => sum + count, 0), accounting.completed, 'grpcStatus')
}

// With WebSocket, statuses are those of handshakes.
function checkMessages ({ accounting, statusCodeStats, non2xx, messages, broadcast, connectionStats, endpoints, '1xx': informational }, equal) {
  // With Socket.IO, a connection may fail after this handshake.
  const accepted = statusCodeStats[101]?.count ?? 0
  equal(accepted >= connectionStats.opened && accepted <= connectionStats.opened + connectionStats.failed, true, 'a handshake for each connection that was opened')
  equal(informational >= accepted, true, '1xx')
  equal(non2xx, 0, 'non2xx')
  equal(messages.sent, accounting.sent, 'messages.sent')
  equal(endpoints.every(({ statusCodeStats }) => Object.keys(statusCodeStats).length === 0), true, 'a message has no status')
  if (broadcast) {
    equal(messages.received, broadcast.received + messages.unasked, 'received = copies + unasked')
    equal(broadcast.received <= broadcast.expected, true, 'copies are some of those that were expected')
  }
  if (!broadcast && messages.received !== messages.unasked) equal(messages.received, accounting.completed + messages.unasked, 'received = completed + unasked')
}

function checkEndpoints ({ accounting, endpoints, latency, statusCodeStats, messages }, { equal, near, true: isTrue }) {
  equal(sum(endpoints, 'completed'), accounting.completed, 'completed of all endpoints')
  equal(sum(endpoints, 'failed'), accounting.failed + accounting.timedOut, 'failed of all endpoints')
  for (const [index, endpoint] of endpoints.entries()) {
    if (!messages) equal(sum(Object.values(endpoint.statusCodeStats), 'count'), endpoint.completed, `statuses of endpoint ${index}`)
  }
  for (const [status, { count }] of messages ? [] : Object.entries(statusCodeStats)) {
    equal(endpoints.reduce((all, each) => all + (each.statusCodeStats[status]?.count ?? 0), 0), count, `${status} of all endpoints`)
  }
  const all = endpoints.map((endpoint) => endpoint.latency)
  // In the open model, an unsent request has an age, but no endpoint.
  const unsent = latency.totalCount === accounting.completed ? 0 : accounting.unsent
  equal(sum(all, 'totalCount'), latency.totalCount - unsent, 'latency counts of all endpoints')
  if (unsent > 0) {
    isTrue(sum(all, 'total') <= latency.total + 1e-3, 'latency totals of all endpoints')
    return
  }
  if (all.some(({ totalCount }) => totalCount > 0)) {
    equal(Math.min(...all.filter(({ totalCount }) => totalCount > 0).map(({ min }) => min)), latency.min, 'min of all endpoints')
  }
  near(sum(all, 'total'), latency.total, 1e-3, 'latency totals of all endpoints')
}

function checkClosedModel (result, { equal, true: isTrue }, excludeErrorStats) {
  const { accounting, latency, serviceTime, timeToFirstByte, timeToStatusLine, transferTime, latencyWithUnfinished, sendDelay, non2xx } = result
  const counted = excludeErrorStats ? accounting.completed - non2xx : accounting.completed
  equal(accounting.unsent, 0, 'unsent')
  equal(latency.totalCount, counted, 'latency.totalCount')
  equal(serviceTime.totalCount, counted, 'serviceTime.totalCount')
  equal(serviceTime.total, latency.total, 'service time is latency')
  checkFirstBytes(result, counted, isTrue)
  equal(timeToStatusLine.totalCount, timeToFirstByte.totalCount, 'timeToStatusLine.totalCount')
  equal(transferTime.totalCount, counted, 'transferTime.totalCount')
  isTrue(timeToFirstByte.total <= timeToStatusLine.total + 1e-6, 'the status line is not before the first byte')
  // Each value is rounded to a microsecond. Requests that were given up after their status line have no latency.
  if (timeToFirstByte.totalCount === counted) {
    isTrue(timeToFirstByte.total <= latency.total + 1e-6, 'the first byte is not after the last')
    isTrue(Math.abs(timeToStatusLine.total + transferTime.total - latency.total) <= counted / 1000 + 1e-6, 'status line and transfer are all of it')
  }
  equal(latencyWithUnfinished.totalCount, counted + accounting.sent - accounting.completed, 'latencyWithUnfinished.totalCount')
  equal(sendDelay.totalCount, 0, 'sendDelay.totalCount')
}

// Times are counted from the moment at which a request was due: for each of these the result knows at least how old it became.
function checkDueTimes (result, { equal, true: isTrue }, excludeErrorStats, ignoreCoordinatedOmission) {
  const { accounting: { scheduled, sent, completed, failed }, latency, latencyWithUnfinished, serviceTime, sendDelay, drain } = result
  equal(sendDelay.totalCount, sent, 'sendDelay has what was sent')
  equal(sendDelay.client.totalCount, sent, 'so has its share of the client')
  equal(sendDelay.waiting.totalCount, sent, 'and its share of waiting')
  isTrue(drain.completed <= completed, 'what was completed in the drain is part of what was completed')
  if (excludeErrorStats) return
  equal(latency.totalCount, ignoreCoordinatedOmission ? completed : scheduled - failed, 'latency has what it should have')
  equal(latencyWithUnfinished.totalCount, scheduled, 'latencyWithUnfinished has all')
  equal(serviceTime.totalCount, completed, 'serviceTime has what was completed')
  checkFirstBytes(result, completed, isTrue)
}

// The first byte of a request that was given up may have come before.
function checkFirstBytes ({ accounting: { sent, completed }, timeToFirstByte: { totalCount } }, counted, isTrue) {
  isTrue(totalCount >= counted && totalCount <= counted + sent - completed, 'timeToFirstByte.totalCount')
}

function checkErrors ({ errorCodes, errors, timeouts, connectionStats }, { equal, true: isTrue }) {
  const entries = Object.entries(errorCodes)
  for (const [code, { count, phase, phases, message, examples }] of entries) {
    equal(examples.length, Math.min(3, count), `examples of ${code}`)
    isTrue(examples.every(({ at }, index) => at >= (examples[index - 1]?.at ?? 0)), `the first of ${code}`)
    equal(Object.values(phases).reduce((all, each) => all + each, 0), count, `phases of ${code}`)
    equal(phases[phase], Math.max(...Object.values(phases)), `phase of ${code} is the most frequent`)
    isTrue(typeof message === 'string' && message !== '', `message of ${code}`)
  }
  // A connection that broke while it was idle has an error code, but isn't the error of a request.
  isTrue(sum(entries.map(([, entry]) => entry), 'count') >= errors, 'every error has a code')
  equal(errorCodes.CANNONADE_RESPONSE_TIMEOUT?.count ?? 0, timeouts, 'timeouts by code')
  const opening = entries.reduce((all, [, { phases }]) => all + (phases.dns ?? 0) + (phases.connect ?? 0) + (phases.tls ?? 0), 0)
  // Anything other than SETTINGS as a server's first frame makes the connection fail, in the phase of a bad response.
  const { phases = {} } = errorCodes.CANNONADE_BAD_RESPONSE ?? {}
  isTrue(opening <= connectionStats.failed && connectionStats.failed <= opening + (phases.parse ?? 0), 'failed connections by phase')
}

// Results of two runs that were added up may have asked for different numbers of requests.
function checkSlowest ({ slowest, options, accounting, non2xx, latency, latencyBounds, endpoints, connectionStats }, { equal, true: isTrue }, excludeErrorStats) {
  const most = options?.slowest ?? 10
  equal(slowest.length, Math.min(most, excludeErrorStats ? accounting.completed - non2xx : accounting.completed), 'how many requests are the slowest')
  isTrue(slowest.every((request, index) => index === 0 || isInOrder(slowest[index - 1], request)), 'the slowest come first')
  if (slowest.length > 0 && latencyBounds.count === 0) equal(slowest[0].latency, latency.max, 'the slowest request took as long as the greatest latency')
  for (const { serviceTime, dueAt, sentAt, endedAt, endpoint, path, connection } of slowest) {
    isTrue(dueAt <= sentAt + 2e-6 && Math.abs(endedAt - sentAt - serviceTime / 1000) < 2e-6, 'times of the slowest')
    isTrue(endpoints[endpoint]?.completed > 0 && path.length <= 200 && Number.isSafeInteger(connection) && connection > 0, 'what the slowest were')
  }
}

const isInOrder = (one, other) => one.latency > other.latency || (one.latency === other.latency && one.endedAt <= other.endedAt)

function checkHeat ({ heat: { times, bounds, counts }, timeline, latency, duration, drain }, { equal, near, true: isTrue }) {
  equal(counts.reduce((all, row) => all + row.reduce((sum, count) => sum + count, 0), 0), latency.totalCount, 'the heat map has every latency once')
  equal(times.slice(0, timeline.length).join(), timeline.map(({ time }) => time).join(), 'the heat map has the times of the timeline')
  isTrue(times.length <= timeline.length + 1, 'the heat map has at most one row for the drain')
  if (times.length > timeline.length) near(times.at(-1), duration + drain.seconds, 0.0011, 'the row of the drain')
  isTrue(counts.length === times.length && counts.every((row) => row.length === Math.max(0, bounds.length - 1)), 'the form of the heat map')
  if (latency.totalCount > 0) isTrue(bounds[0] <= latency.min && bounds[1] > latency.min && bounds.at(-1) > latency.max && bounds.at(-2) <= latency.max, 'the bounds of the heat map')
}

function checkConnections ({ connectionStats, connectTime, connections, sessions }, { equal, true: isTrue }, inherited, left) {
  const { opened, closedByServer, closedByClient, peak } = connectionStats
  equal(closedByServer + closedByClient + left, opened + inherited, 'every connection that was opened was closed')
  isTrue((Boolean(sessions) || peak <= connections) && peak <= opened + inherited, 'peak')
  equal(connectTime.totalCount, opened, 'connectTime.totalCount')
  equal(connectTime.tcp.totalCount, opened, 'connectTime.tcp.totalCount')
  isTrue(connectTime.dns.total + connectTime.tcp.total + connectTime.tls.total <= connectTime.total + opened * 0.01, 'the parts of connectTime')
}

function checkWholeTimeline ({ timeline, bytes, errors, drain, latency, broadcast }, { equal }, excludeErrorStats) {
  equal(drain.completed, 0, 'drain.completed')
  equal(sum(timeline, 'errors'), errors, 'errors over the timeline')
  // The end waits for copies.
  if (!excludeErrorStats && !broadcast) equal(sum(timeline, 'bytes'), bytes.read, 'bytes over the timeline')
  equal(Math.max(...timeline.map(({ max }) => max)), latency.max, 'max over the timeline')
}

function checkTimeline (result, { equal, near, true: isTrue }) {
  const { timeline, samples, duration, accounting, requests, throughput, drain } = result
  equal(timeline.length, samples, 'samples')
  equal(sum(timeline, 'requests'), accounting.completed - drain.completed, 'requests over the timeline')
  equal(throughput.total, sum(timeline, 'bytes'), 'throughput.total')
  isTrue(timeline.every(({ bytes, requests, errors }) => bytes >= 0 && requests >= 0 && errors >= 0), 'no sample is negative')
  isTrue(timeline.every(({ time }, index) => index === 0 || time > timeline[index - 1].time), 'time goes on')
  equal(timeline.at(-1).time, duration, 'the last sample ends with the run')
  near(sum(timeline, 'seconds'), duration, 0.001 * samples, 'seconds over the timeline')
  // `duration` is rounded to a millisecond; averages are computed from the exact time and rounded to three decimals.
  for (const [statistics, total] of [[requests, sum(timeline, 'requests')], [throughput, throughput.total]]) {
    if (total > 0 && duration > 0) near(total / statistics.average, duration, 0.001 + duration * 0.0005 / statistics.average, 'the time that the average tells')
    // The run and its only sample may end a microsecond apart, by the clocks of two machines.
    const rounding = 0.001 + statistics.average * 1e-6 / Math.max(duration, 1e-6)
    isTrue(statistics.min >= 0 && statistics.min <= statistics.average + rounding && statistics.average <= statistics.max + rounding, 'min, average, max')
  }
}

/** Every statistics object of a result, by name. */
function statisticsOf (result, name = 'result') {
  if (result === null || typeof result !== 'object' || result instanceof Date) return []
  const own = 'p99_999' in result ? [[name, result]] : []
  return [...own, ...Object.entries(result).flatMap(([key, value]) => statisticsOf(value, `${name}.${key}`))]
}

function checkOrder (name, statistics, { equal, true: isTrue }) {
  const rising = [statistics.min, ...PERCENTILES.map((percentile) => statistics[percentile]), statistics.max]
  isTrue(rising.every((value, index) => value >= 0 && (index === 0 || value >= rising[index - 1])), `${name} rises: ${rising}`)
  equal(statistics.average, statistics.mean, `average of ${name}`)
  if (/requests|throughput/.test(name)) return
  isTrue(statistics.mean >= statistics.min - 1e-6 && statistics.mean <= statistics.max + 1e-6, `mean of ${name}`)
}

// Finds values that JSON would lose: undefined, NaN, Infinity, functions, classes. Dates become strings, which is expected.
function checkPlainData (name, value, found) {
  if (value instanceof Date) return
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return
  const prototype = typeof value === 'object' && Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== Array.prototype) {
    found.push(`${name} is no plain data: ${String(value)}`)
    return
  }
  for (const [key, part] of Object.entries(value)) checkPlainData(`${name}.${key}`, part, found)
}

function sum (list, name) {
  return list.reduce((all, each) => all + each[name], 0)
}

module.exports = { addsUp, leftOpen, repeated, unbalanced, violations, statisticsOf, sum, PERCENTILES }
