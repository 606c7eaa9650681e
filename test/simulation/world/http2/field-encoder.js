'use strict'

const { FieldTable, USUAL_SIZE } = require('./field-table')
const { huffman } = require('./huffman')

// The first bits of a literal, and the number of bits of its index (RFC 7541, section 6.2).
const ADDING = [0x40, 6]
const PLAIN = [0x00, 4]
const NEVER_INDEXED = [0x10, 4]

// A cache, because most strings are repeated.
const coded = new Map()

/**
 * Writes header blocks in one of several ways that servers use:
 *
 * - `plain`: literals, without the table;
 * - `adding`: literals that are added to the table each time, as some servers do, and occasionally the index of an old entry;
 * - `indexed`: an index if there is one, otherwise a literal that is added to the table, as most servers do;
 * - `mixed`: anything that is allowed, at random: indexed fields, literals that are added or not, names from the tables, with and
 *   without Huffman code, and tables of changing sizes.
 */
class FieldEncoder {
  /**
   * @param {'plain'|'adding'|'indexed'|'mixed'} way
   * @param {function(): number} next random numbers, 0 to 1
   */
  constructor (way, next) {
    this.way = way
    this.next = next
    this.table = new FieldTable()
  }

  /** @param {string[][]} fields `[name, value]`, one character per byte */
  encode (fields) {
    const sizes = this.way === 'mixed' && this.happens(0.05) ? this.newSizes() : []
    return Buffer.concat([...sizes, ...fields.map((field) => this.encodeField(field))])
  }

  happens (share) {
    return this.next() < share
  }

  // New table sizes: 0 and then another one, or another one at once; often about the size of a few entries.
  newSizes () {
    const few = this.table.sizeOfNewest(Math.floor(this.next() * 4)) + Math.floor(this.next() * 3) - 1
    const size = this.happens(0.5) ? few : Math.floor(this.next() * (USUAL_SIZE + 1))
    const sizes = [...(this.happens(0.3) ? [0] : []), Math.min(USUAL_SIZE, Math.max(0, size))]
    return sizes.map((size) => {
      this.table.resize(size)
      return integer(size, 5, 0x20)
    })
  }

  encodeField ([name, value]) {
    if (this.way === 'plain') return this.literal(PLAIN, 0, name, value)
    if (this.way === 'adding') return this.happens(0.05) ? this.oldest(name, value) : this.literal(ADDING, 0, name, value)
    const index = this.table.indexOf(name, value)
    if (index > 0 && (this.way === 'indexed' || this.happens(0.8))) return integer(index, 7, 0x80)
    if (this.way === 'indexed') return this.literal(ADDING, this.table.indexOf(name), name, value)
    const form = this.happens(0.6) ? ADDING : this.happens(0.5) ? PLAIN : NEVER_INDEXED
    return this.literal(form, this.happens(0.8) ? this.table.indexOf(name) : 0, name, value)
  }

  oldest (name, value) {
    const index = this.table.lastIndexOf(name, value)
    return index > 0 ? integer(index, 7, 0x80) : this.literal(ADDING, 0, name, value)
  }

  literal (form, index, name, value) {
    const [firstBits, prefix] = form
    const named = index > 0 ? [] : [this.string(name)]
    if (form === ADDING) this.table.add([name, value])
    return Buffer.concat([integer(index, prefix, firstBits), ...named, this.string(value)])
  }

  string (text) {
    const bytes = Buffer.from(text, 'latin1')
    if (this.way === 'plain' || this.way === 'adding' || this.happens(0.5)) return Buffer.concat([integer(bytes.length, 7, 0), bytes])
    if (!coded.has(text)) coded.set(text, huffman(bytes))
    return Buffer.concat([integer(coded.get(text).length, 7, 0x80), coded.get(text)])
  }
}

// RFC 7541, section 5.1.
function integer (value, prefix, firstBits) {
  const most = 2 ** prefix - 1
  if (value < most) return Buffer.of(firstBits | value)
  const octets = [firstBits | most]
  for (value -= most; value >= 128; value = Math.floor(value / 128)) octets.push(value % 128 | 128)
  return Buffer.from([...octets, value])
}

module.exports = { FieldEncoder, integer }
