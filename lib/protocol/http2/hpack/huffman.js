'use strict'

/*
 * The Huffman code of HPACK (RFC 7541, section 5.2 and appendix B). It is canonical: shorter codes come first, and codes
 * of the same length are numbered in the order of their symbols, so the lengths define the whole code. Indexed by symbol;
 * the last one, 256, is the end of a string (EOS), which is never sent in full.
 */
const LENGTHS = Uint8Array.of(
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
  28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
  5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
  7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
  15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
  6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
  20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
  24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
  22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
  21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
  26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
  19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
  20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
  26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
  30
)
const EOS = 256
const LONGEST_CODE = 30
// At least one bit of the last byte belongs to a symbol, so there are at most seven bits of padding.
const MOST_PADDING_BITS = 7

const CODES = assignCodes()

function assignCodes () {
  const codes = new Uint32Array(LENGTHS.length)
  let code = 0
  for (let length = 1; length <= LONGEST_CODE; length++, code *= 2) {
    for (let symbol = 0; symbol < LENGTHS.length; symbol++) {
      if (LENGTHS[symbol] === length) codes[symbol] = code++
    }
  }
  return codes
}

/*
 * Decodes half a byte at a time. A state is a node in the tree of codes; each entry, for a state and a half byte,
 * contains
 *
 *     bits  0-7   the next state
 *     bits  8-15  the symbol that was completed (at most one: no code is shorter than five bits)
 *     bit  16     whether a symbol was completed
 *     bit  17     whether EOS was completed, which is an error
 */
const SYMBOL = 1 << 16
const FAILURE = 1 << 17
const ROOT = 0
const TRANSITIONS = new Uint32Array(256 * 16)
// Whether a string may end in this state: only padding bits, all ones, have followed the last symbol.
const MAY_END = new Uint8Array(256)

function buildTransitions () {
  const children = [[-1, -1]]
  for (let symbol = 0; symbol < LENGTHS.length; symbol++) addLeaf(children, symbol)
  for (let state = 0; state < children.length; state++) {
    for (let half = 0; half < 16; half++) TRANSITIONS[state * 16 + half] = transition(children, state, half)
  }
  for (let state = ROOT, bits = 0; bits <= MOST_PADDING_BITS; bits++, state = children[state][1]) MAY_END[state] = 1
}

// Adds a leaf, which encodes its symbol as a number below -1: -2 is symbol 0.
function addLeaf (children, symbol) {
  let node = ROOT
  for (let bit = LENGTHS[symbol] - 1; bit > 0; bit--) {
    const side = (CODES[symbol] >>> bit) & 1
    if (children[node][side] === -1) children[node][side] = children.push([-1, -1]) - 1
    node = children[node][side]
  }
  children[node][CODES[symbol] & 1] = -2 - symbol
}

function transition (children, state, half) {
  let emitted = 0
  for (let bit = 3; bit >= 0; bit--) {
    const child = children[state][(half >> bit) & 1]
    state = child < -1 ? ROOT : child
    if (child === -2 - EOS) return FAILURE
    if (child < -1) emitted = SYMBOL | (-2 - child) << 8
  }
  return emitted | state
}

buildTransitions()

/**
 * @param {Buffer} buffer
 * @param {number} start
 * @param {number} end
 * @param {Buffer} target gets the octets; must have room for `mostDecoded(end - start)`
 * @returns {number} how many octets were decoded; -1 if the code is invalid
 */
function decodeHuffman (buffer, start, end, target) {
  let state = ROOT
  let length = 0
  for (let position = start; position < end; position++) {
    const byte = buffer[position]
    const first = TRANSITIONS[state * 16 + (byte >> 4)]
    if (first >= SYMBOL) {
      if (first >= FAILURE) return -1
      target[length++] = first >> 8
    }
    const second = TRANSITIONS[(first & 255) * 16 + (byte & 15)]
    if (second >= SYMBOL) {
      if (second >= FAILURE) return -1
      target[length++] = second >> 8
    }
    state = second & 255
  }
  return MAY_END[state] === 1 ? length : -1
}

/** The maximum number of octets after decoding: no code is shorter than five bits. */
function mostDecoded (length) {
  return Math.floor(length * 8 / 5)
}

/** The length of the encoded bytes, in octets. */
function huffmanLength (bytes) {
  let bits = 0
  for (const byte of bytes) bits += LENGTHS[byte]
  return Math.ceil(bits / 8)
}

/**
 * @param {Uint8Array} bytes
 * @returns {Buffer}
 */
function encodeHuffman (bytes) {
  const coded = Buffer.alloc(huffmanLength(bytes))
  let length = 0
  // Up to 37 bits (7 waiting and 30 new ones): too many for bit operators, but not for a number.
  let waiting = 0
  let bits = 0
  for (const byte of bytes) {
    waiting = waiting * 2 ** LENGTHS[byte] + CODES[byte]
    bits += LENGTHS[byte]
    while (bits >= 8) {
      bits -= 8
      coded[length++] = Math.floor(waiting / 2 ** bits)
      waiting %= 2 ** bits
    }
  }
  // Pads with the first bits of EOS, which are ones.
  if (bits > 0) coded[length] = waiting * 2 ** (8 - bits) + 2 ** (8 - bits) - 1
  return coded
}

module.exports = { decodeHuffman, encodeHuffman, huffmanLength, mostDecoded }
