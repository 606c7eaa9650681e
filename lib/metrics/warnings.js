'use strict'

const { exhaustionOf, reasonForExhaustion } = require('./exhaustion')
const { nounOf } = require('../words/noun')
const { count, counted, percent, rate: perSecond, time } = require('../words/numbers')
const { whoWasLate } = require('./lateness')
const { PARTS } = require('./parts')

// Differences below this share are not reported.
const WORTH_TELLING = 0.1
const ACHIEVED_SHARE = 0.99
// If a larger share of the latencies are only lower bounds, so is the 99th percentile.
const MOST_BOUNDS = 0.01
// From this share of the requests on, those that were in flight at the end of the closed model bias its median.
const MANY_UNFINISHED = 0.2

const NAMES_UNKNOWN = new Set(['ENOTFOUND', 'ENODATA'])
const CONNECTING = ['dns', 'connect', 'tls']

const requests = (value, result) => counted(value, nounOf(result))

/**
 * What a reader of the result must know before trusting its numbers.
 *
 * @param {object} result complete except for `warnings`, which contains only those from before the end
 * @param {object} plan
 * @param {object} summary merged, see merge.js
 * @returns {{ code: string, message: string }[]} each message is a sentence that a person can act on
 */
function warningsOf (result, plan, summary) {
  const checks = [
    bodiesNotVerified, outOfFiles, outOfPorts, notOurAddress, nothingSent, nothingAnswered, latencyBound, latencyIncomplete, rateNotAchieved,
    manyUnfinished, ...PARTS.flatMap((part) => part.warnings), otherStatuses, generatorSaturated
  ]
  return checks.flatMap((check) => check(result, plan, summary)).filter(Boolean)
}

function bodiesNotVerified (result, plan, { counters: { undecided } }) {
  if (undecided === 0) return null
  return {
    code: 'BODIES_NOT_VERIFIED',
    message: `verifyBody had not decided on ${counted(undecided, 'body', 'bodies')} when the run ended; they do not count in mismatches.`
  }
}

function outOfFiles (result) {
  const { files, codes } = exhaustionOf(result)
  if (files === 0) return null
  const advice = codes.files.includes('EMFILE')
    ? 'Raise the limit of this process (ulimit -n), or use fewer connections at a time.'
    : 'Raise the limit of this machine (fs.file-max), or use fewer connections at a time.'
  return {
    code: 'NO_FILE_DESCRIPTORS',
    message: `${counted(files, 'connection attempt')} failed because the load generator ran out of file descriptors (${codes.files.join(', ')}). This is a limit of the load generator, not of the server. ${advice}`
  }
}

function outOfPorts (result) {
  const { ports, codes } = exhaustionOf(result)
  if (ports === 0) return null
  return {
    code: 'NO_LOCAL_PORTS',
    message: `${counted(ports, 'connection attempt')} failed because the load generator ran out of local ports (${codes.ports.join(', ')}). This is a limit of the load generator, not of the server: each local address has about 28,000 ports for one port of a server, and a used port is not free again at once. Use several local addresses (localAddress), or send more than one request per connection.`
  }
}

function notOurAddress (result) {
  const { addresses, codes } = exhaustionOf(result)
  if (addresses === 0) return null
  return {
    code: 'NO_LOCAL_ADDRESS',
    message: `${counted(addresses, 'connection attempt')} failed because this machine does not have the local address (${inSentence(result.errorCodes[codes.addresses[0]].message)}). Set localAddress to an address of this machine.`
  }
}

function nothingSent (result) {
  const { accounting, connectionStats, errorCodes } = result
  if (accounting.sent > 0 || connectionStats.failed === 0) return null
  const [code, { message, phase }] = Object.entries(errorCodes)[0]
  const advice = adviceFor(code, phase, reasonForExhaustion({ errorCodes, connectionStats }) !== null)
  return {
    code: 'NO_CONNECTION',
    message: `No ${nounOf(result)} was sent: ${connectionStats.failed === 1 ? 'the only connection attempt' : `all ${count(connectionStats.failed)} connection attempts`} failed (${code}: ${inSentence(message)}). ${advice}`
  }
}

function adviceFor (code, phase, isOurOwnLack) {
  if (isOurOwnLack) return 'This says nothing about the server.'
  if (phase === 'dns') return NAMES_UNKNOWN.has(code) ? 'There is no host of this name: is it spelled correctly?' : 'The name of the host could not be looked up: is its spelling correct, and does name resolution work on this machine?'
  if (phase === 'tls') return 'There is a server at this address, but the TLS handshake failed.'
  if (code === 'CANNONADE_BAD_HANDSHAKE') return 'There is a server at this address, but it rejected the WebSocket handshake: check the path, headers and subprotocols.'
  if (phase === 'parse') return 'There is a server at this address, but it speaks another protocol.'
  return 'Is the server running at this address?'
}

// Removes the final period or newline (OpenSSL messages end with one), so that the message fits into a sentence.
function inSentence (message) {
  return message.trim().replace(/\.$/, '')
}

function nothingAnswered (result, plan) {
  const { completed, scheduled } = result.accounting
  if (completed > 0 || nothingSent(result) !== null || (scheduled === 0 && !shouldHaveBegun(result, plan))) return null
  return { code: 'NO_ANSWER', message: `There were no responses: ${reasonForNoAnswer(result)}.` }
}

// If no request was due, no response was expected. But in the closed model requests are due as soon as they can be sent: if there was
// none, connections were still waiting for a silent server, unless the run was stopped before. And users as code are there to make calls.
function shouldHaveBegun ({ sessions: { started = 0 } = {}, warnings = [] }, { schedule, sessions }) {
  return ((schedule === null && !sessions) || started > 0) && !warnings.some(({ code }) => code === 'STOPPED')
}

function reasonForNoAnswer (result) {
  const { accounting: { scheduled, sent, timedOut, unfinished }, connectionStats, errorCodes } = result
  const known = PARTS.map((part) => part.whyNoAnswer(result)).find((reason) => reason !== null)
  if (known !== undefined) return known
  const [cause] = Object.entries(errorCodes)
  if (cause !== undefined) return `${cause[0]}: ${inSentence(cause[1].message)}`
  if (scheduled === 0 && connectionStats.peak === 0) return `no connection was ready before the run ended, so no ${nounOf(result)} was sent`
  if (sent === 0) return `no ${nounOf(result)} was sent`
  return timedOut + unfinished === 0 ? `all ${requests(sent, result)} failed` : `${requests(unfinished, result)} had no response yet when the run ended`
}

function latencyBound (result) {
  const { latencyBounds, latency, accounting } = result
  if (!(latencyBounds?.share > MOST_BOUNDS)) return null
  const { count: bounds, share, smallest } = latencyBounds
  const which = ['timedOut', 'unfinished', 'unsent'].filter((box) => accounting[box] > 0).map((box) => `${count(accounting[box])} ${IN_WORDS[box]}`).join(', ')
  return {
    code: 'LATENCY_BOUND',
    message: `${percent(share)} of the values in latency are only lower bounds: ${count(bounds)} of ${requests(latency.totalCount, result)} had no response (${which}) and took at least as long as they had waited, ${time(smallest)} or more. Figures that depend on them are marked "at least", and thresholds that depend on them cannot pass.`
  }
}

const IN_WORDS = { timedOut: 'timed out', failed: 'failed', unfinished: 'unfinished', unsent: 'never sent' }

// The closed model leaves out the requests in flight at its end, and slow ones are more likely to be among them.
function manyUnfinished ({ accounting: { completed, unfinished }, ...result }, plan) {
  const share = unfinished / (completed + unfinished)
  if (plan.schedule !== null || plan.sessions || completed === 0 || !(share >= MANY_UNFINISHED)) return null
  const noun = nounOf(result)
  return {
    code: 'MANY_UNFINISHED',
    message: `${count(unfinished)} of ${counted(completed + unfinished, noun)} (${percent(share)}) had no response yet when the run ended, and latency leaves them out. Slow ${noun}s are more likely to be among them, so p50 and all other percentiles may be too low. Use a longer run, an amount of ${noun}s, or a rate.`
  }
}

function latencyIncomplete (result, plan) {
  const { accounting, latency, latencyWithUnfinished } = result
  const missing = latencyWithUnfinished.totalCount - latency.totalCount
  const shift = latencyWithUnfinished.p99 - latency.p99
  if (missing <= 0 && shift <= WORTH_TELLING * latency.p99) return null
  // In the closed model, every connection has a request in flight when time is up, so that alone is not worth a warning.
  const onlyInFlight = accounting.failed === 0 && accounting.timedOut === 0
  if (onlyInFlight && shift <= WORTH_TELLING * latency.p99) return null
  if (missing === 0) return latencyWithoutWaiting(result)
  // Response times include unanswered requests, because they count from the due time; only failed requests are left out.
  const leftOut = (plan.schedule !== null || plan.sessions) && !plan.ignoreCoordinatedOmission ? ['failed'] : Object.keys(IN_WORDS)
  const which = leftOut.filter((box) => accounting[box] > 0).map((box) => `${count(accounting[box])} ${IN_WORDS[box]}`).join(', ')
  return {
    code: 'LATENCY_INCOMPLETE',
    message: `latency excludes ${requests(missing, result)} without a complete response (${which}). ${differenceAtP99(latency, latencyWithUnfinished)}; see latencyWithUnfinished.`
  }
}

// With ignoreCoordinatedOmission, the two figures may differ even if all requests were answered.
function latencyWithoutWaiting (result) {
  const { latency: { p99: sent }, latencyWithUnfinished: { p99: due } } = result
  return {
    code: 'LATENCY_INCOMPLETE',
    message: `latency excludes the time ${nounOf(result)}s waited before they were sent, because ignoreCoordinatedOmission makes it the service time. Counted from when they were due, the 99th percentile is ${time(due)} instead of ${time(sent)}; see latencyWithUnfinished.`
  }
}

function differenceAtP99 (latency, latencyWithUnfinished) {
  const [without, withThem] = [latency, latencyWithUnfinished].map(({ p99 }) => time(p99))
  if (latency.totalCount === 0) return `Counting how long they had waited, the 99th percentile is ${withThem}`
  const compared = without === withThem ? `${withThem} as well` : `${withThem} instead of ${without}`
  return `Including them, as long as they had waited, the 99th percentile is ${compared}`
}

function rateNotAchieved (result, plan, { unscheduled = 0 }) {
  const { rate, sessions } = result
  // Sessions continue after the window, so some of their responses always arrive too late for it.
  if (!rate || sessions || rate.achieved >= ACHIEVED_SHARE * rate.offered || (unscheduled === 0 && isOnlyOnItsWay(result, plan))) return null
  const seen = `Only ${perSecond(rate.achieved)} of ${perSecond(rate.offered)} ${nounOf(result)}s per second were completed while the schedule ran: `
  const ofOthers = `${requests(Math.ceil(unscheduled), result)} of the schedule belonged to agents that were lost or stopped.`
  return { code: 'RATE_NOT_ACHIEVED', message: seen + (unscheduled > 0 ? ofOthers : reasonForLowRate(result, plan)) }
}

// Responses take time even if nothing is wrong: those to requests that were due just before the end arrive just after it. That
// explains a shortfall of as many requests as are due within a service time. A short service time is used, because the long ones may
// mean that the server fell behind.
function isOnlyOnItsWay (result, plan) {
  const { rate, serviceTime, accounting: { scheduled } } = result
  const onTheirWay = Math.ceil(rate.offered * serviceTime.p10 / 1000)
  return missingIn(result, plan) <= (1 - ACHIEVED_SHARE) * scheduled + onTheirWay
}

// How many responses the window lacks. In one of fixed length, requests can be missing. An amount is always reached in the end, but later
// than scheduled.
function missingIn ({ rate, accounting: { scheduled, completed }, drain }, plan) {
  return plan.amount === null ? scheduled - (completed - drain.completed) : scheduled * (1 - rate.achieved / rate.offered)
}

// Little's law: the number of requests in service is the arrival rate times the service time.
function reasonForLowRate (result, plan) {
  const { rate, generator, serviceTime, accounting, connections } = result
  if (accounting.completed === 0) return 'there were no responses.'
  if (accounting.failed + accounting.timedOut > accounting.completed) return `most ${nounOf(result)}s failed.`
  if (lackedConnections(result)) return `${connectionsThatFailed(result)}, and ${requests(accounting.unsent, result)} could not get a connection in time.`
  // Neither slow servers nor slow generators make connections fail, but both may let requests time out.
  const { failed, timedOut } = accounting
  const half = missingIn(result, plan) / 2
  if (failed >= half) return `${requests(failed, result)} failed.`
  const { reason } = whoWasLate(result)
  if (reason !== null) return `${reason}.`
  if (generator.saturated) return 'the load generator was too slow.'
  const slots = connections * plan.pipelining
  const needed = Math.ceil(rate.offered * serviceTime.mean / 1000)
  if (needed > slots) {
    const inAll = plan.pipelining === 1 ? '' : `, for ${requests(slots, result)} in flight`
    return `a ${nounOf(result)} takes ${time(serviceTime.mean)} on average, so this rate needs at least ${requests(needed, result)} in flight (Little's law): ${counted(Math.ceil(needed / plan.pipelining), 'connection')}, and there were ${count(connections)}${inAll}. Use more connections, unless the server slows down under load.`
  }
  if (failed + timedOut >= half) return `${requests(failed + timedOut, result)} failed or timed out.`
  return 'the server was slower than the schedule for part of the time, or the run was too short for its responses to arrive.'
}

// Most of the missing requests were never sent, and for part of the run at least half of the connections were gone.
function lackedConnections ({ accounting, connectionStats, connections, timeline }) {
  const { scheduled, completed, unsent } = accounting
  return connectionStats.failed > 0 && unsent > 0 && unsent >= (scheduled - completed) / 2 &&
    timeline.some((sample) => sample.connections <= connections / 2)
}

function connectionsThatFailed ({ connectionStats: { failed }, errorCodes }) {
  const codes = Object.keys(errorCodes).filter((code) => CONNECTING.some((phase) => errorCodes[code].phases[phase] > 0))
  return `${counted(failed, 'connection attempt')} failed (${codes.join(', ')})`
}

function generatorSaturated ({ generator }) {
  if (!generator.saturated) return null
  return {
    code: 'GENERATOR_SATURATED',
    message: `These numbers include delays of the load generator: ${generator.reasons.join('; ')}. ${adviceOnSaturation(generator)}`
  }
}

// More workers only help if the process itself was at its limit.
function adviceOnSaturation ({ cause, cpu, waited, stoodStill }) {
  switch (cause) {
    case 'process': return `Its process was at its limit (${percent(cpu.percent / 100)} of a CPU core): use more workers, fewer hooks, or another machine.`
    case 'machine': return `The machine was busy with other work: this process waited ${time(waited)} for a CPU, while it used ${percent(cpu.percent / 100)} of a core. Stop other programs, or use another machine; more workers do not help.`
    case 'hooks': return `Hooks or listeners held it up${stoodStill.total > 0 ? `, or a garbage collection (${time(stoodStill.total)} in total)` : ''}: make them shorter, or do the work after the run.`
    default: return 'Use more workers, fewer hooks, or another machine.'
  }
}

// From this share of the responses on, they are reported.
const MOST_OTHER_STATUSES = 0.01

/**
 * Warns of responses that are not 2xx: a server that answers everything with errors may be fast. Redirects that are followed are
 * not errors.
 *
 * @param {object} result
 * @param {{ followRedirects: ?object, excludeErrorStats: boolean, thresholds: object[] }} plan
 * @returns {?{ code: string, message: string }}
 */
function otherStatuses (result, { followRedirects = null, excludeErrorStats = false, thresholds = [] }) {
  const { accounting: { completed }, grpcStatus } = result
  const non2xx = result.non2xx - (followRedirects === null || grpcStatus ? 0 : result['3xx'])
  if (completed === 0 || non2xx / completed < MOST_OTHER_STATUSES) return null
  const worst = mostFrequentError(result, followRedirects !== null)
  const noun = grpcStatus ? 'call' : 'response'
  const times = excludeErrorStats ? 'Their times are not in the statistics.' : 'Their times are in the statistics like all others.'
  const advice = thresholds.some(isOfFailures) ? '' : " To fail a run because of them, use the threshold 'failures == 0'."
  return {
    code: 'NON_2XX',
    message: `${count(non2xx)} of ${counted(completed, noun)} (${percent(non2xx / completed)}) ${non2xx === 1 ? 'was' : 'were'} not ${grpcStatus ? 'OK' : '2xx'}${worst && `, most often ${worst}`}. ${times}${advice}`
  }
}

// Characters of a path that a warning shows: recorded paths may have thousands.
const LONGEST_PATH = 200
const OF_STATUSES = new Set(['2xx', '3xx', '4xx', '5xx', 'non2xx'])

// Those of the warm-up say nothing about the run.
const isOfFailures = ({ field: { path } }) => path[0] !== 'warmup' && (path.at(-2) === 'failures' || OF_STATUSES.has(path.at(-1)))

function mostFrequentError ({ endpoints = [], grpcStatus }, followsRedirects) {
  const isGood = grpcStatus ? (status) => status === 'OK' : (status) => status.startsWith('2') || (followsRedirects && status.startsWith('3'))
  const all = endpoints.flatMap((endpoint) => Object.entries(grpcStatus ? endpoint.grpcStatus : endpoint.statusCodeStats)
    .filter(([status]) => !isGood(status))
    .map(([status, entry]) => ({ status, endpoint, count: grpcStatus ? entry : entry.count })))
  if (all.length === 0) return ''
  const total = (status) => all.reduce((sum, each) => each.status === status ? sum + each.count : sum, 0)
  const [{ status, endpoint: { title, method, path } }] = all.sort((a, b) => total(b.status) - total(a.status) || b.count - a.count)
  return `${status} from ${title ?? `${method} ${path.split('?')[0].slice(0, LONGEST_PATH)}`}`
}

module.exports = warningsOf
