'use strict'

const { partsIn } = require('../../metrics/parts')
const { addBuckets, addTotals, noTotals, toBuckets, totalsOfSummary } = require('../../metrics/totals')
const { averageRate } = require('../../load')

const QUIET = Object.freeze({ utilization: 0, delayP99: 0 })

/**
 * The state of a run according to its samples. It is updated once per sample, and at the end of each round with its
 * final numbers, which replace those of the samples.
 */
class State {
  /** @param {object} plan */
  constructor (plan) {
    this.plan = plan
    this.bounds = plan.prometheus.buckets
    /** Whether load that counts is being generated: false before it, including the warm-up, and after it. */
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

  /** @param {object[]} entries of the monitored processes */
  observed (entries) {
    this.processes = entries
  }

  /** @param {object} summary merged, see metrics/merge.js */
  ended (summary) {
    const totals = totalsOfSummary(summary, this.bounds)
    this.begin()
    this.isRunning = false
    // Prometheus counters must not decrease: with `forever`, each round is added to the previous ones.
    this.rounds = addTotals([this.rounds, totals])
  }

  /** Everything counted so far, in the form of metrics/totals.js. */
  get counted () {
    return this.totals === null ? this.rounds : addTotals([this.rounds, this.totals])
  }

  /** An empty timing, used before the first values. */
  get noTiming () {
    return { counts: new Array(this.bounds.length + 1).fill(0), sum: 0 }
  }

  /** CPU time of this process, including all threads. */
  get cpuSeconds () {
    const { user, system } = process.cpuUsage(this.cpu)
    return (user + system) / 1e6
  }
}

function round (rate) {
  return Math.round(rate * 1e6) / 1e6
}

module.exports = State
