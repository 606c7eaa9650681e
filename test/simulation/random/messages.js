'use strict'

const { argumentsIn, readPacket } = require('../world/socketio')
const connectionOf = require('./connection-of')

const ACK = '3'
const EPOCH_MS = Date.UTC(2020, 0, 1)

/**
 * The messages of one round of WebSocket, and their replies: computed from what was written to each connection and read from it, in order.
 *
 * With `expect: 'reply'`, an incoming message is the reply to the oldest one in flight on its connection, or with `match` to the oldest one
 * with the same text; with 'broadcast' a message's own copy is its reply, and the first copy counts on each connection that was open when
 * it was sent; with 'nothing' a message is complete when it was written. With Socket.IO messages are events; an incoming acknowledgement is
 * assigned by its id, and an incoming event by its name.
 */
class Messages {
  /**
   * @param {Round} round
   * @param {object[]} phases of its threads: their notes begin with `firstNote` and those of others with `lastNote`, see `told` of the
   *   world's sockets
   */
  constructor (round, phases) {
    const { drawn: { messages: { expect, hasMatch, socketio } }, world } = round
    Object.assign(this, { round, world, expect, socketio, phases })
    round.log = round.log.filter(({ method }) => method === 'TEXT' || method === 'BINARY')
    this.isByIds = expect === 'broadcast' || hasMatch || socketio?.ack === true
    this.told = world.sockets.map((socket) => {
      const { firstNote, lastNote } = phases.length === 1 ? phases[0] : phases.find(({ phase }) => phase.pool.part.share === connectionOf(socket).owner.pool.part.share)
      return [socket, socket.told.filter(({ order }) => order >= firstNote && order < lastNote)]
    })
    this.counts = { received: 0, unasked: 0, bytesReceived: 0, pings: 0, pongs: 0 }
    /** Messages that arrived in the same chunk in which the client closed the connection: it may have read no further. */
    this.doubtful = { received: 0, unasked: 0, bytesReceived: 0, pings: 0, pongs: 0 }
    this.byStatus = {}
    this.informational = 0
    this.closeCodes = {}
    this.doubtfulCodes = {}
    this.copies = 0
    this.doubtfulCopies = 0
    // In broadcasts, by content: when and on which connections copies arrived.
    this.sent = new Map()
  }

  /** Determines for each message of the log when its reply began and ended. */
  hear () {
    if (this.expect === 'broadcast') {
      for (const entry of this.round.log) this.sent.set(entry.path, { entry, on: new Set(), lastAt: null })
    }
    for (const [socket, told] of this.told) {
      const inFlight = []
      this.answeredIn = 0
      for (const note of told) this.note(socket, inFlight, note)
    }
  }

  note (socket, inFlight, note) {
    if (note.method !== undefined) this.written(inFlight, note)
    else this[note.what](note, inFlight, socket)
  }

  written (inFlight, entry) {
    const { round: { must, drawn: { opts: { pipelining } } } } = this
    if (entry.method !== 'TEXT' && entry.method !== 'BINARY') return
    if (this.expect === 'nothing') {
      entry.firstByteAt = entry.sentAt
      entry.receivedAt = entry.sentAt
    } else {
      inFlight.push(entry)
      must(inFlight.length <= pipelining, `${inFlight.length} messages were in flight on one connection, of ${pipelining}`)
    }
  }

  // --- incoming messages

  handshake ({ status, informational }) {
    this.byStatus[status] = (this.byStatus[status] ?? 0) + 1
    this.informational += informational + (status === 101 ? 1 : 0)
  }

  message (note, inFlight, socket) {
    this.count('received', note, socket)
    this.count('bytesReceived', note, socket, note.length)
    const copy = this.sent.get(note.text)
    if (copy !== undefined && this.isUnread(note, inFlight, socket)) {
      this.doubtfulCopies++
      this.count('unasked', note, socket)
      return
    }
    const isCopy = copy !== undefined && this.isFirstCopy(copy, note, socket)
    const isOfNobody = this.expect === 'broadcast' && !isCopy
    const entry = this.answeredBy(note, inFlight)
    if (entry !== undefined && !isOfNobody) {
      inFlight.splice(inFlight.indexOf(entry), 1)
      entry.firstByteAt = Math.max(note.firstByteAt, entry.sentAt)
      entry.receivedAt = note.readAt
      entry.told = this.socketio === undefined ? note.text : argumentsOf(note.text)
      this.answeredIn = note.chunk
    } else if (!isCopy) {
      this.count('unasked', note, socket)
    }
  }

  // Among those in flight.
  answeredBy ({ text }, inFlight) {
    if (this.socketio === undefined) return this.isByIds ? inFlight.find(({ path }) => path === text) : inFlight[0]
    const { type, id, payload } = readPacket(text)
    if (this.socketio.ack) return type === ACK ? inFlight.find(({ path }) => readPacket(path).id === id) : undefined
    if (type === ACK || !payload.startsWith('["message"')) return undefined
    return this.isByIds ? inFlight.find(({ path }) => path === text) : inFlight[0]
  }

  // After the last reply that a connection waits for, the client closes it, and reads no further.
  isUnread ({ chunk }, inFlight, { closedInChunk }) {
    return inFlight.length === 0 && chunk === closedInChunk && chunk === this.answeredIn
  }

  isFirstCopy (copy, { readAt, order }, socket) {
    const connection = connectionOf(socket)
    if (copy.on.has(connection) || copy.entry.order > order || copy.entry.order < socket.usableFrom) return false
    copy.on.add(connection)
    copy.lastAt = Math.max(copy.lastAt ?? 0, readAt)
    this.copies++
    return true
  }

  ping (note, inFlight, socket) {
    this.count('pings', note, socket)
  }

  pong (note, inFlight, socket) {
    this.count('pongs', note, socket)
  }

  close (note, inFlight, socket) {
    const codes = this.isUnread(note, inFlight, socket) ? this.doubtfulCodes : this.closeCodes
    codes[note.code] = (codes[note.code] ?? 0) + 1
  }

  nonsense () {}

  left () {}

  end () {
    this.closeCodes[1006] = (this.closeCodes[1006] ?? 0) + 1
  }

  // The client has given up the one whose deadline was the earliest: it may have been sent after others, if it had waited for a connection.
  // While due times are unknown, the time at which it was sent tells which one that is.
  expired ({ at, sentAt }, inFlight) {
    if (inFlight.length === 0) return
    const isKnown = !this.round.hasDueTimes || inFlight.every(({ dueAt }) => dueAt !== undefined)
    const distanceOf = (entry) => Math.abs(entry.sentAt / 1000 - sentAt)
    const entry = isKnown ? this.round.earliestOf(inFlight) : inFlight.reduce((nearest, each) => distanceOf(each) < distanceOf(nearest) ? each : nearest)
    entry.expiredAt = at
    inFlight.splice(inFlight.indexOf(entry), 1)
  }

  count (name, { chunk }, { closedInChunk }, by = 1) {
    this.counts[name] += by
    if (chunk === closedInChunk) this.doubtful[name] += by
  }

  // --- comparison with the result

  check () {
    const { round: { must, log, result } } = this
    const { sent, bytesSent } = result.messages
    must(sent === log.length, `messages.sent ${sent}, but ${log.length} were written`)
    const bytes = log.reduce((sum, { path }) => sum + Buffer.byteLength(path), 0)
    must(bytesSent === bytes, `messages.bytesSent ${bytesSent}, but it were ${bytes}`)
    for (const [name, count] of Object.entries(this.counts)) {
      const { [name]: said } = result.messages
      const doubtful = this.doubtful[name]
      must(said <= count && said >= count - doubtful, `messages.${name} ${said}, but the world saw ${count}${doubtful === 0 ? '' : ` (of ${doubtful} nobody knows)`}`)
    }
    for (const code of Object.keys({ ...this.closeCodes, ...this.doubtfulCodes, ...result.closeCodes })) {
      const { closeCodes: { [code]: sure = 0 }, doubtfulCodes: { [code]: perhaps = 0 } } = this
      const { [code]: said = 0 } = result.closeCodes
      must(said >= sure && said <= sure + perhaps, `closeCodes has ${said} of ${code}, but the server said ${sure}, and ${perhaps} that nobody may have read`)
    }
    must(result['1xx'] === this.informational, `1xx ${result['1xx']}, but it were ${this.informational}`)
    if (this.expect === 'broadcast') this.checkCopies()
    else this.checkReceived()
    this.checkSamples()
  }

  // Each incoming message is one of these.
  checkReceived () {
    const { expect, round: { must, result: { accounting, messages: { received, unasked } } } } = this
    const answers = expect === 'nothing' ? 0 : accounting.completed
    must(received === answers + unasked, `${received} received are not ${answers} answers and ${unasked} unasked`)
  }

  // The sum over samples equals the run, except for messages after the end.
  checkSamples () {
    const { expect, round: { must, plan, result: { timeline, messages, broadcast } } } = this
    const sum = (name) => timeline.reduce((total, sample) => total + sample.messages[name], 0)
    must(plan.sessions === null ? sum('sent') === messages.sent : sum('sent') <= messages.sent, `samples have ${sum('sent')} messages of ${messages.sent} that were sent`)
    must(sum('received') <= messages.received, `samples have ${sum('received')} messages of ${messages.received} that came`)
    if (expect !== 'broadcast') return
    const latest = Math.max(0, ...timeline.map((sample) => sample.messages.lastCopy))
    must(latest <= broadcast.lastCopy.max, `a sample has a copy after ${latest} ms, and the last one came after ${broadcast.lastCopy.max}`)
  }

  checkCopies () {
    const { round: { must, log, result: { broadcast, messages } } } = this
    const expected = log.reduce((sum, entry) => sum + entry.usable - this.deafTo(entry), 0)
    must(broadcast.expected === expected, `${broadcast.expected} copies expected, but ${expected} connections were there`)
    const { received } = broadcast
    must(received <= expected, `${received} copies of ${expected} that were expected`)
    must(received >= this.copies && received <= this.copies + this.doubtfulCopies, `${received} copies, but the world saw ${this.copies}, and ${this.doubtfulCopies} that nobody may have known`)
    must(messages.received === broadcast.received + messages.unasked, `${messages.received} received are not ${broadcast.received} copies and ${messages.unasked} unasked`)
    must(Math.abs(broadcast.ratio - (expected === 0 ? 0 : received / expected)) <= 1e-6, `a ratio of ${broadcast.ratio}, but it were ${received} of ${expected}`)
  }

  // A thread whose part of a warm-up is over no longer counts copies, but its connections stay open for the run.
  deafTo ({ order }) {
    const over = this.phases.filter(({ lastNote }) => lastNote <= order).map(({ phase }) => phase.pool.part.share)
    if (over.length === 0) return 0
    const isDeaf = (socket) => socket.usableFrom <= order && order < socket.closedFrom && over.includes(connectionOf(socket).owner.pool.part.share)
    return this.world.sockets.filter(isDeaf).length
  }

  /** The time from each message's due time to its last copy, if the due time is known. */
  checkLastCopies () {
    if (this.expect !== 'broadcast' || this.doubtfulCopies > 0) return
    const { round } = this
    const late = []
    for (const { entry, lastAt } of this.sent.values()) {
      if (lastAt === null) continue
      const from = round.startOf(entry)
      late.push(Math.max(0, Math.round((EPOCH_MS + lastAt / 1000) * 1000) - Math.round((EPOCH_MS + from) * 1000)))
    }
    round.same('broadcast.lastCopy', round.result.broadcast.lastCopy, late)
  }
}

function argumentsOf (text) {
  const { type, payload } = readPacket(text)
  return type === ACK ? payload : argumentsIn(payload)
}

module.exports = Messages
