'use strict'

const { STATIC_ENTRIES, staticIndexOfName, staticIndexOfField } = require('./static-table')
const { entrySize, DEFAULT_TABLE_SIZE } = require('./dynamic-table')
const { encodeHuffman, huffmanLength } = require('./huffman')

const MOST_STATES = 1024
const NO_GAPS = Object.freeze([])

/*
 * What the server's decoder has in its table, as one of our connections has filled it. A state never changes: adding an
 * entry leads to another one, and connections that send the same requests in the same order go through the same states.
 * So a request is encoded once for each state in which it is sent. In its first sending on a connection it adds its
 * fields, in all later ones they are a byte or two each. Nothing is ever evicted: what does not fit is not added.
 *
 *     empty --GET /a--> [:path /a, accept] --GET /b--> [:path /a, accept, :path /b] --GET /a--> (the same)
 */
class TableState {
  /**
   * @param {number} [capacity] octets, as the server's SETTINGS allow
   * @param {TableState} [before]
   * @param {{ name: string, value: string }} [entry] that was added to it
   */
  constructor (capacity = DEFAULT_TABLE_SIZE, before = null, entry = null) {
    this.capacity = capacity
    // Connections that were opened again go on somewhere in the sequence, so that there may be many ways of filling a table.
    this.budget = before === null ? { states: MOST_STATES } : before.budget
    this.size = entry === null ? 0 : before.size + entrySize(entry.name, entry.value)
    this.count = entry === null ? 0 : before.count + 1
    // Which entry it was, counted from the oldest, by name and value.
    this.numbers = new Map(before === null ? [] : before.numbers)
    if (entry !== null) this.numbers.set(`${entry.name}\0${entry.value}`, before.count)
    this.following = new Map()
    /** The requests of the sequence, by their index, as they are sent in this state; for who sends them. */
    this.blocks = []
  }

  /** @returns {number} the index of a field; 0: it is not in the table */
  indexOf (name, value) {
    const number = this.numbers.get(`${name}\0${value}`)
    // The newest entry stands first.
    return number === undefined ? 0 : STATIC_ENTRIES + this.count - number
  }

  /** The state after a field was added; null where it has no room for it. */
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
 * Writes the fields of one request (RFC 7541, section 6).
 *
 * @param {Array<[string, string, number[]]>} fields name, value (each octet as a Latin-1 character), and where in the value
 *   something is filled in later: such a value is written as it is
 * @param {TableState} state of the connection's table
 * @param {boolean} [isRepeated] whether fields may be added to the table
 * @returns {{ bytes: Buffer, places: number[], next: TableState }} `next`: the state behind it
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
    // Literal with (01) or without (0000) an entry for it.
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
 * Empties the server's table, and sets its size (RFC 7541, section 4.2); stands at the beginning of a block.
 *
 * @param {number} capacity octets, at most what its SETTINGS allow
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
