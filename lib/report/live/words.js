'use strict'

const { atLeast, isNumber, rate, shortRate, time } = require('../format')
const { widthOf } = require('../text')

/**
 * What happens now, in parts that say what they are: rate, p50, p99, errors, open connections, and open sessions where
 * there are any.
 *
 * @param {object} now a window of `Now`
 * @param {boolean} [isShort] in as few characters as make sense
 * @returns {string[]}
 */
function parts ({ rate: perSecond, p50, p99, errors, newErrors, connections, sessions = null, atLeast: bounded = [] }, isShort = false) {
  const words = isShort ? ['err', 'conns'] : [errors === 1 ? 'error' : 'errors', connections === 1 ? 'connection' : 'connections']
  return [
    `${isShort ? shortRate(perSecond) : rate(perSecond)} req/s`,
    `p50 ${atLeast(time(p50), bounded.includes('p50'))}`,
    `p99 ${atLeast(time(p99), bounded.includes('p99'))}`,
    `${errors.toLocaleString('en-US')} ${words[0]}${newErrors > 0 && newErrors < errors ? ` (${newErrors.toLocaleString('en-US')} new)` : ''}`,
    ...(isNumber(connections) ? [`${connections.toLocaleString('en-US')} ${words[1]}`] : []),
    ...(isNumber(sessions) ? [`${sessions.toLocaleString('en-US')} ${isShort ? 'sess' : sessions === 1 ? 'session' : 'sessions'}`] : [])
  ]
}

/**
 * The same on one line of a terminal.
 *
 * @param {object} now
 * @param {number} columns the line is narrower than that
 */
function liveLine (now, columns) {
  const ways = [parts(now).join('   '), parts(now).join('  '), parts(now, true).join('  ')]
  return ways.find((text) => widthOf(text) < columns) ?? ways.at(-1).slice(0, Math.max(0, columns - 1))
}

/** The same as a line of a log, which is read without seeing the run: `10s: 1,204 req/s, p50 3.1 ms, …`. */
function plainLine (now) {
  return `${Number(now.time.toFixed(1))}s: ${parts(now).join(', ')}`
}

module.exports = { liveLine, plainLine }
