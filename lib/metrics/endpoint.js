'use strict'

const Distribution = require('./distribution')
const { beyond } = require('./missing-times')
const Tally = require('./tally')

// Three-digit status codes are used as array indices.
const STATUS_CODES = 1000

/** Counts for one request of the sequence. The totals of the run are the sums over all endpoints. */
class Endpoint {
  /**
   * @param {number} [span] see Tally
   * @param {number} [outcomes] how many outcomes a gRPC call can have; 0: requests are not gRPC calls
   */
  constructor (span, outcomes = 0) {
    this.completed = 0
    this.failed = 0
    this.timedOut = 0
    this.tally = new Tally(span)
    this.latency = new Distribution()
    // Latencies that are only lower bounds. Created with the first one, because most endpoints have none.
    this.bounds = null
    // Minimum durations of requests that got no response and are therefore not in `latency`: see MissingTimes.
    this.missing = null
    // Those of the two that the person cut off who stopped the run.
    this.interrupted = null
    this.waiting = []
    this.statuses = new Float64Array(STATUS_CODES)
    /** gRPC calls by outcome: see grpc/status.js. Null if requests are not gRPC calls. */
    this.outcomes = outcomes > 0 ? new Float64Array(outcomes) : null
  }

  /** `[status, count]` of each status that occurred. */
  get statusEntries () {
    return entriesOf(this.statuses)
  }

  /** `[outcome, count]` of each gRPC outcome that occurred; null if requests are not gRPC calls. */
  get outcomeEntries () {
    return this.outcomes && entriesOf(this.outcomes)
  }

  /** Records the latency of a request that was not seen to end: it took at least this many microseconds. */
  recordBound (microseconds, isInterrupted = false) {
    this.tally.record(microseconds)
    this.bounds ??= new Distribution()
    this.bounds.record(microseconds)
    if (isInterrupted) this.interrupt(microseconds)
  }

  /** Like `recordBound`, but for a run in which only answered requests count as latencies. */
  recordMissing (microseconds, isInterrupted = false) {
    this.missing ??= new Distribution()
    this.missing.record(microseconds)
    if (isInterrupted) this.interrupt(microseconds)
  }

  interrupt (microseconds) {
    this.interrupted ??= new Distribution()
    this.interrupted.record(microseconds)
  }

  /** Moves what was recorded since the last call into the distributions of this endpoint and of the interval. */
  pourInto (interval) {
    // A sequence may have a thousand requests, only a few of which were answered within a sample.
    if (this.tally.isEmpty) return
    const fresh = new Distribution()
    this.tally.pourInto(fresh)
    this.latency.add(fresh)
    interval.add(fresh)
  }

  /** @param {function(Distribution): object} [dataOf] converts its distributions to data */
  toData (dataOf = (distribution) => distribution.toData()) {
    return {
      completed: this.completed,
      failed: this.failed,
      timedOut: this.timedOut,
      latency: dataOf(this.latency),
      bounds: this.bounds && dataOf(this.bounds),
      missing: this.missing && dataOf(this.missing),
      interrupted: this.interrupted && dataOf(this.interrupted),
      waiting: beyond(this.waiting, this.latency),
      statuses: this.statusEntries,
      outcomes: this.outcomeEntries
    }
  }
}

function entriesOf (counts) {
  const entries = []
  for (let index = 0; index < counts.length; index++) {
    if (counts[index] !== 0) entries.push([index, counts[index]])
  }
  return entries
}

module.exports = Endpoint
