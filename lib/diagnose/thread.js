'use strict'

const { thousandth } = require('../base/rounding')
const Distribution = require('../metrics/distribution')
const { durationStatistics } = require('../metrics/statistics')
const Beats = require('./beats')
const { firstFrom } = require('./first-from')
const { Profile } = require('./profile')
const { findStalls } = require('./stalls')

/** What one thread of the program did during a run, from the recording of its agent. Times are in microseconds. */
class Thread {
  /**
   * @param {object} recording see agent.js
   * @param {number} from the start of the run, by the system's monotonic clock
   * @param {number} to the end of its window
   */
  constructor (recording, from, to) {
    this.recording = recording
    this.from = from
    this.to = to
    this.beats = new Beats(recording.beats)
    this.profile = new Profile(recording.profile, recording.shift)
    Object.assign(this, functionsOf(this.profile, from, to))
    this.proven = this.profile.provenTimes(from, to)
    this.stalls = findStalls(this.beats, this.profile)
    this.figures = this.figuresIn(from, to)
  }

  /** Its name in sentences and charts. */
  get name () {
    const { script, pid, thread } = this.recording
    const file = script === null ? 'node' : script.split(/[\\/]/).at(-1)
    return `${file}, process ${pid}${thread === 0 ? '' : `, thread ${thread}`}`
  }

  listensOn (port) {
    return this.recording.ports.includes(port)
  }

  /** Share of the time in which its event loop was busy, 0 if it was not there. */
  get utilization () {
    return this.figures?.utilization ?? 0
  }

  /** What it did in a part of the run. @returns {?object} null if it was not there */
  figuresIn (from, to) {
    const { beats } = this
    const user = beats.share('user', from, to)
    if (user === null) return null
    const collected = this.collectionsIn(from, to)
    return {
      utilization: this.profile.utilization(from, to),
      delays: beats.delays(from, to),
      gc: collected.reduce((sum, length) => sum + length, 0),
      collections: collected,
      cpu: { user: 100 * user, system: 100 * beats.share('system', from, to) },
      seconds: (Math.min(to, beats.end) - Math.max(from, beats.begin)) / 1e6
    }
  }

  // Their lengths, as far as they were in that time.
  collectionsIn (from, to) {
    const { collections } = this.recording
    // They do not overlap, so only the last one before this time may last into it.
    const first = Math.max(0, firstFrom(collections, from, startOf) - 1)
    return collections.slice(first, firstFrom(collections, to, startOf))
      .map(([at, length]) => Math.min(at + length, to) - Math.max(at, from))
      .filter((length) => length > 0)
  }

  /** `diagnosis.processes[]`. */
  toResult () {
    const { recording: { pid, thread, node, script }, figures, beats, from, to } = this
    const { utilization, delays, gc, collections, cpu, seconds } = figures ?? { utilization: 0, delays: [], gc: 0, collections: [], cpu: { user: 0, system: 0 }, seconds: 0 }
    return {
      pid,
      thread,
      node,
      script,
      eventLoop: { utilization: thousandth(utilization), delay: statisticsOf(delays) },
      cpu: { user: tenth(cpu.user), system: tenth(cpu.system) },
      gc: { count: collections.length, total: milliseconds(gc), longest: milliseconds(largest(collections)), share: seconds === 0 ? 0 : thousandth(Math.min(1, gc / 1e6 / seconds)) },
      heap: { peak: beats.largestHeap(from, to) },
      hot: hotOf(this),
      profile: null
    }
  }

  /** `timeline[].server`: what it did in a sample. */
  sampleIn (from, to) {
    const figures = this.figuresIn(from, to)
    if (figures === null) return null
    const { utilization, delays, gc, cpu } = figures
    return { utilization: thousandth(utilization), delay: milliseconds(largest(delays)), gc: milliseconds(gc), cpu: tenth(cpu.user + cpu.system) }
  }
}

const startOf = ([at]) => at

function statisticsOf (delays) {
  const distribution = new Distribution()
  for (const delay of delays) distribution.record(Math.round(delay))
  return durationStatistics(distribution)
}

const largest = (values) => values.reduce((most, value) => Math.max(most, value), 0)
const tenth = (value) => Math.round(value * 10) / 10
const milliseconds = (value) => Math.round(value) / 1000

const MOST_HOT = 20

/**
 * Adds up a profile by function.
 *
 * @param {Profile} profile
 * @param {number} from microseconds
 * @param {number} to
 * @returns {{ busy: number, functions: Array<{ frame: object, self: number, total: number }> }} microseconds; `total` includes functions
 *   that it called, and counts recursive calls once. The greatest self time first
 */
function functionsOf (profile, from, to) {
  const self = new Map()
  const total = new Map()
  let busy = 0
  for (const [node, time] of profile.selfTimes(from, to)) {
    busy += time
    const { frame } = profile.nodes[node]
    self.set(frame, (self.get(frame) ?? 0) + time)
    for (const each of framesAbove(profile, node)) total.set(each, (total.get(each) ?? 0) + time)
  }
  const functions = [...total].map(([frame, time]) => ({ frame: profile.frames[frame], self: self.get(frame) ?? 0, total: time }))
  return { busy, functions: functions.sort((a, b) => b.self - a.self || b.total - a.total) }
}

// The root calls everything, and is not a function.
function framesAbove ({ nodes }, node) {
  const frames = new Set()
  for (let index = node; index > 0; index = nodes[index].parent) frames.add(nodes[index].frame)
  return frames
}

/** `processes[].hot`: the functions with the greatest self time, as shares of the busy time. */
function hotOf ({ busy, functions }) {
  return functions.filter(({ self }) => self > 0).slice(0, MOST_HOT)
    .map(({ frame, self, total }) => ({ ...frame, self: share(self / busy), total: share(total / busy) }))
}

const share = (value) => Math.round(value * 10_000) / 10_000

module.exports = Thread
