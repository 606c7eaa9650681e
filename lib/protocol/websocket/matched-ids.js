'use strict'

/*
 * The ids that a user's function finds in messages that go out to all, for as long as copies may come: it has the part that is
 * asked for of BroadcastIds.
 */
class MatchedIds {
  /**
   * @param {number} part which part of the run this is
   * @param {number} retention ms: for so long an id is known
   */
  constructor (part, retention) {
    this.part = part
    this.retention = retention
    this.count = 0
    /** By id, the oldest first: `{ number, dueAt }`, dueAt in us since 1970. */
    this.known = new Map()
    this.foundPart = part
    this.foundNumber = 0
    this.foundDueAt = 0
  }

  /** A message with this id goes out. @param {*} id @param {number} dueAt us since 1970 */
  add (id, dueAt) {
    for (const [old, { dueAt: since }] of this.known) {
      if (since + this.retention * 1000 > dueAt) break
      this.known.delete(old)
    }
    this.known.delete(id)
    this.known.set(id, { number: this.count++, dueAt })
  }

  get lastNumber () {
    return this.count - 1
  }

  /** @returns {boolean} whether a message with this id went out; `foundNumber` and `foundDueAt` tell which */
  find (id) {
    const found = this.known.get(id)
    if (found === undefined) return false
    this.foundNumber = found.number
    this.foundDueAt = found.dueAt
    return true
  }
}

module.exports = MatchedIds
