'use strict'

// RFC 7541, section 4.1: what an entry costs beside its octets.
const ENTRY_OVERHEAD = 32
/** What a table may be as long as no SETTINGS say otherwise (RFC 9113, section 6.5.2). */
const DEFAULT_TABLE_SIZE = 4096

/** The size of an entry (RFC 7541, section 4.1). */
function entrySize (name, value) {
  return name.length + value.length + ENTRY_OVERHEAD
}

/**
 * The dynamic table of a decoder (RFC 7541, section 2.3.2): the newest entry has the index 0 here.
 *
 *     slot        0     1     2     3
 *     entries  [  c  ][     ][  a  ][  b  ]      newest = 0, count = 3: index 0 is c, 1 is b, 2 is a
 *
 * Servers that repeat a block which adds entries would have them added again and again. Where such a block was recognised
 * as a whole, `addAgain` only counts it; the entries are written when somebody looks.
 */
class DynamicTable {
  /** @param {number} [limit] octets it may be set to, at most */
  constructor (limit = DEFAULT_TABLE_SIZE) {
    this.limit = limit
    this.capacity = limit
    this.entries = new Array(Math.max(1, Math.floor(limit / ENTRY_OVERHEAD)))
    this.newest = 0
    this.count = 0
    this.size = 0
    /** Changes with each change of the table. */
    this.version = 0
    this.repeated = null
    this.repetitions = 0
  }

  /** @returns {?{ name: string, value: string }} null where there is no such entry */
  get (index) {
    if (this.repeated !== null) this.settle()
    if (index >= this.count) return null
    const slot = this.newest - index
    return this.entries[slot < 0 ? slot + this.entries.length : slot]
  }

  /** Adds an entry, and evicts the oldest ones for it; one that is larger than the table leaves it empty. */
  add (entry) {
    if (this.repeated !== null) this.settle()
    this.version++
    this.insert(entry)
  }

  /** The same entries once more. @param {object[]} entries in the order in which they were added */
  addAgain (entries) {
    if (this.repeated !== entries) {
      if (this.repeated !== null) this.settle()
      this.repeated = entries
    }
    this.repetitions++
    this.version++
  }

  /** @param {number} size as the encoder says; not above `limit` */
  resize (size) {
    if (this.repeated !== null) this.settle()
    this.version++
    this.capacity = size
    this.evictTo(size)
  }

  insert (entry) {
    const size = entrySize(entry.name, entry.value)
    this.evictTo(this.capacity - size)
    if (size > this.capacity) return
    this.newest = this.newest + 1 === this.entries.length ? 0 : this.newest + 1
    this.entries[this.newest] = entry
    this.count++
    this.size += size
  }

  evictTo (size) {
    while (this.count > 0 && this.size > size) {
      let slot = this.newest - this.count + 1
      if (slot < 0) slot += this.entries.length
      const { name, value } = this.entries[slot]
      this.entries[slot] = undefined
      this.size -= entrySize(name, value)
      this.count--
    }
  }

  // More repetitions than fill the table leave it as so many do.
  settle () {
    const { repeated } = this
    const times = Math.min(this.repetitions, this.entries.length)
    this.repeated = null
    this.repetitions = 0
    for (let time = 0; time < times; time++) {
      for (const entry of repeated) this.insert(entry)
    }
  }
}

module.exports = { DynamicTable, entrySize, DEFAULT_TABLE_SIZE }
