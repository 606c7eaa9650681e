'use strict'

const world = require('../../world')

// The limit for data that the system has not accepted and that waits in our memory.
const MOST_UNREAD_BYTES = 1024 * 1024

/**
 * Sends everything on one connection. Messages are joined into one write if possible, and if nothing else limits how many are
 * under way, no more are sent than the server reads.
 */
class Outgoing {
  /** @param {WebSocketConnection} connection */
  constructor (connection) {
    this.connection = connection
    this.train = connection.train
    this.flight = connection.flight
    this.reset()
  }

  /** Starts over for a new connection; the sequence continues. */
  reset () {
    /** Whether sending is paused because the system accepts no more data for now. */
    this.isBlocked = false
    this.blockedAt = 0
  }

  /** How long sending has been paused, ms; 0 if it is not. */
  get blockedForMs () {
    return this.isBlocked ? world.now() - this.blockedAt : 0
  }

  /** Writes the messages in the queue. */
  flush (now) {
    if (this.connection.isByIds || !this.train.isRepeatable) this.flushSingly(now)
    else this.flushJoined(now)
  }

  flushJoined (now) {
    const { train, connection } = this
    const { order } = connection
    const count = this.flight.prepared
    const wires = connection.isCompressed ? train.compressed(connection.windowBits) : train
    const bytes = wires.nextOf(order, count)
    // Writes before anything else, since `now` is the send time.
    if (bytes !== null) this.put(bytes)
    else this.putSingly(wires.requests, order, count)
    let payload = 0
    for (let index = 0; index < count; index++) {
      const place = order.take()
      payload += train.requests[place].payloadLength
      connection.book(train.endpoints[place], now)
    }
    connection.owner.recorder.messages.bytesSent += payload
    this.handedOver(count, now)
  }

  // Completes messages that expect no reply. A listener may take its time, so they must have been written before.
  handedOver (count, now) {
    const { connection } = this
    if (!connection.expectsNothing) return
    for (let index = 0; index < count && connection.isOpen; index++) connection.handedOver(now)
  }

  // Writes messages one by one if they are too long to join or not in list order.
  putSingly (messages, order, count) {
    const { socket } = this.connection
    socket.cork()
    for (let index = 0; index < count; index++) this.put(messages[order.at(index)].pieces[0])
    socket.uncork()
  }

  // Writes messages one by one, each with its own id.
  flushSingly (now) {
    const { train, flight, connection } = this
    const { socket } = connection
    const count = flight.prepared
    const isOne = count === 1
    if (!isOne) socket.cork()
    while (flight.prepared > 0) {
      const place = connection.order.take()
      const slot = connection.book(train.endpoints[place], now)
      connection.writeOut(train.requests[place], slot)
    }
    if (!isOne) socket.uncork()
    this.handedOver(count, now)
  }

  /**
   * Writes one message. @param {EncodedMessage} message @param {Buffer[]} pieces the encoded message in this connection's
   * form
   */
  write (message, pieces) {
    this.connection.owner.recorder.messages.bytesSent += message.payloadLength
    for (const piece of pieces) this.put(piece)
  }

  put (bytes) {
    const { owner, socket } = this.connection
    owner.recorder.bytesWritten += bytes.length
    if (!world.write(socket, bytes) && this.isUnbounded && !this.isBlocked) this.block(socket)
  }

  // Pipelining does not limit the data under way if no replies are expected, or if messages time out while the connection
  // stays open.
  get isUnbounded () {
    const { expectsNothing, isByIds } = this.connection
    return expectsNothing || (isByIds && !this.isRead)
  }

  /** Whether the server is reading our data. */
  get isRead () {
    return this.connection.socket.writableLength <= MOST_UNREAD_BYTES
  }

  // Pauses sending, since further data would only wait in our memory.
  block (socket) {
    const { connection } = this
    this.isBlocked = true
    this.blockedAt = world.now()
    socket.once('drain', () => {
      if (connection.socket !== socket || !connection.isOpen) return
      this.isBlocked = false
      connection.becameFree(world.now())
      connection.continue()
    })
  }
}

module.exports = Outgoing
