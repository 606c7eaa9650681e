'use strict'

const { addBuckets, toBuckets } = require('../../metrics/buckets')
const { partsIn } = require('../../metrics/parts')
const { addTotals, noTotals, totalsOfSummary } = require('../../metrics/totals')
const { averageRate } = require('../../load')

const QUIET = Object.freeze({ utilization: 0, delayP99: 0 })

/**
 * How a run stands, as far as its samples have told: fed once per sample, and once more with the final numbers of each
 * round, which replace what its samples have told.
 */
class State {
  /** @param {object} plan */
  constructor (plan) {
    this.plan = plan
    this.bounds = plan.prometheus.buckets
    /** Whether load that counts is under way: neither before it, as in a warm-up, nor after it. */
    this.isRunning = false
    this.rounds = noTotals(this.bounds)
    this.cpu = process.cpuUsage()
    this.begin()
  }

  begin () {
    this.totals = null
    this.latency = null
    this.connections = 0
    /** The last sample of each part. */
    this.parts = {}
    this.eventLoop = QUIET
    this.rate = 0
    this.processes = []
  }

  started () {
    this.isRunning = true
  }

  interval (interval) {
    const { start, end, connections, latency, watched } = interval
    const buckets = toBuckets(latency, this.bounds)
    this.latency = this.latency === null ? buckets : addBuckets(this.latency, buckets)
    const { totals } = watched
    this.totals = { ...totals, timings: { ...totals.timings, latency: this.latency } }
    // In the closed model the service time is the latency.
    if (this.plan.schedule === null && this.plan.sessions === null) this.totals.timings.serviceTime = this.latency
    this.connections = connections
    this.parts = partsIn(interval)
    this.eventLoop = watched.eventLoop
    const { schedule } = this.plan
    if (schedule !== null && end > start) this.rate = round(averageRate(schedule, start / 1000, end / 1000))
  }

  /** @param {object[]} entries of the processes that are watched */
  observed (entries) {
    this.processes = entries
  }

  /** @param {object} summary merged, see metrics/merge.js */
  ended (summary) {
    const totals = totalsOfSummary(summary, this.bounds)
    this.begin()
    this.isRunning = false
    // Counters of Prometheus never go back: with `forever` each round adds to those before.
    this.rounds = addTotals([this.rounds, totals])
  }

  /** All that was counted so far, as metrics/totals.js has it. */
  get counted () {
    return this.totals === null ? this.rounds : addTotals([this.rounds, this.totals])
  }

  /** A timing of which nothing has been told yet. */
  get noTiming () {
    return { counts: new Array(this.bounds.length + 1).fill(0), sum: 0 }
  }

  /** CPU time of this process, all its threads together. */
  get cpuSeconds () {
    const { user, system } = process.cpuUsage(this.cpu)
    return (user + system) / 1e6
  }
}

function round (rate) {
  return Math.round(rate * 1e6) / 1e6
}

module.exports = State
