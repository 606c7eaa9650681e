'use strict'

const Distribution = require('./distribution')
const { joinMessageIntervals, messageSample } = require('./messages')
const Span = require('./span')
const { addStatusClasses } = require('./status-classes')
const { joinStreamIntervals, streamIntervalData, streamSample } = require('./streams')
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
    this.lastStream = undefined
    this.lastMessages = undefined
  }

  /**
   * @param {object} interval see Recorder.takeInterval; `start` and `end` in ms since the run began
   */
  add (interval) {
    this.samples.push(toSample(interval))
    this.lastLatency = interval.latency
    this.lastStream = interval.stream
    this.lastMessages = interval.messages
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
      ...(interval.sessions && { sessions: addSessions(previous.sessions, interval.sessions) }),
      ...(interval.stream && { stream: joinStreamIntervals([this.lastStream, interval.stream]) }),
      ...(interval.messages && { messages: joinMessageIntervals([this.lastMessages, interval.messages]) })
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

function toRow ({ start, end, completed, bytes, errors, connections, statuses = {}, sessions, stream, messages, monitor, p50, p90, p99, max, bounds }) {
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
    ...(sessions && { sessions }),
    ...(stream && { stream }),
    ...(messages && { messages }),
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

// How many are open is told as it is, all else since the last sample.
function addSessions (previous, { open, ...counts }) {
  return { ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, previous[name] + count])), open }
}

// What is told to those who watch is nothing to keep.
function toData ({ watched, standings, latency, stream, ...interval }) {
  return { ...interval, latency: latency.toData(), ...(stream && { stream: streamIntervalData(stream) }) }
}

function toSample ({ start, end, completed, bytes, errors, connections, statuses, sessions, stream, messages, latency, bounds = null }) {
  const milliseconds = (percent) => latency.percentile(percent) / 1000
  return {
    start,
    end,
    completed,
    bytes,
    errors,
    connections,
    bounds,
    sessions,
    stream: streamSample(stream),
    messages: messageSample(messages),
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

module.exports = Object.assign(Timeline, { latencyBoundsOf, isRest })
