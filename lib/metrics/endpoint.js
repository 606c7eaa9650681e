'use strict'

const Distribution = require('./distribution')
const { beyond } = require('./missing-times')
const Tally = require('./tally')

// A status code has three digits.
const STATUS_CODES = 1000

/** What is counted for one request of the sequence. The sums over all endpoints are the sums of the run. */
class Endpoint {
  /**
   * @param {number} [span] see Tally
   * @param {number} [outcomes] how many ends a call of gRPC may have; 0: there are none
   */
  constructor (span, outcomes = 0) {
    this.completed = 0
    this.failed = 0
    this.timedOut = 0
    this.tally = new Tally(span)
    this.latency = new Distribution()
    // Those of the latencies that are only lower bounds. Most endpoints never have one.
    this.bounds = null
    // At least how long requests took that are not in the latency, and would be had they been answered: see MissingTimes.
    this.missing = null
    this.waiting = []
    this.statuses = new Float64Array(STATUS_CODES)
    /** Of calls, by how they ended: see grpc/status.js. Null where there are none. */
    this.outcomes = outcomes > 0 ? new Float64Array(outcomes) : null
  }

  /** Status and count of each that came. */
  get statusEntries () {
    return entriesOf(this.statuses)
  }

  /** Number and count of each that came. */
  get outcomeEntries () {
    return this.outcomes && entriesOf(this.outcomes)
  }

  /** A request whose end was not seen took at least so many microseconds. */
  recordBound (microseconds) {
    this.tally.record(microseconds)
    this.bounds ??= new Distribution()
    this.bounds.record(microseconds)
  }

  /** The same of one whose latency is that of an answer. */
  recordMissing (microseconds) {
    this.missing ??= new Distribution()
    this.missing.record(microseconds)
  }

  /** Moves what came since the last call into this endpoint's distribution and into the interval's. */
  pourInto (interval) {
    // A sequence may have a thousand requests, of which few were answered within a sample.
    if (this.tally.isEmpty) return
    const fresh = new Distribution()
    this.tally.pourInto(fresh)
    this.latency.add(fresh)
    interval.add(fresh)
  }

  /** @param {function(Distribution): object} [dataOf] how its distribution becomes data */
  toData (dataOf = (distribution) => distribution.toData()) {
    return {
      completed: this.completed,
      failed: this.failed,
      timedOut: this.timedOut,
      latency: dataOf(this.latency),
      bounds: this.bounds && dataOf(this.bounds),
      missing: this.missing && dataOf(this.missing),
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
