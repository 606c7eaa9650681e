'use strict'

// How many ids are kept for longer.
const REMEMBERED = 100_000

/*
 * The ids that a user's function finds in broadcast messages, kept for as long as copies may arrive, and at least the latest. Has the part of the
 * interface of BroadcastIds that is used.
 */
class MatchedIds {
  /**
   * @param {number} part the index of this part of the run
   * @param {number} retention how long an id is kept, however many there are, ms
   * @param {number} [remembered] how many are kept for longer
   */
  constructor (part, retention, remembered = REMEMBERED) {
    this.part = part
    this.retention = retention
    this.remembered = remembered
    this.count = 0
    /** By id, the oldest first: `{ number, dueAt }`, dueAt in us since 1970. */
    this.known = new Map()
    this.foundPart = part
    this.foundNumber = 0
    this.foundDueAt = 0
  }

  /** Adds the id of a message that is being sent. @param {*} id @param {number} dueAt us since 1970 */
  add (id, dueAt) {
    for (const [old, { dueAt: since }] of this.known) {
      if (since + this.retention * 1000 > dueAt || this.known.size < this.remembered) break
      this.known.delete(old)
    }
    this.known.delete(id)
    this.known.set(id, { number: this.count++, dueAt })
  }

  get lastNumber () {
    return this.count - 1
  }

  /** @returns {boolean} whether a message with this id was sent; sets `foundNumber` and `foundDueAt` */
  find (id) {
    const found = this.known.get(id)
    if (found === undefined) return false
    this.foundNumber = found.number
    this.foundDueAt = found.dueAt
    return true
  }
}

module.exports = MatchedIds
