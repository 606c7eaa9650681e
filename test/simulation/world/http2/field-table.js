'use strict'

const STATIC_TABLE = require('./static-table')

const OVERHEAD = 32
const USUAL_SIZE = 4096

const sizeOf = ([name, value]) => name.length + value.length + OVERHEAD

/** The dynamic table of HPACK (RFC 7541, sections 2.3 and 4), newest entry first. Entries are `[name, value]`. */
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

  /** @returns {string[]|undefined} the entry with an index, starting at 1 */
  at (index) {
    return index <= STATIC_TABLE.length ? STATIC_TABLE[index - 1] : this.entries[index - STATIC_TABLE.length - 1]
  }

  /** @returns {number} the index of a field, or of any field with this name if `value` is omitted; 0 if there is none */
  indexOf (name, value) {
    return [...STATIC_TABLE, ...this.entries].findIndex((entry) => entry[0] === name && (value === undefined || entry[1] === value)) + 1
  }

  /** @returns {number} the index of the oldest entry with a field; 0 if there is none */
  lastIndexOf (name, value) {
    const place = this.entries.findLastIndex((entry) => entry[0] === name && entry[1] === value)
    return place === -1 ? 0 : STATIC_TABLE.length + 1 + place
  }
}

module.exports = { FieldTable, USUAL_SIZE }
