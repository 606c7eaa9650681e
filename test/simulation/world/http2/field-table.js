'use strict'

const STATIC_TABLE = require('./static-table')

const OVERHEAD = 32
const USUAL_SIZE = 4096

const sizeOf = ([name, value]) => name.length + value.length + OVERHEAD

/** What both ends of HPACK keep (RFC 7541, sections 2.3 and 4): the newest entry is the first. Entries are `[name, value]`. */
class FieldTable {
  constructor (capacity = USUAL_SIZE) {
    this.capacity = capacity
    this.entries = []
  }

  get size () {
    return this.sizeOfNewest(this.entries.length)
  }

  sizeOfNewest (count) {
    return this.entries.slice(0, count).reduce((sum, entry) => sum + sizeOf(entry), 0)
  }

  add (entry) {
    this.shrinkTo(this.capacity - sizeOf(entry))
    if (sizeOf(entry) <= this.capacity) this.entries.unshift(entry)
  }

  resize (capacity) {
    this.capacity = capacity
    this.shrinkTo(capacity)
  }

  shrinkTo (size) {
    while (this.entries.length > 0 && this.size > size) this.entries.pop()
  }

  /** @returns {string[]|undefined} what has an index, which begins with 1 */
  at (index) {
    return index <= STATIC_TABLE.length ? STATIC_TABLE[index - 1] : this.entries[index - STATIC_TABLE.length - 1]
  }

  /** @returns {number} the index of a field, or of any with its name where `value` is not given; 0: there is none */
  indexOf (name, value) {
    return [...STATIC_TABLE, ...this.entries].findIndex((entry) => entry[0] === name && (value === undefined || entry[1] === value)) + 1
  }

  /** @returns {number} the index of the oldest entry that has a field; 0: none has it */
  lastIndexOf (name, value) {
    const place = this.entries.findLastIndex((entry) => entry[0] === name && entry[1] === value)
    return place === -1 ? 0 : STATIC_TABLE.length + 1 + place
  }
}

module.exports = { FieldTable, USUAL_SIZE }
