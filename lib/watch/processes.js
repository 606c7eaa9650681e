'use strict'

const { thousandth } = require('../base/rounding')
const { rateStatistics } = require('../metrics/statistics')
const world = require('../world')

// The system measures CPU time in steps of 10 ms, so shorter intervals are not meaningful.
const LEAST_MS = 100
// Reading takes microseconds, or an additional process on systems that offer no other way.
const PATIENCE_MS = 1000

/**
 * Measures CPU and memory of processes on this machine, usually of the server, once per sample, each including all processes that it has
 * started: npm and the primary process of a cluster leave the work to others. The readings are asynchronous and not part of the interval
 * between two of them: a reading is started when a sample ends, and its values belong to that sample.
 */
class Processes {
  /** @param {number[]} pids */
  constructor (pids) {
    this.watched = pids.map((pid) => ({ pid, processes: 1, cpu: [], memory: [] }))
    this.gone = new Map()
    // Processes that existed at the last reading.
    this.known = new Set()
    this.lookedAt = -Infinity
    this.pending = new Set()
    this.startedAt = 0
  }

  /** The first sample begins. */
  begin () {
    this.startedAt = world.now()
    this.read(() => {})
    // The first reading has nothing to compare with, so it gives no values.
    this.lookedAt = this.startedAt
  }

  /**
   * @param {function(object[])} onRead called with `{ pid, cpu, memory }` of each process that is still running: percent of one core
   *   since the last reading, and bytes. Not called if the last reading was only just before
   */
  look (onRead) {
    const now = world.now()
    if (now - this.lookedAt < LEAST_MS) return
    const since = now - this.lookedAt
    this.lookedAt = now
    this.read((entries) => {
      for (const { pid, processes, cpu, memory } of entries) {
        const of = this.watched.find((each) => each.pid === pid)
        of.processes = Math.max(of.processes, processes)
        of.cpu.push(cpu)
        of.memory.push(memory)
      }
      if (entries.length > 0) onRead(entries.map(({ pid, cpu, memory }) => ({ pid, cpu, memory })))
    }, since)
  }

  read (onRead, since = Infinity) {
    const there = this.watched.map(({ pid }) => pid).filter((pid) => !this.gone.has(pid))
    const reading = this.readAll(there, since).then((entries) => {
      this.pending.delete(reading)
      onRead(entries.filter((entry) => entry !== null))
    })
    this.pending.add(reading)
  }

  async readAll (pids, since) {
    const descendants = await world.descendantsOf(pids)
    const { known } = this
    this.known = new Set([...descendants].flat(2))
    return Promise.all(pids.map((pid) => this.readOne(pid, descendants.get(pid), { known, since })))
  }

  async readOne (pid, descendants, circumstances) {
    // A child process that has ended meanwhile is not an error.
    const [own, ...others] = await Promise.all([pid, ...descendants].map((each) => usageOf(each, circumstances)))
    if (own === null) {
      if (!this.gone.has(pid)) this.gone.set(pid, world.now())
      return null
    }
    const all = [own, ...others.filter((usage) => usage !== null)]
    const sum = (name) => all.reduce((total, usage) => total + usage[name], 0)
    return { pid, processes: all.length, cpu: thousandth(sum('cpu')), memory: sum('memory') }
  }

  /** @returns {Promise} resolves when all readings that were started are complete */
  async settled () {
    const over = new AbortController()
    await Promise.race([Promise.all(this.pending), world.sleep(PATIENCE_MS, over.signal).catch(() => {})])
    over.abort()
  }

  /** `result.monitor`. */
  toResult () {
    const statistics = (values) => rateStatistics(values, values.reduce((sum, value) => sum + value, 0), values.length)
    return this.watched.map(({ pid, processes, cpu, memory }) => ({ pid, processes, cpu: statistics(cpu), memory: statistics(memory) }))
  }

  /** Warnings about these processes for the reader of a result. */
  get warnings () {
    return [...this.gone].map(([pid, at]) => ({
      code: 'MONITORED_PROCESS_ENDED',
      message: `The process ${pid}, which is monitored, had ended after ${Math.round((at - this.startedAt) / 100) / 10} seconds; its figures end there.`
    }))
  }
}

// The first reading of a process is its share of the time since it was started, which may be less than the sample.
async function usageOf (pid, { known, since }) {
  try {
    const { cpu, memory, elapsed } = await world.processUsage(pid)
    return { cpu: !known.has(pid) && elapsed < since ? cpu * elapsed / since : cpu, memory }
  } catch {
    return null
  }
}

module.exports = Processes
