'use strict'

const { DATA, END_STREAM, FRAME_HEADER_BYTES, DEFAULT_FRAME_SIZE } = require('./constants')
const { writeFrameHeader } = require('./frames')

// The maximum amount of a streamed body that waits for the flow-control window; beyond it, the source has to wait.
const MOST_WAITING_BYTES = 65536

/** A request body that is being sent, with the pieces that wait for the flow-control window. */
class Upload {
  constructor (streamId) {
    this.streamId = streamId
    this.pieces = []
    this.waiting = 0
    this.isAll = false
    this.resume = null
  }

  add (piece) {
    this.pieces.push(piece)
    this.waiting += piece.length
  }

  /** Removes and returns up to `most` octets from the front. */
  take (most) {
    const [piece] = this.pieces
    const taken = piece.length <= most ? piece : piece.subarray(0, most)
    if (taken === piece) this.pieces.shift()
    else this.pieces[0] = piece.subarray(most)
    this.waiting -= taken.length
    return taken
  }

  get isOver () {
    return this.isAll && this.waiting === 0
  }

  drained () {
    const { resume } = this
    this.resume = null
    resume?.()
  }
}

/**
 * The bodies of one connection that could not be sent with their HEADERS, because the server's flow-control windows were
 * too small (RFC 9113, section 6.9), the body is longer than a frame, or its source has not produced it yet. Bodies take
 * turns to send one DATA frame each, as long as the windows and the socket allow.
 */
class Uploads {
  /**
   * @param {Http2Connection} connection with `socket` and `streams`
   * @param {Outgoing} outgoing with `window`
   */
  constructor (connection, outgoing) {
    this.connection = connection
    this.outgoing = outgoing
    this.bySlot = new Map()
    this.isBlocked = false
  }

  get size () {
    return this.bySlot.size
  }

  /** Begins a body. @param {Buffer} [bytes] the whole body; if omitted, it comes through `writer` */
  begin (slot, bytes) {
    const upload = new Upload(this.connection.streams.id[slot])
    this.bySlot.set(slot, upload)
    if (bytes === undefined) return upload
    upload.add(bytes)
    upload.isAll = true
    return upload
  }

  /** Returns the writer for a streamed body, see script/request-body.js. */
  writer (slot) {
    const upload = this.begin(slot)
    return {
      write: (piece) => {
        upload.add(piece)
        this.pump()
        return upload.waiting < MOST_WAITING_BYTES
      },
      onDrain: (callback) => {
        upload.resume = callback
        if (upload.waiting < MOST_WAITING_BYTES) upload.drained()
      },
      end: () => {
        upload.isAll = true
        this.pump()
      }
    }
  }

  /** Whether some of a stream's body has not been sent. */
  has (slot) {
    return this.bySlot.has(slot)
  }

  /** Discards the rest of a body that is no longer needed. */
  drop (slot) {
    const upload = this.bySlot.get(slot)
    this.bySlot.delete(slot)
    upload?.drained()
  }

  /** Discards all bodies, since the connection has ended. */
  clear () {
    for (const slot of [...this.bySlot.keys()]) this.drop(slot)
    this.isBlocked = false
  }

  /** Sends as much as is allowed now. */
  pump () {
    if (this.bySlot.size === 0 || this.isBlocked || !this.connection.isOpen) return
    const { socket } = this.connection
    socket.cork()
    let isGoingOn = true
    while (isGoingOn && !this.isBlocked) {
      isGoingOn = false
      for (const [slot, upload] of this.bySlot) {
        if (this.sendFrame(slot, upload)) isGoingOn = true
        if (this.isBlocked) break
      }
    }
    socket.uncork()
  }

  // Sends one DATA frame. @returns {boolean} whether there was one to send
  sendFrame (slot, upload) {
    const { connection, outgoing } = this
    const { streams } = connection
    if (upload.waiting === 0 && !upload.isAll) return false
    const most = Math.min(DEFAULT_FRAME_SIZE, outgoing.window, streams.sendWindow[slot])
    // An empty frame that only ends the stream needs no window.
    if (upload.waiting > 0 && most <= 0) return false
    const payload = upload.waiting > 0 ? upload.take(most) : null
    const length = payload === null ? 0 : payload.length
    if (outgoing.hasPendingAnswers) outgoing.putAnswers()
    if (length > 0) connection.incoming.broughtForward()
    outgoing.window -= length
    streams.sendWindow[slot] -= length
    const header = Buffer.allocUnsafe(FRAME_HEADER_BYTES)
    writeFrameHeader(header, 0, length, DATA, upload.isOver ? END_STREAM : 0, upload.streamId)
    connection.owner.recorder.bytesWritten += FRAME_HEADER_BYTES + length
    let takesMore = connection.socket.write(header)
    if (payload !== null) takesMore = connection.socket.write(payload)
    if (upload.isOver) this.bySlot.delete(slot)
    if (upload.waiting < MOST_WAITING_BYTES) upload.drained()
    if (!takesMore) this.waitForSocket()
    return true
  }

  // Waits until the socket's buffer has drained. Small frames are still sent meanwhile.
  waitForSocket () {
    const { socket } = this.connection
    this.isBlocked = true
    socket.once('drain', () => {
      if (socket !== this.connection.socket) return
      this.isBlocked = false
      this.pump()
    })
  }
}

module.exports = Uploads
