'use strict'

const { nearest } = require('../../load/recorded')
const world = require('../../world')
const DueQueue = require('./due-queue')
const FreeList = require('./free-list')
const DueLoop = require('./due-loop')

/*
 * After a pause the caches of processor and kernel are cold for a write, and the first request would leave some 40 us late. So
 * while the loop looks at the clock it rehearses a write again and again, and stops shortly before the request is due.
 */
const REHEARSE_EVERY_MS = 0.1
const REHEARSE_FROM_MS = 1.5
const REHEARSE_UNTIL_MS = 0.03

/**
 * The open model: requests come due when the schedule says so, whether or not the server keeps up. A due request goes
 * to a free connection at once or else waits in a queue, in due order; nothing is left out because it is late. So as
 * long as something waits in the one queue for all, no connection is free.
 */
class OpenLoop extends DueLoop {
  /**
   * @param {object} plan
   * @param {{ next: function(): number, connection: number }} pacer due times in seconds from the start, see part.js
   * @param {number} budget how many requests may come due in all, Infinity for no limit
   * @param {object} owner see Loop
   * @param {boolean} [isPerConnection] each connection has a queue of its own
   */
  constructor (plan, pacer, budget, owner, isPerConnection = plan.schedule.perConnection === true) {
    super(pacer, budget, plan, owner)
    this.recorded = plan.schedule.times ?? null
    this.free = new FreeList(owner.connections.length, plan.pipelining)
    // One queue for all, or one for each connection when the schedule is the connection's own.
    this.isPerConnection = isPerConnection
    this.queues = Array.from({ length: this.isPerConnection ? owner.connections.length : 1 }, () => new DueQueue())
    this.isUnhurried = false
    this.wroteAt = -Infinity
  }

  begin (startAt) {
    this.startClock(startAt)
    for (const connection of this.owner.connections) this.offer(connection)
    this.alarm.wake()
  }

  get needsConnections () {
    return !this.isOver
  }

  /** The number in the whole schedule of the arrival that was due then, where it was recorded. */
  arrivalAt (dueAt) {
    return nearest(this.recorded, (dueAt - this.startAt) / 1000)
  }

  queueOf (connection) {
    return this.queues[this.isPerConnection ? connection.index : 0]
  }

  freeOf () {
    return this.free
  }

  // --- when requests come due

  wake (now) {
    const { recorder } = this.owner
    const { nextDue } = this
    const { sent } = recorder
    this.notice(now)
    // Where something was sent, that took its time, and hooks may have taken theirs.
    const isIdle = this.nextDue === nextDue && recorder.sent === sent
    this.endTurn(isIdle ? now : this.wroteAt = world.now())
  }

  // The last thing before the sockets are asked what has come.
  endTurn (now) {
    this.setAlarm(now)
    if (!this.alarm.isWatching) return
    if (this.isTimeToRehearse(now)) {
      this.rehearse()
      now = this.wroteAt = world.now()
    }
    this.alarm.looked(now)
  }

  isTimeToRehearse (now) {
    const left = this.nextDue - now
    return left > REHEARSE_UNTIL_MS && left <= REHEARSE_FROM_MS && now - this.wroteAt > REHEARSE_EVERY_MS
  }

  rehearse () {
    // Behind the last arrival of this part a schedule of each connection goes on with those of other parts.
    if (this.isExhausted) return
    const index = this.upcoming
    if (index !== -1) this.owner.connections[index].rehearse()
  }

  /** The index of the connection that sends next, as far as can be told now, or -1. */
  get upcoming () {
    return this.isPerConnection ? this.pacer.connection : this.free.best()
  }

  /** Takes in what has come due by now, and sends it where a connection is free. */
  notice (now) {
    while (this.nextDue <= now && this.budget > 0) this.arrive(now)
    if (!this.isPerConnection) this.serveBest(now)
  }

  arrive (now) {
    const index = this.isPerConnection ? this.pacer.connection : 0
    this.come(this.queues[index])
    if (this.isPerConnection) this.serve(this.owner.connections[index], now)
  }

  // The next request has come due.
  come (queue) {
    this.alarm.wasBusy()
    this.owner.recorder.scheduled++
    this.budget--
    queue.push(this.nextDue)
    this.advance()
  }

  setAlarm (now) {
    if (this.isOver) return
    const nextDue = this.isExhausted ? Infinity : this.nextDue
    // With requests waiting for a connection there is nothing to be on time for; `ready` looks at the clock as well.
    this.isUnhurried = !this.isPerConnection && this.isBacklogged
    if (this.isUnhurried) this.alarm.sleepUntil(nextDue, now)
    else this.alarm.set(nextDue, now)
  }

  /** Whether requests wait wherever the next one may be sent. */
  get isBacklogged () {
    return this.queues[0].length > 0
  }

  // Nothing waits any more, and the timer would be late for the request that comes due next.
  hurry () {
    this.alarm.clear()
    this.setAlarm(world.now())
  }

  // --- who sends them

  ready (connection, now) {
    if (this.isOver) return
    this.alarm.wasBusy()
    const queue = this.queueOf(connection)
    // What waits here waits for exactly this connection, so it takes all it can in one write.
    if (queue.length > 0) this.serve(connection, now)
    else this.offer(connection)
    this.notice(now)
    if (this.isUnhurried && queue.length === 0) this.hurry()
  }

  // Gives waiting requests to this connection as long as it has room.
  serve (connection, now) {
    const queue = this.queueOf(connection)
    this.dropLate(queue, now)
    let room = queue.length === 0 ? 0 : connection.room
    if (room > 0) {
      for (; room > 0 && queue.length > 0; room--) connection.send(queue.shift())
      connection.flush(world.now())
    }
    this.offer(connection)
  }

  serveBest (now) {
    this.serveFrom(this.queues[0], this.free, now)
  }

  serveFrom (queue, free, now) {
    this.dropLate(queue, now)
    while (queue.length > 0) {
      const index = free.best()
      if (index === -1) return
      const connection = this.owner.connections[index]
      // A response that announces the end of its connection takes away the room for more.
      if (connection.room > 0) {
        connection.send(queue.shift())
        // What was written before it has taken its time.
        connection.flush(world.now())
      }
      this.offer(connection)
    }
  }

  offer (connection) {
    if (this.isPerConnection) return
    if (connection.room > 0) this.freeOf(connection).add(connection.index, connection.busy)
    else this.freeOf(connection).remove(connection.index)
  }

  /** A request that no connection has taken before its deadline is never sent. */
  dropLate (queue, now) {
    if (queue.length === 0 || queue.oldest + this.timeout > now) return
    const { recorder, pool: { hookShare } } = this.owner
    while (queue.length > 0 && queue.oldest + this.timeout <= now) recorder.unsentRequest(queue.shift(), now, hookShare)
  }

  dropAllLate (now) {
    let oldest = Infinity
    for (const queue of this.queues) {
      this.dropLate(queue, now)
      if (queue.length > 0) oldest = Math.min(oldest, queue.oldest)
    }
    for (const connection of this.owner.connections) {
      this.dropLatePrepared(connection, now)
      oldest = Math.min(oldest, connection.oldestPrepared)
    }
    return oldest
  }

  // A connection has taken it, but a hook of the user's is not done with it.
  dropLatePrepared (connection, now) {
    while (connection.oldestPrepared + this.timeout <= now) {
      this.owner.recorder.unsentRequest(connection.dropPrepared(), now, 1)
    }
  }

  /** A connection that has broken gives back a request that it had not written yet. */
  unwritten (connection, dueAt) {
    this.queueOf(connection).putBack(dueAt)
  }

  /** What the connection has given back need not wait for it: another may be free. */
  closed (connection) {
    this.freeOf(connection).remove(connection.index)
    if (this.owner.maySend && !this.isPerConnection && this.queueOf(connection).length > 0) this.serveBest(world.now())
  }

  /** Ends the schedule: nothing more comes due or is sent. What waits now stays where it is until `leaveUnsent`. */
  end (now) {
    if (this.isOver) return
    this.isOver = true
    this.alarm.clear()
    while (this.nextDue <= now && this.budget > 0) this.come(this.queues[0])
  }

  forget () {
    this.budget = 0
    for (const queue of this.queues) {
      for (; queue.length > 0; queue.shift()) this.owner.recorder.scheduled--
    }
  }

  eachWaiting (visit) {
    for (const queue of this.queues) queue.each(visit)
  }

  leaveUnsent (now) {
    const { recorder, pool: { hookShare } } = this.owner
    for (const queue of this.queues) {
      while (queue.length > 0) recorder.unsentRequest(queue.shift(), now, hookShare)
    }
  }
}

module.exports = OpenLoop
