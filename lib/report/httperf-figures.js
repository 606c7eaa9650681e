'use strict'

const { CODES } = require('../base/errors')

/*
 * The figures of httperf, as docs/from-httperf.md defines them.
 */

/** What to say about a run that is shorter than a window. */
const NO_SAMPLES = 'The reply rate has no samples, because a run took less than 5 seconds.'

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

/**
 * Returns those figures that autobench reads in httperf's output.
 *
 * @param {object} result of a run
 * @returns {object} `seconds` of the whole run; `connectionRate` and `requestRate`, which are divided by it; `replyRate` over windows of
 *   five seconds, `samples` is their number; `responseTime` until the status line, ms; `netIO` in bytes per second; `errors`: how many
 */
function figuresOf (result) {
  const { accounting: { sent, completed }, bytes, replyRate, timeToStatusLine = NO_VALUES } = result
  const seconds = durationOf(result)
  const samples = replyRate?.samples ?? []
  const { min, mean, max, stddev } = ofSamples(samples)
  const { head, content } = sizesOf(result)
  return {
    seconds,
    connectionRate: share(connectionsOf(result), seconds),
    requestRate: share(sent, seconds),
    replyRate: { min, avg: mean, max, stddev, samples: samples.length },
    responseTime: timeToStatusLine.mean,
    netIO: share(bytes.written + completed * (head + content), seconds),
    errors: totalOf(errorCounts(result))
  }
}

// The time from the start until the last connection ended, including the drain, since counts include it too.
function durationOf ({ duration, drain }) {
  return duration + (drain?.seconds ?? 0)
}

// Counts connections that were attempted, successful or not. Those without a file descriptor were never attempted.
function connectionsOf ({ connectionStats: { opened, failed }, errorCodes }) {
  const without = ['EMFILE', 'ENFILE'].reduce((sum, code) => sum + (errorCodes[code]?.count ?? 0), 0)
  return opened + Math.max(0, failed - without)
}

function sizesOf ({ replySize }) {
  return replySize ?? { head: 0, content: 0, footer: 0 }
}

// How often each class of errors occurred.
function errorCounts ({ errorCodes }) {
  const counts = { 'client-timo': 0, 'socket-timo': 0, connrefused: 0, connreset: 0, 'fd-unavail': 0, addrunavail: 0, 'ftab-full': 0, other: 0 }
  for (const [code, { count }] of Object.entries(errorCodes)) {
    const name = CLASSES.has(code) ? CLASSES.get(code) : 'other'
    if (name !== null) counts[name] += count
  }
  return counts
}

const totalOf = (counts) => Object.values(counts).reduce((sum, count) => sum + count, 0)

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

module.exports = { NO_SAMPLES, NO_VALUES, connectionsOf, errorCounts, figuresOf, ofSample, ofSamples, share, sizesOf, totalOf }
