'use strict'

const { microseconds, perSecond } = require('../../base/rounding')
const { counted } = require('../../words/numbers')
const Distribution = require('../distribution')
const { durations, each, falling, from, group, leaf, rising, STATISTICS } = require('../fields')
const { counter, histogram, one } = require('../series')
const { countStatistics, durationStatistics, interimStatistics } = require('../statistics')
const Tally = require('../tally')
const { columnsOf, definePart } = require('./part')

/** Times for which samples contain percentiles. */
const TIMES = ['timeToFirstEvent', 'gap']
const DISTRIBUTIONS = [...TIMES, 'eventsPerResponse']

/**
 * Counts the events of responses that are streams (docs/streams.md). It is called once for all events of a response that
 * arrive together, whatever their number. Times are in milliseconds.
 */
class StreamRecorder {
  constructor () {
    /** Total number of events. */
    this.events = 0
    this.lastEvents = 0
    for (const name of DISTRIBUTIONS) this[name] = new Tally()
    this.distributions = Object.fromEntries(DISTRIBUTIONS.map((name) => [name, new Distribution()]))
  }

  /** The first events of a response arrived, `time` after its request was sent. */
  began (events, time) {
    this.events += events
    this.timeToFirstEvent.record(microseconds(time))
    if (events > 1) this.gap.recordTimes(0, events - 1)
  }

  /** More events of a response arrived, `gap` after the previous ones. */
  continued (events, gap) {
    this.events += events
    this.gap.record(microseconds(gap))
    if (events > 1) this.gap.recordTimes(0, events - 1)
  }

  /** A response with this many events is complete. */
  completed (events) {
    this.eventsPerResponse.record(events)
  }

  /** What happened since the last call: `events`, and Distributions of the times. */
  takeInterval () {
    const events = this.events - this.lastEvents
    this.lastEvents = this.events
    const fresh = DISTRIBUTIONS.map((name) => {
      const distribution = new Distribution()
      this[name].pourInto(distribution)
      this.distributions[name].add(distribution)
      return [name, distribution]
    })
    const { eventsPerResponse, ...times } = Object.fromEntries(fresh)
    return { events, ...times }
  }

  /** @param {function(Distribution): object} dataOf */
  toData (dataOf) {
    return { events: this.events, ...Object.fromEntries(DISTRIBUTIONS.map((name) => [name, dataOf(this.distributions[name])])) }
  }
}

/**
 * Adds up the data of several recorders, or of their intervals.
 *
 * @param {object[]} parts with `events` and distributions, live or as data
 * @param {Function} Kind the class of the merged distributions
 * @param {string[]} [names] of the distributions to merge
 */
function mergeStreams (parts, Kind, names = DISTRIBUTIONS) {
  const live = (data) => data instanceof Kind ? data : Kind.from(data)
  return {
    events: parts.reduce((sum, { events }) => sum + events, 0),
    ...Object.fromEntries(names.map((name) => [name, parts.reduce((all, part) => all.add(live(part[name])), new Kind())]))
  }
}

/** An interval as plain data, for another thread. */
function intervalToData (interval) {
  return { ...interval, ...Object.fromEntries(TIMES.map((name) => [name, interval[name].toData()])) }
}

/**
 * The fields of a sample in a result's timeline: the number of events, and percentiles in ms, which are null if the sample has no
 * such times.
 */
function sampleOf (interval) {
  const percentiles = (name) => {
    const distribution = interval[name]
    const at = (percent) => distribution.count === 0 ? null : distribution.percentile(percent) / 1000
    return { p50: at(50), p99: at(99) }
  }
  return { events: interval.events, ...Object.fromEntries(TIMES.map((name) => [name, percentiles(name)])) }
}

/**
 * `result.stream`.
 *
 * @param {object} stream merged
 * @param {Timeline} timeline samples of the window
 * @param {number} seconds length of the window
 */
function streamResult (stream, timeline, seconds) {
  const inWindow = timeline.samples.reduce((sum, sample) => sum + (sample.stream?.events ?? 0), 0)
  return {
    events: stream.events,
    rate: perSecond(inWindow, seconds),
    timeToFirstEvent: durationStatistics(stream.timeToFirstEvent),
    gap: durationStatistics(stream.gap),
    eventsPerResponse: countStatistics(stream.eventsPerResponse)
  }
}

function interim ({ events, timeToFirstEvent, gap, eventsPerResponse: { count, sum, min, max } }) {
  return {
    events,
    timeToFirstEvent: interimStatistics(timeToFirstEvent),
    gap: interimStatistics(gap),
    eventsPerResponse: { min: count === 0 ? 0 : min, max, total: sum, totalCount: count }
  }
}

// Returns null for values that are not numbers, because the result may come from a file.
function rateOrNull (count, seconds) {
  return Number.isFinite(count) && seconds > 0 ? perSecond(count, seconds) : null
}

// If the streams could not be decompressed, another warning already says so.
function noEvents ({ stream, accounting: { completed }, warnings }, plan) {
  if (!stream || stream.events > 0 || completed === 0 || warnings.some(({ code }) => code === 'STREAM_NOT_DECODED')) return null
  return {
    code: 'NO_EVENTS',
    message: `There were no events in ${completed === 1 ? '1 response' : `${completed} responses`}: ${WITHOUT_EVENTS[plan.stream.events]}`
  }
}

const WITHOUT_EVENTS = {
  sse: 'they have no data lines followed by an empty line. If they are not server-sent events but lines of JSON, set stream.events to \'lines\'.',
  lines: 'they have no lines except empty ones.',
  chunks: 'they are not in the chunked coding. Set stream.events to \'sse\' for server-sent events, to \'lines\' for lines.'
}

function whyNoAnswer ({ accounting: { sent, timedOut, unfinished }, stream }) {
  return stream?.events > 0 && unfinished + timedOut === sent
    ? `${counted(stream.events, 'event')} arrived, but no stream ended. If streams are endless, set stream.limit to define when one is complete`
    : null
}

const stream = definePart({
  name: 'stream',
  isIn: (plan) => plan.stream !== null,
  condition: 'with stream',
  contrast: 'whether responses are event streams',
  create: ({ stream }) => stream ? new StreamRecorder() : null,
  merge: (parts, Kind) => mergeStreams(parts, Kind),
  takeInterval: (counted) => counted.takeInterval(),
  join: (intervals) => mergeStreams(intervals, Distribution, TIMES),
  intervalToData,
  soFar: (events = 0, interval) => events + interval.events,
  tick: (events, { stream }) => stream === undefined ? {} : { events, stream },
  sample: sampleOf,
  columns: columnsOf((sample) => sample?.stream, [
    ['events', ({ events }) => events],
    ['eventRate', ({ events }, { seconds }) => rateOrNull(events, seconds)],
    ['timeToFirstEventP50', ({ timeToFirstEvent }) => timeToFirstEvent?.p50],
    ['timeToFirstEventP99', ({ timeToFirstEvent }) => timeToFirstEvent?.p99],
    ['gapP50', ({ gap }) => gap?.p50],
    ['gapP99', ({ gap }) => gap?.p99]
  ]),
  times: ({ timeToFirstEvent, gap }) => ({ timeToFirstEvent, eventGap: gap }),
  figures: { timeToFirstEvent: 'stream.timeToFirstEvent', eventGap: 'stream.gap' },
  result: (counted, { timeline, seconds }) => ({ stream: streamResult(counted, timeline, seconds) }),
  interim: (counted) => ({ stream: interim(counted) }),
  fields: {
    stream: group('timeToFirstEvent.p95', {
      events: rising('count'),
      rate: leaf('rate'),
      timeToFirstEvent: durations('timeToFirstEvent'),
      gap: durations('eventGap'),
      eventsPerResponse: group('mean', {
        ...each(STATISTICS, from('values', leaf('count'))),
        min: from('values', falling('count')),
        max: from('values', rising('count')),
        total: rising('count'),
        totalCount: rising('count')
      })
    })
  },
  warnings: [noEvents],
  whyNoAnswer,
  totals: ({ events }) => ({ counters: { streamEvents: events } }),
  series: [
    counter('cannonade_stream_events_total', 'Events of streamed responses.',
      ({ counters: { streamEvents = 0 } }) => one(streamEvents)),
    histogram('cannonade_time_to_first_event_seconds', 'Time from sending a request to the first event of its response.',
      [['timeToFirstEvent', {}]]),
    histogram('cannonade_event_gap_seconds', 'Time between two events of one response.',
      [['eventGap', {}]])
  ]
})

module.exports = { stream, StreamRecorder }
