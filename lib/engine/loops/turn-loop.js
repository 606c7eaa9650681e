'use strict'

const world = require('../../world')
const DueQueue = require('./due-queue')
const OpenLoop = require('./open-loop')

/**
 * The open model for broadcast messages: the connections take turns to send, so that all of them send equally often, however
 * long their replies take. Each connection has its own queue, in which a message waits until the connection has room, without
 * delaying the others. If a connection is not open, or may not send any more, its turn goes to the next one:
 *
 *     due             a  b  c  d  e  f  g
 *     connection 0    a        d     f
 *     connection 1       b                     closes after b
 *     connection 2          c     e     g
 */
class TurnLoop extends OpenLoop {
  /** @param {object} plan @param {object} pacer @param {number} budget @param {object} owner see OpenLoop */
  constructor (plan, pacer, budget, owner) {
    super(plan, pacer, budget, owner, true)
    this.turn = 0
    /**
     * Messages that no connection could take when they were due, or that a connection returned. The first connection with room
     * sends them.
     */
    this.left = new DueQueue()
    this.queues.push(this.left)
  }

  get upcoming () {
    return this.turn
  }

  // Returns the next connection that satisfies the predicate; null if none does.
  takeTurn (isReady) {
    const { connections } = this.owner
    for (let count = 0; count < connections.length; count++) {
      const connection = connections[this.turn]
      this.turn = this.turn + 1 === connections.length ? 0 : this.turn + 1
      if (isReady(connection)) return connection
    }
    return null
  }

  arrive (now) {
    const connection = this.takeTurn(takesTurns)
    this.come(connection === null ? this.left : this.queueOf(connection))
    if (connection !== null) this.serve(connection, now)
  }

  ready (connection, now) {
    if (this.isOver) return
    this.alarm.wasBusy()
    this.serve(connection, now)
    this.notice(now)
  }

  // Sends the oldest message first, whether from the connection's own queue or from the shared one.
  serve (connection, now) {
    const own = this.queueOf(connection)
    const { left } = this
    this.dropLate(own, now)
    this.dropLate(left, now)
    let room = own.length + left.length === 0 ? 0 : connection.room
    if (room > 0) {
      for (; room > 0 && own.length + left.length > 0; room--) this.give(connection, shiftOldest(own, left))
      connection.flush()
    }
    if (own.length > 0 && !connection.takesTurns) this.leave(connection, now)
  }

  // Moves messages to other connections if this one will not send them.
  leave (connection, now) {
    this.left.absorb(this.queueOf(connection))
    this.dealOut(now)
  }

  dealOut (now) {
    this.dropLate(this.left, now)
    while (this.left.length > 0) {
      const connection = this.takeTurn(hasRoom)
      if (connection === null) return
      this.give(connection, this.left.shift())
      connection.flush()
    }
  }

  unwritten (connection, dueAt) {
    this.left.putBack(dueAt)
    if (this.mix !== null) this.mix.takeBack(connection, dueAt)
  }

  closed (connection) {
    if (this.owner.maySend && !this.isOver) this.leave(connection, world.now())
  }
}

function shiftOldest (one, other) {
  const isInOne = other.length === 0 || (one.length > 0 && one.oldest <= other.oldest)
  return (isInOne ? one : other).shift()
}

function takesTurns (connection) {
  return connection.takesTurns
}

function hasRoom (connection) {
  return connection.room > 0
}

module.exports = TurnLoop
