'use strict'

const { TALLIES } = require('./counted')
const Distribution = require('./distribution')
const { takePartIntervals } = require('./parts')
const Span = require('./span')
const { statusClasses } = require('./status-classes')

/** Divides what a recorder counts into intervals, one for each sample of a run. */
class Intervals {
  constructor () {
    this.start = null
    this.bounds = null
    this.last = { completed: 0, bytes: 0, errors: 0 }
    this.lastStatuses = new Float64Array(10)
  }

  /** A latency of the current interval is only a lower bound, in microseconds. */
  addBound (microseconds) {
    this.bounds ??= new Span()
    this.bounds.record(microseconds)
  }

  /** What happened since the last call, see Recorder.takeInterval. */
  take (recorder, now) {
    const latency = new Distribution()
    for (const endpoint of recorder.usedEndpoints) endpoint.pourInto(latency)
    for (const name of TALLIES) recorder.tallies[name].pourInto(recorder.distributions[name])
    const { last } = this
    const totals = { completed: recorder.completed, bytes: recorder.countedBytes, errors: recorder.errors }
    const interval = {
      start: this.start,
      end: now,
      completed: totals.completed - last.completed,
      statuses: recorder.messages === null ? statusClasses(totals.completed - last.completed, recorder.otherStatuses, this.lastStatuses) : {},
      bytes: totals.bytes - last.bytes,
      errors: totals.errors - last.errors,
      sent: recorder.sent,
      settled: recorder.settled,
      timeouts: recorder.timedOut,
      connections: recorder.connections,
      latency,
      bounds: this.bounds,
      ...takePartIntervals(recorder)
    }
    this.start = now
    this.bounds = null
    this.last = totals
    this.lastStatuses.set(recorder.otherStatuses)
    return interval
  }
}

module.exports = Intervals
