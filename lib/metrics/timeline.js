'use strict'

const Distribution = require('./distribution')
const { joinPartIntervals, partIntervalsToData, partsIn, rowsOfParts, samplesOfParts } = require('./parts')
const Span = require('./span')
const { addStatusClasses } = require('./status-classes')
const { roundSeconds, toMilliseconds } = require('./statistics')

/**
 * The samples of a run: the counts of each interval, and rates per second of elapsed time computed from them.
 *
 * If there are several recorders (threads), interval-merger.js merges their intervals before they are added to the
 * timeline.
 */
class Timeline {
  /**
   * @param {object} [options]
   * @param {boolean} [options.keepsIntervals] also keep the intervals as plain data, so that they can be merged with
   *   others later
   */
  constructor ({ keepsIntervals = false } = {}) {
    this.samples = []
    this.intervals = keepsIntervals ? [] : null
    // Only the distribution of the last sample may still change (see `fold`), so the histograms of earlier samples are
    // not kept.
    this.lastLatency = null
    this.lastParts = {}
  }

  /**
   * @param {object} interval see Recorder.takeInterval; `start` and `end` in ms since the run began
   */
  add (interval) {
    this.samples.push(toSample(interval))
    this.lastLatency = interval.latency
    this.lastParts = partsIn(interval)
    this.intervals?.push(toData(interval))
    return this.samples[this.samples.length - 1]
  }

  /**
   * Adds the rest at the end of a run. If it is shorter than half an interval, a rate computed from it would be noise (3
   * requests in 2 ms are 1500/s), so it becomes part of the previous sample.
   */
  fold (interval, sampleInterval) {
    const previous = this.samples[this.samples.length - 1]
    if (previous === undefined || !isRest(interval, sampleInterval)) return this.add(interval)
    const latency = new Distribution().add(this.lastLatency).add(interval.latency)
    const joined = {
      ...interval,
      start: previous.start,
      completed: previous.completed + interval.completed,
      statuses: addStatusClasses([previous.statuses, interval.statuses]),
      bytes: previous.bytes + interval.bytes,
      errors: previous.errors + interval.errors,
      latency,
      bounds: joinBounds(previous.bounds, interval.bounds),
      ...joinPartIntervals([this.lastParts, interval], [interval])
    }
    this.samples.pop()
    this.intervals?.pop()
    const sample = this.add(joined)
    if (previous.monitor !== undefined) sample.monitor = previous.monitor
    return sample
  }

  /** Completed requests per second, one number per sample. */
  get requestRates () {
    return this.rates('completed')
  }

  /** Bytes per second, one number per sample. */
  get byteRates () {
    return this.rates('bytes')
  }

  rates (name) {
    return this.samples.filter(({ start, end }) => end > start)
      .map((sample) => sample[name] / ((sample.end - sample.start) / 1000))
  }

  /**
   * `result.timeline`: counts and milliseconds per sample; `time` is the sample's end in seconds from the start. Only
   * samples with lower bounds among their latencies have `latencyBounds`.
   */
  toResult () {
    return this.samples.map(toRow)
  }

  /** The last sample, in the form of `toResult`. */
  get lastRow () {
    return toRow(this.samples.at(-1))
  }
}

function toRow (sample) {
  const { start, end, completed, bytes, errors, connections, statuses = {}, monitor, p50, p90, p99, max, bounds } = sample
  return {
    time: roundSeconds(end / 1000),
    seconds: roundSeconds((end - start) / 1000),
    requests: completed,
    bytes,
    errors,
    p50,
    p90,
    p99,
    max,
    connections,
    statuses,
    ...rowsOfParts(sample),
    ...(monitor && { monitor }),
    ...latencyBoundsOf(bounds)
  }
}

/** Whether the rest at the end of a run is too short to be a sample. */
function isRest ({ start, end }, sampleInterval) {
  return end - start < sampleInterval / 2
}

function joinBounds (...all) {
  const some = all.filter(Boolean)
  return some.length === 0 ? null : some.reduce((sum, each) => sum.add(each), new Span())
}

/**
 * The lower bounds among the latencies of a sample, for the sample and for the `tick` event.
 *
 * @param {?Span} bounds
 * @returns {?{ latencyBounds: { count: number, smallest: number } }} ms; null if there are none
 */
function latencyBoundsOf (bounds) {
  return bounds ? { latencyBounds: { count: bounds.count, smallest: toMilliseconds(bounds.min) } } : null
}

/** An interval as plain data, for another thread. */
function intervalToData (interval) {
  return { ...interval, ...partIntervalsToData(interval), latency: interval.latency.toData() }
}

// Data that was only meant for monitoring is not kept.
const toData = ({ watched, interims, ...interval }) => intervalToData(interval)

function toSample (interval) {
  const { start, end, completed, bytes, errors, connections, statuses, latency, bounds = null } = interval
  const milliseconds = (percent) => latency.percentile(percent) / 1000
  return {
    start,
    end,
    completed,
    bytes,
    errors,
    connections,
    bounds,
    ...samplesOfParts(interval),
    statuses,
    p50: milliseconds(50),
    p90: milliseconds(90),
    p99: milliseconds(99),
    max: latency.max / 1000
  }
}

module.exports = Object.assign(Timeline, { intervalToData, latencyBoundsOf, isRest })
