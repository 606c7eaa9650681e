'use strict'

const { STATIC_ENTRIES, staticIndexOfName, staticIndexOfField } = require('./static-table')
const { entrySize, DEFAULT_TABLE_SIZE } = require('./dynamic-table')
const { encodeHuffman, huffmanLength } = require('./huffman')

const MOST_STATES = 1024
const NO_GAPS = Object.freeze([])

/*
 * The contents of the server's decoder table, as one of our connections has filled it. A state is immutable: adding an entry
 * leads to another state, and connections that send the same requests in the same order go through the same states. So each
 * request is encoded once per state in which it is sent. The first time a request is sent on a connection, it adds its
 * fields to the table; from then on each field takes only a byte or two. Nothing is ever evicted: fields that do not fit are
 * not added.
 *
 *     empty --GET /a--> [:path /a, accept] --GET /b--> [:path /a, accept, :path /b] --GET /a--> (the same)
 */
class TableState {
  /**
   * @param {number} [capacity] octets, as the server's SETTINGS allow
   * @param {TableState} [before]
   * @param {{ name: string, value: string }} [entry] the entry that was added to `before`
   */
  constructor (capacity = DEFAULT_TABLE_SIZE, before = null, entry = null) {
    this.capacity = capacity
    // Connections that reopen continue in the middle of the sequence, so there may be many ways to fill a table; this limits
    // them.
    this.budget = before === null ? { states: MOST_STATES } : before.budget
    this.size = entry === null ? 0 : before.size + entrySize(entry.name, entry.value)
    this.count = entry === null ? 0 : before.count + 1
    // Maps name and value to the entry's number, counted from the oldest.
    this.numbers = new Map(before === null ? [] : before.numbers)
    if (entry !== null) this.numbers.set(`${entry.name}\0${entry.value}`, before.count)
    this.following = new Map()
    /** The encoded requests of the sequence in this state, by index; maintained by the sender. */
    this.blocks = []
  }

  /** @returns {number} the index of a field; 0 if it is not in the table */
  indexOf (name, value) {
    const number = this.numbers.get(`${name}\0${value}`)
    // The newest entry has the lowest index.
    return number === undefined ? 0 : STATIC_ENTRIES + this.count - number
  }

  /** Returns the state after adding a field; null if there is no room for it. */
  with (name, value) {
    if (this.size + entrySize(name, value) > this.capacity) return null
    const key = `${name}\0${value}`
    let next = this.following.get(key)
    if (next === undefined) {
      if (this.budget.states === 0) return null
      this.budget.states--
      next = new TableState(this.capacity, this, { name, value })
      this.following.set(key, next)
    }
    return next
  }
}

/**
 * Encodes the fields of one request (RFC 7541, section 6).
 *
 * @param {Array<[string, string, number[]]>} fields name, value (each octet as a Latin-1 character), and the positions in
 *   the value that are filled in later; a value with such positions is never Huffman-coded
 * @param {TableState} state of the connection's table
 * @param {boolean} [isRepeated] whether fields may be added to the table
 * @returns {{ bytes: Buffer, places: number[], next: TableState }} `next`: the state after these fields
 */
function encodeFields (fields, state, isRepeated = false) {
  const pieces = []
  const places = []
  let length = 0
  const write = (piece) => {
    pieces.push(piece)
    length += piece.length
  }
  for (const [name, value, gaps = NO_GAPS] of fields) {
    const index = staticIndexOfField(name, value) || state.indexOf(name, value)
    const following = isRepeated && gaps.length === 0 && index === 0 ? state.with(name, value) : null
    if (index > 0 && gaps.length === 0) {
      write(integer(index, 7, 0x80))
      continue
    }
    // A literal that is added to the table (01) or not (0000).
    const nameIndex = staticIndexOfName(name)
    write(following === null ? integer(nameIndex, 4, 0) : integer(nameIndex, 6, 0x40))
    if (nameIndex === 0) write(string(Buffer.from(name, 'latin1'), true))
    const text = string(Buffer.from(value, 'latin1'), gaps.length === 0)
    const valueStart = length + text.length - value.length
    write(text)
    for (const gap of gaps) places.push(valueStart + gap)
    if (following !== null) state = following
  }
  return { bytes: Buffer.concat(pieces), places, next: state }
}

/**
 * Encodes a size update at the beginning of a block that empties the server's table and sets its size (RFC 7541, section
 * 4.2).
 *
 * @param {number} capacity in octets, at most what the server's SETTINGS allow
 * @returns {Buffer}
 */
function sizeUpdate (capacity) {
  return Buffer.concat([integer(0, 5, 0x20), integer(capacity, 5, 0x20)])
}

// RFC 7541, section 5.1.
function integer (value, prefix, firstBits) {
  const mask = (1 << prefix) - 1
  if (value < mask) return Buffer.of(firstBits | value)
  const bytes = [firstBits | mask]
  let rest = value - mask
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push(rest % 128 + 128)
  bytes.push(rest)
  return Buffer.from(bytes)
}

// RFC 7541, section 5.2.
function string (bytes, mayBeHuffman) {
  const coded = mayBeHuffman ? huffmanLength(bytes) : Infinity
  if (coded < bytes.length) return Buffer.concat([integer(coded, 7, 0x80), encodeHuffman(bytes)])
  return Buffer.concat([integer(bytes.length, 7, 0), bytes])
}

module.exports = { TableState, encodeFields, sizeUpdate }
