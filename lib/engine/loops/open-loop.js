'use strict'

const { nearest } = require('../../load/loads')
const world = require('../../world')
const DueQueue = require('./due-queue')
const FreeList = require('./free-list')
const DueLoop = require('./due-loop')

/*
 * After a pause, the caches of the processor and the kernel are cold, and the next write would leave about 40 us late. So
 * while the loop polls the clock, it repeatedly rehearses a write, and stops shortly before the request is due.
 */
const REHEARSE_EVERY_MS = 0.1
const REHEARSE_FROM_MS = 1.5
const REHEARSE_UNTIL_MS = 0.03

/**
 * The open model: requests come due by the schedule, whether or not the server keeps up. A due request goes to a free
 * connection at once, or waits in a queue, in due order, until its timeout; no request is skipped for being late. While the
 * shared queue is not empty, no connection is free.
 */
class OpenLoop extends DueLoop {
  /**
   * @param {object} plan
   * @param {{ next: function(): number, connection: number }} pacer due times in seconds from the start, see part.js
   * @param {number} budget the maximum number of requests that may come due; Infinity for no limit
   * @param {object} owner see Loop
   * @param {boolean} [isPerConnection] whether each connection has a queue of its own
   */
  constructor (plan, pacer, budget, owner, isPerConnection = plan.schedule.perConnection === true) {
    super(pacer, budget, plan, owner)
    this.recorded = plan.schedule.times ?? null
    this.free = new FreeList(owner.connections.length, plan.pipelining)
    // One shared queue, or one per connection if each connection has its own schedule.
    this.isPerConnection = isPerConnection
    this.queues = Array.from({ length: this.isPerConnection ? owner.connections.length : 1 }, (_, number) => new DueQueue(number))
    this.isUnhurried = false
    this.wroteAt = -Infinity
  }

  begin (startAt) {
    this.startClock(startAt)
    for (const connection of this.owner.connections) this.offer(connection)
    this.alarm.wake()
  }

  get needsConnections () {
    return !this.isOver || this.outlivesWindow
  }

  /** The window of an amount closes when all of it was sent. What a server returns later, because it has not processed it, is sent again. */
  get outlivesWindow () {
    const { ending, extent } = this.owner
    return this.isOver && extent.amount !== null && ending.isWaiting
  }

  get isIdle () {
    return !this.outlivesWindow
  }

  /** Which request each arrival is, if they have weights; null otherwise. */
  get mix () {
    return this.owner.pool.mix ?? null
  }

  /** The number, in a recorded schedule, of the arrival that was due at this time. */
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
    // Sending and hooks take time: in that case, read the clock again.
    const isIdle = this.nextDue === nextDue && recorder.sent === sent
    this.endTurn(isIdle ? now : this.wroteAt = world.now())
  }

  // Must be called last in a turn: the event loop reads the sockets right afterwards.
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
    // After this part's last arrival, a per-connection schedule continues with the connections of other parts.
    if (this.isExhausted) return
    const index = this.upcoming
    if (index !== -1) this.owner.connections[index].rehearse()
  }

  /** The index of the connection that will probably send next, or -1. */
  get upcoming () {
    return this.isPerConnection ? this.pacer.connection : this.free.best()
  }

  /** Takes the requests that have come due by now, and sends them if a connection is free. */
  notice (now) {
    while (this.nextDue <= now && this.budget > 0) this.arrive(now)
    if (!this.isPerConnection) this.serveBest(now)
  }

  arrive (now) {
    const index = this.isPerConnection ? this.pacer.connection : 0
    this.come(this.queues[index])
    if (this.isPerConnection) this.serve(this.owner.connections[index], now)
  }

  come (queue) {
    this.alarm.wasBusy()
    this.owner.recorder.scheduled++
    this.budget--
    queue.push(this.nextDue)
    if (this.mix !== null) this.mix.arrive(queue.number, this.nextDue)
    this.advance()
  }

  setAlarm (now) {
    if (this.isOver) return
    const nextDue = this.isExhausted ? Infinity : this.nextDue
    // While requests wait for a connection, none can be sent on time anyway, and `ready` checks the clock as well.
    this.isUnhurried = !this.isPerConnection && this.isBacklogged
    if (this.isUnhurried) this.alarm.sleepUntil(nextDue, now)
    else this.alarm.set(nextDue, now)
  }

  /** Whether requests are already waiting wherever the next one could go. */
  get isBacklogged () {
    return this.queues[0].length > 0
  }

  // The queue is empty again, so the next request can be on time; the timer that is set would be late for it.
  hurry () {
    this.alarm.clear()
    this.setAlarm(world.now())
  }

  // --- who sends them

  ready (connection, now) {
    if (this.isOver && !this.outlivesWindow) return
    this.alarm.wasBusy()
    const queue = this.queueOf(connection)
    // Requests in this queue can only be sent on this connection, so it writes as many of them as it can together.
    if (queue.length > 0) this.serve(connection, now)
    else this.offer(connection)
    this.notice(now)
    if (this.isUnhurried && queue.length === 0) this.hurry()
  }

  give (connection, dueAt) {
    if (this.mix !== null) this.mix.give(connection, dueAt)
    connection.send(dueAt)
  }

  // Gives waiting requests to this connection as long as it has room.
  serve (connection, now) {
    const queue = this.queueOf(connection)
    this.dropLate(queue, now)
    let room = queue.length === 0 ? 0 : connection.room
    if (room > 0) {
      for (; room > 0 && queue.length > 0; room--) this.give(connection, queue.shift())
      connection.flush()
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
      // A connection that the server has announced to close no longer has room.
      if (connection.room > 0) {
        this.give(connection, queue.shift())
        connection.flush()
      }
      this.offer(connection)
    }
  }

  offer (connection) {
    if (this.isPerConnection) return
    if (connection.room > 0) this.freeOf(connection).add(connection.index, connection.busy)
    else this.freeOf(connection).remove(connection.index)
  }

  /** Drops requests that no connection could take before their deadline. */
  dropLate (queue, now) {
    if (queue.length === 0 || queue.oldest + this.timeout > now) return
    const { hookShare, owner: { recorder } } = this
    while (queue.length > 0 && queue.oldest + this.timeout <= now) {
      const dueAt = queue.shift()
      recorder.unsentRequest(dueAt, now, hookShare)
      // It keeps its place in the mix.
      if (this.mix !== null) this.mix.skip(queue.number, dueAt)
    }
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

  // A connection has accepted the request, but a user's hook is still preparing it.
  dropLatePrepared (connection, now) {
    while (connection.oldestPrepared + this.timeout <= now) {
      const dueAt = connection.dropPrepared()
      this.owner.recorder.unsentRequest(dueAt, now, 1)
      if (this.mix !== null) this.mix.drop(connection, dueAt)
    }
  }

  /** A connection returns a request that it had not written because it broke, or that the server has not processed. */
  unwritten (connection, dueAt) {
    this.queueOf(connection).putBack(dueAt)
    if (this.mix !== null) this.mix.takeBack(connection, dueAt)
    // Connections that became free after the window closed were not offered.
    if (this.outlivesWindow) this.owner.connections.forEach((other) => this.offer(other))
  }

  /** Requests that the connection returned need not wait for it to reopen: another may be free. */
  closed (connection) {
    this.freeOf(connection).remove(connection.index)
    if (this.owner.maySend && !this.isPerConnection && this.queueOf(connection).length > 0) this.serveBest(world.now())
  }

  /** Ends the schedule: nothing more comes due or is sent. Waiting requests stay in their queues until `leaveUnsent`. */
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

  get hookShare () {
    return this.owner.pool.hookShare
  }

  eachWaiting (visit) {
    for (const queue of this.queues) queue.each((dueAt) => visit(dueAt, null))
  }

  leaveUnsent (now) {
    const { hookShare, owner: { recorder } } = this
    for (const queue of this.queues) {
      while (queue.length > 0) recorder.unsentRequest(queue.shift(), now, hookShare)
    }
  }
}

module.exports = OpenLoop
