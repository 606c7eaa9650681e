'use strict'

const Distribution = require('./distribution')
const microseconds = require('./microseconds')

/** What has come of a response: nothing. */
const NOTHING_CAME = Object.freeze({ firstByteAt: NaN, statusLineAt: NaN, eventAt: NaN })

/**
 * Times that were never measured, because what they are of did not come to that point. Of each it is known how long it took at least.
 * Of a request that is answered nothing is recorded here.
 *
 *     late       a deadline passed, or the open model ended: the true time may be any number above
 *     waiting    the closed model ended, which does not wait for what is in flight: it counts only if it was older by then than the
 *                longest that was completed, or had taken longer to that point than all that came to it, in whichever thread
 */
class MissingTimes {
  /**
   * @param {object} options
   * @param {boolean} options.open open model
   * @param {boolean} options.fromDueTime latency counts from the due time
   * @param {boolean} options.isStream responses are streams of events
   */
  constructor ({ open, fromDueTime, isStream }) {
    this.open = open
    this.fromDueTime = fromDueTime
    this.isStream = isStream
    /** By figure, see figures.js. */
    this.late = new Map()
    this.waiting = new Map()
  }

  /**
   * A request was given up.
   *
   * @param {Endpoint} endpoint
   * @param {number} dueAt ms
   * @param {number} sentAt ms
   * @param {number} until when, ms
   * @param {{ firstByteAt: number, statusLineAt: number, eventAt: number }} progress when each part of its response came, and its last
   *   event; ms, NaN: it did not
   * @param {boolean} isInLatency its age is among the latencies already
   */
  givenUp (endpoint, dueAt, sentAt, until, progress, isInLatency) {
    if (!isInLatency) endpoint.recordMissing(microseconds(until - (this.fromDueTime ? dueAt : sentAt)))
    if (this.open) this.record('serviceTime', until - sentAt)
    this.response(sentAt, until, progress, false)
  }

  /** A request was in flight when the closed model ended. */
  inFlight (endpoint, sentAt, until, progress) {
    endpoint.waiting.push(microseconds(until - sentAt))
    this.response(sentAt, until, progress, true)
  }

  response (sentAt, until, { firstByteAt, statusLineAt, eventAt }, isWaiting) {
    const add = (figure, since) => this.add(figure, until - since, isWaiting, until - sentAt)
    if (Number.isNaN(firstByteAt)) add('timeToFirstByte', sentAt)
    if (Number.isNaN(statusLineAt)) add('timeToStatusLine', sentAt)
    // What has not begun has taken no time yet.
    add('transferTime', Number.isNaN(statusLineAt) ? until : statusLineAt)
    if (!this.isStream) return
    if (Number.isNaN(eventAt)) add('timeToFirstEvent', sentAt)
    add('eventGap', Number.isNaN(eventAt) ? until : eventAt)
  }

  /**
   * A connection did not open.
   *
   * @param {{ total: number, dns: ?number, tcp: ?number, tls: ?number }} waits ms; null for a part that was over, or that there is none of
   * @param {boolean} isWaiting it was let go of before its deadline. In neither model does the end wait for it
   */
  unopened ({ total, dns, tcp, tls }, isWaiting) {
    for (const [figure, wait] of [['connectTime', total], ['dnsTime', dns], ['tcpTime', tcp], ['tlsTime', tls]]) {
      if (wait !== null) this.add(figure, wait, isWaiting, total)
    }
  }

  /** A connection ended that gave no response, `lifetime` ms after it was begun: by a deadline, or with the run. */
  unanswered (lifetime, isWithRun) {
    this.add('connectionLifetime', lifetime, isWithRun && !this.open, lifetime)
  }

  // `age` is that of the request, or the connection, of which this is a part.
  add (figure, milliseconds, isWaiting, age) {
    if (isWaiting) this.wait(figure, milliseconds, age)
    else this.record(figure, milliseconds)
  }

  record (figure, milliseconds) {
    if (!this.late.has(figure)) this.late.set(figure, new Distribution())
    this.late.get(figure).record(microseconds(milliseconds))
  }

  wait (figure, milliseconds, age) {
    if (!this.waiting.has(figure)) this.waiting.set(figure, [])
    this.waiting.get(figure).push([microseconds(milliseconds), microseconds(age)])
  }

  /**
   * What was in flight is told as far as it may count, by what is known here.
   *
   * @param {function(Distribution): object} dataOf
   * @param {Record<string, Distribution>} came by figure, the values of those that came to it
   */
  toData (dataOf, came) {
    return {
      late: Object.fromEntries([...this.late].map(([figure, distribution]) => [figure, dataOf(distribution)])),
      waiting: Object.fromEntries([...this.waiting].map(([figure, waits]) => [figure, longWaits(waits, figure, came)]))
    }
  }
}

// What a time is a part of; of the others it is the latency.
const WHOLES = { connectTime: 'connectTime', dnsTime: 'connectTime', tcpTime: 'connectTime', tlsTime: 'connectTime', connectionLifetime: 'connectionLifetime' }
const NONE = Object.freeze({ count: 0, max: 0 })

/**
 * Of what was in flight at the end, that which counts.
 *
 * @param {number[][]} waits for how long it waited for this figure, and how old it was; us
 * @param {string} figure
 * @param {Record<string, Distribution>} came by figure, the values of those that came to it
 * @returns {number[][]}
 */
function longWaits (waits, figure, came) {
  const { [figure]: part = NONE, [WHOLES[figure] ?? 'latency']: whole } = came
  const isBeyond = (value, { count, max }) => count === 0 || value > max
  return waits.filter(([time, age]) => isBeyond(time, part) || isBeyond(age, whole))
}

/**
 * Those of some values that are larger than the longest of a distribution; all, where it has none.
 *
 * @param {number[]} values us
 * @param {{ count: number, max: number }} came
 * @returns {number[]}
 */
function beyond (values, { count, max }) {
  return count === 0 ? values : values.filter((value) => value > max)
}

/**
 * Adds up those of several recorders.
 *
 * @param {object[]} parts as MissingTimes.toData gives them
 * @param {Function} Kind what a distribution is to become
 * @param {Record<string, Distribution>} came see longWaits
 * @returns {{ late: Record<string, object>, waiting: Record<string, number[][]> }}
 */
function mergeMissing (parts, Kind, came) {
  const figures = (name) => [...new Set(parts.flatMap((part) => Object.keys(part[name])))]
  const all = (name, figure) => parts.map((part) => part[name][figure]).filter((some) => some !== undefined)
  return {
    late: Object.fromEntries(figures('late').map((figure) => [figure, all('late', figure).reduce((sum, data) => sum.add(Kind.from(data)), new Kind())])),
    waiting: Object.fromEntries(figures('waiting').map((figure) => {
      return [figure, longWaits(all('waiting', figure).flat(), figure, came).sort(([time, age], [otherTime, otherAge]) => time - otherTime || age - otherAge)]
    }))
  }
}

/** By figure, the values of those that came to it, as far as what was in flight is held against them. @param {object} times of the parts */
function cameOf (distributions, endpoints, times) {
  const latency = endpoints.reduce((longest, endpoint) => endpoint === null
    ? longest
    : { count: longest.count + endpoint.latency.count, max: Math.max(longest.max, endpoint.latency.max) }, NONE)
  return { ...distributions, timeToStatusLine: distributions.timeToFirstByte, latency, ...times }
}

module.exports = { MissingTimes, NOTHING_CAME, beyond, cameOf, longWaits, mergeMissing }
