'use strict'

const RADIX = 36
const PART_DIGITS = 2
const NUMBER_DIGITS = 7
// Microseconds since 1970, until the year 2085.
const TIME_DIGITS = 10
const RUN_LENGTH = 9

/** The length of an id. */
const LENGTH = RUN_LENGTH + PART_DIGITS + NUMBER_DIGITS + TIME_DIGITS

// By character: the value of a digit; NO_DIGIT for any other character.
const NO_DIGIT = 255
const VALUES = new Uint8Array(256).fill(NO_DIGIT)
for (let value = 0; value < RADIX; value++) VALUES[value.toString(RADIX).charCodeAt(0)] = value

/*
 * The id inside a broadcast message, which tells the receiver of a copy which message it is and when it was due:
 *
 *     run and phase   part   number    due
 *     0k3v9a2xm       01     00004zs   h9w2kq07ts
 *
 * All parts of a run (threads) can read each other's ids.
 */
class BroadcastIds {
  /**
   * @param {string} run 9 letters and digits, the same for all parts of a run and phase, and unique to it
   * @param {number} part the index of this part
   */
  constructor (run, part) {
    this.run = Buffer.from(run, 'latin1')
    this.part = part
    this.prefix = run + digits(part, PART_DIGITS)
    this.count = 0
    /** The position of the last id in its payload; the next one is most often at the same position. */
    this.place = 0
    /** The fields of the id that was found last. */
    this.foundPart = 0
    this.foundNumber = 0
    this.foundDueAt = 0
  }

  /**
   * @param {number} dueAt us since 1970
   * @returns {string} the id of the next message
   */
  next (dueAt) {
    return this.prefix + digits(this.count++, NUMBER_DIGITS) + digits(dueAt, TIME_DIGITS)
  }

  /** The number of the message whose id `next` returned last. */
  get lastNumber () {
    return this.count - 1
  }

  /**
   * Looks for an id in a payload, and sets `foundPart`, `foundNumber` and `foundDueAt`.
   *
   * @returns {boolean} whether there is one
   */
  find (buffer, start, end) {
    if (this.isAt(buffer, start + this.place, end)) return true
    const place = buffer.subarray(start, end).indexOf(this.run)
    if (place === -1 || !this.isAt(buffer, start + place, end)) return false
    this.place = place
    return true
  }

  isAt (buffer, at, end) {
    if (at + LENGTH > end) return false
    const { run } = this
    for (let index = 0; index < RUN_LENGTH; index++) {
      if (buffer[at + index] !== run[index]) return false
    }
    let position = at + RUN_LENGTH
    this.foundPart = valueAt(buffer, position, PART_DIGITS)
    position += PART_DIGITS
    this.foundNumber = valueAt(buffer, position, NUMBER_DIGITS)
    this.foundDueAt = valueAt(buffer, position + NUMBER_DIGITS, TIME_DIGITS)
    return this.foundPart >= 0 && this.foundNumber >= 0 && this.foundDueAt >= 0
  }
}

function digits (value, count) {
  return value.toString(RADIX).padStart(count, '0')
}

// Returns -1 if there is anything other than digits.
function valueAt (buffer, start, count) {
  let value = 0
  for (let index = start; index < start + count; index++) {
    const digit = VALUES[buffer[index]]
    if (digit === NO_DIGIT) return -1
    value = value * RADIX + digit
  }
  return value
}

BroadcastIds.LENGTH = LENGTH
/** The length of the part that all ids of a phase begin with. */
BroadcastIds.RUN_LENGTH = RUN_LENGTH

module.exports = BroadcastIds
