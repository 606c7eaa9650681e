'use strict'

// How many slots the rings of several connections share; a ring that needs more has its own arrays.
const SHARED_SLOTS = 64

/**
 * The requests of one connection, oldest first: those in flight, then those that are not written yet. A ring in typed arrays, so
 * that a request allocates nothing:
 *
 *     slot       4       5       6       7
 *     dueAt    [      ][ 10.0 ][ 10.2 ][ 10.3 ]
 *     sentAt   [      ][ 10.1 ][ 10.2 ][      ]      first = 4, head = 5, inFlight = 2, prepared = 1
 *     endpoint [      ][   0  ][   1  ][      ]
 *
 * Several connections share the arrays, each with a range of its own: with a thousand connections, the cost is in the memory that
 * must be fetched for each, and three small arrays take a dozen cache lines.
 */
class RequestRing {
  /** @param {number} depth the maximum number of requests */
  constructor (depth) {
    let capacity = 1
    while (capacity < depth) capacity *= 2
    const { arrays, first } = takeSlots(capacity)
    this.mask = capacity - 1
    this.first = first
    this.head = first
    this.inFlight = 0
    this.prepared = 0
    this.dueAt = arrays.dueAt
    this.sentAt = arrays.sentAt
    this.endpoint = arrays.endpoint
    /** The serial numbers of their trace ids; null without trace context. */
    this.serial = null
  }

  /** Makes room for the serial numbers of trace ids. */
  keepSerials () {
    this.serial = new Float64Array(this.first + this.mask + 1)
  }

  /** Adds a request that came due at `dueAt`. */
  prepare (dueAt) {
    this.dueAt[this.slotAt(this.inFlight + this.prepared)] = dueAt
    this.prepared++
  }

  /** Removes the newest unwritten request and returns when it came due. */
  unprepare () {
    this.prepared--
    return this.dueAt[this.slotAt(this.inFlight + this.prepared)]
  }

  /** When the unwritten request came due that is sent next; there must be one. */
  get nextPrepared () {
    return this.dueAt[this.nextSlot]
  }

  /** When each unwritten request came due, in the order in which they are sent. */
  get preparedDues () {
    return Array.from({ length: this.prepared }, (_, index) => this.dueAt[this.slotAt(this.inFlight + index)])
  }

  /** Removes one of the unwritten requests, by its place among them, and returns when it came due. */
  dropPrepared (place) {
    const { [this.slotAt(this.inFlight + place)]: dueAt } = this.dueAt
    this.prepared--
    for (let index = place; index < this.prepared; index++) {
      this.dueAt[this.slotAt(this.inFlight + index)] = this.dueAt[this.slotAt(this.inFlight + index + 1)]
    }
    return dueAt
  }

  /** Marks the next unwritten request as sent. @returns {number} its slot */
  send (endpoint, now) {
    const slot = this.nextSlot
    this.endpoint[slot] = endpoint
    this.sentAt[slot] = now
    this.prepared--
    this.inFlight++
    return slot
  }

  /** Removes the oldest request in flight. @returns {number} its slot, which stays readable until the next `prepare` */
  take () {
    const slot = this.head
    this.head = this.slotAt(1)
    this.inFlight--
    return slot
  }

  /** Removes the `count` oldest requests in flight. */
  takeSeveral (count) {
    this.head = this.slotAt(count)
    this.inFlight -= count
  }

  /**
   * How many requests at the head of the queue have the same endpoint, due time and send time as the oldest, including itself.
   */
  get likeOldest () {
    const { head, dueAt, sentAt, endpoint, inFlight } = this
    for (let count = 1; count < inFlight; count++) {
      const slot = this.slotAt(count)
      if (sentAt[slot] !== sentAt[head] || dueAt[slot] !== dueAt[head] || endpoint[slot] !== endpoint[head]) return count
    }
    return inFlight
  }

  /** The slot `index` places after the oldest. */
  slotAt (index) {
    return this.first | ((this.head + index) & this.mask)
  }

  /** The slot of the request that was sent `index` places after the one in a slot. */
  slotAfter (slot, index) {
    return this.first | ((slot + index) & this.mask)
  }

  /** The slot of the request that is sent next. */
  get nextSlot () {
    return this.slotAt(this.inFlight)
  }

  /** The slot of the request that was taken out last. */
  get lastTaken () {
    return this.slotAt(-1)
  }

  /** The slots of the requests in flight, oldest first. */
  get slotsInFlight () {
    return Array.from({ length: this.inFlight }, (_, index) => this.slotAt(index))
  }
}

let shared = null
let taken = SHARED_SLOTS

// A range begins at a multiple of its length, so that its slots differ only in their lowest bits. Shared arrays are freed
// together with the last ring that uses them.
function takeSlots (capacity) {
  if (capacity > SHARED_SLOTS / 2) return { arrays: createArrays(capacity), first: 0 }
  let first = Math.ceil(taken / capacity) * capacity
  if (first + capacity > SHARED_SLOTS) {
    shared = createArrays(SHARED_SLOTS)
    first = 0
  }
  taken = first + capacity
  return { arrays: shared, first }
}

function createArrays (length) {
  return { dueAt: new Float64Array(length), sentAt: new Float64Array(length), endpoint: new Uint32Array(length) }
}

module.exports = RequestRing
