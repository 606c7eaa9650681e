'use strict'

const Distribution = require('./distribution')
const { microseconds } = require('../base/rounding')

/** Progress of a request that has received no part of its response. */
const NO_PROGRESS = Object.freeze({ firstByteAt: NaN, statusLineAt: NaN, eventAt: NaN, status: null })

/**
 * Collects times that were never measured, because a request or a connection did not reach the point in question. For each, a minimum
 * duration is known. Answered requests are not recorded here.
 *
 *     late       a deadline passed, or the open model ended: the true time may be any larger number
 *     interrupted    those of `late` that the person cut off who stopped the run, by when, and not by how slow they were
 *     waiting    the closed model ended, which does not wait for requests in flight: it counts only if by then it was older than the
 *                longest completed one, or had waited for that point longer than any that reached it, in whichever thread
 */
class MissingTimes {
  /**
   * @param {object} options
   * @param {boolean} options.open open model
   * @param {boolean} options.fromDueTime whether latency counts from the due time
   * @param {boolean} options.isStream whether responses are event streams
   */
  constructor ({ open, fromDueTime, isStream }) {
    this.open = open
    this.fromDueTime = fromDueTime
    this.isStream = isStream
    /** By the names of figures.js. */
    this.late = new Map()
    this.interrupted = new Map()
    this.isInterrupted = false
    this.waiting = new Map()
  }

  /**
   * Records a request that was given up.
   *
   * @param {Endpoint} endpoint
   * @param {number} dueAt ms
   * @param {number} sentAt ms
   * @param {number} until when it was given up, ms
   * @param {{ firstByteAt: number, statusLineAt: number, eventAt: number }} progress when each part of its response arrived, and its last
   *   event; ms, NaN if it did not
   * @param {boolean} isInLatency whether its age is already among the latencies
   */
  givenUp (endpoint, dueAt, sentAt, until, progress, isInLatency) {
    if (!isInLatency) endpoint.recordMissing(microseconds(until - (this.fromDueTime ? dueAt : sentAt)), this.isInterrupted)
    if (this.open) this.record('serviceTime', until - sentAt)
    this.response(sentAt, until, progress, false)
  }

  /** Records a request that was in flight when the closed model ended. */
  inFlight (endpoint, sentAt, until, progress) {
    endpoint.waiting.push(microseconds(until - sentAt))
    this.response(sentAt, until, progress, true)
  }

  response (sentAt, until, { firstByteAt, statusLineAt, eventAt }, isWaiting) {
    const add = (figure, since) => this.add(figure, until - since, isWaiting, until - sentAt)
    if (Number.isNaN(firstByteAt)) add('timeToFirstByte', sentAt)
    if (Number.isNaN(statusLineAt)) add('timeToStatusLine', sentAt)
    // A transfer that has not begun has taken no time yet.
    add('transferTime', Number.isNaN(statusLineAt) ? until : statusLineAt)
    if (!this.isStream) return
    if (Number.isNaN(eventAt)) add('timeToFirstEvent', sentAt)
    add('eventGap', Number.isNaN(eventAt) ? until : eventAt)
  }

  /**
   * Records a connection that did not open.
   *
   * @param {{ total: number, dns: ?number, tcp: ?number, tls: ?number }} waits ms; null for a phase that was complete or is not used
   * @param {boolean} isWaiting whether it was abandoned before its deadline: in neither model does the run wait for connections at its end
   */
  unopened ({ total, dns, tcp, tls }, isWaiting) {
    for (const [figure, wait] of [['connectTime', total], ['dnsTime', dns], ['tcpTime', tcp], ['tlsTime', tls]]) {
      if (wait !== null) this.add(figure, wait, isWaiting, total)
    }
  }

  /** Records a connection that ended without a response, `lifetime` ms after it was started: at a deadline, or with the run. */
  unanswered (lifetime, isWithRun) {
    this.add('connectionLifetime', lifetime, isWithRun && !this.open, lifetime)
  }

  // `age` is the age of the whole request or connection to which this time belongs.
  add (figure, milliseconds, isWaiting, age) {
    if (isWaiting) this.wait(figure, milliseconds, age)
    else this.record(figure, milliseconds)
  }

  record (figure, milliseconds) {
    recordIn(this.late, figure, milliseconds)
    if (this.isInterrupted) this.interrupt(figure, milliseconds)
  }

  /** Records a time that the person cut off, and that is counted elsewhere. */
  interrupt (figure, milliseconds) {
    recordIn(this.interrupted, figure, milliseconds)
  }

  wait (figure, milliseconds, age) {
    if (!this.waiting.has(figure)) this.waiting.set(figure, [])
    this.waiting.get(figure).push([microseconds(milliseconds), microseconds(age)])
  }

  /**
   * Returns plain data. Requests in flight that certainly do not count, judged by the values of this recorder, are left out.
   *
   * @param {function(Distribution): object} dataOf
   * @param {Record<string, Distribution>} reached by figure, the values of requests and connections that reached the point
   */
  toData (dataOf, reached) {
    const dataOfEach = (times) => Object.fromEntries([...times].map(([figure, distribution]) => [figure, dataOf(distribution)]))
    return {
      late: dataOfEach(this.late),
      interrupted: dataOfEach(this.interrupted),
      waiting: Object.fromEntries([...this.waiting].map(([figure, waits]) => [figure, longWaits(waits, figure, reached)]))
    }
  }
}

function recordIn (times, figure, milliseconds) {
  if (!times.has(figure)) times.set(figure, new Distribution())
  times.get(figure).record(microseconds(milliseconds))
}

// The total time that contains each of these times. For all others it is the latency.
const WHOLES = { connectTime: 'connectTime', dnsTime: 'connectTime', tcpTime: 'connectTime', tlsTime: 'connectTime', connectionLifetime: 'connectionLifetime' }
const NONE = Object.freeze({ count: 0, max: 0 })

/**
 * Selects the waits of requests and connections in flight at the end that count as missing values.
 *
 * @param {number[][]} waits pairs: how long it waited for this figure, and its age; us
 * @param {string} figure
 * @param {Record<string, Distribution>} reached by figure, the values of requests and connections that reached the point
 * @returns {number[][]}
 */
function longWaits (waits, figure, reached) {
  const { [figure]: part = NONE, [WHOLES[figure] ?? 'latency']: whole } = reached
  const isBeyond = (value, { count, max }) => count === 0 || value > max
  return waits.filter(([time, age]) => isBeyond(time, part) || isBeyond(age, whole))
}

/**
 * Selects the values larger than the maximum of a distribution; all values if it is empty.
 *
 * @param {number[]} values us
 * @param {{ count: number, max: number }} reached
 * @returns {number[]}
 */
function beyond (values, { count, max }) {
  return values.filter((value) => count === 0 || value > max)
}

/**
 * Adds up the missing times of several recorders.
 *
 * @param {object[]} parts from MissingTimes.toData
 * @param {Function} Kind the class of the merged distributions
 * @param {Record<string, Distribution>} reached see longWaits
 * @returns {{ late: Record<string, object>, interrupted: Record<string, object>, waiting: Record<string, number[][]> }}
 */
function mergeMissing (parts, Kind, reached) {
  const figures = (name) => [...new Set(parts.flatMap((part) => Object.keys(part[name] ?? {})))]
  const all = (name, figure) => parts.map((part) => part[name]?.[figure]).filter((some) => some !== undefined)
  const sumOfEach = (name) => Object.fromEntries(figures(name).map((figure) => [figure, all(name, figure).reduce((sum, data) => sum.add(Kind.from(data)), new Kind())]))
  return {
    late: sumOfEach('late'),
    interrupted: sumOfEach('interrupted'),
    waiting: Object.fromEntries(figures('waiting').map((figure) => {
      return [figure, longWaits(all('waiting', figure).flat(), figure, reached).sort(([time, age], [otherTime, otherAge]) => time - otherTime || age - otherAge)]
    }))
  }
}

/** By figure, the values that requests and connections in flight are compared with. @param {object} times of the parts */
function distributionsOf (distributions, endpoints, times) {
  const latency = endpoints.reduce((longest, endpoint) => endpoint === null
    ? longest
    : { count: longest.count + endpoint.latency.count, max: Math.max(longest.max, endpoint.latency.max) }, NONE)
  return { ...distributions, timeToStatusLine: distributions.timeToFirstByte, latency, ...times }
}

module.exports = { MissingTimes, NO_PROGRESS, beyond, distributionsOf, longWaits, mergeMissing }
