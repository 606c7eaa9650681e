'use strict'

/**
 * The requests of one connection, oldest first: those sent and not answered, then those given to it and not written yet.
 * A ring in typed arrays, so that a request costs no allocation:
 *
 *     slot        0       1       2       3
 *     dueAt    [      ][ 10.0 ][ 10.2 ][ 10.3 ]
 *     sentAt   [      ][ 10.1 ][ 10.2 ][      ]      head = 1, inFlight = 2, prepared = 1
 *     endpoint [      ][   0  ][   1  ][      ]
 */
class RequestRing {
  /** @param {number} depth how many there can be, at most */
  constructor (depth) {
    let capacity = 1
    while (capacity < depth) capacity *= 2
    this.mask = capacity - 1
    this.dueAt = new Float64Array(capacity)
    this.sentAt = new Float64Array(capacity)
    this.endpoint = new Uint32Array(capacity)
    this.head = 0
    this.inFlight = 0
    this.prepared = 0
  }

  /** Takes a request that came due at `dueAt`. */
  prepare (dueAt) {
    this.dueAt[(this.head + this.inFlight + this.prepared) & this.mask] = dueAt
    this.prepared++
  }

  /** Gives back the youngest of those not written: when it came due. */
  unprepare () {
    this.prepared--
    return this.dueAt[(this.head + this.inFlight + this.prepared) & this.mask]
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
      this.dueAt[(this.nextSlot + index) & this.mask] = this.dueAt[(this.nextSlot + index + 1) & this.mask]
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
    this.head = (slot + 1) & this.mask
    this.inFlight--
    return slot
  }

  /** The slot of the request that is sent next. */
  get nextSlot () {
    return (this.head + this.inFlight) & this.mask
  }

  /** The slot of the request that was taken out last. */
  get lastTaken () {
    return (this.head - 1) & this.mask
  }

  /** The slots of what is in flight, oldest first. */
  get slotsInFlight () {
    return Array.from({ length: this.inFlight }, (_, index) => (this.head + index) & this.mask)
  }
}

module.exports = RequestRing
