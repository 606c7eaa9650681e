'use strict'

const { rateStatistics } = require('../metrics/statistics')
const world = require('../world')

// The system counts processor time in steps of 10 ms, so that a shorter time says nothing.
const LEAST_MS = 100
// Reading is a matter of microseconds, or of one more process where the system has no other way.
const PATIENCE_MS = 1000

/**
 * Processor and memory of processes on this machine, once a sample: of the server, most of the time. They are no part of what
 * happens between two looks at the clock: a look is begun when a sample ends, and its answer belongs to that sample.
 */
class Processes {
  /** @param {number[]} pids */
  constructor (pids) {
    this.watched = pids.map((pid) => ({ pid, cpu: [], memory: [] }))
    this.gone = new Map()
    this.lookedAt = -Infinity
    this.pending = new Set()
    this.startedAt = 0
  }

  /** The time of the first sample begins. */
  begin () {
    this.startedAt = world.now()
    this.read(() => {})
    // A first look has nothing to compare with, and is none.
    this.lookedAt = this.startedAt
  }

  /**
   * @param {function(object[])} onRead gets `{ pid, cpu, memory }` of each that is still there: percent of one core since
   *   the last look, and bytes. It is not called where the last look was only just before
   */
  look (onRead) {
    const now = world.now()
    if (now - this.lookedAt < LEAST_MS) return
    this.lookedAt = now
    this.read((entries) => {
      for (const { pid, cpu, memory } of entries) {
        const of = this.watched.find((each) => each.pid === pid)
        of.cpu.push(cpu)
        of.memory.push(memory)
      }
      if (entries.length > 0) onRead(entries)
    })
  }

  read (onRead) {
    const there = this.watched.filter(({ pid }) => !this.gone.has(pid))
    const reading = Promise.all(there.map(({ pid }) => this.readOne(pid))).then((entries) => {
      this.pending.delete(reading)
      onRead(entries.filter((entry) => entry !== null))
    })
    this.pending.add(reading)
  }

  async readOne (pid) {
    try {
      const { cpu, memory } = await world.processUsage(pid)
      return { pid, cpu: Math.round(cpu * 1000) / 1000, memory }
    } catch {
      if (!this.gone.has(pid)) this.gone.set(pid, world.now())
      return null
    }
  }

  /** @returns {Promise} when all that was begun has been read */
  async settled () {
    const over = new AbortController()
    await Promise.race([Promise.all(this.pending), world.sleep(PATIENCE_MS, over.signal).catch(() => {})])
    over.abort()
  }

  /** `result.monitor`. */
  toResult () {
    const statistics = (values) => rateStatistics(values, values.reduce((sum, value) => sum + value, 0), values.length)
    return this.watched.map(({ pid, cpu, memory }) => ({ pid, cpu: statistics(cpu), memory: statistics(memory) }))
  }

  /** What a reader has to know of them. */
  get warnings () {
    return [...this.gone].map(([pid, at]) => ({
      code: 'MONITORED_PROCESS_ENDED',
      message: `The process ${pid}, which is monitored, had ended after ${Math.round((at - this.startedAt) / 100) / 10} seconds; its figures end there.`
    }))
  }
}

module.exports = Processes
