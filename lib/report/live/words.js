'use strict'

const { atLeast, count, counted, isNumber, rate, shortRate, time } = require('../../words/numbers')
const { clean, widthOf } = require('../text')

const OPEN_MODEL = ['overallRate', 'connectionRate', 'stages', 'bursts']
// A tick that arrives slightly before the end counts as the last one.
const EARLY_SECONDS = 0.01

const SHORT = { request: 'req', message: 'msg' }

/**
 * Describes the current values, each with its name: rate, p50, p99, errors, open connections, and if there are any, open
 * sessions and stream events.
 *
 * @param {'request'|'message'} noun what is sent
 * @param {object} now a window of `Now`
 * @param {boolean} [isShort] use abbreviations
 * @returns {string[]}
 */
function parts (noun, { rate: perSecond, p50, p99, statuses, errors, newErrors, connections, sessions = null, events = null, atLeast: bounded = [] }, isShort = false) {
  const words = isShort ? ['err', 'conns'] : [errors === 1 ? 'error' : 'errors', connections === 1 ? 'connection' : 'connections']
  return [
    `${isShort ? shortRate(perSecond) : rate(perSecond)} ${SHORT[noun]}/s`,
    ...(isNumber(events) ? [`${isShort ? shortRate(events) : rate(events)} events/s`] : []),
    `p50 ${atLeast(time(p50), bounded.includes('p50'))}`,
    `p99 ${atLeast(time(p99), bounded.includes('p99'))}`,
    ...failingStatuses(statuses),
    `${count(errors)} ${words[0]}${newErrors > 0 && newErrors < errors ? ` (${count(newErrors)} new)` : ''}`,
    ...(isNumber(connections) ? [`${count(connections)} ${words[1]}`] : []),
    ...(isNumber(sessions) ? [`${count(sessions)} ${isShort ? 'sess' : sessions === 1 ? 'session' : 'sessions'}`] : [])
  ]
}

/** Responses so far whose status counts as a failure: `12 5xx`. */
function failingStatuses (statuses = {}) {
  return Object.entries(statuses).filter(([name]) => /^[45]xx$/.test(name)).map(([name, number]) => `${count(number)} ${name}`)
}

/**
 * Returns the current values in one line of a terminal.
 *
 * @param {object} now
 * @param {'request'|'message'} noun
 * @param {number} columns the line is narrower than this
 */
function liveLine (now, noun, columns) {
  const ways = [parts(noun, now).join('   '), parts(noun, now).join('  '), parts(noun, now, true).join('  ')]
  return ways.find((text) => widthOf(text) < columns) ?? ways.at(-1).slice(0, Math.max(0, columns - 1))
}

/** Explains why there is no response yet. @param {{ code: string, message: string }} error the first one */
function whyNoAnswer ({ code, message }) {
  const why = String(message ?? '').includes(code) ? message : [code, message].filter(Boolean).join(': ')
  return `no response yet: ${clean(why)}`
}

/** Like `whyNoAnswer`, with the number of errors, to replace the current values. @param {number} errors so far */
function troubleLine (error, errors) {
  return `${counted(errors, 'error')}, ${whyNoAnswer(error)}`
}

/**
 * Describes what an open-model run waits for after its duration has ended; empty if no responses are outstanding.
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

/** Returns the current values as a progress line for logs: `10s: 12,040 requests (2xx: 12,040), 1,204 req/s, p50 3.1 ms, …`. */
function plainLine (now, noun, firstError = null) {
  const why = firstError === null ? [] : [whyNoAnswer(firstError)]
  return `${Number(now.time.toFixed(1))}s: ${[...totals(noun, now), ...parts(noun, { ...now, statuses: {} }), ...why].join(', ')}`
}

/** Returns the last progress line: `12s: 14,440 requests (2xx: 14,440), at most 10 connections at a time`. @param {number} peak */
function lastLine (now, noun, peak) {
  return `${Number(now.time.toFixed(1))}s: ${[...totals(noun, now), `at most ${counted(peak, 'connection')} at a time`].join(', ')}`
}

function totals (noun, { requests, statuses = {} }) {
  if (!isNumber(requests)) return []
  const classes = Object.entries(statuses).map(([name, number]) => `${name}: ${count(number)}`).join(', ')
  return [`${counted(requests, noun)}${classes && ` (${classes})`}`]
}

module.exports = { drainLine, failingStatuses, lastLine, liveLine, plainLine, troubleLine, whyNoAnswer }
