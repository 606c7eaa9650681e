'use strict'

const Distribution = require('./distribution')
const { joinPartIntervals, partsIn } = require('./parts')
const Span = require('./span')
const { addStatusClasses } = require('./status-classes')
const { isRest } = require('./timeline')
const { addTotals } = require('./totals')

// Fields of an interval that are totals of the run so far. A finished thread still counts, with the last values it reported.
const SO_FAR = ['sent', 'settled', 'timeouts']
const SUMS = ['completed', 'bytes', 'errors']

// A timer may fire slightly early. Its interval still counts as reaching the end of the sample.
const EARLY_TIMER_MS = 2
// Samples are at least this long, because a rate cannot be computed for a sample of zero length.
const LEAST_MS = 1

/**
 * Merges the intervals that threads (or machines) report into those of the run. Each sample is merged when all threads that are
 * still running have reached its end.
 *
 *     sample           1         2         3       4
 *     thread 0    |---------|---------|---------|-|          time is up just after the third sample
 *     thread 1    |---------|-------------------|            stood still for a while
 *     thread 2    |-----|                                    ended early, because its amount was reached
 *
 * An interval is assigned to a sample by its times, not by its index.
 */
class IntervalMerger {
  /**
   * @param {number} threads number of threads
   * @param {number} sampleInterval ms
   * @param {function(object, boolean)} onInterval called with each merged interval and whether it is the last
   */
  constructor (threads, sampleInterval, onInterval) {
    this.sampleInterval = sampleInterval
    this.slack = Math.min(EARLY_TIMER_MS, sampleInterval / 2)
    this.onInterval = onInterval
    // By sample index: the intervals that belong to the sample, each with its thread.
    this.samples = new Map()
    this.reached = new Array(threads).fill(0)
    this.endOfThread = new Array(threads).fill(0)
    this.isDone = new Array(threads).fill(false)
    this.latest = Array.from({ length: threads }, () => ({ connections: 0, ...zeros(SO_FAR) }))
    this.heldBack = []
    this.given = 0
    /** Start and end of the last merged interval. */
    this.start = 0
    this.end = 0
  }

  add (thread, interval, isLast) {
    // If a thread stood still during the first sample, its first report is the best estimate of its connections in that sample. Its sessions
    // are open from the sample that counts them as started.
    if (this.reached[thread] === 0) this.latest[thread] = { ...this.latest[thread], connections: interval.connections }
    // Intervals that arrive too late for their sample are added to the next one.
    const sample = Math.max(this.sampleOf(interval, isLast), this.given + 1)
    if (!this.samples.has(sample)) this.samples.set(sample, [])
    this.samples.get(sample).push({ thread, interval, isLast })
    this.reached[thread] = sample
    this.endOfThread[thread] = interval.end
    if (isLast) this.isDone[thread] = true
    this.merge()
  }

  // A full interval ends at a multiple of the sample interval, or later if the thread was delayed. The last one may end at any time.
  sampleOf ({ start, end }, isLast) {
    return isLast ? Math.max(this.wholeBy(start) + 1, this.wholeBy(end)) : this.wholeBy(end)
  }

  // Number of samples that are complete at a given time.
  wholeBy (time) {
    return Math.floor((time + this.slack) / this.sampleInterval)
  }

  /** Called when no more intervals will come from this thread. */
  finish (thread) {
    // A thread that did not send its last interval has lost its connections and sessions.
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
      // If one thread was late and another one ended, the sample may have no duration left. Then its intervals go to the next one.
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
      latency: intervals.reduce((all, { latency }) => all.addData(latency), new Distribution()),
      bounds: joinBounds(intervals),
      ...joinLists('interims', this.latest),
      ...joinLists('accounts', this.latest),
      ...joinLists('recorded', this.latest),
      ...joinWatched(this.latest)
    }, isLast)
  }

  // Threads share a clock, but their timers fire at slightly different times, so the end of a sample is their mean. The run ends
  // with the last thread.
  endOf (members, isLast) {
    if (isLast) return Math.max(...this.endOfThread)
    const whole = members.filter(({ isLast }) => !isLast)
    const counted = whole.length > 0 ? whole : members
    return counted.reduce((sum, { interval }) => sum + interval.end, 0) / counted.length
  }

  // A thread that ended before this sample began has no connections left. But if this is the short rest of a run, it is folded into
  // the sample before it (see Timeline), so that a thread which ended in that sample still counts.
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

// These lists exist only if a run can end early (interim-result.js) or a thread can be lost with its machine (so-far.js). They contain
// each thread's latest report.
function joinLists (name, intervals) {
  const all = intervals.flatMap(({ [name]: list = [] }) => list)
  return all.length === 0 ? undefined : { [name]: all }
}

// These values exist only if somebody monitors the run. For event loops, the busiest one is reported.
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
