'use strict'

const { connectTimeout, fault } = require('../../base/faults')
const Handshake = require('../../transport/handshake')
const Sockets = require('../../transport/sockets')
const world = require('../../world')

const CLOSED = 0
const CONNECTING = 1
const OPEN = 2

const NEVER = -1

/**
 * What the connections of all protocols share. The methods follow the life cycle of a connection, which belongs to an owner.
 *
 * A connection knows nothing about schedules. Its owner decides when to send, and has these methods: `ready(connection, now)`:
 * the connection can accept requests; `closed(connection, wasOpen)`: it has closed and all its requests are accounted for;
 * `unwritten(connection, dueAt)`: it returns a request of which no byte was written; `requestFailed(…)`, `requestTimedOut(…)`,
 * `connectionFailed(…)`, `connectionBroken(…)` (with no requests in flight). Completed requests go directly to `owner.recorder`.
 *
 * A protocol defines how requests are sent and responses recognized: `busy`, `room`, `send(dueAt)`, `prepared`, `nextPrepared`,
 * `preparedDues`, `removePrepared(place)`, `returnUnwritten()`, `flush()`, `received(length)`, `endedByServer(now)`,
 * `oldest(fromDueTime)`, `expire(lateFrom)`, `breakOff(…)`, `eachInFlight(visit)`, `abandon(now)`; and if it has a handshake of its own
 * before the first request, `reached(now)` and `receivedOpening(length)`; and for trace context, `serialOf(slot)`.
 */
class Connection {
  /**
   * @param {object} plan
   * @param {number} index which connection this is
   * @param {object} target of the plan
   * @param {object} train the target's requests
   */
  constructor (plan, index, target, train) {
    /**
     * See above; also has `plan`, `recorder`, `memos` (of its protocol, one per endpoint). Set before the connection is opened.
     */
    this.owner = null
    this.index = index
    this.target = target
    this.train = train
    /** Determines the next request, see load/request-order.js. Set before the connection is opened. */
    this.order = null
    /** Runs the user's hooks for this connection; null if there are none. */
    this.script = null
    /** The trace ids of its requests; null without trace context. */
    this.traces = null
    this.state = CLOSED
    this.socket = null
    /** Which TCP connection it is, from 1, unique over all threads of a run; it changes with each one that is opened. 0 before the first. */
    this.number = 0
    /** By slot, the id that was sent in the place of the request's placeholders; only of requests that have any. */
    this.idsSent = []
    /** The source of its sockets; created by `open` if not set. */
    this.sockets = null
    this.sentEver = 0
    /** How many times in a row it closed without any response; determines the back-off. */
    this.failuresInRow = 0
    /** The earliest time of the next connection attempt, ms. */
    this.notBefore = 0
    /** When it last began to have room for a request, ms. */
    this.freeSince = 0
    /** How long it had no room before that; of this, how long it waited for hooks, and how long it was closed at the end. */
    this.busyMs = 0
    this.hookMs = 0
    this.closedMs = 0
    /** Like hookMs, counted since `freeSince`. */
    this.hookMsSoFar = 0
    /** When it closed, or first began to open, ms. NEVER before that. */
    this.closedAt = NEVER
    /** When the current attempt to open it began, ms. */
    this.begunAt = 0
    this.beginLife()
  }

  beginLife () {
    /** The handshake with the server, until the connection is open. */
    this.handshake = null
    this.sentHere = 0
    this.answeredHere = 0
    /** Whether a request on it has passed its deadline. */
    this.wasLate = false
    /** Whether no further request may be sent, because a response, a request or the plan requires that it close. */
    this.isLast = false
  }

  get isOpen () {
    return this.state === OPEN
  }

  get isConnecting () {
    return this.state === CONNECTING
  }

  get isInUse () {
    return this.state !== CLOSED
  }

  /** Whether it is open and not about to close. */
  get takesRequests () {
    return this.state === OPEN && !this.isLast
  }

  /** Whether the next request may be written now. */
  get mayBegin () {
    return this.takesRequests
  }

  /** Whether there is something for `flush` to write. */
  get hasPrepared () {
    return this.prepared > 0
  }

  /** Whether the server accepts no requests on it, although it is open. */
  get isBarred () {
    return false
  }

  /** Whether it must be reopened for requests of its own, whatever the owner has to send. */
  get isOwing () {
    return false
  }

  /** Whether a request may be sent while the body of another is being sent. */
  get interleaves () {
    return false
  }

  /**
   * When the oldest request came due that `send` has accepted but that is not written; Infinity if there is none. It isn't always written
   * next, since another connection may have returned it.
   */
  get oldestPrepared () {
    return this.prepared === 0 ? Infinity : this.preparedDues.reduce(least)
  }

  /** Drops the oldest of them. @returns {number} when it came due */
  dropPrepared () {
    return this.removePrepared(this.preparedDues.indexOf(this.oldestPrepared))
  }

  /** Whether it is open with no requests. */
  get isIdle () {
    return this.takesRequests && this.busy === 0
  }

  get nextEndpoint () {
    return this.script === null ? this.train.endpoints[this.order.next] : this.script.sequence.nextEndpoint
  }

  /** Whether the feed has no more rows for it, and all requests of its last row have been sent. */
  get isSpent () {
    return this.script !== null && this.script.isSpent
  }

  /** Whether its own limit allows more requests. */
  get isWorthReopening () {
    const { maxConnectionRequests } = this.owner.plan
    return maxConnectionRequests === null || this.sentEver < maxConnectionRequests
  }

  /** How many of `room` more requests the plan allows it to send, beyond those that `send` has accepted. */
  allowed (room) {
    const { reconnectRate, maxConnectionRequests } = this.owner.plan
    if (reconnectRate !== null) room = Math.min(room, reconnectRate - this.sentHere - this.prepared)
    if (maxConnectionRequests !== null) room = Math.min(room, maxConnectionRequests - this.sentEver - this.prepared)
    return room
  }

  /** Whether as many requests as the plan allows until it reconnects have been sent, answered or not. */
  get isUsedUp () {
    const { reconnectRate } = this.owner.plan
    return reconnectRate !== null && this.sentHere >= reconnectRate
  }

  /** Whether any request has a timeout of its own, which only calls of user code can have. */
  get hasTimeouts () {
    return this.script !== null && this.script.hasTimeouts
  }

  /** The timeout of the request in a slot, ms; undefined for that of the run. */
  timeoutOf (slot) {
    return this.hasTimeouts ? this.script.timeoutOf(slot) : undefined
  }

  /** When the oldest thing that it waits for began, ms; Infinity if it waits for nothing. */
  waitsSince (fromDueTime) {
    return this.state === CONNECTING ? this.handshake.startedAt : this.oldest(fromDueTime)
  }

  /**
   * Describes the request that is, or was last, in a slot, as it was sent. The recorder asks for it as long as the slot is readable, and
   * only for the few requests that are reported one by one.
   *
   * @param {number} slot
   * @param {number} endpoint of this request
   * @returns {{ method: string, path: string }} see RequestLine
   */
  requestIn (slot, endpoint) {
    const encoded = this.script === null ? this.train.requestOf(endpoint) : this.script.entries[slot].encoded
    return encoded.describe(this.idsSent[slot])
  }

  // --- trace context

  /** Gives each request a trace id. @param {TraceIds} traces */
  traceWith (traces) {
    this.traces = traces
  }

  /** The trace id that the request in a slot carried; null if it carried none. */
  traceIdOf (slot) {
    return this.traces === null ? null : this.traces.idOf(this.serialOf(slot))
  }

  /** Whether the request in flight whose deadline is the earliest has passed it. */
  hasPassedDeadline (now) {
    const { isOpenModel, plan: { timeout } } = this.owner
    return this.oldest(isOpenModel) + timeout * 1000 <= now
  }

  // --- opening

  open () {
    this.beginLife()
    this.state = CONNECTING
    if (this.closedAt === NEVER) this.closedAt = world.now()
    this.sockets ??= new Sockets(this.owner.plan)
    this.handshake = new Handshake(this, this.owner.plan, this.protocols)
    this.handshake.begin()
  }

  /**
   * Called by the handshake when the server is connected. A protocol with a handshake of its own begins it here, and calls
   * `connected` at its end; until then, data goes to its `receivedOpening`.
   */
  reached (now) {
    this.connected(now)
  }

  connected (now) {
    this.opened(now)
    this.owner.ready(this, now)
  }

  /** For a protocol that must read something before requests may be sent; it then calls `owner.ready` itself. */
  opened (now) {
    const { total, dns, tcp, tls } = this.handshake.times(now)
    this.begunAt = this.handshake.startedAt
    this.handshake = null
    this.state = OPEN
    this.number = this.sockets.takeNumber()
    this.becameFree(now, now - this.closedAt)
    this.owner.recorder.openedConnection(total, dns, tcp, tls, this.target)
  }

  /** There is room for a request again, after the connection was closed for `closedMs` ms. */
  becameFree (now, closedMs = 0) {
    this.busyMs = now - this.freeSince
    this.freeSince = now
    this.hookMs = this.hookMsSoFar
    this.closedMs = closedMs
    this.hookMsSoFar = 0
  }

  /** The share of hooks in the last period without room; 1 while it waits for a hook. */
  get hookShare () {
    if (this.script === null) return 0
    return this.script.isHeld ? 1 : Math.min(1, this.hookMs / Math.max(1, this.busyMs))
  }

  /** @param {object} fault see base/faults.js */
  failedToOpen (fault) {
    this.failuresInRow++
    this.owner.connectionFailed(fault, this)
    this.close(false)
  }

  /** For `received`: handles data that arrives before the connection is open, or after it has closed. */
  receivedEarly (length) {
    if (this.state !== CONNECTING) return false
    return this.handshake.hasReached ? this.receivedOpening(length) : this.handshake.received(length)
  }

  /** For `expire`: the time limit for opening it has passed. */
  expireOpening () {
    this.failedToOpen(connectTimeout(this.handshake.phase, this.owner.plan.timeout))
  }

  /** When the data being read arrived, ms. If the loop was polling, the time of its last poll is more accurate than the clock. */
  arrivalTime () {
    const { recorder } = this.owner
    return recorder.open ? world.foundAt(recorder.forecast.takeLook()) : world.now()
  }

  /** Prepares for a request that will be sent shortly, by warming up a write without sending anything. */
  rehearse () {
    if (this.isOpen && !this.target.secure) world.rehearseWrite(this.socket)
  }

  // --- ending

  /** The server has sent its FIN. */
  ended () {
    if (this.isConnecting) this.handshake.ended()
    else this.endedByServer(world.now())
  }

  failed (code, message, syscall) {
    if (this.state === CONNECTING) this.failedToOpen(fault(code, this.handshake.phase, message))
    else this.breakOff(fault(code, syscall === 'write' ? 'send' : 'receive', message), true)
  }

  /** Closes a socket that is no longer used. */
  letGo (socket) {
    // A socket that is already ending must not be reset: Node.js would keep the socket, and the process, alive forever.
    if (this.owner.plan.emulation?.closesWithReset && !this.target.secure && !socket.writableEnded) socket.resetAndDestroy()
    else socket.destroy()
  }

  /** How long it has been open, ms; null if it had no response. */
  lifetime (now) {
    return this.answeredHere === 0 ? null : now - this.begunAt
  }

  /**
   * Records what the end of the run prevents: that the connection opens, if it `isNeeded`, or gets its first response. Called
   * before the connection is closed.
   */
  recordMissing (recorder, now, isNeeded) {
    if (this.isConnecting && isNeeded) recorder.missing.unopened(this.handshake.waits(now), true)
    else if (this.isOpen && this.answeredHere === 0 && this.isAwaiting && !this.wasLate) recorder.missing.unanswered(now - this.begunAt, true)
  }

  /** Open model: records the send delays of requests in flight that are otherwise recorded when the requests end. */
  recordDelays (recorder) {}

  /** Records that it closes, or as if it closed now. */
  recordEnd (recorder, byServer, now) {
    const inVain = this.wasLate && this.answeredHere === 0 ? now - this.begunAt : null
    recorder.closedConnection(byServer, this.lifetime(now), inVain)
  }

  /** Records the requests that the server did not process, and that were not sent again, as unfinished, as if the run ended now. */
  recordRefused (recorder, now) {}

  /** A phase has ended, and this connection may be kept for the next one. */
  endPhase (now) {}

  /** Closes the socket, if there is one. No requests may be in flight. */
  close (byServer) {
    const wasOpen = this.state === OPEN
    if (this.state === CLOSED) return
    this.state = CLOSED
    if (wasOpen) {
      this.closedAt = world.now()
      if (this.answeredHere === 0) this.failuresInRow++
      this.recordEnd(this.owner.recorder, byServer, this.closedAt)
    }
    this.returnUnwritten()
    if (this.script !== null) this.script.onClose()
    const { socket } = this
    this.socket = null
    // There is no socket if Node failed to create one.
    if (socket !== null) this.letGo(socket)
    this.owner.closed(this, wasOpen)
  }
}

function least (a, b) {
  return Math.min(a, b)
}

module.exports = Connection
