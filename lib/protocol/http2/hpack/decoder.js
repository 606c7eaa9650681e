'use strict'

const { STATIC_TABLE, STATIC_ENTRIES } = require('./static-table')
const { DynamicTable, entrySize } = require('./dynamic-table')
const { decodeHuffman, mostDecoded } = require('./huffman')

const NO_ENTRIES = Object.freeze([])
// Integers have at most 32 bits: a prefix and five octets.
const MOST_SHIFT = 28

// Reused for decoded Huffman strings: each is read before the next is decoded.
const scratch = Buffer.allocUnsafeSlow(4096)

/**
 * Decodes header blocks (RFC 7541). Each connection needs its own decoder, and must decode every block even if it is not
 * needed, since each may change the dynamic table.
 *
 * After `decode`, it provides `fields` (name, value, …, valid until the next call), `readsTable` (whether the meaning of
 * the block depends on the dynamic table), `added` (the entries that the block has added), and after a failure `problem`
 * and `isTooLarge`.
 */
class HeaderDecoder {
  /** @param {number} mostDecoded maximum size of the fields of a block (computed as in RFC 9113, section 6.5.2) */
  constructor (mostDecoded) {
    this.mostDecoded = mostDecoded
    this.table = new DynamicTable()
    this.begin()
  }

  begin () {
    this.fields = []
    this.size = 0
    this.readsTable = false
    this.resizesTable = false
    this.added = NO_ENTRIES
    /** Why the block is invalid, as the end of a sentence; the table must not be used afterwards. */
    this.problem = ''
    this.isTooLarge = false
    this.buffer = null
    this.position = 0
    this.end = 0
  }

  /**
   * @param {Buffer} buffer
   * @param {number} start
   * @param {number} end
   * @returns {boolean} whether it is a valid header block
   */
  decode (buffer, start, end) {
    this.begin()
    this.buffer = buffer
    this.position = start
    this.end = end
    while (this.position < this.end && this.problem === '') this.readRepresentation(buffer[this.position])
    this.buffer = null
    return this.problem === ''
  }

  // RFC 7541, section 6: the first bits determine the type.
  readRepresentation (byte) {
    if (byte >= 0x80) this.readIndexed()
    else if (byte >= 0x40) this.readLiteral(6, true)
    else if (byte >= 0x20) this.readSizeUpdate()
    else this.readLiteral(4, false)
  }

  // Section 6.1.
  readIndexed () {
    const index = this.readInteger(7)
    if (index < 0) return
    const entry = this.entry(index)
    if (entry === null) return
    this.give(entry.name, entry.value)
  }

  // Section 6.2: a literal, which may also be added to the table.
  readLiteral (prefix, isAdded) {
    const index = this.readInteger(prefix)
    if (index < 0) return
    let name
    if (index === 0) {
      name = this.readString()
      if (name === null) return
    } else {
      const entry = this.entry(index)
      if (entry === null) return
      name = entry.name
    }
    const value = this.readString()
    if (value === null) return
    this.give(name, value)
    if (isAdded) this.add({ name, value })
  }

  // Sections 6.3 and 4.2: allowed only at the beginning of a block.
  readSizeUpdate () {
    const size = this.readInteger(5)
    if (size < 0) return
    if (this.fields.length > 0) this.fail('the size of the dynamic table changes in the middle of a block')
    else if (size > this.table.limit) this.fail(`the dynamic table grows to ${size}, over its limit of ${this.table.limit}`)
    else {
      this.resizesTable = true
      this.table.resize(size)
    }
  }

  entry (index) {
    if (index > STATIC_ENTRIES) {
      this.readsTable = true
      const entry = this.table.get(index - STATIC_ENTRIES - 1)
      return entry ?? this.fail(`there is no entry at index ${index}`)
    }
    return index > 0 ? STATIC_TABLE[index] : this.fail('there is no entry at index 0')
  }

  give (name, value) {
    this.size += entrySize(name, value)
    if (this.size > this.mostDecoded) {
      this.isTooLarge = true
      this.fail(`its fields are larger than ${this.mostDecoded} octets`)
      return
    }
    this.fields.push(name, value)
  }

  add (entry) {
    if (this.added === NO_ENTRIES) this.added = []
    this.added.push(entry)
    this.table.add(entry)
  }

  // Section 5.1. Returns -1 and sets `problem` if there is no valid integer.
  readInteger (prefix) {
    const { buffer, end } = this
    const mask = (1 << prefix) - 1
    let value = buffer[this.position++] & mask
    if (value < mask) return value
    for (let shift = 0; this.position < end; shift += 7) {
      const byte = buffer[this.position++]
      // Multiplies instead of shifting, since the result may have 32 bits.
      value += (byte & 127) * 2 ** shift
      if (shift > MOST_SHIFT || value > 0xffffffff) {
        this.fail('an integer is too large')
        return -1
      }
      if (byte < 128) return value
    }
    this.fail('it ends within an integer')
    return -1
  }

  // Section 5.2. Octets are returned as Latin-1, which has a character for each.
  readString () {
    const { buffer, end } = this
    if (this.position >= end) return this.fail('it ends before a string')
    const isHuffman = buffer[this.position] >= 0x80
    const length = this.readInteger(7)
    if (length < 0) return null
    const start = this.position
    if (length > end - start) return this.fail('it ends within a string')
    this.position += length
    return isHuffman ? this.readHuffman(start, this.position) : buffer.latin1Slice(start, this.position)
  }

  readHuffman (start, end) {
    const most = mostDecoded(end - start)
    const target = most > scratch.length ? Buffer.allocUnsafe(most) : scratch
    const length = decodeHuffman(this.buffer, start, end, target)
    return length === -1 ? this.fail('a string is not a valid Huffman code') : target.latin1Slice(0, length)
  }

  fail (problem) {
    if (this.problem === '') this.problem = problem
    return null
  }
}

module.exports = HeaderDecoder
