'use strict'

const { CODES, CannonadeError, readingResults } = require('../base/errors')
const { inWords, list, maybe, number, object, record } = require('./flaws')

/*
 * httperf's output format. docs/from-httperf.md says how each value is computed, and where httperf's own values are wrong. Programs
 * such as autobench recognize these lines by their first words, so additional lines begin with words that none of them searches for.
 */

const WINDOW_SECONDS = 5
const EARLY_END_SECONDS = 0.002

const NO_VALUES = Object.freeze({ min: 0, max: 0, mean: 0, stddev: 0, p50: 0, total: 0, totalCount: 0 })

// Maps error codes of a result to httperf's error classes. A request that failed only because another one did is not
// counted as an error of its own.
const CLASSES = new Map(Object.entries({
  [CODES.RESPONSE_TIMEOUT]: 'client-timo',
  [CODES.CONNECT_TIMEOUT]: 'client-timo',
  ETIMEDOUT: 'socket-timo',
  ECONNREFUSED: 'connrefused',
  ECONNRESET: 'connreset',
  EPIPE: 'connreset',
  [CODES.CLOSED_BY_SERVER]: 'connreset',
  [CODES.TRUNCATED_RESPONSE]: 'connreset',
  EMFILE: 'fd-unavail',
  EADDRNOTAVAIL: 'addrunavail',
  EADDRINUSE: 'addrunavail',
  ENFILE: 'ftab-full',
  [CODES.LOST_IN_PIPELINE]: null,
  [CODES.SESSION_FAILED]: null
}))

const numbers = (...names) => object(Object.fromEntries(names.map((name) => [name, number])))
const statistics = numbers('min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99', 'p99_9', 'totalCount')
const wellFormed = object({
  duration: number,
  accounting: numbers('scheduled', 'unsent', 'sent', 'completed', 'failed', 'timedOut', 'unfinished'),
  connectionStats: object({ opened: number, failed: number, peak: number, burst: maybe(number), withReplies: maybe(number), lifetime: maybe(statistics) }),
  latency: statistics,
  connectTime: statistics,
  timeToStatusLine: maybe(statistics),
  transferTime: maybe(statistics),
  replySize: maybe(numbers('head', 'content', 'footer')),
  replyRate: maybe(object({ samples: list(number) })),
  bytes: numbers('read', 'written'),
  generator: object({ cpu: numbers('user', 'system') }),
  errorCodes: record(numbers('count')),
  sessions: maybe(object({ completed: number, failed: number, lifetime: statistics, failTime: statistics, connections: numbers('average'), lengths: list(number) })),
  timeline: list(numbers('time'))
})

/**
 * Returns a result in httperf's output format: its lines, in its order, followed by percentiles, and by the accounting if requests
 * had no reply.
 *
 * @param {object} result of a run; also read from JSON
 * @returns {string} lines with a line feed at the end, from `Maximum connect burst length:` on, with session lines if there were any
 * @throws {CannonadeError} CANNONADE_BAD_RESULT if it isn't the result of a run
 */
function formatHttperf (result) {
  const flaw = wellFormed(result, [])
  if (flaw !== null) throw new CannonadeError(CODES.BAD_RESULT, `This cannot be read as the result of a run: ${inWords(flaw)}`)
  const seconds = durationOf(result)
  const blocks = [
    burstLines(result),
    [totalLine(result, seconds)],
    connectionLines(result, seconds),
    requestLines(result, seconds),
    replyLines(result),
    loadLines(result, seconds),
    errorLines(result),
    result.sessions === undefined ? [] : sessionLines(result, seconds),
    [...percentileLines(result), ...accountLines(result)]
  ]
  return blocks.filter((lines) => lines.length > 0).map((lines) => lines.join('\n')).join('\n\n') + '\n'
}

// The time from the start until the last connection ended, including the drain, since counts include it too.
function durationOf ({ duration, drain }) {
  return duration + (drain?.seconds ?? 0)
}

// The longest burst shows how late this process was: connects that become due while it is busy start together in one turn
// of its event loop. Results saved by earlier versions lack it.
function burstLines ({ connectionStats: { burst } }) {
  return burst === undefined ? [] : [`Maximum connect burst length: ${burst}`]
}

function totalLine (result, seconds) {
  const { accounting } = result
  return `Total: connections ${connectionsOf(result)} requests ${accounting.sent} replies ${accounting.completed} test-duration ${seconds.toFixed(3)} s`
}

// Counts connections that were attempted, successful or not. Those without a file descriptor were never attempted.
function connectionsOf ({ connectionStats: { opened, failed }, errorCodes }) {
  const without = ['EMFILE', 'ENFILE'].reduce((sum, code) => sum + (errorCodes[code]?.count ?? 0), 0)
  return opened + Math.max(0, failed - without)
}

function connectionLines (result, seconds) {
  const { connectionStats: { lifetime = NO_VALUES, peak, withReplies = 0 }, connectTime, accounting, sessions } = result
  const { min, mean, max, p50 } = lifetime
  return [
    // The peak of sessions also includes connections that are still being opened.
    `Connection rate: ${perSecond(connectionsOf(result), seconds, 'conn')}, <=${Math.max(peak, sessions?.peak ?? 0)} concurrent connections)`,
    `Connection time [ms]: min ${tenth(min)} avg ${tenth(mean)} max ${tenth(max)} median ${tenth(p50)} stddev ${tenth(ofSample(lifetime.stddev, lifetime.totalCount))}`,
    `Connection time [ms]: connect ${tenth(connectTime.mean)}`,
    `Connection length [replies/conn]: ${share(accounting.completed, withReplies).toFixed(3)}`
  ]
}

function requestLines ({ accounting: { sent }, bytes }, seconds) {
  return [
    `Request rate: ${perSecond(sent, seconds, 'req')})`,
    `Request size [B]: ${tenth(share(bytes.written, sent))}`
  ]
}

// `99.8 conn/s (10.0 ms/conn`; the caller adds the closing parenthesis.
function perSecond (count, seconds, unit) {
  return `${tenth(share(count, seconds))} ${unit}/s (${tenth(share(seconds * 1000, count))} ms/${unit}`
}

function replyLines (result) {
  const { timeToStatusLine = NO_VALUES, transferTime = NO_VALUES } = result
  const { head, content, footer } = sizesOf(result)
  const classes = ['1xx', '2xx', '3xx', '4xx', '5xx'].map((name) => `${name}=${result[name]}`)
  return [
    `Reply rate [replies/s]: ${samplesInWords(result.replyRate?.samples ?? [], tenth)}`,
    `Reply time [ms]: response ${tenth(timeToStatusLine.mean)} transfer ${tenth(transferTime.mean)}`,
    `Reply size [B]: header ${tenth(head)} content ${tenth(content)} footer ${tenth(footer)} (total ${tenth(head + content + footer)})`,
    `Reply status: ${classes.join(' ')}`
  ]
}

function samplesInWords (samples, shown) {
  const { min, mean, max, stddev } = ofSamples(samples)
  return `min ${shown(min)} avg ${shown(mean)} max ${shown(max)} stddev ${shown(stddev)} (${samples.length} samples)`
}

function sizesOf ({ replySize }) {
  return replySize ?? { head: 0, content: 0, footer: 0 }
}

function loadLines (result, seconds) {
  const { generator: { cpu: { user, system } }, bytes, accounting: { completed } } = result
  const percent = (time) => tenth(share(100 * time, seconds))
  const { head, content } = sizesOf(result)
  const rate = share(bytes.written + completed * (head + content), seconds)
  return [
    `CPU time [s]: user ${user.toFixed(2)} system ${system.toFixed(2)} (user ${percent(user)}% system ${percent(system)}% total ${percent(user + system)}%)`,
    `Net I/O: ${tenth(rate / 1024)} KB/s (${tenth(rate * 8 / 1e6)}*10^6 bps)`
  ]
}

function errorLines ({ errorCodes }) {
  const counts = { 'client-timo': 0, 'socket-timo': 0, connrefused: 0, connreset: 0, 'fd-unavail': 0, addrunavail: 0, 'ftab-full': 0, other: 0 }
  for (const [code, { count }] of Object.entries(errorCodes)) {
    const name = CLASSES.has(code) ? CLASSES.get(code) : 'other'
    if (name !== null) counts[name] += count
  }
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const [first, rest] = [Object.entries(counts).slice(0, 4), Object.entries(counts).slice(4)]
  const inWords = (entries) => entries.map(([name, count]) => `${name} ${count}`).join(' ')
  return [`Errors: total ${total} ${inWords(first)}`, `Errors: ${inWords(rest)}`]
}

// As in httperf, sessions that had not ended when the run was stopped are neither completed nor failed.
function sessionLines ({ sessions, timeline, duration }, seconds) {
  const { completed, failed, lifetime, failTime, connections, lengths } = sessions
  const { min, max, stddev } = sessionRates(timeline, duration)
  const rates = [min, share(completed, seconds), max, stddev].map((rate) => rate.toFixed(2))
  const inSeconds = (time) => tenth(time.mean / 1000)
  return [
    `Session rate [sess/s]: min ${rates[0]} avg ${rates[1]} max ${rates[2]} stddev ${rates[3]} (${completed}/${completed + failed})`,
    `Session: avg ${connections.average.toFixed(2)} connections/session`,
    `Session lifetime [s]: ${inSeconds(lifetime)}`,
    `Session failtime [s]: ${inSeconds(failTime)}`,
    `Session length histogram: ${lengths.join(' ')}`
  ]
}

// Sessions completed per second, in windows of five seconds, computed from the samples if they fill such windows. Only the windows of samples
// are kept, since a saved result may contain any duration.
function sessionRates (timeline, duration) {
  const count = Math.max(0, Math.floor((duration + EARLY_END_SECONDS) / WINDOW_SECONDS))
  const rates = new Map()
  for (const { time, sessions } of timeline) {
    const window = Math.ceil((time - EARLY_END_SECONDS) / WINDOW_SECONDS) - 1
    if (window >= 0 && window < count) rates.set(window, (rates.get(window) ?? 0) + (sessions?.completed ?? 0) / WINDOW_SECONDS)
  }
  return ofSamples([...rates.values()], count)
}

// --- what httperf does not print

function percentileLines (result) {
  const { latency, latencyBounds, timeToStatusLine = NO_VALUES, connectTime, sessions } = result
  // Requests that timed out or were not sent took at least this long.
  const bound = latencyBounds?.count > 0 ? latencyBounds.smallest : Infinity
  return [
    percentiles('Percentiles of latency [ms]', latency, bound),
    percentiles('Percentiles of response [ms]', timeToStatusLine),
    percentiles('Percentiles of connect [ms]', connectTime),
    sessions === undefined ? null : percentiles('Percentiles of session lifetime [ms]', sessions.lifetime)
  ].filter((line) => line !== null)
}

function percentiles (title, statistics, bound = Infinity) {
  if (statistics.totalCount === 0) return null
  const values = [['50%', 'p50'], ['90%', 'p90'], ['99%', 'p99'], ['99.9%', 'p99_9'], ['max', 'max']]
    .map(([name, key]) => `${name} ${statistics[key] >= bound ? '>=' : ''}${tenth(statistics[key])}`)
  return `${title}: ${values.join(' ')}`
}

// Accounts for requests that none of the lines above include.
function accountLines ({ accounting: { scheduled, unsent, sent, completed, failed, timedOut, unfinished } }) {
  if (completed === scheduled) return []
  return [`Accounts: scheduled ${scheduled} unsent ${unsent} sent ${sent} completed ${completed} failed ${failed} timed-out ${timedOut} unfinished ${unfinished}`]
}

// --- numbers

// Those of `count` that are not among the values are 0.
function ofSamples (values, count = values.length) {
  if (count === 0) return NO_VALUES
  const zeros = count - values.length
  const ends = zeros > 0 ? [0, ...values] : values
  const mean = values.reduce((sum, value) => sum + value, 0) / count
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) + zeros * mean ** 2
  return { min: Math.min(...ends), max: Math.max(...ends), mean, stddev: ofSample(Math.sqrt(squares / count), count) }
}

// Converts to the sample standard deviation, which httperf prints, instead of the population's.
function ofSample (stddev, count) {
  return count < 2 ? 0 : stddev * Math.sqrt(count / (count - 1))
}

function share (count, of) {
  return of > 0 ? count / of : 0
}

function tenth (value) {
  return value.toFixed(1)
}

module.exports = readingResults(formatHttperf)
