'use strict'

const format = require('../../words/numbers')

const REASONS = {
  latency: 'the median time to the own copy exceeds the limit',
  undelivered: 'messages are not delivered',
  'connection lost': 'connections are lost'
}

/** Returns '25 connections', or '25 connections, 1,000 bytes' if the message size is set. */
function levelName ({ connections, payload }) {
  const bytes = typeof payload === 'number' ? `, ${format.count(payload)} bytes` : ''
  return `${format.count(connections)} ${connections === 1 ? 'connection' : 'connections'}${bytes}`
}

/**
 * Returns the answer of a jamming study in sentences: one, or one per message size.
 *
 * @param {object} search
 * @returns {string[]}
 */
function answersOf (search) {
  const { payloads } = search
  if (payloads?.length > 1) {
    return payloads.map((each) => `With ${format.count(each.payload)} bytes: ${answer(each)}`)
  }
  return [answer(search)]
}

function answer ({ threshold, limitedBy }) {
  if (threshold?.spread) {
    const { outgoing, spread: [low, high] } = threshold
    const range = low === high ? '' : ` (${format.rate(low)} to ${format.rate(high)})`
    return `The server jams at ${format.rate(outgoing)} outgoing messages per second${range}.`
  }
  if (limitedBy === 'generator') return 'The load generator jammed before the server did: the threshold of the server is unknown.'
  if (limitedBy === 'maximum asked for') return 'The server did not jam, even at the maximum rate of the search.'
  return limitedBy ? `It was limited by ${limitedBy}.` : 'The threshold is unknown: the search ended before it was found.'
}

/** Describes the result of one level in up to three sentences. */
function aboutLevel (level) {
  const { knee, lastGood, limitedBy } = level
  const name = levelName(level)
  if (!knee) return `${name}: good${lastGood ? ` up to ${rateOf(lastGood)}` : ''}.`
  const who = limitedBy === 'generator' ? ', because of the load generator' : ''
  const before = lastGood ? `good up to ${rateOf(lastGood)}; at` : 'even at'
  return `${name}: ${before} ${rateOf(knee)} ${REASONS[knee.reason] ?? knee.reason ?? ''}${who}.${recovered(level)}`
}

const rateOf = ({ rate, outgoing }) => `${format.rate(rate)} messages per second (${format.rate(outgoing)} outgoing)`

function recovered ({ recovery }) {
  if (!recovery) return ''
  const { rate, seconds, within } = recovery
  if (seconds === null) return ` Afterwards, at ${format.rate(rate)} again, it did not recover within ${format.rate(within)} s.`
  return ` Afterwards, at ${format.rate(rate)} again, times were back to normal after ${format.rate(seconds)} s.`
}

module.exports = { aboutLevel, answersOf, levelName }
