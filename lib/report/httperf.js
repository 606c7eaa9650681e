'use strict'

const { CODES, CannonadeError, readingResults } = require('../base/errors')
const { NO_VALUES, connectionsOf, errorCounts, figuresOf, ofSample, ofSamples, share, sizesOf, totalOf } = require('./httperf-figures')
const { inWords, list, maybe, number, object, record } = require('./flaws')

/*
 * httperf's output format. docs/from-httperf.md says how each value is computed, and where httperf's own values are wrong. Programs
 * such as autobench recognize these lines by their first words, so additional lines begin with words that none of them searches for.
 */

const WINDOW_SECONDS = 5
const EARLY_END_SECONDS = 0.002

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
  const figures = figuresOf(result)
  const { seconds } = figures
  const blocks = [
    burstLines(result),
    [totalLine(result, seconds)],
    connectionLines(result, seconds),
    requestLines(result, seconds),
    replyLines(result, figures),
    loadLines(result, figures),
    errorLines(result),
    result.sessions === undefined ? [] : sessionLines(result, seconds),
    [...percentileLines(result), ...accountLines(result)]
  ]
  return blocks.filter((lines) => lines.length > 0).map((lines) => lines.join('\n')).join('\n\n') + '\n'
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

function replyLines (result, { replyRate: { min, avg, max, stddev, samples }, responseTime }) {
  const { transferTime = NO_VALUES } = result
  const { head, content, footer } = sizesOf(result)
  const classes = ['1xx', '2xx', '3xx', '4xx', '5xx'].map((name) => `${name}=${result[name]}`)
  return [
    `Reply rate [replies/s]: min ${tenth(min)} avg ${tenth(avg)} max ${tenth(max)} stddev ${tenth(stddev)} (${samples} samples)`,
    `Reply time [ms]: response ${tenth(responseTime)} transfer ${tenth(transferTime.mean)}`,
    `Reply size [B]: header ${tenth(head)} content ${tenth(content)} footer ${tenth(footer)} (total ${tenth(head + content + footer)})`,
    `Reply status: ${classes.join(' ')}`
  ]
}

function loadLines ({ generator: { cpu: { user, system } } }, { seconds, netIO }) {
  const percent = (time) => tenth(share(100 * time, seconds))
  return [
    `CPU time [s]: user ${user.toFixed(2)} system ${system.toFixed(2)} (user ${percent(user)}% system ${percent(system)}% total ${percent(user + system)}%)`,
    `Net I/O: ${tenth(netIO / 1024)} KB/s (${tenth(netIO * 8 / 1e6)}*10^6 bps)`
  ]
}

function errorLines (result) {
  const counts = errorCounts(result)
  const [first, rest] = [Object.entries(counts).slice(0, 4), Object.entries(counts).slice(4)]
  const inWords = (entries) => entries.map(([name, count]) => `${name} ${count}`).join(' ')
  return [`Errors: total ${totalOf(counts)} ${inWords(first)}`, `Errors: ${inWords(rest)}`]
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

function tenth (value) {
  return value.toFixed(1)
}

module.exports = readingResults(formatHttperf)
