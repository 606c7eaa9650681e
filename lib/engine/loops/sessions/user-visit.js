'use strict'

const { CannonadeError, CODES, isDeadline, isOurs, secondsInWords } = require('../../../base/errors')
const world = require('../../../world')
const { Call, Deadline, Pause, rejected } = require('./pending')
const { Refusals, sessionEnded } = require('./refusals')
const Visit = require('./visit')

const NEVER = -1
// How often code may continue without waiting for anything, before others have their turn.
const MOST_IN_A_TURN = 1000

/**
 * A session whose requests are the calls of a function of the user.
 *
 *     due ── begin: the function is called ── calls and think times, in any order ── it has settled, and so has each call
 *
 * A call is due when the library settled what the function awaited before: when the response arrived, or when the think time was
 * over by the clock. So whatever the function computes in between is the client's delay, and part of the response time.
 */
class UserVisit extends Visit {
  /**
   * @param {SessionLoop} loop
   * @param {{ number: number, slot: number, dueAt: number }} place see Visit
   * @param {Connection[]} connections their scripts are UserScripts
   */
  constructor (loop, place, connections) {
    super(loop, place, connections)
    /** The function, what it gets, the reader of its calls, and the row of the feed: see `follow`. */
    this.play = null
    this.user = null
    this.calls = null
    this.row = null
    /** Calls that no connection has taken yet; their due times are in `due`. */
    this.queue = []
    /** Calls and think times that have not settled, and how many of these are calls. */
    this.pending = []
    this.openCalls = 0
    this.callsMade = 0
    /** Calls and pauses that ended at another time than those settled in this turn. Each is settled in a turn of its own. */
    this.later = []
    this.awaitsEndOfTurn = false
    /** The turn in which something was settled last, and the time at which that ended, ms. */
    this.settledIn = NEVER
    this.settledAt = 0
    /** The turn in which code continued at once last, and how often it did so in that turn. */
    this.continuedIn = NEVER
    this.continued = 0
    /** When the last call or pause of the session ended, ms. */
    this.endsAt = 0
    this.hasReturned = false
    this.hasFailed = false
    this.error = undefined
    this.controller = null
    /** What the code gets after the end, if it goes on. */
    this.refusals = null
  }

  /**
   * @param {function(object): Promise} play the user's function
   * @param {object} user its argument
   * @param {object} calls reads the arguments of calls: see script/user/calls.js
   * @param {?object} row of the feed
   */
  follow (play, user, calls, row) {
    this.play = play
    this.user = user
    this.calls = calls
    this.row = row
  }

  // --- the function

  /** The session's first request was counted as scheduled when the session came due; now each call counts itself. */
  begin () {
    this.recorder.scheduled--
    this.settledIn = this.loop.turn.notice()
    this.settledAt = this.dueAt
    let returned
    try {
      returned = this.play(this.user)
    } catch (error) {
      returned = Promise.reject(error)
    }
    Promise.resolve(returned).then(() => this.returned(), (error) => this.threw(error))
  }

  returned () {
    if (this.isOver) return
    this.hasReturned = true
    this.endsAt = Math.max(this.endsAt, this.now())
    this.checkEnd()
  }

  threw (error) {
    this.hasFailed = true
    this.error = error
    this.returned()
  }

  /** The time of what user code does now: that of what it awaited last, or the clock's. */
  now () {
    return this.settledIn === this.loop.turn.number ? this.settledAt : world.now()
  }

  // --- calls

  /** @returns {Promise<object>} the response; rejects if there is none */
  call (method, path, opts) {
    if (this.isOver) return this.refuse()
    try {
      return this.send(this.calls.read(method, path, opts, this.row))
    } catch (error) {
      return this.rejected(error)
    }
  }

  /** Like `call`, with a request as one object. */
  request (request) {
    if (this.isOver) return this.refuse()
    try {
      return this.send(this.calls.readRequest(request, this.row))
    } catch (error) {
      return this.rejected(error)
    }
  }

  send (request) {
    const { title, timeout, encoded } = request
    const dueAt = this.now()
    const step = this.loop.owner.stepOf(request.method, request.path, title, this.scenarioName, dueAt)
    const call = new Call({ step, encoded, context: null, call: null }, timeout, this.callsMade++)
    this.add(call)
    this.openCalls++
    this.callComesDue(call, dueAt)
    this.loop.alarm.wasBusy()
    this.serve(world.now())
    this.loop.awaitAnswers()
    return call.promise
  }

  callComesDue (call, dueAt) {
    call.dueAt = dueAt
    this.queue.push(call)
    this.comeDue(dueAt, this.isInWindow(dueAt))
    if (call.timeout !== null && call.timeout < this.loop.timeout) this.loop.callAt(dueAt + call.timeout, new Deadline(this))
  }

  // The window may have closed since.
  isInWindow (time) {
    const { window } = this.loop.owner
    return window.isOpen || time <= window.endedAt
  }

  /** Continues the session when a connection has room or has closed. */
  proceed (now) {
    if (!this.isOver) this.serve(now)
  }

  onTime (time, now) {
    this.proceed(now)
  }

  serve (now) {
    if (this.due.length === 0 || this.isHeld || !this.loop.owner.maySend) return
    const given = []
    while (this.due.length > 0) {
      const connection = this.leastBusy()
      if (connection === null) break
      connection.script.given.push(this.queue.shift())
      connection.send(this.due.shift())
      if (!given.includes(connection)) given.push(connection)
    }
    for (const connection of given) connection.flush()
    this.openFor(this.due.length, now)
  }

  unwritten (dueAt, { script: { given } }) {
    const [call] = given.splice(given.findLastIndex((each) => each.dueAt === dueAt), 1)
    let place = super.unwritten(dueAt)
    // Calls that were made together keep their order.
    while (this.queue[place]?.dueAt === dueAt && this.queue[place].number < call.number) place++
    this.queue.splice(place, 0, call)
  }

  /** Called by the script when a response has arrived. */
  answered () {
    this.responses++
  }

  /** Called by the script: the response to a call is complete, and final. */
  completed (call, response, { name }, at) {
    const { status } = response
    if (!this.loop.failOn.has(status)) this.settle(call, at, response, null)
    else this.settle(call, at, null, new CannonadeError(CODES.FAIL_ON, `${name} was answered with status ${status}, which sessions.failOn lists`))
  }

  /** Called by the script: a redirect makes another request due at once. */
  redirected (call, entry, now) {
    if (this.isOver) return
    call.entry = entry
    this.callComesDue(call, now)
  }

  /** The request that a connection took out last failed or timed out. */
  requestLost (connection, isLate, { code, message }) {
    const call = connection.script.callIn(connection.lastTaken)
    if (call === null) return
    const at = code === CODES.RESPONSE_TIMEOUT ? call.dueAt + this.timeoutOf(call) : world.now()
    this.settle(call, at, null, new CannonadeError(code, message))
  }

  /** A connection could not be opened: the oldest call that waits for one counts as unsent. The calls behind it try again. */
  notOpened (connection, isLate, { code, message }) {
    if (this.queue.length === 0) return
    const [call] = this.queue
    // The attempt ends early if the timeout of the call is shorter than that of the run.
    const deadline = Math.min(connection.handshake.startedAt + this.loop.timeout, call.dueAt + this.timeoutOf(call))
    this.giveUp(0, code === CODES.CONNECT_TIMEOUT ? deadline : world.now(), new CannonadeError(code, message))
  }

  giveUp (index, at, error) {
    const [call] = this.queue.splice(index, 1)
    this.due.splice(index, 1)
    this.recorder.unsentOf(this.scenario, call.dueAt, at, 0, this.timeoutOf(call), this.number)
    this.settle(call, at, null, error)
  }

  timeoutOf (call) {
    return call.timeout ?? this.loop.timeout
  }

  // --- think times

  /** @param {number} ms @returns {Promise} */
  think (ms) {
    if (this.isOver) return this.refuse()
    const pause = new Pause(this, this.now() + ms)
    this.add(pause)
    if (pause.until <= world.now() && this.countContinuation()) this.paused(pause)
    else this.loop.callAt(pause.until, pause)
    return pause.promise
  }

  paused (pause) {
    if (!this.isOver) this.settle(pause, pause.until, undefined, pause.error)
  }

  /** @param {string} name @param {boolean} ok */
  check (name, ok) {
    if (!this.isOver) this.recorder.checks.count(name, this.scenarioName, ok, this.now())
  }

  /** For what the function does on its own: aborted when the run ends before the session. */
  get signal () {
    this.controller ??= new AbortController()
    return this.controller.signal
  }

  /** Rejects a senseless argument. Its stack begins here: a stack has ten frames, and reading a form alone takes as many. */
  rejected (error) {
    if (this.isOver) return this.refuse()
    if (isOurs(error)) Error.captureStackTrace(error)
    if (this.countContinuation()) return rejected(error)
    const pause = new Pause(this, this.now(), error)
    this.add(pause)
    this.loop.callAt(pause.until, pause)
    return pause.promise
  }

  /**
   * Counts that code is about to continue at once: a loop of pauses of 0 or of senseless calls would never let the event loop go on.
   *
   * @returns {boolean} whether it may do so in this turn
   */
  countContinuation () {
    const turn = this.loop.turn.notice()
    if (this.continuedIn !== turn) this.continued = 0
    this.continuedIn = turn
    return ++this.continued <= MOST_IN_A_TURN
  }

  // --- settling

  add (pending) {
    pending.place = this.pending.push(pending) - 1
  }

  remove ({ place }) {
    const last = this.pending.pop()
    if (place === this.pending.length) return
    this.pending[place] = last
    last.place = place
  }

  /** @param {Pending} pending @param {number} at when it ended, ms @param {*} value @param {?Error} error */
  settle (pending, at, value, error) {
    if (this.isOver) return
    const { turn } = this.loop
    if (this.settledIn === turn.number && this.settledAt !== at) {
      this.later.push({ pending, at, value, error })
      this.awaitEndOfTurn()
      return
    }
    this.settledIn = turn.notice()
    this.settledAt = at
    this.remove(pending)
    if (pending.isCall) {
      this.openCalls--
      this.endsAt = Math.max(this.endsAt, at)
    }
    pending.settle(value, error)
    this.checkEnd()
  }

  awaitEndOfTurn () {
    if (this.awaitsEndOfTurn) return
    this.awaitsEndOfTurn = true
    this.loop.turn.reportEnd(this)
  }

  /** Called at the end of a turn in which something was settled for this session. */
  turnEnded () {
    this.awaitsEndOfTurn = false
    if (this.isOver) return
    if (this.later.length > 0) {
      const { pending, at, value, error } = this.later.shift()
      this.settle(pending, at, value, error)
      if (this.later.length > 0) this.awaitEndOfTurn()
    } else if (this.hasReturned && this.openCalls === 0) {
      this.conclude()
    }
  }

  // --- deadlines

  /** When the oldest call that no connection has taken would have been due with the timeout of the run, ms; Infinity if there is none. */
  get oldestDue () {
    let oldest = Infinity
    for (const call of this.queue) oldest = Math.min(oldest, call.dueAt + this.timeoutOf(call) - this.loop.timeout)
    return oldest
  }

  /** The deadline of a call with a short timeout of its own may have passed. */
  expire (now) {
    if (this.isOver) return
    const { timeout } = this.loop
    for (const connection of this.connections) {
      if (!connection.isConnecting && connection.oldest(true) + timeout <= now) connection.expire(now - timeout)
    }
    this.dropLate(now)
    this.proceed(now)
  }

  dropLate (now) {
    const isLate = (call) => call.dueAt + this.timeoutOf(call) <= now
    if (!this.queue.some(isLate)) return
    const connecting = this.connections.filter(({ isConnecting }) => isConnecting)
    // These attempts have run out of time as well, and each of them rejects a call.
    if (this.queue.every(isLate)) for (const connection of connecting) connection.expire()
    const code = connecting.length > 0 ? CODES.CONNECT_TIMEOUT : CODES.RESPONSE_TIMEOUT
    for (let index = this.queue.findIndex(isLate); index !== -1; index = this.queue.findIndex(isLate)) {
      const call = this.queue[index]
      const timeout = this.timeoutOf(call)
      this.giveUp(index, call.dueAt + timeout, new CannonadeError(code, `request timed out: no connection was free within ${secondsInWords(timeout / 1000)}`))
    }
  }

  // --- the end

  /** Whether no connection gave any response, so that the same user's next session has to wait. */
  get gaveNoResponse () {
    return this.responses === 0 && this.opened > 0
  }

  // What was settled last may cause another call in this turn.
  checkEnd () {
    if (this.hasReturned && this.openCalls === 0) this.awaitEndOfTurn()
  }

  conclude () {
    this.isOver = true
    if (this.hasFailed) this.printFailure(this.sessions)
    else this.sessions.wasCompleted(this.dueAt, this.endsAt, this.responses, this.opened, this.isInWindow(this.endsAt))
    this.leave(world.now(), this.endsAt)
  }

  printFailure (sessions) {
    sessions.hasFailed(this.dueAt, this.endsAt, this.responses, isOurs(this.error) && isDeadline(this.error.code))
    sessions.failures.count(this.error, this.scenarioName)
  }

  /** See Visit. */
  recordCutOff (sessions, now) {
    if (this.hasFailed) this.printFailure(sessions)
    else sessions.wasCutOff(this.responses, this.dueAt, now)
  }

  cutOff (now) {
    if (this.isOver) return
    this.isOver = true
    for (const { dueAt, timeout } of this.queue) this.recorder.unsentOf(this.scenario, dueAt, now, 0, timeout ?? undefined, this.number)
    this.due = []
    this.queue = []
    this.recordCutOff(this.sessions, now)
    const error = sessionEnded()
    for (const pending of this.pending.splice(0)) pending.settle(undefined, error)
    this.controller?.abort(error)
  }

  refuse () {
    this.refusals ??= new Refusals()
    return this.refusals.next()
  }
}

module.exports = UserVisit
