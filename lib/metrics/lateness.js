'use strict'

const Distribution = require('./distribution')
const { reasonForExhaustion } = require('./exhaustion')
const { nounOf } = require('../words/noun')
const { count, counted, percent, time } = require('../words/numbers')
const { toMilliseconds } = require('./statistics')

/*
 * Decides whether the server or the load generator caused a delay. A request that is due may have to wait because:
 *
 *     the server is busy with requests that were sent before         sendDelay.waiting, less what follows
 *     connections are still being opened                             sendDelay.causes.connecting
 *     a user hook holds the connections                              sendDelay.causes.hooks  \
 *     this thread stands still (see standstills.js)                  sendDelay.causes.asleep  > sendDelay.client
 *     this thread gets to it too late                                the rest                /
 *
 * The verdict of a run, its warnings and the studies all use this module.
 */

// Signs of a saturated load generator. In the closed model it is a busy event loop; in the open model, delays that users of the
// server would not have seen. A loop too busy to read responses shows no such delays, because it attributes them to the server; in
// that case the achieved rate falls short.
const BUSY_UTILIZATION = 0.95
// Any program is busy at startup, compiling code and opening connections, so shorter runs say nothing about utilization.
const TELLING_SECONDS = 0.25
const LATE_MILLISECONDS = 1
const LATE_SHARE = 0.1
const ACHIEVED_SHARE = 0.99

// A process that uses this share of a processor, with an event loop that is busy as long, cannot do more.
const AT_LIMIT = 0.85
// The share of the time with something to do in which a thread without stalls must have waited for a processor, to blame the machine.
const WAITED_SHARE = 0.2
// If more than this share of the latency has one cause, that cause is held responsible.
const MOSTLY = 0.5
// A server whose service time is below this multiple of its idle service time is not short of anything.
const AS_QUICK = 1.5

/**
 * Measures how late this process was through its own fault.
 *
 * @param {object} summary merged, see merge.js
 * @returns {{ late: object, stoodStill: object }} `late`: `mean p50 p90 p99` in ms, over all requests that were due, whether sent
 *   late, never sent, or answered while this thread was not reading; `stoodStill`: `count`, and `total` and `longest` in ms
 */
function latenessOf ({ counters: { completed }, distributions: { clientDelay, unsentByClient, readLate, standstills } }) {
  const sending = new Distribution().add(clientDelay).add(unsentByClient)
  const at = (percent) => toMilliseconds(Math.max(sending.percentile(percent), amongZeros(readLate, completed, percent)))
  return {
    late: { mean: toMilliseconds(sending.mean), p50: at(50), p90: at(90), p99: at(99) },
    stoodStill: { count: standstills.count, total: toMilliseconds(standstills.sum), longest: toMilliseconds(standstills.max) }
  }
}

// A percentile of `count` values, of which only those greater than 0 are recorded.
function amongZeros (recorded, count, percent) {
  const above = count * (1 - percent / 100)
  return recorded.count <= above ? 0 : recorded.percentile(100 * (1 - above / recorded.count))
}

/**
 * Lists the reasons why the numbers of a run reflect the load generator as much as the server.
 *
 * @param {object} generator of the result, including the fields of `latenessOf`
 * @param {boolean} isOpen whether the run used the open model
 * @param {object} result its `duration`, `latency`, `sendDelay`, `rate` and `messages`
 * @param {object} plan
 * @returns {string[]} empty if the numbers reflect the server
 */
function reasonsForSaturation (generator, isOpen, result, { pacing }) {
  const { duration, latency, sendDelay, rate } = result
  const reasons = []
  const isShort = !isOpen || rate?.achieved < ACHIEVED_SHARE * rate?.offered
  if (isShort && duration >= TELLING_SECONDS && latency.totalCount > 0 && generator.eventLoop.utilization >= BUSY_UTILIZATION) {
    reasons.push(`the event loop of the load generator was busy ${percent(generator.eventLoop.utilization)} of the time, so the server may be faster than these numbers show`)
  }
  const [level, levelInWords] = meaningfulPercentile(latency.totalCount)
  const late = (generator.late ?? sendDelay.client)[level]
  if (isOpen && late > LATE_MILLISECONDS && late > LATE_SHARE * latency[level]) {
    const byChoice = pacing === 'sleep' ? "; pacing 'sleep' alone adds up to 1 ms, 'precise' does not" : ''
    reasons.push(`${causeOfLateness({ late: sendDelay.client, ...generator }, result)} (${time(late)} at the ${levelInWords} percentile${byChoice}), and this is part of the reported latency`)
  }
  return reasons
}

/**
 * Decides why the load generator was saturated, because only one of the causes is cured by more workers.
 *
 * @param {object} generator of the result, including the fields of `latenessOf`; earlier versions have no `waited`
 * @param {object} result its `duration` and `sendDelay`
 * @returns {?string} 'hooks': hooks or listeners held connections, or the thread. 'process': its own work took all of a processor.
 *   'machine': it had to wait for a processor, because others used it. null if unknown
 */
function causeOfSaturation (generator, { duration, sendDelay: { client, causes } }) {
  const { cpu, eventLoop, waited = null, late, stoodStill } = generator
  if (causes?.hooks > 0 && causes.hooks > MOSTLY * (client.mean > 0 ? client.mean : late.mean)) return 'hooks'
  if (eventLoop.utilization >= AT_LIMIT && cpu.percent >= 100 * AT_LIMIT) return 'process'
  if (waited === null || duration === 0) return null
  const stalled = stoodStill.total
  const hasWaited = stalled > 0 ? waited >= MOSTLY * stalled : waited >= WAITED_SHARE * (waited + cpu.percent / 100 * duration * 1000)
  if (hasWaited && waited > LATE_MILLISECONDS) return 'machine'
  return stalled > 0 ? 'hooks' : null
}

// The percentile to judge by. With few requests the 99th percentile is just the slowest request, and with even fewer so is the 90th:
// a single pause of the machine does not make the generator too slow.
function meaningfulPercentile (count) {
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
 * Decides why a rate was not reached or responses were late: because of the server, the load generator, or too few connections.
 *
 * The generator was the cause if it ran out of file descriptors, ports or addresses; if most of the latency was its own delay, whatever
 * the reason; if requests waited for connections to be opened; or if its event loop was blocked for about as long as the server seemed
 * to take, because then it was the generator that took so long to read the responses. Being late occasionally is not enough: on a busy
 * machine it always is. The number of connections was the cause if all of them were in use although the server responded as
 * quickly as ever: then more connections help, and a faster machine does not.
 *
 * @param {object} result of a run that failed
 * @param {object|null} [idle] the run against the same server with the fastest responses, if there is another run
 * @param {boolean} [isKeptUp=false] the rate was reached, but some responses were too late
 * @returns {{ who: 'server'|'generator'|'connections', reason: ?string }} `reason` is set unless it was the server
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

// Names what was fully used while requests waited: connections, pipelining slots, or places for sessions.
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

/** Whether the server responded about as quickly as when it had little to do. */
function isQuick ({ serviceTime }, idle) {
  return idle !== null && serviceTime.totalCount > 0 && serviceTime.p50 < AS_QUICK * idle.serviceTime.p50
}

/**
 * Decides who caused the errors: the server, unless the generator lacked file descriptors, ports or addresses to connect with.
 *
 * @param {object} result
 * @returns {{ who: 'server'|'generator', reason: ?string }}
 */
function whoseErrors (result) {
  const reason = reasonForExhaustion(result)
  return { who: reason === null ? 'server' : 'generator', reason }
}

module.exports = { causeOfSaturation, latenessOf, reasonsForSaturation, whoWasLate, whoseErrors, isQuick }
