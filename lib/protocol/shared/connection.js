'use strict'

const { CODES, secondsInWords } = require('../../base/errors')
const Handshake = require('../../transport/handshake')
const Sockets = require('../../transport/sockets')
const world = require('../../world')

const CLOSED = 0
const CONNECTING = 1
const OPEN = 2

const NEVER = -1

/**
 * What the connections of all protocols have in common: a life, from top to bottom, and an owner.
 *
 * A connection knows no schedule. Its owner says when to send, and has these methods:
 * `ready(connection, now)`: it can take requests; `closed(connection, wasOpen)`: it has ended and all its requests
 * are accounted for; `unwritten(connection, dueAt)`: a request given to `send` goes back, no byte of it was written;
 * `requestFailed(…)`, `requestTimedOut(…)`, `connectionFailed(…)`, `connectionBroken(…)` (while it owed nothing). What
 * completes goes straight to `owner.recorder`.
 *
 * A protocol adds how requests are sent and responses recognised: `busy`, `room`, `send(dueAt)`, `prepared`,
 * `oldestPrepared`, `dropPrepared()`, `returnUnwritten()`, `flush(now)`, `received(length)`, `ended()`, `oldest(fromDueTime)`,
 * `expire(lateFrom)`, `breakOff(…)`, `eachInFlight(visit)`, `abandon(now)`; and where it has to say something before the first request, `reached(now)` and
 * `receivedOpening(length)`.
 */
class Connection {
  /**
   * @param {object} plan
   * @param {number} index which connection this is
   * @param {object} target of the plan
   * @param {object} train the target's requests
   */
  constructor (plan, index, target, train) {
    /** See above; also `plan`, `recorder`, `memos` (of its protocol, one per endpoint). Set before it is opened. */
    this.owner = null
    this.index = index
    this.target = target
    this.train = train
    /** Which of them is next, see load/request-order.js. Set before it is opened, as the owner is. */
    this.order = null
    /** What runs the user's hooks for this connection; null on the plain path. */
    this.script = null
    this.state = CLOSED
    this.socket = null
    /** Where its sockets come from; that of a connection alone is its own. */
    this.sockets = null
    this.sentEver = 0
    /** How many connections in a row gave no response; the next attempt waits the longer. */
    this.failuresInRow = 0
    /** The next attempt does not begin earlier, ms. */
    this.notBefore = 0
    /** Since when there has been room for a request, ms. */
    this.freeSince = 0
    /** How long it had no room before that; of this, how long it waited for hooks, and how long it was closed at the end. */
    this.busyMs = 0
    this.hookMs = 0
    this.closedMs = 0
    /** The same as hookMs, since it was free. */
    this.hookMsSoFar = 0
    /** Since when it is not open, ms: since it ended, or first began to open. */
    this.closedAt = NEVER
    /** When it began to open, ms. */
    this.begunAt = 0
    this.beginLife()
  }

  beginLife () {
    /** The way to the server, until it is open. */
    this.handshake = null
    this.sentHere = 0
    this.answeredHere = 0
    /** A request on it has passed its deadline. */
    this.wasLate = false
    /** No further request may go out: a response, a request or the plan said that this connection ends. */
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

  /** Open, and nobody has said that it ends. */
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

  /** Whether the server takes no requests on it, though it is open. */
  get isBarred () {
    return false
  }

  /** Whether it has to be opened again for its own sake, whatever the owner has to send. */
  get isOwing () {
    return false
  }

  /** Whether a request may go out while the body of another is on its way. */
  get interleaves () {
    return false
  }

  /** Open, and owing nothing. */
  get isIdle () {
    return this.takesRequests && this.busy === 0
  }

  /** Which endpoint's request it sends next. */
  get nextEndpoint () {
    return this.script === null ? this.train.endpoints[this.order.next] : this.script.sequence.nextEndpoint
  }

  /** Whether the feed has no row for it any more, and all requests of its last one have been sent. */
  get isSpent () {
    return this.script !== null && this.script.isSpent
  }

  /** Whether this connection has requests left to send, as far as its own limit goes. */
  get isWorthReopening () {
    const { maxConnectionRequests } = this.owner.plan
    return maxConnectionRequests === null || this.sentEver < maxConnectionRequests
  }

  /** When the oldest thing that it waits for began, ms; Infinity when it waits for nothing. */
  waitsSince (fromDueTime) {
    return this.state === CONNECTING ? this.handshake.startedAt : this.oldest(fromDueTime)
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
   * For the handshake: the server can be spoken to. A protocol that has to agree with it on something first begins to
   * here, and says `connected` when that is done; what arrives meanwhile goes to its `receivedOpening`.
   */
  reached (now) {
    this.connected(now)
  }

  connected (now) {
    this.opened(now)
    this.owner.ready(this, now)
  }

  /** For a protocol that has something to read before requests may go out; then it says so itself: `owner.ready`. */
  opened (now) {
    const { total, dns, tcp, tls } = this.handshake.times(now)
    this.begunAt = this.handshake.startedAt
    this.handshake = null
    this.state = OPEN
    this.becameFree(now, now - this.closedAt)
    this.owner.recorder.openedConnection(total, dns, tcp, tls, this.target)
  }

  /** There is room for a request again, after `closedMs` ms in which the connection was not open. */
  becameFree (now, closedMs = 0) {
    this.busyMs = now - this.freeSince
    this.freeSince = now
    this.hookMs = this.hookMsSoFar
    this.closedMs = closedMs
    this.hookMsSoFar = 0
  }

  /** The share of hooks in the time that it last had no room; 1 while it waits for one. */
  get hookShare () {
    if (this.script === null) return 0
    return this.script.isHeld ? 1 : Math.min(1, this.hookMs / Math.max(1, this.busyMs))
  }

  failedToOpen (code, phase, message) {
    this.failuresInRow++
    this.owner.connectionFailed(code, phase, message, this)
    this.close(false)
  }

  /** For `received`: what arrives before the connection is open, and after it has closed. */
  receivedEarly (length) {
    if (this.state !== CONNECTING) return false
    return this.handshake.hasReached ? this.receivedOpening(length) : this.handshake.received(length)
  }

  /** For `expire`: its time to open is over. */
  expireOpening () {
    const seconds = secondsInWords(this.owner.plan.timeout)
    this.failedToOpen(CODES.CONNECT_TIMEOUT, this.handshake.phase, `no connection within ${seconds}`)
  }

  /** When what is read now has come, ms: that is nearer to the wire than the clock, where the loop kept looking for it. */
  arrivalTime () {
    const { recorder } = this.owner
    return recorder.open ? world.foundAt(recorder.outlook.takeLook()) : world.now()
  }

  /** A request will go out on it in a moment: what it takes to write is made ready, and nothing is sent. */
  rehearse () {
    if (this.isOpen && !this.target.secure) world.rehearseWrite(this.socket)
  }

  // --- ending

  failed (code, message, syscall) {
    if (this.state === CONNECTING) this.failedToOpen(code, this.handshake.phase, message)
    else this.breakOff(code, syscall === 'write' ? 'send' : 'receive', message, true)
  }

  /** Ends a socket that is ours no more. */
  letGo (socket) {
    // What is ending already cannot be reset: Node.js would keep the socket, and the process, for ever.
    if (this.owner.plan.emulation?.closesWithReset && !this.target.secure && !socket.writableEnded) socket.resetAndDestroy()
    else socket.destroy()
  }

  /** How long it has been open, ms; null where it gave no response. */
  lifetime (now) {
    return this.answeredHere === 0 ? null : now - this.begunAt
  }

  /**
   * Tells a recorder what the end of the run keeps it from, before it is closed: to open, where it `isNeeded`, or to be answered for the
   * first time.
   */
  tellMissing (recorder, now, isNeeded) {
    if (this.isConnecting && isNeeded) recorder.missing.unopened(this.handshake.waits(now), true)
    else if (this.isOpen && this.answeredHere === 0 && this.isAwaiting && !this.wasLate) recorder.missing.unanswered(now - this.begunAt, true)
  }

  /** Closes the socket if there is one; nothing may be in flight. */
  close (byServer) {
    const wasOpen = this.state === OPEN
    if (this.state === CLOSED) return
    this.state = CLOSED
    if (wasOpen) {
      this.closedAt = world.now()
      if (this.answeredHere === 0) this.failuresInRow++
      const inVain = this.wasLate && this.answeredHere === 0 ? this.closedAt - this.begunAt : null
      this.owner.recorder.closedConnection(byServer, this.lifetime(this.closedAt), inVain)
    }
    this.returnUnwritten()
    if (this.script !== null) this.script.onClose()
    const { socket } = this
    this.socket = null
    // There is none where Node would not even begin.
    if (socket !== null) this.letGo(socket)
    this.owner.closed(this, wasOpen)
  }
}

module.exports = Connection
