'use strict'

const { counted, grouped, isNumber, moment, percent, rate, seconds, size, thousands } = require('../words/numbers')
const { doneOf, nounOf, shortNoun } = require('../words/noun')
const { clean, cleanName } = require('./text')

const count = (value) => isNumber(value) ? value : 0
// Counts that programs do not parse are exact and not rounded, since 3 missing requests of 3,600 matter.
const whole = (value) => grouped(count(value))

/**
 * Identifies a result for later readers: its title, target and date.
 *
 * @param {object} result
 * @returns {string} empty if the result has none of these
 */
function caption ({ title, url, socketPath, start }) {
  const where = [...[url].flat(), socketPath ? `(${clean(socketPath)})` : ''].filter(Boolean).map(clean).join(' ')
  const when = moment(start)
  const place = [where, when && where ? `(${when})` : when].filter(Boolean).join(' ')
  return [title ? cleanName(title) : '', place].filter(Boolean).join(': ')
}

/**
 * Returns how many requests had a response, the most important fact.
 *
 * @param {object} result
 * @param {object} colors from picocolors
 * @returns {string}
 */
function answered (result, colors) {
  const { accounting, requests } = result
  const noun = nounOf(result)
  const completed = count(accounting?.completed ?? requests?.total)
  const due = Math.max(completed, count(accounting?.scheduled ?? requests?.sent ?? requests?.total))
  const text = `${whole(completed)} of ${counted(due, noun)} ${doneOf(noun)} in ${seconds(secondsOf(result))} s, ${bytesRead(result)}`
  return completed === 0 ? colors.red(text) : text
}

/** How long requests were sent, in seconds: sessions that have begun continue in the drain. */
function secondsOf ({ duration, drain, sessions }) {
  return count(duration) + (sessions ? count(drain?.seconds) : 0)
}

const bytesRead = ({ bytes, throughput }) => `${size(count(bytes?.read ?? throughput?.total))} read`

/**
 * Returns the lines below the tables that explain the samples, in autocannon's words.
 *
 * @param {object} result
 * @param {object} style see tables.js
 * @returns {string[]} lines
 */
function samplingLines (result, style) {
  const { sampleInt, samples } = result
  const what = shortNoun(result, style)
  const interval = (isNumber(sampleInt) && sampleInt > 0 ? sampleInt : 1000) / 1000
  return [
    interval === 1 ? `${what}/Bytes counts sampled once per second.` : `${what}/Bytes counts sampled every ${interval} seconds.`,
    `# of samples: ${count(samples)}`
  ]
}

/**
 * Returns the result in a few lines: how much in what time, and what went wrong. Programs parse these lines with regular
 * expressions written for autocannon, hence the fixed plurals (`1 errors (1 timeouts)`) and plain digits. For programs
 * the count is that of requests sent; for people, that of responses.
 *
 * @param {object} result
 * @param {{ colors: object, isForPrograms: boolean }} style see tables.js
 * @returns {string[]} lines; only one if nothing went wrong
 */
function summaryLines (result, { colors, isForPrograms }) {
  const { requests } = result
  const sent = count(requests?.sent ?? requests?.total)
  const lines = [isForPrograms ? `${thousands(sent)} requests in ${seconds(secondsOf(result)).replaceAll(',', '')}s, ${bytesRead(result)}` : answered(result, colors)]

  if (result.grpcStatus) lines.push(callsLine(result.grpcStatus))
  else if (count(result.non2xx) > 0) lines.unshift(`${count(result['2xx'])} 2xx responses, ${result.non2xx} non 2xx responses`)
  if (count(result.errors) > 0) lines.push(colors.red(`${result.errors} errors (${count(result.timeouts)} timeouts)`))
  if (count(result.mismatches) > 0) lines.push(colors.red(`${result.mismatches} ${nounOf(result)}s with mismatched body`))
  if (count(result.resets) > 0) lines.push(`request pipeline was reset ${result.resets} ${result.resets === 1 ? 'time' : 'times'}`)
  if (result.sessions) lines.push(sessionsLine(result.sessions))
  if (result.stream) lines.push(streamLine(result.stream))
  if (result.messages) lines.push(messagesLine(result.messages))
  if (result.broadcast) lines.push(broadcastLine(result.broadcast))
  if (Object.keys(result.closeCodes).length > 0) lines.push(closesLine(result.closeCodes))
  return lines
}

// Returns how gRPC calls ended, most frequent first.
function callsLine (grpcStatus) {
  const ends = Object.entries(grpcStatus).filter(([, number]) => isNumber(number)).sort(([, a], [, b]) => b - a)
  return ends.length === 0 ? 'gRPC: no call has ended' : `gRPC: ${ends.map(([name, number]) => `${whole(number)} ${clean(name)}`).join(', ')}`
}

// Returns the number of sessions, how they ended, and the peak of concurrent ones.
function sessionsLine ({ scheduled, completed, failed, unfinished, unstarted, peak }) {
  const ends = [[completed, 'completed'], [failed, 'failed'], [unfinished, 'unfinished'], [unstarted, 'never started']]
    .filter(([number, what]) => number > 0 || what === 'completed')
    .map(([number, what]) => `${whole(number)} ${what}`)
  return `${counted(count(scheduled), 'session')}: ${ends.join(', ')}; at most ${whole(peak)} at a time`
}

// Returns the number of events, and of events per response.
function streamLine ({ events, rate: perSecond, eventsPerResponse: each }) {
  const many = each?.totalCount > 0 ? `, ${each.min === each.max ? rate(each.max) : `${rate(each.min)} to ${rate(each.max)} (${rate(each.mean)} on average)`} per response` : ''
  return `${counted(count(events), 'event')}, ${rate(perSecond)} per second${many}`
}

function messagesLine ({ sent, received, unasked }) {
  return `${counted(count(sent), 'message')} sent, ${whole(received)} received${unasked > 0 ? `, ${whole(unasked)} of them unsolicited` : ''}`
}

function broadcastLine ({ expected, received, fanOut }) {
  const share = expected > 0 ? ` (${percent(received / expected)})` : ''
  return `${whole(received)} of ${counted(count(expected), 'copy', 'copies')}${share} received, ${rate(count(fanOut))} per second`
}

function closesLine (codes) {
  return `closed by the server: ${Object.entries(codes).map(([code, number]) => `${clean(String(code))} (${whole(number)})`).join(', ')}`
}

/**
 * Returns a note for runs over TLS whose server certificates were not verified.
 *
 * @param {object} [opts] `instance.opts` of a run
 * @returns {string} empty without TLS, or if certificates were verified
 */
function unverifiedNote ({ url, tlsOptions } = {}) {
  const isSecure = [url].flat().some((each) => /^https:/i.test(each))
  return isSecure && tlsOptions?.rejectUnauthorized !== true ? 'Certificates were not verified.' : ''
}

module.exports = { answered, caption, samplingLines, secondsOf, summaryLines, unverifiedNote }
