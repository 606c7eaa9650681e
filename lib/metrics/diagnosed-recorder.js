'use strict'

/**
 * Makes a recorder that also records when requests were in flight: see parts/flights.js. A class of its own, so that runs without it do
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

module.exports = diagnosed
