'use strict'

const Distribution = require('./distribution')
const { reasonForExhaustion } = require('./exhaustion')
const { nounOf } = require('../words/noun')
const { count, counted, percent, time } = require('../words/numbers')
const { toMilliseconds } = require('./statistics')

/*
 * Who was late: the server, or the load generator? A request that came due waits for one of these:
 *
 *     the server is busy with requests that were sent before         sendDelay.waiting, less what follows
 *     connections are still being opened                             sendDelay.causes.connecting
 *     a hook of the user's holds the connections                     sendDelay.causes.hooks  \
 *     this thread stands still (see standstills.js)                  sendDelay.causes.asleep  > sendDelay.client
 *     this thread comes round to it too late                         the rest                /
 *
 * Whoever wants to know (the run's own verdict, its warnings, the studies) asks here.
 */

// In the closed model a busy event loop is the sign, in the open model lateness that users of the server never saw. A loop
// too busy to see the answers is late nowhere, since it thinks that the server is: there the missing rate gives it away.
const BUSY_UTILIZATION = 0.95
// In its first moments any program is busy with itself: code is compiled, connections are opened.
const TELLING_SECONDS = 0.25
const LATE_MILLISECONDS = 1
const LATE_SHARE = 0.1
const ACHIEVED_SHARE = 0.99

// Latency that was mostly spent in one place is that place's.
const MOSTLY = 0.5
// A server that takes no longer than this many times its idle time is not the one that is short of something.
const AS_QUICK = 1.5

/**
 * How late this process was by itself.
 *
 * @param {object} summary merged, see merge.js
 * @returns {{ late: object, stoodStill: object }} `late`: `mean p50 p90 p99` in ms, over all requests that came due: sent
 *   late, never sent, or answered while nobody looked; `stoodStill`: `count`, and `total` and `longest` in ms
 */
function latenessOf ({ counters: { completed }, distributions: { clientDelay, unsentByClient, readLate, standstills } }) {
  const sending = new Distribution().add(clientDelay).add(unsentByClient)
  const at = (percent) => toMilliseconds(Math.max(sending.percentile(percent), amongZeros(readLate, completed, percent)))
  return {
    late: { mean: toMilliseconds(sending.mean), p50: at(50), p90: at(90), p99: at(99) },
    stoodStill: { count: standstills.count, total: toMilliseconds(standstills.sum), longest: toMilliseconds(standstills.max) }
  }
}

// A percentile of `count` values, of which those that are recorded are more than 0.
function amongZeros (recorded, count, percent) {
  const above = count * (1 - percent / 100)
  return recorded.count <= above ? 0 : recorded.percentile(100 * (1 - above / recorded.count))
}

/**
 * Why the numbers of a run are the load generator's as much as the server's.
 *
 * @param {object} generator of the result: with what `latenessOf` says
 * @param {boolean} isOpen whether the run was one of the open model
 * @param {object} result its `duration`, `latency`, `sendDelay`, `rate` and `messages`
 * @param {object} plan
 * @returns {string[]} none: they are the server's
 */
function reasonsForSaturation (generator, isOpen, result, { pacing }) {
  const { duration, latency, sendDelay, rate } = result
  const reasons = []
  const isShort = !isOpen || rate?.achieved < ACHIEVED_SHARE * rate?.offered
  if (isShort && duration >= TELLING_SECONDS && latency.totalCount > 0 && generator.eventLoop.utilization >= BUSY_UTILIZATION) {
    reasons.push(`the event loop of the load generator was busy ${percent(generator.eventLoop.utilization)} of the time, so the server may be faster than these numbers show`)
  }
  const [level, levelInWords] = tellingPercentile(latency.totalCount)
  const late = (generator.late ?? sendDelay.client)[level]
  if (isOpen && late > LATE_MILLISECONDS && late > LATE_SHARE * latency[level]) {
    const byChoice = pacing === 'sleep' ? "; pacing 'sleep' alone adds up to 1 ms, 'precise' does not" : ''
    reasons.push(`${causeOfLateness({ late: sendDelay.client, ...generator }, result)} (${time(late)} at the ${levelInWords} percentile${byChoice}), and this is part of the reported latency`)
  }
  return reasons
}

// Of few requests the 99th percentile is the slowest, and of fewer the 90th: one pause of the machine is not a generator
// that is too slow.
function tellingPercentile (count) {
  if (count < 10) return ['p50', '50th']
  return count < 100 ? ['p90', '90th'] : ['p99', '99th']
}

function causeOfLateness ({ late, stoodStill }, result) {
  const { sendDelay: { client, causes } } = result
  const what = `${nounOf(result)}s`
  const own = client.mean > 0 ? client.mean : late.mean
  if (causes?.hooks > MOSTLY * own) return `hooks blocked the connections, so the load generator sent ${what} late`
  const hasSlept = stoodStill?.longest > LATE_MILLISECONDS && stoodStill.longest >= MOSTLY * late.p99
  if (!hasSlept) return `the load generator sent ${what} late`
  return `the load generator stalled for up to ${time(stoodStill.longest)}, and sent ${what} or read their responses late`
}

/**
 * What kept a rate from being reached, or made its answers late: the server, the load generator, or that it had too few
 * connections.
 *
 * It was the generator where it ran out of what connections need; where most of the latency was its own lateness, whatever that came from; where requests waited for
 * connections to be opened; and where its event loop was held up about as long as the server seemed to take, because then
 * it is the generator that took so long to read the answers. That it was late now and then is not enough: on a busy
 * machine it always is. It was the number of connections where all of them were busy although the server answered as
 * quickly as ever: more of them help, and a faster machine does not.
 *
 * @param {object} result of a run that failed
 * @param {object|null} [idle] the run against the same server in which it answered most quickly, where there is another
 * @param {boolean} [isKeptUp=false] the rate was reached, and only some answers came too late
 * @returns {{ who: 'server'|'generator'|'connections', reason: ?string }} the reason in words, where it is not the server
 */
function whoWasLate (result, idle = null, isKeptUp = false) {
  const ownDoing = reasonForExhaustion(result) ?? lateSending(result, isKeptUp) ?? slowConnecting(result)
  if (ownDoing !== null) return { who: 'generator', reason: ownDoing }
  const tooFew = tooFewConnections(result, idle)
  if (tooFew !== null) return { who: 'connections', reason: tooFew }
  const blocked = blockedLoop(result, idle)
  return { who: blocked === null ? 'server' : 'generator', reason: blocked }
}

function lateSending (result, isKeptUp) {
  const { generator, sendDelay, latency } = result
  const late = generator.late ?? sendDelay.client
  if (late.mean > MOSTLY * latency.mean) {
    return `${causeOfLateness({ ...generator, late }, result)}, by ${time(late.mean)} on average`
  }
  if (isKeptUp && late.p99 > MOSTLY * latency.p99) {
    return `${causeOfLateness({ ...generator, late }, result)}, by ${time(late.p99)} at the 99th percentile`
  }
  return null
}

function slowConnecting (result) {
  const { sendDelay: { causes }, latency, connectTime } = result
  if (!(causes?.connecting > MOSTLY * latency.mean)) return null
  const { mean, dns } = connectTime
  const lookup = dns.mean > MOSTLY * mean ? `, ${time(dns.mean)} of it for name resolution` : ''
  return `${nounOf(result)}s waited for connections that were still being opened, which took ${time(mean)} each${lookup}`
}

function tooFewConnections (result, idle) {
  const { sendDelay, latency } = result
  if (!(sendDelay.waiting.mean > MOSTLY * latency.mean) || !isQuick(result, idle)) return null
  const { places, more } = placesOf(result)
  return `all ${places} were busy while the server responded as quickly as when idle, so loading it takes more ${more}`
}

// Where requests waited that could not be sent at once, in words.
function placesOf (result) {
  const { connections, pipelining, sessions, warnings } = result
  if (sessions === undefined) {
    const inAll = counted(connections, 'connection')
    return { places: pipelining > 1 ? `${inAll} with ${count(pipelining)} ${nounOf(result)}s each` : inAll, more: 'connections' }
  }
  return warnings?.some(({ code }) => code === 'MAX_OPEN_REACHED')
    ? { places: `places for ${counted(sessions.peak, 'session')} (sessions.maxOpen)`, more: 'of them' }
    : { places: 'connections of a session (sessions.connections)', more: 'of them' }
}

function blockedLoop (result, idle) {
  const { serviceTime, generator: { eventLoop } } = result
  const isBusy = eventLoop.utilization >= BUSY_UTILIZATION && eventLoop.delayP99 > serviceTime.p50
  if (!isBusy || serviceTime.totalCount === 0 || isQuick(result, idle)) return null
  return `the event loop of the load generator was blocked for up to ${time(eventLoop.delayP99)} at a time, so it read responses late`
}

/** Whether a server answered as quickly as with little to do. */
function isQuick ({ serviceTime }, idle) {
  return idle !== null && serviceTime.totalCount > 0 && serviceTime.p50 < AS_QUICK * idle.serviceTime.p50
}

/**
 * Whose doing errors are: the answers are the server's, but that there was nothing to open a connection with is the
 * generator's own.
 *
 * @param {object} result
 * @returns {{ who: 'server'|'generator', reason: ?string }}
 */
function whoseErrors (result) {
  const reason = reasonForExhaustion(result)
  return { who: reason === null ? 'server' : 'generator', reason }
}

module.exports = { latenessOf, reasonsForSaturation, whoWasLate, whoseErrors, isQuick }
