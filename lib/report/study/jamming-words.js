'use strict'

const format = require('../../words/numbers')

const REASONS = {
  latency: 'the median time to the own copy exceeds the limit',
  'growing latency': 'the time to the own copy was still growing at the end of the run',
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
  const { payloads, levels } = search
  if (payloads?.length > 1) {
    return payloads.map((each) => `With ${format.count(each.payload)} bytes: ${answer({ ...each, levels: levels.filter(({ payload }) => payload === each.payload) })}`)
  }
  return [answer(search)]
}

function answer ({ threshold, limitedBy, levels }) {
  if (threshold?.spread) {
    const { outgoing, spread: [low, high] } = threshold
    const range = low === high ? '' : ` (${format.rate(low)} to ${format.rate(high)})`
    return `The server jams at ${format.rate(outgoing)} outgoing messages per second${range}${stillGood(levels)}.`
  }
  if (limitedBy === 'generator') return 'The load generator jammed before the server did: the threshold of the server is unknown.'
  if (limitedBy === 'maximum asked for') return 'The server did not jam, even at the maximum rate of the search.'
  if (limitedBy) return `It was limited by ${limitedBy}.`
  const begun = levels?.findLast(({ knee }) => knee)
  if (!begun) return 'The threshold is unknown: the search ended before it was found.'
  return `The server jams somewhere between ${format.rate(begun.lastGood?.outgoing ?? 0)} and ${format.rate(begun.knee.outgoing)} outgoing messages per second: the search ended before it was narrowed down.`
}

// The highest rate that was good at all levels: the threshold lies between this one and the one that jams.
function stillGood (levels = []) {
  const good = levels.filter(({ knee, limitedBy }) => knee && limitedBy === 'server').map(({ lastGood }) => lastGood?.outgoing ?? 0)
  const least = Math.min(...good)
  return least > 0 && Number.isFinite(least) ? `; at ${format.rate(least)}, messages still arrive in time` : ''
}

/** Describes the result of one level in up to three sentences. */
function aboutLevel (level) {
  const { knee, lastGood } = level
  const name = levelName(level)
  if (!knee) return `${name}: good${lastGood ? ` up to ${rateOf(lastGood)}` : ''}.`
  const before = lastGood ? `good up to ${rateOf(lastGood)}; at` : 'even at'
  return `${name}: ${before} ${rateOf(knee)} ${whyItJams(level)}.${recovered(level)}`
}

const rateOf = ({ rate, outgoing }) => `${format.rate(rate)} messages per second (${format.rate(outgoing)} outgoing)`

/** Returns why a level jams, in a few words. */
function whyItJams ({ knee, limitedBy }) {
  if (!knee) return ''
  const reason = REASONS[knee.reason] ?? knee.reason ?? ''
  if (!limitedBy) return `${reason} (not narrowed down)`
  return limitedBy === 'generator' ? `${reason}, because of the load generator` : reason
}

/** Returns after how long a level had recovered, in a few words. */
function recoveryOf ({ recovery }) {
  if (!recovery) return ''
  return recovery.seconds === null ? `not within ${format.rate(recovery.within)} s` : `after ${format.rate(recovery.seconds)} s`
}

function recovered ({ recovery }) {
  if (!recovery) return ''
  const { rate, seconds, within } = recovery
  if (seconds === null) return ` Afterwards, at ${format.rate(rate)} again, it did not recover within ${format.rate(within)} s.`
  return ` Afterwards, at ${format.rate(rate)} again, times were back to normal after ${format.rate(seconds)} s.`
}

module.exports = { aboutLevel, answersOf, levelName, recoveryOf, whyItJams }
