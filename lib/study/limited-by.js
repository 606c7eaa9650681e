'use strict'

// Latency that was mostly spent in one place is that place's.
const MOSTLY = 0.5
// A server that takes no longer than this many times its idle time is not the one that is short of something.
const AS_QUICK = 1.5
// An event loop that has time to rest is not short of it.
const BUSY = 0.95

/**
 * What kept a rate from being reached: the server, or the load generator.
 *
 * It was the generator where it sent most of the latency's worth late itself; where all of its connections were busy
 * although the server answered as quickly as ever; and where its event loop was held up about as long as the server
 * seemed to take, because then it is the generator that took so long to read the answers. That it was late now and then
 * is not enough: on a busy machine it always is.
 *
 * @param {object} result of a run that failed
 * @param {object|null} idle the run against the same server in which it answered most quickly, where there is another
 * @param {boolean} [isKeptUp=false] the rate was reached, and only some answers came too late
 * @returns {{ limitedBy: 'server'|'generator', reasons: string[] }} reasons in words, where it is the generator
 */
function limitedBy (result, idle, isKeptUp = false) {
  const reason = lateSending(result, isKeptUp) ?? tooFewConnections(result, idle) ?? blockedLoop(result, idle)
  return reason === null ? { limitedBy: 'server', reasons: [] } : { limitedBy: 'generator', reasons: [reason] }
}

/**
 * The same, said of one run whose generator may have been saturated as well: late or busy, though not so much that it
 * explains all. Then it is not for the server alone to answer for the numbers, and where the server answered as quickly
 * as ever, not at all.
 *
 * @param {{ limitedBy: 'server'|'generator', reasons: string[] }} limit
 * @param {object} result
 * @param {object|null} idle see limitedBy
 * @returns {{ limitedBy: 'server'|'generator'|'both', reasons: string[] }}
 */
function withSaturation (limit, result, idle) {
  const { saturated, reasons } = result.generator
  if (limit.limitedBy === 'generator' || !saturated) return limit
  return { limitedBy: isQuick(result, idle) ? 'generator' : 'both', reasons }
}

const inWords = (milliseconds) => `${Number(milliseconds.toPrecision(3))} ms`

function lateSending ({ sendDelay, latency }, isKeptUp) {
  if (sendDelay.client.mean > MOSTLY * latency.mean) {
    return `the load generator itself sent requests late, by ${inWords(sendDelay.client.mean)} on average`
  }
  if (isKeptUp && sendDelay.client.p99 > MOSTLY * latency.p99) {
    return `the load generator itself sent requests late, by ${inWords(sendDelay.client.p99)} at the 99th percentile`
  }
  return null
}

function tooFewConnections (result, idle) {
  const { connections, pipelining, sendDelay, latency } = result
  if (!(sendDelay.waiting.mean > MOSTLY * latency.mean) || !isQuick(result, idle)) return null
  const places = pipelining > 1 ? `${connections} connections with ${pipelining} requests each` : `${connections} connections`
  return `all ${places} were busy while the server answered as quickly as with little to do, so that it takes more connections to load it`
}

function blockedLoop (result, idle) {
  const { serviceTime, generator: { eventLoop } } = result
  const isBusy = eventLoop.utilization >= BUSY && eventLoop.delayP99 > serviceTime.p50
  if (!isBusy || serviceTime.totalCount === 0 || isQuick(result, idle)) return null
  return `the event loop of the load generator was held up for ${inWords(eventLoop.delayP99)} at a time, so that it was slow to read the answers`
}

function isQuick ({ serviceTime }, idle) {
  return idle !== null && serviceTime.totalCount > 0 && serviceTime.p50 < AS_QUICK * idle.serviceTime.p50
}

/** Of two results (the first may be null) that in which the server answered more quickly. */
function quicker (first, second) {
  if (first === null || first.serviceTime.totalCount === 0) return second
  return second.serviceTime.totalCount > 0 && second.serviceTime.p50 < first.serviceTime.p50 ? second : first
}

module.exports = { limitedBy, quicker, withSaturation }
