'use strict'

const world = require('../world')

// How often the delay of the event loop is measured.
const RESOLUTION_MS = 10

/** Measures how busy this process is while it generates load, to tell whether the client was the bottleneck. */
class Generator {
  constructor () {
    this.cpu = world.cpuUsage()
    this.waited = world.runQueueWait()
    this.startedAt = world.now()
    this.utilization = world.eventLoopUtilization()
    this.sampled = { utilization: this.utilization, watching: 0 }
    this.delay = world.monitorEventLoopDelay({ resolution: RESOLUTION_MS })
    this.delay.enable()
  }

  /**
   * How busy the event loop is now.
   *
   * @param {number} [watching] see `end`
   * @returns {{ utilization: number, delayP99: number }} `utilization` since the last call, 0 to 1; `delayP99` so far, ms
   */
  sample (watching = 0) {
    const utilization = world.eventLoopUtilization()
    const { active, idle } = world.eventLoopUtilization(utilization, this.sampled.utilization)
    const share = utilizationOf(active, idle, watching - this.sampled.watching)
    this.sampled = { utilization, watching }
    return { utilization: share, delayP99: this.delayP99 }
  }

  // The monitor reports whole intervals between its ticks; only the part above the resolution is delay.
  get delayP99 () {
    const p99 = this.delay.count === 0 ? 0 : Math.max(0, this.delay.percentile(99) / 1e6 - RESOLUTION_MS)
    return round(p99)
  }

  /**
   * Ends the measurement.
   *
   * @param {number} [watching] ms during which the event loop only polled the clock; the system counts them as busy, but
   *   they were available for work
   * @returns {object} `cpu` in seconds, and in percent of one core; `eventLoop.utilization` 0 to 1, without `watching`;
   *   `delayP99` in ms; `waited`: ms in which this thread was ready to run, but had no processor
   */
  end (watching = 0) {
    const elapsed = world.now() - this.startedAt
    const { user, system } = world.cpuUsage(this.cpu)
    const { active, idle } = world.eventLoopUtilization(this.utilization)
    this.delay.disable()
    return {
      cpu: {
        user: round(user / 1e6),
        system: round(system / 1e6),
        percent: round((user + system) / 1000 / Math.max(elapsed, 1) * 100, 10)
      },
      eventLoop: { utilization: utilizationOf(active, idle, watching), delayP99: this.delayP99 },
      waited: round(this.waitedFor(active - (user + system) / 1000))
    }
  }

  // If the system doesn't say how long this thread waited for a processor, it is at least the time in which its event loop was busy
  // without using one.
  waitedFor (busyWithoutCPU) {
    const now = this.waited === null ? null : world.runQueueWait()
    return Math.max(0, now === null ? busyWithoutCPU : now - this.waited)
  }
}

function utilizationOf (active, idle, watching) {
  return active > watching ? round((active - watching) / (active + idle)) : 0
}

function round (value, precision = 1000) {
  return Math.round(value * precision) / precision
}

module.exports = Generator
