'use strict'

const world = require('../../world')
const DueQueue = require('./due-queue')
const OpenLoop = require('./open-loop')

/**
 * The open model of messages that go out to all: the connections take turns to send, so that each talks as much as every other,
 * however long its answers take. Each has a queue of its own, in which a message whose turn it is waits until the connection has
 * room; the others do not wait for it. The turn of one that is not open, or may send nothing more, goes to the next:
 *
 *     due             a  b  c  d  e  f  g
 *     connection 0    a        d     f
 *     connection 1       b                     closes behind b
 *     connection 2          c     e     g
 */
class TurnLoop extends OpenLoop {
  /** @param {object} plan @param {object} pacer @param {number} budget @param {object} owner see OpenLoop */
  constructor (plan, pacer, budget, owner) {
    super(plan, pacer, budget, owner, true)
    this.turn = 0
    /** What nobody could take when it was due, or has been given back: it goes to whoever has room first. */
    this.left = new DueQueue()
    this.queues.push(this.left)
  }

  get upcoming () {
    return this.turn
  }

  // The next connection for which this holds; null: it holds for none.
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

  // The oldest goes first, whether it is its own or has been left by another one.
  serve (connection, now) {
    const own = this.queueOf(connection)
    const { left } = this
    this.dropLate(own, now)
    this.dropLate(left, now)
    let room = own.length + left.length === 0 ? 0 : connection.room
    if (room > 0) {
      for (; room > 0 && own.length + left.length > 0; room--) connection.send(shiftOldest(own, left))
      connection.flush(world.now())
    }
    if (own.length > 0 && !connection.takesTurns) this.leave(connection, now)
  }

  // What waits for a connection that will not send it goes to others.
  leave (connection, now) {
    this.left.absorb(this.queueOf(connection))
    this.dealOut(now)
  }

  dealOut (now) {
    this.dropLate(this.left, now)
    while (this.left.length > 0) {
      const connection = this.takeTurn(hasRoom)
      if (connection === null) return
      connection.send(this.left.shift())
      connection.flush(world.now())
    }
  }

  unwritten (connection, dueAt) {
    this.left.putBack(dueAt)
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
