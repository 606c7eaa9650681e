'use strict'

const Distribution = require('./distribution')
const { joinPartIntervals, partIntervalsToData, partsIn, samplesOfParts } = require('./parts')
const Span = require('./span')
const { addStatusClasses } = require('./status-classes')
const { toMilliseconds } = require('./statistics')

/**
 * The run in samples: what each interval counted, and from that the rates per second of real elapsed time.
 *
 * Several recorders (threads) feed one timeline, after interval-merger.js has made one interval of theirs.
 */
class Timeline {
  /**
   * @param {object} [options]
   * @param {boolean} [options.keepsIntervals] keep the intervals as plain data as well, to be added up with others later
   */
  constructor ({ keepsIntervals = false } = {}) {
    this.samples = []
    this.intervals = keepsIntervals ? [] : null
    // Only the last sample's distribution may still grow (see `fold`), so that an hour of samples costs no histograms.
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
   * Adds what is left over at the end of a run. A rest of less than half an interval would make a rate out of noise
   * (3 requests in 2 ms are 1500/s), so it becomes part of the sample before it.
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
   * `result.timeline`: counts and milliseconds per sample; `time` is the sample's end in seconds from the start. Only a
   * sample that has lower bounds among its latencies has `latencyBounds`.
   */
  toResult () {
    return this.samples.map(toRow)
  }

  /** The last sample, as `toResult` has it. */
  get lastRow () {
    return toRow(this.samples.at(-1))
  }
}

function toRow (sample) {
  const { start, end, completed, bytes, errors, connections, statuses = {}, monitor, p50, p90, p99, max, bounds } = sample
  return {
    time: seconds(end),
    seconds: seconds(end - start),
    requests: completed,
    bytes,
    errors,
    p50,
    p90,
    p99,
    max,
    connections,
    statuses,
    ...partsIn(sample),
    ...(monitor && { monitor }),
    ...latencyBoundsOf(bounds)
  }
}

/** Whether what is left over at the end of a run is no sample of its own. */
function isRest ({ start, end }, sampleInterval) {
  return end - start < sampleInterval / 2
}

function joinBounds (...all) {
  const some = all.filter(Boolean)
  return some.length === 0 ? null : some.reduce((sum, each) => sum.add(each), new Span())
}

/**
 * What a sample, or the tick that tells of it, says of the lower bounds among its latencies.
 *
 * @param {?Span} bounds
 * @returns {?{ latencyBounds: { count: number, smallest: number } }} ms; null where there are none
 */
function latencyBoundsOf (bounds) {
  return bounds ? { latencyBounds: { count: bounds.count, smallest: toMilliseconds(bounds.min) } } : null
}

/** An interval as plain data, for another thread. */
function intervalToData (interval) {
  return { ...interval, ...partIntervalsToData(interval), latency: interval.latency.toData() }
}

// What is told to those who watch is nothing to keep.
const toData = ({ watched, standings, ...interval }) => intervalToData(interval)

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

function seconds (milliseconds) {
  return Math.round(milliseconds) / 1000
}

module.exports = Object.assign(Timeline, { intervalToData, latencyBoundsOf, isRest })
