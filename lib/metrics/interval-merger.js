'use strict'

const Distribution = require('./distribution')
const { joinPartIntervals, partsIn } = require('./parts')
const Span = require('./span')
const { addStatusClasses } = require('./status-classes')
const { isRest } = require('./timeline')
const { addTotals } = require('./totals')

// What an interval tells of the run so far. A thread that has come to its end still counts with what it told last.
const SO_FAR = ['sent', 'settled', 'timeouts']
const SUMS = ['completed', 'bytes', 'errors']

// A timer may fire a little early; its interval still ends where the sample does.
const EARLY_TIMER_MS = 2
// A sample of no length has no rate.
const LEAST_MS = 1

/**
 * Makes the intervals of a run of those that its threads (or machines) tell, each sample when all threads that are still
 * at work have come to its end.
 *
 *     sample           1         2         3       4
 *     thread 0    |---------|---------|---------|-|          time is up just behind the third sample
 *     thread 1    |---------|-------------------|            stood still for a while
 *     thread 2    |-----|                                    had less to do, with an amount
 *
 * Which sample an interval goes to is told by its times, not by its number.
 */
class IntervalMerger {
  /**
   * @param {number} threads how many
   * @param {number} sampleInterval ms
   * @param {function(object, boolean)} onInterval gets each merged interval, and whether it is the last
   */
  constructor (threads, sampleInterval, onInterval) {
    this.sampleInterval = sampleInterval
    this.slack = Math.min(EARLY_TIMER_MS, sampleInterval / 2)
    this.onInterval = onInterval
    // By the number of the sample: the intervals that are in it, each with its thread.
    this.samples = new Map()
    this.reached = new Array(threads).fill(0)
    this.endOfThread = new Array(threads).fill(0)
    this.isDone = new Array(threads).fill(false)
    this.latest = Array.from({ length: threads }, () => ({ connections: 0, ...zeros(SO_FAR) }))
    this.heldBack = []
    this.given = 0
    /** When the sample that was given last began and ended. */
    this.start = 0
    this.end = 0
  }

  add (thread, interval, isLast) {
    // Of a thread that stood still through the first sample, what it tells first is the nearest to how it stood in that.
    if (this.reached[thread] === 0) this.latest[thread] = { ...this.latest[thread], connections: interval.connections, ...partsIn(interval) }
    // What comes for a sample that is gone already is in the next one.
    const sample = Math.max(this.sampleOf(interval, isLast), this.given + 1)
    if (!this.samples.has(sample)) this.samples.set(sample, [])
    this.samples.get(sample).push({ thread, interval, isLast })
    this.reached[thread] = sample
    this.endOfThread[thread] = interval.end
    if (isLast) this.isDone[thread] = true
    this.merge()
  }

  // A whole interval ends on the grid, or later where the thread was held up. A last one may end anywhere.
  sampleOf ({ start, end }, isLast) {
    return isLast ? Math.max(this.wholeBy(start) + 1, this.wholeBy(end)) : this.wholeBy(end)
  }

  // How many samples are over at a time.
  wholeBy (time) {
    return Math.floor((time + this.slack) / this.sampleInterval)
  }

  /** No more will come from this thread. */
  finish (thread) {
    // One that comes to no end of its own has lost its connections, and with them its sessions.
    if (!this.isDone[thread]) this.latest[thread] = { ...withoutParts(this.latest[thread]), connections: 0 }
    this.isDone[thread] = true
    this.merge()
    if (this.heldBack.length > 0 && this.isDone.every(Boolean)) this.give(this.heldBack.splice(0), this.end, true)
  }

  merge () {
    const ready = [...this.samples.keys()].sort((a, b) => a - b)
      .filter((sample) => this.isDone.every((isDone, thread) => isDone || this.reached[thread] >= sample))
    for (const sample of ready) {
      const members = [...this.heldBack, ...this.samples.get(sample)]
      this.samples.delete(sample)
      this.given = sample
      const isLast = this.samples.size === 0 && this.isDone.every(Boolean)
      const end = this.endOf(members, isLast)
      // Where one thread came late and another to its end, nothing may be left of the time: then it goes to the next one.
      const isTooShort = end < this.end + LEAST_MS && !isLast
      this.heldBack = isTooShort ? members : []
      if (!isTooShort) this.give(members, Math.max(this.end, end), isLast)
    }
  }

  give (members, end, isLast) {
    for (const { thread, interval } of members) this.latest[thread] = interval
    const connections = this.connections(members, end, isLast)
    const start = this.end
    this.start = start
    this.end = end
    const intervals = members.map(({ interval }) => interval)
    this.onInterval({
      start,
      end,
      ...sums(SUMS, intervals),
      statuses: addStatusClasses(intervals.map(({ statuses }) => statuses)),
      ...sums(SO_FAR, this.latest),
      connections,
      ...joinPartIntervals(intervals, this.latest),
      latency: intervals.reduce((all, { latency }) => all.add(Distribution.from(latency)), new Distribution()),
      bounds: joinBounds(intervals),
      ...joinLists('standings', this.latest),
      ...joinLists('accounts', this.latest),
      ...joinWatched(this.latest)
    }, isLast)
  }

  // The threads' clocks are one, but their timers fire a little apart, which evens out in the mean. The run ends when the
  // last of them does.
  endOf (members, isLast) {
    if (isLast) return Math.max(...this.endOfThread)
    const whole = members.filter(({ isLast }) => !isLast)
    const counted = whole.length > 0 ? whole : members
    return counted.reduce((sum, { interval }) => sum + interval.end, 0) / counted.length
  }

  // A thread that was at its end before this sample began has none any more. What is left over behind the last whole sample is
  // part of that one (see Timeline), so that a thread which has ended in it still counts.
  connections (members, end, isLast) {
    const isPartOfLast = isLast && isRest({ start: this.end, end }, this.sampleInterval)
    const since = isPartOfLast ? this.start : this.end
    const isMember = (thread) => members.some((member) => member.thread === thread)
    return this.latest
      .filter((_, thread) => isMember(thread) || !this.isDone[thread] || this.endOfThread[thread] > since)
      .reduce((sum, { connections }) => sum + connections, 0)
  }
}

function zeros (names) {
  return Object.fromEntries(names.map((name) => [name, 0]))
}

function sums (names, objects) {
  return Object.fromEntries(names.map((name) => [name, objects.reduce((sum, object) => sum + object[name], 0)]))
}

function joinBounds (intervals) {
  const bounds = intervals.map(({ bounds }) => bounds).filter(Boolean)
  return bounds.length === 0 ? null : bounds.reduce((all, each) => all.add(Span.from(each)), new Span())
}

function withoutParts (interval) {
  const parts = partsIn(interval)
  return Object.fromEntries(Object.entries(interval).filter(([name]) => !(name in parts)))
}

// There only where a run may end before its time (standing.js), or a thread may be lost with its machine (so-far.js): of each
// thread the last one it told.
function joinLists (name, intervals) {
  const all = intervals.flatMap(({ [name]: told = [] }) => told)
  return all.length === 0 ? undefined : { [name]: all }
}

// What is there only for somebody who watches from outside. Of the event loops, the busiest tells.
function joinWatched (intervals) {
  const watched = intervals.map(({ watched }) => watched).filter((each) => each !== undefined)
  if (watched.length === 0) return undefined
  const largest = (name) => Math.max(...watched.map(({ eventLoop }) => eventLoop[name]))
  return {
    watched: {
      totals: addTotals(watched.map(({ totals }) => totals)),
      eventLoop: { utilization: largest('utilization'), delayP99: largest('delayP99') }
    }
  }
}

module.exports = IntervalMerger
