'use strict'

const world = require('../../world')

// What the system has not taken, and waits in our memory.
const MOST_UNREAD_BYTES = 1024 * 1024

/**
 * What goes out on one connection: the messages of the sequence, joined to one write where they may be, and no more than the
 * server reads where nothing else tells how much that is.
 */
class Outgoing {
  /** @param {WebSocketConnection} connection */
  constructor (connection) {
    this.connection = connection
    this.train = connection.train
    this.flight = connection.flight
    this.reset()
  }

  /** Begins afresh, for a new connection; the sequence goes on. */
  reset () {
    /** More has been written than the system takes: nothing is sent until it has gone. */
    this.isChoked = false
    this.chokedAt = 0
  }

  /** For how long it has been so, ms; 0: it is not. */
  get chokedFor () {
    return this.isChoked ? world.now() - this.chokedAt : 0
  }

  /** Writes what waits in the queue. */
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
    // First of all, since `now` is when they go out.
    if (bytes !== null) this.put(bytes)
    else this.putSingly(wires.requests, order, count)
    let payload = 0
    for (let index = 0; index < count; index++) {
      const place = order.take()
      payload += train.requests[place].payloadLength
      connection.book(train.endpoints[place], now)
    }
    connection.owner.recorder.messages.bytesSent += payload
    if (connection.expectsNothing) {
      for (let index = 0; index < count; index++) connection.handedOver(now)
    }
  }

  // Too long to join, or not in the order of the list.
  putSingly (messages, order, count) {
    const { socket } = this.connection
    socket.cork()
    for (let index = 0; index < count; index++) this.put(messages[order.at(index)].pieces[0])
    socket.uncork()
  }

  // With ids of their own.
  flushSingly (now) {
    const { train, flight, connection } = this
    const { socket } = connection
    const isOne = flight.prepared === 1
    if (!isOne) socket.cork()
    while (flight.prepared > 0 && connection.isOpen) {
      const place = connection.order.take()
      const slot = connection.book(train.endpoints[place], now)
      connection.write(train.requests[place], slot)
    }
    if (!isOne) socket.uncork()
  }

  /** Writes one message. @param {EncodedMessage} message @param {Buffer[]} pieces of what it is here */
  write (message, pieces) {
    this.connection.owner.recorder.messages.bytesSent += message.payloadLength
    for (const piece of pieces) this.put(piece)
  }

  put (bytes) {
    const { owner, socket } = this.connection
    owner.recorder.bytesWritten += bytes.length
    if (!socket.write(bytes) && this.isUnbounded && !this.isChoked) this.choke(socket)
  }

  // Where nothing is awaited, or may be given up while the connection lives on, no pipelining says how much can be under way.
  get isUnbounded () {
    const { expectsNothing, isByIds } = this.connection
    return expectsNothing || (isByIds && !this.isRead)
  }

  /** Whether the server reads what it is sent. */
  get isRead () {
    return this.connection.socket.writableLength <= MOST_UNREAD_BYTES
  }

  // What is written beyond would only wait in our memory.
  choke (socket) {
    const { connection } = this
    this.isChoked = true
    this.chokedAt = world.now()
    socket.once('drain', () => {
      if (connection.socket !== socket || !connection.isOpen) return
      this.isChoked = false
      connection.becameFree(world.now())
      connection.continue()
    })
  }
}

module.exports = Outgoing
