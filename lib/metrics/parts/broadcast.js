'use strict'

const Distribution = require('../distribution')
const { durations, group, leaf, rising } = require('../fields')
const { counter, one } = require('../series')
const { durationStatistics, toMilliseconds } = require('../statistics')
const { columnsOf, definePart } = require('./part')

// What each part of a run tells the others, in memory that they share; each writes its own row and reads all.
const COLUMNS = ['sent', 'deadline', 'isDone']
const [SENT, DEADLINE, DONE] = COLUMNS.keys()
const FIRST_MESSAGES = 256
const FIRST_LISTENERS = 64
// What 32 bits hold: more than an hour, in us.
const MOST_LATE = 2 ** 32 - 2

/** The memory that the parts of a run share, as long as a phase of it lasts. @param {number} parts how many */
function sharedCounts (parts) {
  return new SharedArrayBuffer(COLUMNS.length * parts * Float64Array.BYTES_PER_ELEMENT)
}

/**
 * Counts the copies of what is sent to all (docs/realtime.md, "Broadcast"), by who gets them: a connection is to get a copy of each
 * message that goes out while it is open, of this part of the run or of another one. So it remembers from which number on it
 * listens to each part, and what comes of earlier messages is not one of the copies that are expected:
 *
 *                    messages sent by part 0, part 1
 *     it opened                  17           12        copies of 17, 18, … and 12, 13, … count
 *     it closed                  20           12        3 copies were expected
 *
 * Of each message it is remembered how late its last copy was:
 *
 *     part 0   lasts   [ 1 + 20400 us ][ 1 + 18100 us ][ 0 ]          0: no copy has come here
 *     part 1   lasts   [ 1 + 21000 us ][ … ]
 *
 * The last copy of a message is the later one of those that the parts have seen.
 */
class BroadcastRecorder {
  /**
   * @param {object} options
   * @param {string} options.run what tells the messages of this run and phase from those of others
   * @param {number} options.part which part of the run this is
   * @param {SharedArrayBuffer} [options.shared] see `sharedCounts`; without it there are no other parts
   * @param {number} options.retention ms: for so long a second copy is told from a first one
   */
  constructor ({ run, part, shared = sharedCounts(part + 1), retention }) {
    this.run = run
    this.part = part
    this.shared = new Float64Array(shared)
    this.row = part * COLUMNS.length
    this.retention = retention
    this.parts = this.shared.length / COLUMNS.length
    /** By part: what has come of its messages. */
    this.senders = []
    /** By connection and part: the number of the first message of which a copy counts; Infinity: it is not open. */
    this.listensFrom = new Float64Array(FIRST_LISTENERS * this.parts).fill(Infinity)
    this.listeners = 0
    /** `expected` less what each listener would have got since the first message. */
    this.expectedBefore = 0
    this.received = 0
    this.receivedInWindow = null
    /** What the latest copy took that came since the last sample, us; -1: none came. */
    this.latest = -1
    /** The most that any has taken, as far as it was told in a sample. */
    this.longest = -1
  }

  /** A connection of this part is open: it is to get a copy of what goes out from now on. */
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

  /** It is open no more. */
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

  /** How many copies were to come, on the connections of this part. */
  get expected () {
    return this.expectedBefore + this.listeners * this.sum(SENT)
  }

  /** Of all parts, the sum of a column. */
  sum (column) {
    let sum = 0
    for (let place = column; place < this.shared.length; place += COLUMNS.length) sum += this.shared[place]
    return sum
  }

  /** A message goes out. @param {number} deadline ms since 1970, until which its copies are waited for */
  sent (deadline) {
    const { row, shared } = this
    shared[row + SENT]++
    if (deadline > shared[row + DEADLINE]) shared[row + DEADLINE] = deadline
  }

  /**
   * A copy has come.
   *
   * @param {number} part which one's message it is
   * @param {number} number of the message
   * @param {number} connection on which connection of ours
   * @param {number} late us since it was due
   * @param {number} now ms
   * @returns {boolean} whether it is one of those that are expected: the first on this connection, which was open when the message
   *   was sent
   */
  copied (part, number, connection, late, now) {
    // Who answers with numbers of its own invention is not to fill our memory.
    const place = part * COLUMNS.length + SENT
    if (place >= this.shared.length || number >= this.shared[place]) return false
    if (number < this.listensFrom[connection * this.parts + part]) return false
    this.senders[part] ??= new Sender()
    if (!this.senders[part].copied(number, connection, late, now, this.retention)) return false
    this.received++
    if (late > this.latest) this.latest = late
    return true
  }

  /** @returns {?number} the most that a copy took which came since the last call, us; null where none came */
  takeLatest () {
    const { latest } = this
    this.latest = -1
    if (latest > this.longest) this.longest = latest
    return latest < 0 ? null : latest
  }

  /** The time in which messages go out is over, for this part. */
  closeWindow () {
    this.receivedInWindow = this.received
    this.shared[this.row + DONE] = 1
  }

  /** Whether copies are still to come to this part, or messages of any. @param {number} epoch now, ms since 1970 */
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

  /** How it stands: without what takes long to tell. */
  standing () {
    return { expected: this.expected, received: this.received, receivedInWindow: this.received, lasts: [], longest: this.longest }
  }
}

/** What has come of the messages of one part. */
class Sender {
  constructor () {
    this.lasts = new Uint32Array(FIRST_MESSAGES)
    /** By number, in the order in which the first copies came: who has a copy. */
    this.copies = new Map()
    this.number = -1
    this.seen = null
  }

  copied (number, connection, late, now, retention) {
    // Copies of one message come together.
    if (number !== this.number && !this.turnTo(number, now, retention)) return false
    if (!this.seen.add(connection)) return false
    const value = 1 + Math.min(late, MOST_LATE)
    if (number >= this.lasts.length) this.grow(number)
    if (value > this.lasts[number]) this.lasts[number] = value
    return true
  }

  // @returns whether it is known who has a copy
  turnTo (number, now, retention) {
    const known = this.copies.get(number)
    // Where copies came so long ago that this is forgotten, another one may be a second one.
    if (known === undefined && this.lasts[number] > 0) return false
    this.number = number
    this.seen = known ?? this.begin(number, now, retention)
    return true
  }

  begin (number, now, retention) {
    for (const [old, { since }] of this.copies) {
      if (since + retention > now) break
      this.copies.delete(old)
    }
    const seen = new Seen(now)
    this.copies.set(number, seen)
    return seen
  }

  grow (number) {
    const larger = new Uint32Array(Math.max(2 * this.lasts.length, number + 1))
    larger.set(this.lasts)
    this.lasts = larger
  }
}

/** On which connections a message has come: a bit for each. */
class Seen {
  /** @param {number} since when the first copy came, ms */
  constructor (since) {
    this.since = since
    this.bits = new Uint32Array(4)
  }

  /** @returns {boolean} whether it is new there */
  add (connection) {
    const word = connection >>> 5
    const bit = 1 << (connection & 31)
    if (word >= this.bits.length) this.grow(word)
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
 * Adds up those of several recorders.
 *
 * @param {object[]} parts as BroadcastRecorder.toData gives them
 * @returns {object} `{ expected, received, receivedInWindow, lastCopy, longest }`: `lastCopy` is a distribution of us, `longest` the largest of a
 *   standing, -1 if there is none
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
 * @param {number} seconds the window
 */
function broadcastResult ({ expected, received, receivedInWindow, lastCopy }, seconds) {
  const thousandth = (value) => Math.round(value * 1000) / 1000
  return {
    expected,
    received,
    ratio: expected === 0 ? 0 : Math.floor(received / expected * 1e6) / 1e6,
    lastCopy: durationStatistics(lastCopy),
    fanOut: seconds > 0 ? thousandth(receivedInWindow / seconds) : 0
  }
}

const hasCopies = (sample) => sample?.messages?.lastCopy !== undefined

/** What becomes of messages that go out to all. Counted, and added up, with the messages: see messages.js. */
const broadcast = definePart({
  name: 'broadcast',
  isIn: ({ websocket }) => websocket?.expect === 'broadcast',
  condition: "with websocket.expect 'broadcast'",
  contrast: 'whether messages are broadcast',
  of: ({ messages }) => messages?.broadcast ?? null,
  columns: columnsOf((sample) => hasCopies(sample) ? sample.messages : undefined, [['lastCopy', ({ lastCopy }) => lastCopy]]),
  times: ({ lastCopy }) => ({ lastCopy }),
  result: (counted, { seconds }) => ({ broadcast: broadcastResult(counted, seconds) }),
  standing: ({ expected, received, longest }) => ({ broadcast: { expected, received, ...(longest >= 0 && { lastCopy: { max: toMilliseconds(longest) } }) } }),
  fields: {
    broadcast: group('ratio', {
      expected: rising('count'),
      received: rising('count', 'expected'),
      ratio: leaf('share'),
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
