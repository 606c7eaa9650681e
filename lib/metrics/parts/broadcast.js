'use strict'

const { perSecond } = require('../../base/rounding')
const Distribution = require('../distribution')
const { durations, from, group, leaf, rising } = require('../fields')
const { counter, one } = require('../series')
const { durationStatistics, toMilliseconds } = require('../statistics')
const { columnsOf, definePart } = require('./part')

// Columns that each part of a run writes to its own row of shared memory; every part reads all rows.
const COLUMNS = ['sent', 'deadline', 'isDone']
const [SENT, DEADLINE, DONE] = COLUMNS.keys()
const FIRST_MESSAGES = 256
const FIRST_LISTENERS = 64
// The size of what is remembered of copies before the oldest messages are forgotten, in 32-bit words: 100,000 messages on up to 128
// connections. What a message needs besides a bit per connection is an estimate.
const FIRST_WORDS = 4
const MESSAGE_WORDS = 32
const REMEMBERED_WORDS = 100_000 * (FIRST_WORDS + MESSAGE_WORDS)
// Largest value that 32 bits can hold, with room for the offset of 1: more than an hour, in us.
const MOST_LATE = 2 ** 32 - 2

/** Allocates the memory that the parts of a run share during one phase. @param {number} parts how many */
function sharedCounts (parts) {
  return new SharedArrayBuffer(COLUMNS.length * parts * Float64Array.BYTES_PER_ELEMENT)
}

/**
 * Counts copies of broadcast messages (docs/realtime.md, "Broadcast"). A connection is expected to get a copy of every message that is
 * sent while it is open, by this part of the run or by another one. For each part, it remembers the number of the first message sent
 * since it opened; copies of earlier messages are not counted:
 *
 *                    messages sent by part 0, part 1
 *     it opened                  17           12        copies of 17, 18, … and 12, 13, … count
 *     it closed                  20           12        3 copies were expected
 *
 * For each message it also remembers how late its last copy was:
 *
 *     part 0   lasts   [ 1 + 20400 us ][ 1 + 18100 us ][ 0 ]          0: no copy has arrived here
 *     part 1   lasts   [ 1 + 21000 us ][ … ]
 *
 * The last copy of a message is the latest one that any part has received.
 */
class BroadcastRecorder {
  /**
   * @param {object} options
   * @param {string} options.run distinguishes messages of this run and phase from those of others
   * @param {number} options.part index of this part of the run
   * @param {SharedArrayBuffer} [options.shared] see `sharedCounts`; if omitted, there are no other parts
   * @param {number} options.retention ms for which duplicate copies can be detected, however many messages there are
   * @param {number} [options.remembered] how much is remembered for longer, in 32-bit words
   */
  constructor ({ run, part, shared = sharedCounts(part + 1), retention, remembered = REMEMBERED_WORDS }) {
    this.run = run
    this.part = part
    this.shared = new Float64Array(shared)
    this.row = part * COLUMNS.length
    this.retention = retention
    this.parts = this.shared.length / COLUMNS.length
    this.remembered = remembered / this.parts
    /** By part: the copies of its messages that arrived. */
    this.senders = []
    /** By connection and part: number of the first message whose copies count; Infinity while the connection is not open. */
    this.listensFrom = new Float64Array(FIRST_LISTENERS * this.parts).fill(Infinity)
    this.listeners = 0
    /** Correction term: `expected` minus what the current listeners would have received had they listened since the first message. */
    this.expectedBefore = 0
    this.received = 0
    this.receivedInWindow = null
    /** The longest time that a copy took since the last sample, us; -1 if none arrived. */
    this.latest = -1
    /** The longest time that any copy took, as of the last sample. */
    this.longest = -1
  }

  /** A connection of this part opened: it is expected to get a copy of every message sent from now on. */
  joined (connection) {
    const { parts, shared } = this
    while ((connection + 1) * parts > this.listensFrom.length) this.growListeners()
    for (let part = 0; part < parts; part++) {
      const sent = shared[part * COLUMNS.length + SENT]
      this.listensFrom[connection * parts + part] = sent
      this.expectedBefore -= sent
    }
    this.listeners++
  }

  /** A connection of this part closed. */
  left (connection) {
    this.expectedBefore += this.sum(SENT)
    this.listeners--
    const { parts } = this
    this.listensFrom.fill(Infinity, connection * parts, (connection + 1) * parts)
  }

  growListeners () {
    const larger = new Float64Array(2 * this.listensFrom.length).fill(Infinity)
    larger.set(this.listensFrom)
    this.listensFrom = larger
  }

  /** Number of copies that connections of this part should have received. */
  get expected () {
    return this.expectedBefore + this.listeners * this.sum(SENT)
  }

  /** Sum of a column over all parts. */
  sum (column) {
    let sum = 0
    for (let place = column; place < this.shared.length; place += COLUMNS.length) sum += this.shared[place]
    return sum
  }

  /** A message is being sent. @param {number} deadline ms since 1970, until which its copies are waited for */
  sent (deadline) {
    const { row, shared } = this
    shared[row + SENT]++
    if (deadline > shared[row + DEADLINE]) shared[row + DEADLINE] = deadline
  }

  /**
   * Records a copy that has arrived.
   *
   * @param {number} part that sent the message
   * @param {number} number of the message
   * @param {number} connection of ours on which it arrived
   * @param {number} late us since it was due
   * @param {number} now ms
   * @returns {boolean} whether the copy was expected: it is the first one on this connection, which was open when the message was
   *   sent
   */
  copied (part, number, connection, late, now) {
    // Ignore numbers that were never sent: a server that makes them up must not fill our memory.
    const place = part * COLUMNS.length + SENT
    if (place >= this.shared.length || number >= this.shared[place]) return false
    // A connection that has not joined yet may be beyond the end of the array.
    if (!(number >= this.listensFrom[connection * this.parts + part])) return false
    this.senders[part] ??= new Sender(this.retention, this.remembered)
    if (!this.senders[part].copied(number, connection, late, now)) return false
    this.received++
    if (late > this.latest) this.latest = late
    return true
  }

  /** @returns {?number} the longest time that a copy took since the last call, us; null if none arrived */
  takeLatest () {
    const { latest } = this
    this.latest = -1
    if (latest > this.longest) this.longest = latest
    return latest < 0 ? null : latest
  }

  /** This part will send no more messages. */
  closeWindow () {
    this.receivedInWindow = this.received
    this.shared[this.row + DONE] = 1
  }

  /** Whether this part still expects copies, or any part may still send. @param {number} epoch now, ms since 1970 */
  awaitsCopies (epoch) {
    if (this.sum(DONE) < this.parts) return true
    if (this.received >= this.expected) return false
    for (let place = DEADLINE; place < this.shared.length; place += COLUMNS.length) {
      if (this.shared[place] > epoch) return true
    }
    return false
  }

  toData () {
    const { run, expected, received, receivedInWindow, senders } = this
    return {
      expected,
      received,
      receivedInWindow: receivedInWindow ?? received,
      lasts: senders.flatMap((sender, part) => [[`${run} ${part}`, encode(sender.lasts)]])
    }
  }

  /** The state so far, without the data that is expensive to collect. */
  interim () {
    return { expected: this.expected, received: this.received, receivedInWindow: this.received, lasts: [], longest: this.longest }
  }
}

/** The copies received of the messages of one part. */
class Sender {
  /** @param {number} retention ms @param {number} remembered words, see BroadcastRecorder */
  constructor (retention, remembered) {
    this.retention = retention
    this.remembered = remembered
    this.lasts = new Uint32Array(FIRST_MESSAGES)
    /** By message number, in the order of the first copies: the connections that have received a copy. */
    this.copies = new Map()
    /** How many words the bits of a message have. */
    this.width = FIRST_WORDS
    this.number = -1
    this.seen = null
  }

  copied (number, connection, late, now) {
    // Copies of one message usually arrive together, so remember the message of the last copy.
    if (number !== this.number && !this.turnTo(number, now)) return false
    if (connection >>> 5 >= this.seen.bits.length) this.widen(connection >>> 5)
    if (!this.seen.add(connection)) return false
    const value = 1 + Math.min(late, MOST_LATE)
    if (number >= this.lasts.length) this.grow(number)
    if (value > this.lasts[number]) this.lasts[number] = value
    return true
  }

  // @returns whether it is known which connections have received a copy
  turnTo (number, now) {
    const known = this.copies.get(number)
    // The first copies arrived so many messages ago that their connections are forgotten, so this one may be a duplicate.
    if (known === undefined && this.lasts[number] > 0) return false
    this.number = number
    this.seen = known ?? this.begin(number, now)
    return true
  }

  begin (number, now) {
    for (const [old, { since }] of this.copies) {
      if (since + this.retention > now || this.copies.size * (this.width + MESSAGE_WORDS) <= this.remembered) break
      this.copies.delete(old)
    }
    const seen = new ConnectionSet(now, this.width)
    this.copies.set(number, seen)
    return seen
  }

  widen (word) {
    this.seen.grow(word)
    this.width = Math.max(this.width, this.seen.bits.length)
  }

  grow (number) {
    const larger = new Uint32Array(Math.max(2 * this.lasts.length, number + 1))
    larger.set(this.lasts)
    this.lasts = larger
  }
}

/** The set of connections on which a message has arrived, one bit each. */
class ConnectionSet {
  /** @param {number} since when the first copy arrived, ms @param {number} width how many words it has room for */
  constructor (since, width) {
    this.since = since
    this.bits = new Uint32Array(width)
  }

  /** Adds a connection that there is room for. @returns {boolean} whether it was not in the set yet */
  add (connection) {
    const word = connection >>> 5
    const bit = 1 << (connection & 31)
    if ((this.bits[word] & bit) !== 0) return false
    this.bits[word] |= bit
    return true
  }

  grow (word) {
    const larger = new Uint32Array(Math.max(2 * this.bits.length, word + 1))
    larger.set(this.bits)
    this.bits = larger
  }
}

function encode (lasts) {
  let end = lasts.length
  while (end > 0 && lasts[end - 1] === 0) end--
  return Buffer.from(lasts.buffer, lasts.byteOffset, 4 * end).toString('base64')
}

function decode (text) {
  const bytes = Buffer.from(text, 'base64')
  return Uint32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readUInt32LE(4 * index))
}

/**
 * Adds up the data of several recorders.
 *
 * @param {object[]} parts from BroadcastRecorder.toData
 * @returns {object} `{ expected, received, receivedInWindow, lastCopy, longest }`: `lastCopy` is a distribution in us, `longest` the maximum
 *   from `interim`, -1 if there is none
 */
function mergeBroadcasts (parts) {
  const sum = (name) => parts.reduce((total, part) => total + part[name], 0)
  const lasts = new Map()
  for (const [key, text] of parts.flatMap((part) => part.lasts)) {
    const known = lasts.get(key)
    const more = decode(text)
    lasts.set(key, known === undefined ? more : later(known, more))
  }
  const lastCopy = new Distribution()
  for (const values of lasts.values()) {
    for (const value of values) if (value > 0) lastCopy.record(value - 1)
  }
  return { expected: sum('expected'), received: sum('received'), receivedInWindow: sum('receivedInWindow'), lastCopy, longest: Math.max(...parts.map(({ longest = -1 }) => longest)) }
}

function later (one, other) {
  const [long, short] = one.length >= other.length ? [one, other] : [other, one]
  short.forEach((value, index) => { if (value > long[index]) long[index] = value })
  return long
}

/**
 * `result.broadcast`.
 *
 * @param {object} broadcast merged
 * @param {number} seconds length of the window
 */
function broadcastResult ({ expected, received, receivedInWindow, lastCopy }, seconds) {
  return {
    expected,
    received,
    ratio: expected === 0 ? 0 : Math.floor(received / expected * 1e6) / 1e6,
    lastCopy: durationStatistics(lastCopy),
    fanOut: perSecond(receivedInWindow, seconds)
  }
}

const hasCopies = (sample) => sample?.messages?.lastCopy !== undefined

function copiesMissing ({ broadcast }) {
  if (!broadcast || broadcast.received >= broadcast.expected) return null
  const { expected, received } = broadcast
  return {
    code: 'COPIES_MISSING',
    message: `Only ${received} of ${expected} copies arrived: times of last copies cover only those, and thresholds on them cannot pass. A copy was expected on each connection that was open when the message was sent; a server with rooms sends it to only some of them.`
  }
}

/** Copies of broadcast messages. They are counted and merged together with the messages: see messages.js. */
const broadcast = definePart({
  name: 'broadcast',
  isIn: ({ websocket }) => websocket?.expect === 'broadcast',
  condition: "with websocket.expect 'broadcast'",
  contrast: 'whether messages are broadcast',
  of: ({ messages }) => messages?.broadcast ?? null,
  columns: columnsOf((sample) => hasCopies(sample) ? sample.messages : undefined, [['lastCopy', ({ lastCopy }) => lastCopy]]),
  times: ({ lastCopy }) => ({ lastCopy }),
  result: (counted, { seconds }) => ({ broadcast: broadcastResult(counted, seconds) }),
  interim: ({ expected, received, longest }) => ({ broadcast: { expected, received, ...(longest >= 0 && { lastCopy: { max: toMilliseconds(longest) } }) } }),
  warnings: [copiesMissing],
  drains: (plan) => broadcast.isIn(plan),
  fields: {
    broadcast: group('ratio', {
      expected: rising('count'),
      received: rising('count', 'expected'),
      ratio: from('expected', leaf('share')),
      lastCopy: durations('lastCopy'),
      fanOut: leaf('rate')
    })
  },
  totals: ({ expected, received }) => ({ counters: { copiesExpected: expected, copiesReceived: received } }),
  series: [
    counter('cannonade_copies_expected_total', 'Copies of broadcast messages expected: for each message, the connections open when it was sent.',
      ({ counters: { copiesExpected = 0 } }) => one(copiesExpected)),
    counter('cannonade_copies_received_total', 'Copies of broadcast messages received.',
      ({ counters: { copiesReceived = 0 } }) => one(copiesReceived))
  ]
})

module.exports = { broadcast, BroadcastRecorder, mergeBroadcasts, sharedCounts }
