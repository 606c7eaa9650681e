'use strict'

const { endpointGroups, requestsOf } = require('../endpoint-groups')
const { microseconds } = require('../../base/rounding')
const { definePart } = require('./part')

/** A diagnosis looks at so many, even if the result shows fewer. */
const LEAST_DIAGNOSED = 10

/**
 * The slowest requests of a recorder: a binary heap, whose first entry is the one that the next slower request replaces. Its entries are
 * reused, so a run in which each request is slower than the one before allocates nothing either.
 */
class Slowest {
  /** @param {number} most how many @param {number} [shown] how many of them belong in the result */
  constructor (most, shown = most) {
    this.most = most
    this.shown = shown
    /** The latency from which on a request may belong here, in microseconds. */
    this.threshold = most === 0 ? Infinity : 0
    this.heap = []
    this.seen = 0
  }

  /**
   * `count` requests completed whose latency is at least `threshold`, sent and answered at the same times.
   *
   * @param {number} latency in microseconds; other times are in milliseconds
   * @param {Connection} connection @param {number} slot of the first one, see Recorder.completedRequest
   */
  add (latency, count, endpoint, status, bytes, dueAt, sentAt, now, connection, slot) {
    this.consider(latency, endpoint, status, bytes, dueAt, sentAt, now, connection, slot)
    for (let index = 1; index < count; index++) this.consider(latency, endpoint, status, bytes, dueAt, sentAt, now, connection, connection.slotAfter(slot, index))
  }

  consider (latency, endpoint, status, bytes, dueAt, sentAt, now, connection, slot) {
    const { heap } = this
    const order = this.seen++
    const isFull = heap.length === this.most
    // Of equally slow requests, the earlier ones stay.
    if (isFull && latency === heap[0].latency && now >= heap[0].endedAt) return
    const entry = isFull ? heap[0] : { latency: 0, order: 0, endpoint: 0, status: null, bytes: 0, dueAt: 0, sentAt: 0, endedAt: 0, connection: 0, line: null, traceId: null }
    entry.latency = latency
    entry.order = order
    entry.endpoint = endpoint
    entry.status = status
    entry.bytes = bytes
    entry.dueAt = dueAt
    entry.sentAt = sentAt
    entry.endedAt = now
    entry.connection = connection.number
    entry.line = connection.requestIn(slot, endpoint)
    entry.traceId = connection.traceIdOf(slot)
    if (isFull) this.sink()
    else this.rise(entry)
    if (heap.length === this.most) this.threshold = heap[0].latency
  }

  // Moves a new last entry to its place.
  rise (entry) {
    const { heap } = this
    let index = heap.push(entry) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!goesBefore(heap[parent], entry)) break
      heap[index] = heap[parent]
      index = parent
    }
    heap[index] = entry
  }

  // Moves the first entry to its place.
  sink () {
    const { heap } = this
    const [entry] = heap
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && goesBefore(heap[child], heap[child + 1])) child++
      if (!goesBefore(entry, heap[child])) break
      heap[index] = heap[child]
      index = child
    }
    heap[index] = entry
  }

  /** @param {Recorder} recorder in the closed model, a request is due when it is sent */
  toData ({ startedAt, called, open }) {
    const sinceStart = (time) => Math.round((time - startedAt) * 1000)
    const requests = [...this.heap].sort((one, other) => goesBefore(one, other) ? -1 : 1)
      .map(({ latency, endpoint, status, bytes, dueAt, sentAt, endedAt, connection, line: { method, path }, traceId }) => ({
        latency,
        serviceTime: microseconds(endedAt - sentAt),
        dueAt: sinceStart(open ? dueAt : sentAt),
        sentAt: sinceStart(sentAt),
        endedAt: sinceStart(endedAt),
        method,
        path,
        status,
        bytes,
        endpoint,
        // Other threads have met the calls in another order.
        ...(called !== null && endpoint >= called.first && { call: called.requests[endpoint - called.first] }),
        connection,
        traceId
      }))
    return { most: this.most, shown: this.shown, requests }
  }
}

// Whether a request belongs before another one in the list: the slower first, of equally slow ones the earlier.
function goesBefore (one, other) {
  if (one.latency !== other.latency) return one.latency > other.latency
  if (one.endedAt !== other.endedAt) return one.endedAt < other.endedAt
  return one.order < other.order
}

// Results of several runs may have kept different numbers, so only the smallest number of them is known. Those of earlier versions
// have none.
function mergeSlowest (parts) {
  if (parts.some((part) => part == null)) return null
  const least = (name) => Math.min(...parts.map(({ [name]: count }) => count))
  const most = least('most')
  const requests = parts.flatMap(({ requests }) => requests).sort((one, other) => other.latency - one.latency || one.endedAt - other.endedAt)
  return { most, shown: least('shown'), requests: requests.slice(0, most) }
}

// The endpoints of calls stand behind those of the plan.
function placesOfCalls (plan, { requests }) {
  const { keyOf } = require('../call-endpoints')
  const places = new Map(requests.map((request, index) => [keyOf(request), plan.requests.length + index]))
  return (call) => places.get(keyOf(call))
}

/**
 * Lists the slowest requests as `result.slowest` does.
 *
 * @param {object[]} requests merged
 * @param {object} plan
 * @param {object} summary merged
 */
function slowestResult (requests, plan, summary) {
  const all = requestsOf(plan, summary)
  const places = new Map(endpointGroups(all).flatMap((indices, place) => indices.map((index) => [index, place])))
  const placeOfCall = summary.requests === undefined ? null : placesOfCalls(plan, summary)
  const othersOf = ({ scenario }) => all.findIndex((request) => request.method === null && request.scenario === scenario)
  return requests.map(({ latency, serviceTime, dueAt, sentAt, endedAt, method, path, status, bytes, endpoint, call, connection, traceId }) => ({
    latency: latency / 1000,
    serviceTime: serviceTime / 1000,
    dueAt: dueAt / 1e6,
    sentAt: sentAt / 1e6,
    endedAt: endedAt / 1e6,
    method,
    path,
    status,
    bytes,
    endpoint: places.get(call === undefined ? endpoint : placeOfCall(call) ?? othersOf(call)),
    connection,
    traceId,
    stall: null
  }))
}

/** The slowest requests of a run. */
const slowest = definePart({
  name: 'slowest',
  create: ({ slowest: shown, diagnosed }) => new Slowest(diagnosed ? Math.max(shown, LEAST_DIAGNOSED) : shown, shown),
  toData: (counted, dataOf, { recorder }) => counted.toData(recorder),
  merge: mergeSlowest,
  result: ({ requests, shown }, { plan, summary }) => ({ slowest: slowestResult(requests.slice(0, shown), plan, summary) })
})

module.exports = { Slowest, slowest }
