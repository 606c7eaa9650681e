'use strict'

const NONE = -1

/** The state of a stream's response. */
const AWAITS_HEAD = 0
const HAS_HEAD = 1

/**
 * The streams of one connection, which are its requests in flight. Streams end in any order, so each has a slot, and free
 * slots are on a stack:
 *
 *     slot         0       1       2       3
 *     id        [   9  ][   0  ][   5  ][   7  ]       free: [1], inFlight = 3
 *     dueAt     [ 10.4 ][      ][ 10.0 ][ 10.2 ]
 *     places    [  …  ][ 2 ][ 3 ][ 0 ][  …  ]          by (id >> 1) & mask, linear probing: the slot of each id
 *
 * Everything is in typed arrays, so that a request allocates nothing. Ids count up, and most streams end roughly in the
 * order in which they began, so `places` has almost no collisions.
 */
class StreamTable {
  /**
   * @param {number} depth the maximum number of concurrent streams
   * @param {number} window how much the server may send on each before a WINDOW_UPDATE
   */
  constructor (depth, window) {
    this.window = window
    this.id = new Int32Array(depth)
    this.dueAt = new Float64Array(depth)
    this.sentAt = new Float64Array(depth)
    /** When the deadline of the request began to count, if not at its due time: at its first attempt. */
    this.begunAt = new Float64Array(depth)
    this.firstByteAt = new Float64Array(depth)
    /** When its final head was complete. */
    this.headAt = new Float64Array(depth)
    /** Open model: the parts of its send delay, copied from its connection when it was sent, see Connection.becameFree. */
    this.freeSince = new Float64Array(depth)
    this.busyMs = new Float64Array(depth)
    this.hookMs = new Float64Array(depth)
    this.closedMs = new Float64Array(depth)
    this.endpoint = new Uint32Array(depth)
    /** Its index in the target's sequence; NONE for a request of a script. */
    this.request = new Int32Array(depth)
    /** AWAITS_HEAD or HAS_HEAD. */
    this.state = new Uint8Array(depth)
    this.status = new Uint16Array(depth)
    /** Octets of the response, including all its frames. */
    this.bytes = new Float64Array(depth)
    /** How many of these belong to the frames of its head, and of its trailers. */
    this.headBytes = new Float64Array(depth)
    this.footerBytes = new Float64Array(depth)
    /** The Content-Length of the body; NONE if there is none. */
    this.expected = new Float64Array(depth)
    /** Octets of the body. */
    this.received = new Float64Array(depth)
    /** Whether the body is needed, 0 or 1. */
    this.wantsBody = new Uint8Array(depth)
    /** How much the server may still send, and how much we may, before a WINDOW_UPDATE. */
    this.receiveWindow = new Int32Array(depth)
    this.sendWindow = new Float64Array(depth)
    /** The serial numbers of their trace ids; null without trace context. */
    this.serial = null
    this.inFlight = 0
    this.free = Uint32Array.from({ length: depth }, (_, index) => depth - 1 - index)
    this.freeCount = depth
    let capacity = 2
    while (capacity < 2 * depth) capacity *= 2
    this.mask = capacity - 1
    this.places = new Int32Array(capacity).fill(NONE)
  }

  /** Makes room for the serial numbers of trace ids. */
  keepSerials () {
    this.serial = new Float64Array(this.id.length)
  }

  /**
   * Adds a stream. There must be a free slot.
   *
   * @param {number} id
   * @param {number} window how much we may send on it before a WINDOW_UPDATE, by the server's SETTINGS
   * @returns {number} its slot
   */
  open (id, window) {
    const slot = this.free[--this.freeCount]
    this.id[slot] = id
    this.inFlight++
    let place = (id >> 1) & this.mask
    while (this.places[place] !== NONE) place = (place + 1) & this.mask
    this.places[place] = slot
    this.state[slot] = AWAITS_HEAD
    this.bytes[slot] = 0
    this.footerBytes[slot] = 0
    this.received[slot] = 0
    this.receiveWindow[slot] = this.window
    this.sendWindow[slot] = window
    return slot
  }

  /** @returns {number} the slot of a stream in flight; NONE if none has this id */
  slotOf (id) {
    let place = (id >> 1) & this.mask
    for (;;) {
      const slot = this.places[place]
      if (slot === NONE || this.id[slot] === id) return slot
      place = (place + 1) & this.mask
    }
  }

  /** Removes a stream. Its slot stays readable until the next `open`. */
  close (slot) {
    let hole = this.placeOf(slot)
    // Moves up entries after the hole that belong before it, so that no search stops too early.
    let place = hole
    for (;;) {
      place = (place + 1) & this.mask
      const other = this.places[place]
      if (other === NONE) break
      const home = (this.id[other] >> 1) & this.mask
      if (((place - home) & this.mask) >= ((place - hole) & this.mask)) {
        this.places[hole] = other
        hole = place
      }
    }
    this.places[hole] = NONE
    this.id[slot] = 0
    this.free[this.freeCount++] = slot
    this.inFlight--
  }

  placeOf (slot) {
    let place = (this.id[slot] >> 1) & this.mask
    while (this.places[place] !== slot) place = (place + 1) & this.mask
    return place
  }

  /** @returns {number} the minimum of these values (one per slot) over the streams in flight; Infinity if there are none */
  least (values) {
    let least = Infinity
    if (this.inFlight === 0) return least
    for (let slot = 0; slot < values.length; slot++) {
      if (this.id[slot] !== 0 && values[slot] < least) least = values[slot]
    }
    return least
  }

  /** The slots in flight, in the order in which their streams began. Allocates, so not for frequent use. */
  get slots () {
    const slots = []
    for (let slot = 0; slot < this.id.length; slot++) {
      if (this.id[slot] !== 0) slots.push(slot)
    }
    return slots.sort((a, b) => this.id[a] - this.id[b])
  }
}

module.exports = { StreamTable, NONE, AWAITS_HEAD, HAS_HEAD }
