'use strict'

// RFC 7541, section 4.1: the size of an entry in addition to its octets.
const ENTRY_OVERHEAD = 32
/** The maximum table size unless SETTINGS change it (RFC 9113, section 6.5.2). */
const DEFAULT_TABLE_SIZE = 4096

/** The size of an entry (RFC 7541, section 4.1). */
function entrySize (name, value) {
  return name.length + value.length + ENTRY_OVERHEAD
}

/**
 * The dynamic table of a decoder (RFC 7541, section 2.3.2). Here, the newest entry has index 0.
 *
 *     slot        0     1     2     3
 *     entries  [  c  ][     ][  a  ][  b  ]      newest = 0, count = 3: index 0 is c, 1 is b, 2 is a
 *
 * If a server repeats a block that adds entries, they would be inserted each time. If the whole block is recognized,
 * `addAgain` only counts the repetition; the entries are inserted when the table is next used.
 */
class DynamicTable {
  /** @param {number} [limit] the maximum size it may be set to, in octets */
  constructor (limit = DEFAULT_TABLE_SIZE) {
    this.limit = limit
    this.capacity = limit
    this.entries = new Array(Math.max(1, Math.floor(limit / ENTRY_OVERHEAD)))
    this.newest = 0
    this.count = 0
    this.size = 0
    /** Incremented by each change of the table. */
    this.version = 0
    this.repeated = null
    this.repetitions = 0
  }

  /** @returns {?{ name: string, value: string }} null if there is no such entry */
  get (index) {
    if (this.repeated !== null) this.settle()
    if (index >= this.count) return null
    const slot = this.newest - index
    return this.entries[slot < 0 ? slot + this.entries.length : slot]
  }

  /** Adds an entry, evicting the oldest ones if needed; an entry larger than the table empties it. */
  add (entry) {
    if (this.repeated !== null) this.settle()
    this.version++
    this.insert(entry)
  }

  /** Adds the same entries again. @param {object[]} entries in the order in which they were first added */
  addAgain (entries) {
    if (this.repeated !== entries) {
      if (this.repeated !== null) this.settle()
      this.repeated = entries
    }
    this.repetitions++
    this.version++
  }

  /** @param {number} size as requested by the encoder, at most `limit` */
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

  // Repetitions beyond those that fill the table make no difference.
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
