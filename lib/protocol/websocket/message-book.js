'use strict'

const NONE = -1
const FIRST_CAPACITY = 8

/**
 * The messages of one connection whose replies may arrive in any order: those in flight, by their ids, and those that are not
 * written yet. It has the interface of RequestRing, and its slots are linked in the order in which they were sent:
 *
 *     slot      0         1         2         3
 *     dueAt   [ 10.4 ]  [      ]  [ 10.0 ]  [ 10.2 ]       first = 2 -> 3 -> 0 = last, free: [1]
 *     id      [ 'c'  ]  [      ]  [ 'a'  ]  [ 'b'  ]
 *
 * Only the pipelining limits its size, which may be large and hardly used, so it grows as needed.
 */
class MessageBook {
  constructor () {
    this.capacity = FIRST_CAPACITY
    this.dueAt = new Float64Array(FIRST_CAPACITY)
    this.sentAt = new Float64Array(FIRST_CAPACITY)
    this.endpoint = new Uint32Array(FIRST_CAPACITY)
    this.next = new Int32Array(FIRST_CAPACITY)
    this.previous = new Int32Array(FIRST_CAPACITY)
    this.ids = []
    this.free = Array.from({ length: FIRST_CAPACITY }, (_, slot) => slot).reverse()
    this.first = NONE
    this.last = NONE
    this.inFlight = 0
    this.lastTaken = 0
    this.waiting = []
    /** Maps an id to a slot, or to an array of slots, oldest first, if several messages have the same id. */
    this.slots = new Map()
  }

  get prepared () {
    return this.waiting.length
  }

  /** Adds a message that came due at `dueAt`. */
  prepare (dueAt) {
    this.waiting.push(dueAt)
  }

  /** Removes the newest unwritten message and returns when it came due. */
  unprepare () {
    return this.waiting.pop()
  }

  /** When the unwritten message came due that is sent next; there must be one. */
  get nextPrepared () {
    return this.waiting[0]
  }

  /** When each unwritten message came due, in the order in which they are sent. */
  get preparedDues () {
    return this.waiting
  }

  /** Removes one of the unwritten messages, by its place among them, and returns when it came due. */
  dropPrepared (place) {
    return this.waiting.splice(place, 1)[0]
  }

  /** Marks the next unwritten message as sent. @returns {number} its slot */
  send (endpoint, now) {
    if (this.free.length === 0) this.grow()
    const slot = this.free.pop()
    this.dueAt[slot] = this.waiting.shift()
    this.sentAt[slot] = now
    this.endpoint[slot] = endpoint
    this.ids[slot] = undefined
    this.previous[slot] = this.last
    this.next[slot] = NONE
    if (this.last === NONE) this.first = slot
    else this.next[this.last] = slot
    this.last = slot
    this.inFlight++
    return slot
  }

  grow () {
    const { capacity } = this
    this.capacity = 2 * capacity
    for (const name of ['dueAt', 'sentAt', 'endpoint', 'next', 'previous']) {
      const larger = new this[name].constructor(this.capacity)
      larger.set(this[name])
      this[name] = larger
    }
    for (let slot = this.capacity - 1; slot >= capacity; slot--) this.free.push(slot)
  }

  /** Sets the id of the message in a slot. */
  name (slot, id) {
    this.ids[slot] = id
    const known = this.slots.get(id)
    if (known === undefined) this.slots.set(id, slot)
    else this.slots.set(id, [known, slot].flat())
  }

  /** @returns {number} the slot of the oldest message with this id; NONE if there is none */
  find (id) {
    const known = this.slots.get(id)
    if (known === undefined) return NONE
    return typeof known === 'number' ? known : known[0]
  }

  /** Removes the oldest message in flight. @returns {number} its slot */
  take () {
    return this.remove(this.first)
  }

  /** Removes the message in a slot. @returns {number} the slot, which stays readable until the next `send` */
  remove (slot) {
    const id = this.ids[slot]
    if (id !== undefined) this.forget(id, slot)
    const { [slot]: before } = this.previous
    const { [slot]: after } = this.next
    if (before === NONE) this.first = after
    else this.next[before] = after
    if (after === NONE) this.last = before
    else this.previous[after] = before
    this.ids[slot] = undefined
    this.free.push(slot)
    this.inFlight--
    this.lastTaken = slot
    return slot
  }

  forget (id, slot) {
    const known = this.slots.get(id)
    const others = typeof known === 'number' ? [] : known.filter((other) => other !== slot)
    if (others.length === 0) this.slots.delete(id)
    else this.slots.set(id, others.length === 1 ? others[0] : others)
  }

  /** The slot of the oldest message in flight; there must be one. */
  get head () {
    return this.first
  }

  /** The slots of the messages in flight, oldest first. */
  get slotsInFlight () {
    const slots = []
    for (let slot = this.first; slot !== NONE; slot = this.next[slot]) slots.push(slot)
    return slots
  }
}

MessageBook.NONE = NONE

module.exports = MessageBook
