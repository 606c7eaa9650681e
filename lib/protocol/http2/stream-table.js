'use strict'

const NONE = -1

/** Where the response of a stream is: before its head, or behind it. */
const AWAITS_HEAD = 0
const HAS_HEAD = 1

/**
 * The streams of one connection: the requests in flight, and behind them those given to it and not written yet. Streams
 * end in any order, so each has a slot, and slots that are free again stand in a stack:
 *
 *     slot         0       1       2       3
 *     id        [   9  ][   0  ][   5  ][   7  ]       free: [1], inFlight = 3
 *     dueAt     [ 10.4 ][      ][ 10.0 ][ 10.2 ]
 *     places    [  …  ][ 2 ][ 3 ][ 0 ][  …  ]          by (id >> 1) & mask, linear probing: the slot of each id
 *
 * All in typed arrays, so that a request costs no allocation. Ids count up and most streams end in about the order in which
 * they began, so that `places` has next to no collisions.
 */
class StreamTable {
  /**
   * @param {number} depth how many there can be at a time, at most
   * @param {number} window what the server may send on each before a WINDOW_UPDATE
   */
  constructor (depth, window) {
    this.window = window
    this.id = new Int32Array(depth)
    this.dueAt = new Float64Array(depth)
    this.sentAt = new Float64Array(depth)
    /** When the deadline of the request began to count, where that is not its due time: its first sending. */
    this.begunAt = new Float64Array(depth)
    this.firstByteAt = new Float64Array(depth)
    /** When its final head was whole. */
    this.headAt = new Float64Array(depth)
    /** Open model: the parts of its send delay, as its connection had them when it was sent, see Connection.becameFree. */
    this.freeSince = new Float64Array(depth)
    this.busyMs = new Float64Array(depth)
    this.hookMs = new Float64Array(depth)
    this.closedMs = new Float64Array(depth)
    this.endpoint = new Uint32Array(depth)
    /** Which request of its target's sequence it is; NONE: one of a script's. */
    this.request = new Int32Array(depth)
    /** AWAITS_HEAD or HAS_HEAD. */
    this.state = new Uint8Array(depth)
    this.status = new Uint16Array(depth)
    /** Octets of the response, of all its frames. */
    this.bytes = new Float64Array(depth)
    /** Of these, octets of the frames with its head, and of those with its trailers. */
    this.headBytes = new Float64Array(depth)
    this.footerBytes = new Float64Array(depth)
    /** What its Content-Length says of the body, NONE: nothing. */
    this.expected = new Float64Array(depth)
    /** Octets of the body. */
    this.received = new Float64Array(depth)
    /** Whether somebody wants its body, 0 or 1. */
    this.wantsBody = new Uint8Array(depth)
    /** What the server may still send and what we may, before a WINDOW_UPDATE. */
    this.receiveWindow = new Int32Array(depth)
    this.sendWindow = new Float64Array(depth)
    this.inFlight = 0
    this.free = Uint32Array.from({ length: depth }, (_, index) => depth - 1 - index)
    this.freeCount = depth
    let capacity = 2
    while (capacity < 2 * depth) capacity *= 2
    this.mask = capacity - 1
    this.places = new Int32Array(capacity).fill(NONE)
  }

  /**
   * A stream begins. Only when one is free.
   *
   * @param {number} id
   * @param {number} window what may be sent on it before a WINDOW_UPDATE, as the server's SETTINGS say
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

  /** @returns {number} the slot of a stream in flight; NONE: there is none of this id */
  slotOf (id) {
    let place = (id >> 1) & this.mask
    for (;;) {
      const slot = this.places[place]
      if (slot === NONE || this.id[slot] === id) return slot
      place = (place + 1) & this.mask
    }
  }

  /** It is over. Its slot stays readable until the next `open`. */
  close (slot) {
    let hole = this.placeOf(slot)
    // What stands behind and belongs before the hole moves up, so that no search stops too early.
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

  /** @returns {number} the least of these values (one by slot) among the streams in flight; Infinity: there are none */
  least (values) {
    let least = Infinity
    if (this.inFlight === 0) return least
    for (let slot = 0; slot < values.length; slot++) {
      if (this.id[slot] !== 0 && values[slot] < least) least = values[slot]
    }
    return least
  }

  /** The slots in flight, in the order in which their streams began; for what happens now and then. */
  get slots () {
    const slots = []
    for (let slot = 0; slot < this.id.length; slot++) {
      if (this.id[slot] !== 0) slots.push(slot)
    }
    return slots.sort((a, b) => this.id[a] - this.id[b])
  }
}

module.exports = { StreamTable, NONE, AWAITS_HEAD, HAS_HEAD }
