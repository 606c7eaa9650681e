'use strict'

const fc = require('../support/fast-check')
const Recorder = require('../../lib/metrics/recorder')

const ENDPOINTS = 2
const TIMEOUT_MS = 10000

const endpoint = fc.nat(ENDPOINTS - 1)
const milliseconds = fc.oneof(fc.integer({ min: 0, max: 9000 }).map((value) => value / 1000), fc.integer({ min: 0, max: TIMEOUT_MS }))
const code = fc.constantFrom('ECONNRESET', 'EPIPE', '__proto__')

/** Events for a recorder, as `[method, ...arguments]`; each stands for one sent request, or for a connection. */
const event = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant('completed'), endpoint, fc.constantFrom(200, 204, 301, 404, 500, 999), fc.nat(5000), milliseconds, milliseconds, milliseconds) },
  fc.tuple(fc.constant('failed'), endpoint, milliseconds, milliseconds, code),
  fc.tuple(fc.constant('timedOut'), endpoint, milliseconds),
  fc.tuple(fc.constant('unfinished'), endpoint, milliseconds, milliseconds),
  fc.tuple(fc.constant('unsent'), milliseconds),
  fc.tuple(fc.constant('connection'), milliseconds, fc.boolean(), fc.boolean()),
  fc.tuple(fc.constant('refused'), code),
  fc.tuple(fc.constant('burst'), fc.nat(9))
)

const handlers = {
  completed (recorder, endpoint, status, bytes, delay, toFirstByte, rest) {
    recorder.sent++
    recorder.bytesRead += bytes
    if (recorder.open) recorder.delayedSend(0, 0, delay)
    recorder.completedRequest(endpoint, status, bytes, 0, delay, delay + toFirstByte, delay + toFirstByte + rest)
  },
  failed (recorder, endpoint, delay, age, code) {
    recorder.sent++
    recorder.failedRequest(endpoint, 0, delay, delay + age, { code, phase: 'receive', message: `message of ${code}` })
  },
  timedOut (recorder, endpoint, delay) {
    recorder.sent++
    recorder.timedOutRequest(endpoint, 0, delay, { code: 'CANNONADE_RESPONSE_TIMEOUT', phase: 'timeout', message: 'too late' })
  },
  unfinished (recorder, endpoint, delay, age) {
    recorder.sent++
    recorder.unfinishedRequest(endpoint, 0, delay, delay + age)
  },
  unsent (recorder, age) {
    if (recorder.open) recorder.unsentRequest(0, age)
  },
  connection (recorder, time, byServer, secure) {
    recorder.openedConnection(time, secure ? 0 : null, time, secure ? time : null)
    recorder.closedConnection(byServer)
  },
  burst (recorder, count) {
    recorder.beganTogether(count)
  },
  refused (recorder, code) {
    recorder.failedConnection({ code, phase: 'connect', message: `message of ${code}` })
  }
}

function newRecorder (options) {
  return new Recorder({ endpoints: ENDPOINTS, open: false, timeout: TIMEOUT_MS, ...options })
}

/** Records events, as an engine would. */
function play (recorder, events) {
  for (const [kind, ...args] of events) handlers[kind](recorder, ...args)
}

/** Records events and returns the recorder's summary. */
function summaryOf (events, options) {
  const recorder = newRecorder(options)
  recorder.begin(0)
  play(recorder, events)
  recorder.scheduled = recorder.sent + recorder.unsent
  recorder.takeInterval(1000)
  return recorder.summary()
}

module.exports = { event, newRecorder, play, summaryOf, TIMEOUT_MS }
