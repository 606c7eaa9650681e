'use strict'

const { exhaustionOf, reasonForExhaustion } = require('./exhaustion')
const { nounOf } = require('../words/noun')
const { count, counted, percent, rate: perSecond, seconds: inSeconds, time } = require('../words/numbers')
const { whoWasLate } = require('./lateness')

// A difference below this share is not worth a reader's attention.
const WORTH_TELLING = 0.1
const ACHIEVED_SHARE = 0.99
// Where more of a latency is only lower bounds than this, its 99th percentile is one as well.
const MOST_BOUNDS = 0.01

const CONNECTING = ['dns', 'connect', 'tls']

const requests = (value, result) => counted(value, nounOf(result))

/**
 * What a reader of the result must know before believing its numbers.
 *
 * @param {object} result complete but for `warnings`, which are those from before the end
 * @param {object} plan
 * @param {object} summary merged, see merge.js
 * @returns {{ code: string, message: string }[]} each message a sentence a person can act on
 */
function warningsOf (result, plan, summary) {
  return [bodiesNotVerified, outOfFiles, outOfPorts, notOurAddress, nothingSent, urlsWithoutConnection, nothingAnswered, latencyBound, latencyIncomplete, rateNotAchieved, copiesMissing, sessionsWaited, sessionsUnfinished, statusMissing, noEvents, generatorSaturated]
    .map((check) => check(result, plan, summary)).filter(Boolean)
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
    ? 'Allow this process more of them (ulimit -n), or use fewer connections at a time.'
    : 'Allow this machine more of them (fs.file-max), or use fewer connections at a time.'
  return {
    code: 'NO_FILE_DESCRIPTORS',
    message: `${counted(files, 'connection attempt')} failed because there were no file descriptors left (${codes.files.join(', ')}). That is the load generator's limit, not the server's. ${advice}`
  }
}

function outOfPorts (result) {
  const { ports, codes } = exhaustionOf(result)
  if (ports === 0) return null
  return {
    code: 'NO_LOCAL_PORTS',
    message: `${counted(ports, 'connection attempt')} failed because there were no local ports left (${codes.ports.join(', ')}). That is the load generator's limit, not the server's: to one port of a server each address has about 28,000, and one that has been used is not free again at once. Use several local addresses (localAddress), or connections for more than one request.`
  }
}

function notOurAddress (result) {
  const { addresses, codes } = exhaustionOf(result)
  if (addresses === 0) return null
  return {
    code: 'NO_LOCAL_ADDRESS',
    message: `${counted(addresses, 'connection attempt')} failed because this machine does not have the local address (${inSentence(result.errorCodes[codes.addresses[0]].message)}). Give localAddress one that it has.`
  }
}

function nothingSent (result) {
  const { accounting, connectionStats, errorCodes } = result
  if (accounting.sent > 0 || connectionStats.failed === 0) return null
  const [code, { message, phase }] = Object.entries(errorCodes)[0]
  const advice = adviceFor(code, phase, reasonForExhaustion({ errorCodes, connectionStats }) !== null)
  return {
    code: 'NO_CONNECTION',
    message: `No ${nounOf(result)} was sent: not one of ${counted(connectionStats.failed, 'connection attempt')} succeeded (${code}: ${inSentence(message)}). ${advice}`
  }
}

function urlsWithoutConnection ({ url }, plan, { targets = null }) {
  if (targets === null || !Array.isArray(url) || url.length !== targets.opened.length) return null
  const missing = url.filter((_, index) => targets.opened[index] === 0 && targets.failed[index] > 0)
  // That none came about at all is another warning.
  if (missing.length === 0 || targets.opened.every((count) => count === 0)) return null
  return {
    code: 'URL_WITHOUT_CONNECTION',
    message: `Not one connection to ${missing.join(', ')} came about, so the answers are those of the other ${url.length - missing.length === 1 ? 'URL' : 'URLs'} alone. Is the server running at this address?`
  }
}

function adviceFor (code, phase, isOurOwnLack) {
  if (isOurOwnLack) return 'That says nothing about the server.'
  if (phase === 'tls') return 'There is a server at this address, but no TLS connection to it came about.'
  if (code === 'CANNONADE_BAD_HANDSHAKE') return 'There is a server at this address, but it takes no such WebSocket connection: are path, headers and subprotocols right?'
  if (phase === 'parse') return 'There is a server at this address, but it speaks another protocol.'
  return 'Is the server running at this address?'
}

// As it stands within a sentence of ours: those of OpenSSL end with a line.
function inSentence (message) {
  return message.trim().replace(/\.$/, '')
}

function nothingAnswered (result, plan) {
  const { completed, scheduled } = result.accounting
  if (completed > 0 || nothingSent(result) !== null || (scheduled === 0 && !wasToBegin(result, plan))) return null
  return { code: 'NO_ANSWER', message: `Nothing was answered: ${reasonForNoAnswer(result)}.` }
}

// Where nothing came due, nothing was to be answered. But in the closed model a request is due as soon as it can be sent: without
// one, connections are still waiting for a server that says nothing, if nobody has stopped the run before that.
function wasToBegin ({ warnings = [] }, { schedule, sessions }) {
  return schedule === null && !sessions && !warnings.some(({ code }) => code === 'STOPPED')
}

function reasonForNoAnswer (result) {
  const { accounting: { scheduled, sent, timedOut, unfinished }, connectionStats, errorCodes, stream } = result
  if (stream?.events > 0 && unfinished + timedOut === sent) return `${counted(stream.events, 'event')} came, but no stream came to its end. Where streams go on for ever, stream.limit says when one is complete`
  const [cause] = Object.entries(errorCodes)
  if (cause !== undefined) return `${cause[0]}: ${inSentence(cause[1].message)}`
  if (scheduled === 0 && connectionStats.peak === 0) return `no connection was ready before the run ended, so not one ${nounOf(result)} was sent`
  if (sent === 0) return `not one ${nounOf(result)} was sent`
  return timedOut + unfinished === 0 ? `${requests(sent, result)} came to nothing` : `${requests(unfinished, result)} had no answer yet when the run ended`
}

function latencyBound (result) {
  const { latencyBounds, latency, accounting } = result
  if (!(latencyBounds?.share > MOST_BOUNDS)) return null
  const { count: bounds, share, smallest } = latencyBounds
  const which = ['timedOut', 'unfinished', 'unsent'].filter((box) => accounting[box] > 0).map((box) => `${count(accounting[box])} ${IN_WORDS[box]}`).join(', ')
  return {
    code: 'LATENCY_BOUND',
    message: `${percent(share)} of the values in latency are only lower bounds: ${count(bounds)} of ${requests(latency.totalCount, result)} had no answer (${which}) and took at least as long as they had waited, from ${time(smallest)}. Figures that depend on them are "at least", and no threshold passes by them.`
  }
}

const IN_WORDS = { timedOut: 'timed out', failed: 'failed', unfinished: 'unfinished', unsent: 'never sent' }

function latencyIncomplete (result, plan) {
  const { accounting, latency, latencyWithUnfinished } = result
  const missing = latencyWithUnfinished.totalCount - latency.totalCount
  const shift = latencyWithUnfinished.p99 - latency.p99
  if (missing <= 0 && shift <= WORTH_TELLING * latency.p99) return null
  // In the closed model one request per connection is always in flight when time is up; that alone is no news.
  const onlyInFlight = accounting.failed === 0 && accounting.timedOut === 0
  if (onlyInFlight && shift <= WORTH_TELLING * latency.p99) return null
  if (missing === 0) return latencyWithoutWaiting(result)
  // Response times count from the due time, also for what was not answered; only a failure has no place among them.
  const leftOut = (plan.schedule !== null || plan.sessions) && !plan.ignoreCoordinatedOmission ? ['failed'] : Object.keys(IN_WORDS)
  const which = leftOut.filter((box) => accounting[box] > 0).map((box) => `${count(accounting[box])} ${IN_WORDS[box]}`).join(', ')
  return {
    code: 'LATENCY_INCOMPLETE',
    message: `latency leaves out ${requests(missing, result)} without a complete answer (${which}). ${differenceAtP99(latency, latencyWithUnfinished)}: see latencyWithUnfinished.`
  }
}

// With ignoreCoordinatedOmission: everything was answered, and the two differ all the same.
function latencyWithoutWaiting (result) {
  const { latency: { p99: sent }, latencyWithUnfinished: { p99: due } } = result
  return {
    code: 'LATENCY_INCOMPLETE',
    message: `latency leaves out how long ${nounOf(result)}s waited before they were sent, since ignoreCoordinatedOmission makes it the service time. From when they were due, the 99th percentile is ${time(due)} instead of ${time(sent)}: see latencyWithUnfinished.`
  }
}

function differenceAtP99 (latency, latencyWithUnfinished) {
  const [without, withThem] = [latency, latencyWithUnfinished].map(({ p99 }) => time(p99))
  if (latency.totalCount === 0) return `At the age they reached, the 99th percentile is ${withThem}`
  const compared = without === withThem ? `${withThem} all the same` : `${withThem} instead of ${without}`
  return `With them, at the age they reached, the 99th percentile is ${compared}`
}

function rateNotAchieved (result, plan, { unscheduled = 0 }) {
  const { rate, sessions } = result
  // Sessions go on behind the window, so that in it there are always answers missing.
  if (!rate || sessions || rate.achieved >= ACHIEVED_SHARE * rate.offered || (unscheduled === 0 && isOnlyOnItsWay(result, plan))) return null
  const seen = `Only ${perSecond(rate.achieved)} of ${perSecond(rate.offered)} ${nounOf(result)}s per second were completed while the schedule ran: `
  const ofOthers = `${requests(Math.ceil(unscheduled), result)} of the schedule belonged to agents that were lost or stopped.`
  return { code: 'RATE_NOT_ACHIEVED', message: seen + (unscheduled > 0 ? ofOthers : reasonForLowRate(result, plan)) }
}

// Answers take their time also where nothing is wrong: what came due just before the end arrives just after it. That
// explains as many missing as come due within a service time: a short one, since a server that falls behind has long ones.
function isOnlyOnItsWay ({ rate, serviceTime, accounting, drain }, plan) {
  const { scheduled, completed } = accounting
  // A window of fixed length has a count to miss; an amount is reached in the end, but later than the schedule had it.
  const missing = plan.amount === null ? scheduled - (completed - drain.completed) : scheduled * (1 - rate.achieved / rate.offered)
  const onTheirWay = Math.ceil(rate.offered * serviceTime.p10 / 1000)
  return missing <= (1 - ACHIEVED_SHARE) * scheduled + onTheirWay
}

// Little's law: the number of requests in service is the arrival rate times the time each takes.
function reasonForLowRate (result, plan) {
  const { rate, generator, serviceTime, accounting, connections } = result
  if (accounting.completed === 0) return 'not one answer came.'
  if (accounting.failed + accounting.timedOut > accounting.completed) return `most ${nounOf(result)}s failed.`
  if (lackedConnections(result)) return `${connectionsThatFailed(result)}, and ${requests(accounting.unsent, result)} found no connection in time.`
  const { reason } = whoWasLate(result)
  if (reason !== null) return `${reason}.`
  if (generator.saturated) return 'the load generator was not fast enough.'
  const slots = connections * plan.pipelining
  const needed = Math.ceil(rate.offered * serviceTime.mean / 1000)
  if (needed > slots) {
    const inAll = plan.pipelining === 1 ? '' : `, so ${requests(slots, result)} at a time`
    return `a ${nounOf(result)} takes ${time(serviceTime.mean)} on average, so this rate needs at least ${requests(needed, result)} at a time (Little's law): ${counted(Math.ceil(needed / plan.pipelining), 'connection')}, and there were ${count(connections)}${inAll}. Use more connections, if it is not the server that slows down under load.`
  }
  return 'the server was slower than the schedule for a part of the time, or the run too short for its answers to arrive.'
}

// Most of what is missing was never sent, and for a part of the time half of the connections were gone.
function lackedConnections ({ accounting, connectionStats, connections, timeline }) {
  const { scheduled, completed, unsent } = accounting
  return connectionStats.failed > 0 && unsent > 0 && unsent >= (scheduled - completed) / 2 &&
    timeline.some((sample) => sample.connections <= connections / 2)
}

function connectionsThatFailed ({ connectionStats: { failed }, errorCodes }) {
  const codes = Object.keys(errorCodes).filter((code) => CONNECTING.some((phase) => errorCodes[code].phases[phase] > 0))
  return `${counted(failed, 'connection attempt')} failed (${codes.join(', ')})`
}

function copiesMissing ({ broadcast }) {
  if (!broadcast || broadcast.received >= broadcast.expected) return null
  const { expected, received } = broadcast
  return {
    code: 'COPIES_MISSING',
    message: `Only ${received} of ${expected} copies came: the times of last copies are those of what came, and no threshold passes by them. A message was expected on each connection that was open when it was sent; a server with rooms sends it to some of them only.`
  }
}

function sessionsWaited ({ sessions }, { sessions: planned }, summary) {
  if (!sessions) return null
  const { waited } = summary.sessions.counters
  if (waited === 0) return null
  const inVain = sessions.unstarted === 0 ? '' : `, and ${count(sessions.unstarted)} more to the end of the run`
  return {
    code: 'MAX_OPEN_REACHED',
    message: `${counted(waited, 'session')} of ${count(sessions.scheduled)} had to wait until others had left${inVain}, since ${count(planned.maxOpen)} were there already: that time is in the latency and the lifetimes. Raise sessions.maxOpen, if it is not the server that keeps them.`
  }
}

// Who is cut off has stayed longer than most: lifetimes are of the others. A run that was cut short says so itself.
function sessionsUnfinished ({ sessions, warnings = [] }, { drain }) {
  if (!sessions || sessions.unfinished === 0 || warnings.some(({ code }) => code === 'STOPPED' || code === 'NO_USABLE_CONNECTION')) return null
  return {
    code: 'SESSIONS_UNFINISHED',
    message: `${counted(sessions.unfinished, 'session')} of ${count(sessions.started)} had not made all calls when the drain of ${inSeconds(drain)} seconds was over: lifetimes are those of the ${count(sessions.completed)} that were completed, and no threshold passes by them. A longer drain lets them come to their end, with their think times.`
  }
}

// Who has answered does not speak gRPC, or broke off.
function statusMissing ({ grpcStatus, statusCodeStats }) {
  const { MISSING = 0, NO_MESSAGE = 0 } = grpcStatus ?? {}
  if (MISSING + NO_MESSAGE === 0) return null
  const parts = [
    MISSING > 0 && `${counted(MISSING, 'answer')} had no grpc-status (MISSING; the statuses of HTTP were ${Object.keys(statusCodeStats).join(', ')}), so that it may be no server of gRPC that answers`,
    NO_MESSAGE > 0 && `${counted(NO_MESSAGE, 'answer')} said OK and had no message (NO_MESSAGE)`
  ]
  return { code: 'GRPC_STATUS_MISSING', message: `${parts.filter(Boolean).join('; ')}. Such calls count as not OK.` }
}

// Where they are packed, that has been said.
function noEvents ({ stream, accounting: { completed }, warnings }, plan) {
  if (!stream || stream.events > 0 || completed === 0 || warnings.some(({ code }) => code === 'STREAM_NOT_DECODED')) return null
  return {
    code: 'NO_EVENTS',
    message: `There was no event in ${completed === 1 ? '1 response' : `${completed} responses`}: ${WITHOUT_EVENTS[plan.stream.events]}`
  }
}

const WITHOUT_EVENTS = {
  sse: 'they have no lines of data with an empty line behind them. Are they streams of server-sent events? For lines of JSON there is stream.events \'lines\'.',
  lines: 'they have no line that is not empty. Is there anything in them?',
  chunks: 'they do not come in the chunked coding. For server-sent events there is stream.events \'sse\', for lines \'lines\'.'
}

function generatorSaturated ({ generator }) {
  if (!generator.saturated) return null
  return {
    code: 'GENERATOR_SATURATED',
    message: `These numbers are as much the load generator's as the server's: ${generator.reasons.join('; ')}. Use more workers, fewer hooks, or another machine.`
  }
}

module.exports = warningsOf
