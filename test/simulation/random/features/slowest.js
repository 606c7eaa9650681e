'use strict'

const { ErrorCodes } = require('../../../../lib/metrics/error-codes')
const { Heat } = require('../../../../lib/metrics/parts/heat')
const { Slowest } = require('../../../../lib/metrics/parts/slowest')
const RequestLine = require('../../../../lib/protocol/shared/request-line')
const { us } = require('../round')
const defectIn = require('./plant')

const MOST = 10
const EIGHTHS = 8
// Times are computed in two ways, and rounded.
const ROUNDED_US = 2

/** `slowest`, `heat` and `examples`: the slowest requests of the log, its latencies, and the first of its failures. */
function check (round) {
  checkHeat(round)
  checkExamples(round)
  // What a server refused was sent again, and the log has both.
  if (!round.hasRefusals && (round.knowsDueTimes || !round.hasDueTimes)) checkSlowest(round)
}

function checkHeat ({ must, result: { heat: { times, bounds, counts }, latency, timeline } }) {
  const all = counts.flat().reduce((sum, count) => sum + count, 0)
  must(all === latency.totalCount, `the heat map has ${all} latencies of ${latency.totalCount}`)
  must(timeline.every(({ time }, index) => times[index] === time) && times.length <= timeline.length + 1, `the heat map is of ${times}`)
  for (const [index, bound] of bounds.entries()) {
    if (bound > 0) must(Math.abs(Math.log10(bound) * EIGHTHS - Math.round(Math.log10(bound) * EIGHTHS)) < 1e-9, `a bound of the heat map is ${bound} ms`)
    must(index === 0 || bound > bounds[index - 1], 'the bounds of the heat map do not rise')
  }
  // What was never sent, and what came in the drain, is in no sample of the timeline.
  for (const [index, { time, max }] of timeline.entries()) {
    const cell = bounds.findLastIndex((bound) => bound <= max)
    must(max === 0 || counts[index][cell] > 0, `the greatest latency of the sample at ${time} s is ${max} ms, but the heat map has none from ${bounds[cell]} ms`)
  }
}

function checkExamples ({ must, result: { errorCodes }, log, hasRefusals }) {
  // A request that the server refused would get an id when it is sent again.
  const awaitsId = (path) => hasRefusals && path.includes('[<id>]')
  const lines = new Set(log.map(({ method, path }) => `${method} ${path.slice(0, 200)}`))
  for (const [code, { count, examples }] of Object.entries(errorCodes)) {
    must(examples.length === Math.min(count, 3), `${examples.length} examples of ${count} ${code}`)
    must(examples.every(({ at }, index) => at >= (examples[index - 1]?.at ?? 0)), `examples of ${code} at ${examples.map(({ at }) => at)}`)
    for (const { method, path } of examples) {
      if (method !== null && !isMessageLine(lines, method)) must(lines.has(`${method} ${path}`) || awaitsId(path), `an example of ${code} was ${method} ${path}, which was not sent`)
    }
  }
}

// The log of WebSocket has frames and no paths.
const isMessageLine = (lines, method) => ![...lines].some((line) => line.startsWith(`${method} `)) || [...lines].some((line) => line.startsWith('TEXT ') || line.startsWith('BINARY '))

function checkSlowest (round) {
  const { must, plan, counted, messages, result: { slowest, endpoints } } = round
  const latencyOf = ({ receivedAt, sentAt, dueAt }) => us(receivedAt / 1000 - (round.hasDueTimes && !plan.ignoreCoordinatedOmission ? dueAt : sentAt / 1000))
  const expected = counted.map((entry) => ({ latency: latencyOf(entry), entry })).sort((one, other) => other.latency - one.latency || one.entry.receivedAt - other.entry.receivedAt)
  const least = Math.min(MOST, expected.length)
  must(slowest.length === least, `${slowest.length} slowest requests of ${expected.length}`)
  for (const [index, { latency, sentAt, endedAt, method, path, connection, endpoint }] of slowest.entries()) {
    const isSame = Math.abs(latency * 1000 - expected[index]?.latency) <= ROUNDED_US / 2
    must(isSame, `the slowest request ${index} took ${latency} ms, but of the log ${expected[index]?.latency} us`)
    must(endpoints[endpoint]?.completed > 0 && connection > 0, `the slowest request ${index} has endpoint ${endpoint} and connection ${connection}`)
    const isAt = (us, part, seconds) => Math.abs(us - (part ?? round).begunAt * 1000 - seconds * 1e6) <= ROUNDED_US
    const isIt = (entry) => isAt(entry.sentAt, entry.part, sentAt) && isAt(entry.receivedAt, entry.part, endedAt) &&
      (messages !== null || (entry.method === method && entry.path.slice(0, 200) === path))
    must(counted.some(isIt), `nothing in the log is the slowest request ${index}: ${method} ${path}, sent at ${sentAt} s`)
  }
}

const defects = {
  'a slow request that ended later than it did': defectIn(Slowest, 'toData', (original) => function (...args) {
    const data = original.apply(this, args)
    return { ...data, requests: data.requests.map((request) => ({ ...request, endedAt: request.endedAt + 50 })) }
  }),
  'the first request, which is never among the slowest': defectIn(Slowest, 'add', (original) => function (...args) {
    if (this.seen > 0) original.apply(this, args)
    else this.seen++
  }),
  'a path without the id that was sent': defectIn(RequestLine, 'with', () => function () { return { method: this.method, path: this.path } }),
  'a latency that is in no cell': defectIn(Heat, 'add', (original) => function (microseconds, count) {
    original.call(this, microseconds, microseconds % 97 === 0 ? count - 1 : count)
  }),
  'the last examples instead of the first': defectIn(ErrorCodes, 'toData', (original) => function (startedAt) {
    return original.call(this, startedAt).map(([code, phases, message, examples]) => [code, phases, message, examples.slice(1)])
  })
}

module.exports = { name: 'slowest', isIn: () => true, check, defects }
