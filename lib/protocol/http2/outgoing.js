'use strict'

const world = require('../../world')
const { FLOW_CONTROL_ERROR, ENHANCE_YOUR_CALM, DEFAULT_WINDOW, LARGEST_WINDOW } = require('./constants')
const { SETTINGS_ACK } = require('./frames')
const { DEFAULT_TABLE_SIZE } = require('./hpack/dynamic-table')
const { sizeUpdate } = require('./hpack/encoder')
const Outbox = require('./outbox')
const PeerSettings = require('./settings')
const Uploads = require('./uploads')

// The limit for replies to a server that does not read them.
const MOST_UNREAD_BYTES = 1024 * 1024

const outbox = new Outbox()

/**
 * Sends everything on one connection, within the limits that the server sets: its SETTINGS, its flow-control windows, and the
 * state of its header table. `begin` adds requests, which `writeOut` sends together; bodies that exceed the windows are sent as
 * these grow (`uploads`); `sendAnswers` sends the replies to received frames together.
 */
class Outgoing {
  /** @param {Http2Connection} connection */
  constructor (connection) {
    this.connection = connection
    this.uploads = new Uploads(connection, this)
    this.answers = []
    this.forget()
  }

  /** Starts a new connection (RFC 9113, section 3.4). */
  open () {
    this.forget()
    this.settings = new PeerSettings()
    this.put(this.connection.windows.preface)
  }

  // Resets the state of the connection.
  forget () {
    /** The server's settings; null if the connection is not open. */
    this.settings = null
    /** The maximum number of concurrent streams. */
    this.streamLimit = 0
    /** How much we may send on all streams together before a WINDOW_UPDATE. */
    this.window = DEFAULT_WINDOW
    /** The state of the server's header table; null until its size is known. */
    this.table = null
    /** A size update that must precede the next header block; null if there is none. */
    this.tablePrefix = null
  }

  /** The connection ends: drops everything that has not been sent. */
  stop () {
    this.uploads.clear()
    this.answers = []
  }

  put (bytes) {
    this.connection.owner.recorder.bytesWritten += bytes.length
    world.write(this.connection.socket, bytes)
  }

  // --- requests

  /** Adds the frames of a request, as far as the windows allow. */
  begin (request, slot) {
    const { streams } = this.connection
    const wire = this.wireOf(request)
    const { bodyLength } = wire
    const withBody = bodyLength > 0 && bodyLength <= this.window && bodyLength <= streams.sendWindow[slot]
    const id = wire.idPlaces.length > 0 || request.parts.bodyPlaces.length > 0 ? world.nextId() : ''
    if (id !== '') this.connection.idsSent[slot] = id
    const at = outbox.add(wire, streams.id[slot], id, withBody)
    if (this.connection.traces !== null) {
      streams.serial[slot] = this.connection.traces.take(1)
      wire.trace(outbox, at, this.connection.traces, streams.serial[slot])
    }
    if (withBody) {
      this.window -= bodyLength
      streams.sendWindow[slot] -= bodyLength
    } else if (wire.hasBody) {
      this.uploads.begin(slot, request.bodyWith(id))
    }
  }

  wireOf (request) {
    if (this.tablePrefix !== null) {
      const wire = request.encode(this.table, false, this.tablePrefix)
      this.tablePrefix = null
      return wire
    }
    const wire = this.connection.train.wire(request, this.table)
    this.table = wire.next
    return wire
  }

  /** Sends the requests that were added, in one write. */
  writeOut () {
    const bytes = outbox.take()
    if (bytes === null) return
    if (this.answers.length > 0) this.putAnswers()
    this.put(bytes)
    outbox.written(this.connection.socket)
    if (this.uploads.size > 0) this.uploads.pump()
  }

  // --- replies: small frames, written together after a packet has been read, or before any requests are written

  answer (frame) {
    this.answers.push(frame)
  }

  /** Whether any replies have not been written. */
  get hasPendingAnswers () {
    return this.answers.length > 0
  }

  /**
   * Writes the replies. Requests must not overtake them: those that SETTINGS allow must follow the acknowledgment (section
   * 6.5.3).
   */
  putAnswers () {
    const { answers } = this
    const bytes = answers.length === 1 ? answers[0] : Buffer.concat(answers)
    this.answers = []
    this.put(bytes)
  }

  sendAnswers () {
    const { answers, connection } = this
    if (answers.length === 0 || connection.socket === null) return
    this.putAnswers()
    if (isUnread(connection.socket) && this.uploads.size === 0) {
      connection.breakConnection(ENHANCE_YOUR_CALM, 'it sends frames without reading the replies')
    }
  }

  // --- the server's limits

  /**
   * Handles SETTINGS of the server (section 6.5): acknowledges them, and sends what they allow. @returns {?object} what is wrong
   * with them
   */
  settingsCame (buffer, start, end) {
    const { settings, connection } = this
    const { window, tableSize } = settings
    const wrong = settings.read(buffer, start, end) ?? this.moveWindows(settings.window - window)
    if (wrong !== null) return wrong
    this.streamLimit = Math.min(connection.depth, settings.concurrentStreams)
    if (this.streamLimit === 0) connection.returnBarred()
    this.resizeTable(tableSize)
    this.answer(SETTINGS_ACK)
    this.uploads.pump()
    return null
  }

  // Section 6.9.2: a new initial window also adjusts the windows of open streams, which may become negative.
  moveWindows (change) {
    if (change === 0) return null
    const { streams } = this.connection
    for (const slot of streams.slots) {
      streams.sendWindow[slot] += change
      if (streams.sendWindow[slot] > LARGEST_WINDOW) return { code: FLOW_CONTROL_ERROR, problem: 'SETTINGS_INITIAL_WINDOW_SIZE makes the window of a stream too large' }
    }
    return null
  }

  // We don't use more than the default table size. If the size was smaller in between, the table's entries were evicted (RFC
  // 7541, section 4.2).
  resizeTable (before) {
    const { tableSize, leastTableSize } = this.settings
    const capacity = Math.min(DEFAULT_TABLE_SIZE, tableSize)
    const hasShrunk = leastTableSize < Math.min(DEFAULT_TABLE_SIZE, before)
    if (this.table !== null && !hasShrunk && capacity === Math.min(DEFAULT_TABLE_SIZE, before)) return
    const isUsual = this.table === null && !hasShrunk && capacity === DEFAULT_TABLE_SIZE
    this.table = this.connection.train.emptyTable(capacity)
    this.tablePrefix = isUsual ? null : sizeUpdate(capacity)
  }

  /** A WINDOW_UPDATE for the connection (section 6.9). */
  windowGrew (increment) {
    this.window += increment
    if (this.window > LARGEST_WINDOW) this.connection.breakConnection(FLOW_CONTROL_ERROR, 'a WINDOW_UPDATE frame makes the window of the connection too large')
    else this.uploads.pump()
  }

  /** WINDOW_UPDATE for the stream in a slot. */
  streamWindowGrew (slot, increment) {
    const { streams: { sendWindow }, responses } = this.connection
    sendWindow[slot] += increment
    if (sendWindow[slot] > LARGEST_WINDOW) responses.malformed(slot, 'a WINDOW_UPDATE frame makes the window of the stream too large', FLOW_CONTROL_ERROR)
    else this.uploads.pump()
  }
}

/** Whether so much output is waiting that the server cannot be reading. */
function isUnread ({ writableLength }) {
  return writableLength > MOST_UNREAD_BYTES
}

module.exports = { Outgoing, isUnread }
