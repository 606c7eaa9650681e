'use strict'

const { definePart } = require('./part')

const FIRST_LENGTH = 1024

/** When requests were in flight, for a server that is diagnosed: how many were sent and how many ended in each millisecond of the run. */
class Flights {
  constructor () {
    this.beganAt = 0
    this.startedAt = 0
    this.sent = new Uint32Array(FIRST_LENGTH)
    this.ended = new Uint32Array(FIRST_LENGTH)
    this.length = 0
  }

  /** @param {number} now ms @param {number} origin when `now` was 0, ms since 1970 */
  begin (now, origin) {
    this.beganAt = now
    this.startedAt = origin + now
  }

  /** `count` requests were in flight from `sentAt` to `now`. */
  add (count, sentAt, now) {
    const from = Math.max(0, Math.floor(sentAt - this.beganAt))
    const to = Math.max(0, Math.floor(now - this.beganAt))
    if (to >= this.sent.length) this.grow(to)
    if (to >= this.length) this.length = to + 1
    this.sent[from] += count
    this.ended[to] += count
  }

  grow (least) {
    const grown = (array) => {
      const longer = new Uint32Array(Math.max(least + 1, array.length * 2))
      longer.set(array)
      return longer
    }
    this.sent = grown(this.sent)
    this.ended = grown(this.ended)
  }

  toData () {
    const { startedAt } = this
    return { startedAt, sent: Array.from(this.sent.subarray(0, this.length)), ended: Array.from(this.ended.subarray(0, this.length)) }
  }
}

const added = (lists) => Array.from({ length: Math.max(0, ...lists.map(({ length }) => length)) }, (_, index) => lists.reduce((sum, list) => sum + (list[index] ?? 0), 0))

/** Threads begin together, so their milliseconds are the same. */
function mergeFlights (parts) {
  return {
    startedAt: Math.min(...parts.map(({ startedAt }) => startedAt)),
    sent: added(parts.map(({ sent }) => sent)),
    ended: added(parts.map(({ ended }) => ended))
  }
}

const flights = definePart({
  name: 'flights',
  isIn: ({ diagnose }) => diagnose,
  create: ({ diagnosed }) => diagnosed ? new Flights() : null,
  // Not needed before the end.
  toData: (counted, dataOf, { isInterim }) => isInterim ? null : counted.toData(),
  merge: (parts) => mergeFlights(parts.filter((part) => part != null))
})

/**
 * Makes a recorder that also records when requests were in flight. A class of its own, so that runs without it do
 * not pay for it.
 *
 * @param {Function} Kind Recorder, or a subclass
 * @returns {Function} a subclass of it
 */
const diagnosed = (Kind) => class DiagnosedRecorder extends Kind {
  complete (counted, count, isError, bytes, dueAt, sentAt, firstByteAt, now, statusLineAt) {
    this.flights.add(count, sentAt, now)
    return super.complete(counted, count, isError, bytes, dueAt, sentAt, firstByteAt, now, statusLineAt)
  }

  failedRequest (endpoint, dueAt, sentAt, now, ...rest) {
    super.failedRequest(endpoint, dueAt, sentAt, now, ...rest)
    this.flights.add(1, sentAt, now)
  }

  timedOutRequest (endpoint, dueAt, sentAt, fault, progress, now, timeout = this.timeout, ...rest) {
    super.timedOutRequest(endpoint, dueAt, sentAt, fault, progress, now, timeout, ...rest)
    this.flights.add(1, sentAt, now ?? this.start(dueAt, sentAt) + timeout)
  }

  unfinishedRequest (endpoint, dueAt, sentAt, now, ...rest) {
    super.unfinishedRequest(endpoint, dueAt, sentAt, now, ...rest)
    this.flights.add(1, sentAt, now)
  }
}

module.exports = { diagnosed, flights }
