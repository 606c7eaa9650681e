'use strict'

const { endpointGroups } = require('../endpoint-groups')
const isSuccess = require('../../http/success')
const { microseconds } = require('../../base/rounding')
const { NO_PROGRESS } = require('../missing-times')
const { OK } = require('../../grpc/status')
const { COMPLETED, FAILED, TIMED_OUT, UNFINISHED, UNSENT, NONE } = require('./lines')

/**
 * Makes a recorder that also writes a line for each request. A class of its own, so that runs without it do not pay for it.
 *
 * @param {Function} Kind Recorder, or a subclass
 * @returns {Function} a subclass of it
 */
const recorded = (Kind) => class RecordedRecorder extends Kind {
  /**
   * Sets where the lines go.
   *
   * @param {Lines} lines
   * @param {object[]} requests of the plan
   * @param {boolean} isWhole whether this thread does the whole run: only then it knows the place of a call among the endpoints
   */
  recordTo (lines, requests, isWhole) {
    this.lines = lines
    const groups = endpointGroups(requests)
    /** For each request of the plan, its place among the endpoints of the result. */
    this.places = requests.map((_, index) => groups.findIndex((group) => group.includes(index)))
    this.calledFrom = isWhole ? groups.length : NONE
    this.scenarioOfUnsent = null
  }

  placeOf (endpoint) {
    if (endpoint < this.places.length) return this.places[endpoint]
    return this.calledFrom === NONE ? NONE : this.calledFrom + endpoint - this.places.length
  }

  begin (now) {
    super.begin(now)
    this.lines.begin(now)
  }

  takeInterval (now) {
    this.lines.endSample()
    return super.takeInterval(now)
  }

  // --- how requests end

  completedRequest (endpoint, status, bytes, dueAt, sentAt, firstByteAt, now, statusLineAt, connection, slot) {
    super.completedRequest(endpoint, status, bytes, dueAt, sentAt, firstByteAt, now, statusLineAt, connection, slot)
    this.wasCompleted(endpoint, status, bytes, !isSuccess(status), dueAt, sentAt, firstByteAt, now, connection, slot)
  }

  completedWhole (count, endpoint, memo, dueAt, sentAt, now, connection, slot) {
    super.completedWhole(count, endpoint, memo, dueAt, sentAt, now, connection, slot)
    const { head: { status }, wholeLength } = memo
    for (let index = 0; index < count; index++) {
      this.wasCompleted(endpoint, status, wholeLength, !isSuccess(status), dueAt, sentAt, now, now, connection, connection.slotAfter(slot, index))
    }
  }

  completedCall (endpoint, status, outcome, bytes, dueAt, sentAt, firstByteAt, now, statusLineAt, connection, slot) {
    super.completedCall(endpoint, status, outcome, bytes, dueAt, sentAt, firstByteAt, now, statusLineAt, connection, slot)
    this.wasCompleted(endpoint, status, bytes, !isSuccess(status) || outcome !== OK, dueAt, sentAt, firstByteAt, now, connection, slot)
  }

  completedMessages (count, endpoint, dueAt, sentAt, firstByteAt, now, bytes = 0, connection, slot) {
    super.completedMessages(count, endpoint, dueAt, sentAt, firstByteAt, now, bytes, connection, slot)
    for (let index = 0; index < count; index++) {
      this.wasCompleted(endpoint, NONE, bytes, false, dueAt, sentAt, firstByteAt, now, connection, index === 0 ? slot : connection.slotAfter(slot, index))
    }
  }

  failedRequest (endpoint, dueAt, sentAt, now, fault, progress, connection, slot, seen = NO_PROGRESS) {
    super.failedRequest(endpoint, dueAt, sentAt, now, fault, progress, connection, slot, seen)
    this.wasSent(FAILED, endpoint, dueAt, sentAt, seen, now, NONE, fault.code, connection, slot)
  }

  timedOutRequest (endpoint, dueAt, sentAt, fault, progress = NO_PROGRESS, now = Infinity, timeout = this.timeout, connection, slot) {
    super.timedOutRequest(endpoint, dueAt, sentAt, fault, progress, now, timeout, connection, slot)
    const latency = this.fromDueTime ? microseconds(timeout) : NONE
    this.wasSent(TIMED_OUT, endpoint, dueAt, sentAt, progress, Math.min(now, this.start(dueAt, sentAt) + timeout), latency, fault.code, connection, slot)
  }

  unfinishedRequest (endpoint, dueAt, sentAt, now, progress = NO_PROGRESS, timeout = this.timeout, connection, slot) {
    super.unfinishedRequest(endpoint, dueAt, sentAt, now, progress, timeout)
    this.wasSent(UNFINISHED, endpoint, dueAt, sentAt, progress, NaN, this.ageOf(dueAt, now, timeout), null, connection, slot)
  }

  unsentRequest (dueAt, now, heldShare, timeout = this.timeout, session = null) {
    super.unsentRequest(dueAt, now, heldShare, timeout, session)
    this.lines.line(
      UNSENT, dueAt, NaN, NaN, NaN, this.ageOf(dueAt, now, timeout), NONE, NONE, null, null, NONE, session ?? NONE, this.scenarioOfUnsent, NONE, null, 0
    )
  }

  unsentOf (scenario, ...rest) {
    this.scenarioOfUnsent = scenario === null ? null : this.scenarios[scenario].name
    super.unsentOf(scenario, ...rest)
    this.scenarioOfUnsent = null
  }

  // --- their lines

  wasCompleted (endpoint, status, bytes, isError, dueAt, sentAt, firstByteAt, now, connection, slot) {
    const isCounted = !isError || !this.excludeErrorStats
    const latency = isCounted ? microseconds(now - (this.fromDueTime ? dueAt : sentAt)) : NONE
    this.write(COMPLETED, endpoint, dueAt, sentAt, firstByteAt, now, latency, status, bytes, null, connection, slot)
  }

  wasSent (outcome, endpoint, dueAt, sentAt, { firstByteAt, status }, end, latency, error, connection, slot) {
    this.write(outcome, endpoint, dueAt, sentAt, firstByteAt, end, latency, status ?? NONE, NONE, error, connection, slot)
  }

  // In the closed model a request is due when it is sent.
  write (outcome, endpoint, dueAt, sentAt, firstByteAt, end, latency, status, bytes, error, connection, slot) {
    const { number, script, traces } = connection
    const visit = script === null ? null : script.visit
    this.lines.line(
      outcome, this.open ? dueAt : sentAt, sentAt, firstByteAt, end, latency, status, bytes, error, connection.requestIn(slot, endpoint), this.placeOf(endpoint),
      visit === null ? NONE : visit.number, visit === null ? null : visit.scenarioName, number === 0 ? NONE : number, traces, traces === null ? 0 : connection.serialOf(slot)
    )
  }

  // How long a request waited that was not seen to end, as it enters the latency, us; NONE if it does not.
  ageOf (dueAt, now, timeout) {
    return this.fromDueTime ? microseconds(Math.min(now - dueAt, timeout)) : NONE
  }
}

module.exports = recorded
