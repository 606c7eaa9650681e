'use strict'

const world = require('../../world')
const { FLOW_CONTROL_ERROR, ENHANCE_YOUR_CALM, DEFAULT_WINDOW, LARGEST_WINDOW } = require('./constants')
const { SETTINGS_ACK } = require('./frames')
const { DEFAULT_TABLE_SIZE } = require('./hpack/dynamic-table')
const { sizeUpdate } = require('./hpack/encoder')
const Outbox = require('./outbox')
const PeerSettings = require('./settings')
const Uploads = require('./uploads')

// Of answers to its frames that a server does not read.
const MOST_UNREAD_BYTES = 1024 * 1024

const outbox = new Outbox()

/**
 * What goes out on one connection, and how much of it the server takes: its SETTINGS, its windows, and the state of its header
 * table. Requests are put in by `begin` and leave together with `writeOut`; what does not fit into the windows leaves as they
 * grow (`uploads`); small frames in return for what has come leave together with `sendAnswers`.
 */
class Outgoing {
  /** @param {Http2Connection} connection */
  constructor (connection) {
    this.connection = connection
    this.uploads = new Uploads(connection, this)
    this.answers = []
    this.forget()
  }

  /** A new connection begins (RFC 9113, section 3.4). */
  open () {
    this.forget()
    this.settings = new PeerSettings()
    this.put(this.connection.windows.preface)
  }

  // What belongs to one connection.
  forget () {
    /** What the server has said; null: it cannot be spoken to. */
    this.settings = null
    /** How many streams there may be at a time. */
    this.streamLimit = 0
    /** What we may send, on all streams together, before a WINDOW_UPDATE. */
    this.window = DEFAULT_WINDOW
    /** The state of its header table; null: it has not said how large that may be. */
    this.table = null
    /** What has to be said of its size first; null: nothing. */
    this.tablePrefix = null
  }

  /** The connection ends: nothing more is sent of what has begun. */
  stop () {
    this.uploads.clear()
    this.answers = []
  }

  put (bytes) {
    this.connection.owner.recorder.bytesWritten += bytes.length
    this.connection.socket.write(bytes)
  }

  // --- requests

  /** The frames of a request: all that the windows allow. */
  begin (request, slot) {
    const { streams } = this.connection
    const wire = this.wireOf(request)
    const { bodyLength } = wire
    const withBody = bodyLength > 0 && bodyLength <= this.window && bodyLength <= streams.sendWindow[slot]
    const id = wire.idPlaces.length > 0 || request.parts.bodyPlaces.length > 0 ? world.nextId() : ''
    outbox.add(wire, streams.id[slot], id, withBody)
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

  /** Writes what was begun, in one piece. */
  writeOut () {
    const bytes = outbox.take()
    if (bytes === null) return
    if (this.answers.length > 0) this.putAnswers()
    this.put(bytes)
    outbox.written(this.connection.socket)
    if (this.uploads.size > 0) this.uploads.pump()
  }

  // --- what goes out in return: small frames, written together when all of a packet is read, or before anything else is

  answer (frame) {
    this.answers.push(frame)
  }

  /** Whether some are still to be written. */
  get owesAnswers () {
    return this.answers.length > 0
  }

  /** Writes them. What SETTINGS allow must follow the frame that acknowledges them (section 6.5.3), so nothing overtakes these. */
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

  // --- what the server takes

  /** SETTINGS of the server (section 6.5): acknowledges them, and sends what they allow. @returns {?object} what is wrong with them */
  settingsCame (buffer, start, end) {
    const { settings, connection } = this
    const { window, tableSize } = settings
    const wrong = settings.read(buffer, start, end) ?? this.moveWindows(settings.window - window)
    if (wrong !== null) return wrong
    this.streamLimit = Math.min(connection.depth, settings.concurrentStreams)
    if (this.streamLimit === 0) connection.warnOfBar()
    this.resizeTable(tableSize)
    this.answer(SETTINGS_ACK)
    this.uploads.pump()
    return null
  }

  // Section 6.9.2: a new initial window moves those of all streams, below zero too.
  moveWindows (change) {
    if (change === 0) return null
    const { streams } = this.connection
    for (const slot of streams.slots) {
      streams.sendWindow[slot] += change
      if (streams.sendWindow[slot] > LARGEST_WINDOW) return { code: FLOW_CONTROL_ERROR, problem: 'SETTINGS_INITIAL_WINDOW_SIZE makes the window of a stream too large' }
    }
    return null
  }

  // A larger table than the usual is of no use to us. One that was smaller in between has lost its entries (RFC 7541, section 4.2).
  resizeTable (before) {
    const { tableSize, leastTableSize } = this.settings
    const capacity = Math.min(DEFAULT_TABLE_SIZE, tableSize)
    const hasShrunk = leastTableSize < Math.min(DEFAULT_TABLE_SIZE, before)
    if (this.table !== null && !hasShrunk && capacity === Math.min(DEFAULT_TABLE_SIZE, before)) return
    const isUsual = this.table === null && !hasShrunk && capacity === DEFAULT_TABLE_SIZE
    this.table = this.connection.train.emptyTable(capacity)
    this.tablePrefix = isUsual ? null : sizeUpdate(capacity)
  }

  /** WINDOW_UPDATE for all streams together (section 6.9). */
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

/** Whether more waits to be written than a server leaves lying that reads at all. */
function isUnread ({ writableLength }) {
  return writableLength > MOST_UNREAD_BYTES
}

module.exports = { Outgoing, isUnread }
