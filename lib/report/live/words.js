'use strict'

const { atLeast, count, counted, isNumber, rate, shortRate, time } = require('../../words/numbers')
const { clean, widthOf } = require('../text')

const OPEN_MODEL = ['overallRate', 'connectionRate', 'stages', 'bursts']
// A tick that comes a moment before the end is the last one all the same.
const EARLY_SECONDS = 0.01

const SHORT = { request: 'req', message: 'msg' }

/**
 * What happens now, in parts that say what they are: rate, p50, p99, errors, open connections, and open sessions and
 * events of streams where there are any.
 *
 * @param {'request'|'message'} noun what is sent
 * @param {object} now a window of `Now`
 * @param {boolean} [isShort] in as few characters as make sense
 * @returns {string[]}
 */
function parts (noun, { rate: perSecond, p50, p99, errors, newErrors, connections, sessions = null, events = null, atLeast: bounded = [] }, isShort = false) {
  const words = isShort ? ['err', 'conns'] : [errors === 1 ? 'error' : 'errors', connections === 1 ? 'connection' : 'connections']
  return [
    `${isShort ? shortRate(perSecond) : rate(perSecond)} ${SHORT[noun]}/s`,
    ...(isNumber(events) ? [`${isShort ? shortRate(events) : rate(events)} events/s`] : []),
    `p50 ${atLeast(time(p50), bounded.includes('p50'))}`,
    `p99 ${atLeast(time(p99), bounded.includes('p99'))}`,
    `${count(errors)} ${words[0]}${newErrors > 0 && newErrors < errors ? ` (${count(newErrors)} new)` : ''}`,
    ...(isNumber(connections) ? [`${count(connections)} ${words[1]}`] : []),
    ...(isNumber(sessions) ? [`${count(sessions)} ${isShort ? 'sess' : sessions === 1 ? 'session' : 'sessions'}`] : [])
  ]
}

/**
 * The same on one line of a terminal.
 *
 * @param {object} now
 * @param {'request'|'message'} noun
 * @param {number} columns the line is narrower than that
 */
function liveLine (now, noun, columns) {
  const ways = [parts(noun, now).join('   '), parts(noun, now).join('  '), parts(noun, now, true).join('  ')]
  return ways.find((text) => widthOf(text) < columns) ?? ways.at(-1).slice(0, Math.max(0, columns - 1))
}

/** Why there is no answer yet. @param {{ code: string, message: string }} error the first one */
function whyNoAnswer ({ code, message }) {
  const why = String(message ?? '').includes(code) ? message : [code, message].filter(Boolean).join(': ')
  return `no response yet: ${clean(why)}`
}

/** The same, as what happens now. @param {number} errors so far */
function troubleLine (error, errors) {
  return `${counted(errors, 'error')}, ${whyNoAnswer(error)}`
}

/**
 * What a run in the open model does when its time is over and answers are still to come; nothing where there are none.
 *
 * @param {{ time: number, sent: number, settled: number }} tick
 * @param {object} opts `instance.opts`
 */
function drainLine ({ time, sent, settled }, { duration, amount, drain, timeout, ...opts }) {
  const isOpen = OPEN_MODEL.some((name) => opts[name])
  const waiting = sent - settled
  if (!isOpen || amount || !(time >= duration - EARLY_SECONDS) || !(waiting > 0)) return ''
  const longest = [drain, timeout].find(isNumber)
  return `waiting for ${counted(waiting, 'response')}${longest === undefined ? '' : `, at most ${longest} s`}`
}

/** The same as a line of a log, which is read without seeing the run: `10s: 1,204 req/s, p50 3.1 ms, …`. */
function plainLine (now, noun, firstError = null) {
  const why = firstError === null ? [] : [whyNoAnswer(firstError)]
  return `${Number(now.time.toFixed(1))}s: ${[...parts(noun, now), ...why].join(', ')}`
}

module.exports = { drainLine, liveLine, plainLine, troubleLine, whyNoAnswer }
