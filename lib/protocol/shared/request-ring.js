'use strict'

// How many slots the rings of several connections have together; a ring that needs more has arrays of its own.
const SHARED_SLOTS = 64

/**
 * The requests of one connection, oldest first: those sent and not answered, then those given to it and not written yet.
 * A ring in typed arrays, so that a request costs no allocation:
 *
 *     slot       4       5       6       7
 *     dueAt    [      ][ 10.0 ][ 10.2 ][ 10.3 ]
 *     sentAt   [      ][ 10.1 ][ 10.2 ][      ]      first = 4, head = 5, inFlight = 2, prepared = 1
 *     endpoint [      ][   0  ][   1  ][      ]
 *
 * The arrays are those of several connections, each with a stretch of its own: with a thousand connections it is the
 * memory that has to be fetched for each that costs, and three small arrays are a dozen cache lines.
 */
class RequestRing {
  /** @param {number} depth how many there can be, at most */
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
  }

  /** Takes a request that came due at `dueAt`. */
  prepare (dueAt) {
    this.dueAt[this.slotAt(this.inFlight + this.prepared)] = dueAt
    this.prepared++
  }

  /** Gives back the newest of those not written: when it came due. */
  unprepare () {
    this.prepared--
    return this.dueAt[this.slotAt(this.inFlight + this.prepared)]
  }

  /** When the oldest of those not written came due; only when there is one. */
  get oldestPrepared () {
    return this.dueAt[this.nextSlot]
  }

  /** Gives back the oldest of those not written: when it came due. */
  dropPrepared () {
    const dueAt = this.oldestPrepared
    this.prepared--
    for (let index = 0; index < this.prepared; index++) {
      this.dueAt[this.slotAt(this.inFlight + index)] = this.dueAt[this.slotAt(this.inFlight + index + 1)]
    }
    return dueAt
  }

  /** The oldest of those not written goes out. @returns {number} its slot */
  send (endpoint, now) {
    const slot = this.nextSlot
    this.endpoint[slot] = endpoint
    this.sentAt[slot] = now
    this.prepared--
    this.inFlight++
    return slot
  }

  /** Takes out the oldest in flight. @returns {number} its slot, which stays readable until the next `prepare` */
  take () {
    const slot = this.head
    this.head = this.slotAt(1)
    this.inFlight--
    return slot
  }

  /** Takes out the `count` oldest in flight. */
  takeSeveral (count) {
    this.head = this.slotAt(count)
    this.inFlight -= count
  }

  /** How many in flight are of the same endpoint and of the same moments as the oldest, and stand behind it without a gap; it is one of them. */
  get likeOldest () {
    const { head, dueAt, sentAt, endpoint, inFlight } = this
    for (let count = 1; count < inFlight; count++) {
      const slot = this.slotAt(count)
      if (sentAt[slot] !== sentAt[head] || dueAt[slot] !== dueAt[head] || endpoint[slot] !== endpoint[head]) return count
    }
    return inFlight
  }

  /** The slot that is `index` places behind the oldest. */
  slotAt (index) {
    return this.first | ((this.head + index) & this.mask)
  }

  /** The slot of the request that is sent next. */
  get nextSlot () {
    return this.slotAt(this.inFlight)
  }

  /** The slot of the request that was taken out last. */
  get lastTaken () {
    return this.slotAt(-1)
  }

  /** The slots of what is in flight, oldest first. */
  get slotsInFlight () {
    return Array.from({ length: this.inFlight }, (_, index) => this.slotAt(index))
  }
}

let shared = null
let taken = SHARED_SLOTS

// A stretch begins at a multiple of its length, so that its slots differ in their lowest bits only. The arrays are given
// back with the last ring in them.
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
