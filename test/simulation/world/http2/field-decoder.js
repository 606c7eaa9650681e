'use strict'

const { FieldTable, USUAL_SIZE } = require('./field-table')
const { unhuffman } = require('./huffman')

// A block may announce two sizes: the smallest since the previous block, and the current one.
const MOST_SIZE_UPDATES = 2

/** A strict reader of header blocks (RFC 7541): throws an Error for anything invalid. */
class FieldDecoder {
  constructor () {
    this.table = new FieldTable()
    /** The maximum size of the table, as far as the other end knows it. */
    this.limit = USUAL_SIZE
    /** The size to which the next block must reduce the table; null if it needn't. */
    this.owedSize = null
  }

  /** The other end knows a new limit from now on. */
  setLimit (limit) {
    this.limit = limit
    if (limit < this.table.capacity) this.owedSize = Math.min(limit, this.owedSize ?? Infinity)
  }

  /** @param {Buffer} block @returns {string[][]} its fields, `[name, value]`, one character per byte */
  decode (block) {
    this.block = block
    this.position = 0
    this.readSizes()
    const fields = []
    while (this.position < block.length) fields.push(this.readField(block[this.position]))
    return fields
  }

  readSizes () {
    let least = Infinity
    for (let count = 0; this.next >> 5 === 1; count++) {
      if (count === MOST_SIZE_UPDATES) throw new Error(`it changes the size of the table more than ${MOST_SIZE_UPDATES} times`)
      const size = this.integer(5)
      if (size > this.limit) throw new Error(`it makes the table ${size} octets large, of ${this.limit} that are allowed`)
      this.table.resize(size)
      least = Math.min(least, size)
    }
    if (this.owedSize !== null && least > this.owedSize) throw new Error(`it does not begin with a table of at most ${this.owedSize} octets, to which SETTINGS have shrunk it`)
    this.owedSize = null
  }

  readField (first) {
    if (first >= 0x80) return this.entry(this.integer(7))
    if (first >= 0x40) {
      const field = this.literal(6)
      this.table.add(field)
      return field
    }
    if (first >= 0x20) throw new Error('it changes the size of the table behind a field')
    return this.literal(4)
  }

  literal (prefix) {
    const index = this.integer(prefix)
    const name = index === 0 ? this.string() : this.entry(index)[0]
    return [name, this.string()]
  }

  entry (index) {
    const entry = this.table.at(index)
    if (entry === undefined) throw new Error(`there is nothing at the index ${index} of a table with ${this.table.entries.length} entries`)
    return entry
  }

  get next () {
    return this.position < this.block.length ? this.block[this.position] : -1
  }

  octet () {
    if (this.position === this.block.length) throw new Error('it ends too early')
    return this.block[this.position++]
  }

  integer (prefix) {
    const most = 2 ** prefix - 1
    let value = this.octet() & most
    if (value < most) return value
    for (let factor = 1; ; factor *= 128) {
      const octet = this.octet()
      value += (octet & 127) * factor
      if (value >= 2 ** 32) throw new Error('it has an integer of more than 32 bits')
      if (octet < 128) return value
    }
  }

  string () {
    const isHuffman = this.next >= 0x80
    const length = this.integer(7)
    const bytes = this.block.subarray(this.position, this.position + length)
    if (bytes.length < length) throw new Error('it ends within a string')
    this.position += length
    return (isHuffman ? unhuffman(bytes) : bytes).latin1Slice()
  }
}

module.exports = FieldDecoder
