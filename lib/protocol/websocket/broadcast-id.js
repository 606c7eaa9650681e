'use strict'

const RADIX = 36
const PART_DIGITS = 2
const NUMBER_DIGITS = 7
// Microseconds since 1970, until the year 2085.
const TIME_DIGITS = 10
const RUN_LENGTH = 9

/** How long each id is. */
const LENGTH = RUN_LENGTH + PART_DIGITS + NUMBER_DIGITS + TIME_DIGITS

// By character: the value of a digit, NO_DIGIT for all others.
const NO_DIGIT = 255
const VALUES = new Uint8Array(256).fill(NO_DIGIT)
for (let value = 0; value < RADIX; value++) VALUES[value.toString(RADIX).charCodeAt(0)] = value

/*
 * The id that a message of a broadcast carries, so that whoever gets a copy of it knows whose it is and when it was due:
 *
 *     run and phase   part   number    due
 *     0k3v9a2xm       01     00004zs   h9w2kq07ts
 *
 * All parts of a run (threads) read the ids of each other.
 */
class BroadcastIds {
  /**
   * @param {string} run what is the same for all parts and different for all else, 9 letters and digits
   * @param {number} part which one this is
   */
  constructor (run, part) {
    this.run = Buffer.from(run, 'latin1')
    this.part = part
    this.prefix = run + digits(part, PART_DIGITS)
    this.count = 0
    /** Where in a payload the last id began: that of the next is there most often. */
    this.place = 0
    /** Of the id that was found last. */
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

  /** The number of the message that `next` gave its id. */
  get lastNumber () {
    return this.count - 1
  }

  /**
   * Looks for an id in a payload; `foundPart`, `foundNumber` and `foundDueAt` tell which.
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

// -1 where there is something else than digits.
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
/** How long the part is that all ids of a phase begin with. */
BroadcastIds.RUN_LENGTH = RUN_LENGTH

module.exports = BroadcastIds
