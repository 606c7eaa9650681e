'use strict'

const { Mix, MixShare } = require('../../../load/mix')
const DueQueue = require('../due-queue')
const { numberInWhole, shareOf } = require('../../deal/part')
const world = require('../../../world')
const DueLoop = require('../due-loop')
const Agenda = require('./agenda')
const Turn = require('./turn')
const Users = require('./users')

/**
 * The partly open model (Schroeder, Wierman, Harchol-Balter, "Open Versus Closed: A Cautionary Tale", NSDI 2006): sessions arrive
 * by a schedule or whenever a user has left, and each works through its steps.
 *
 *     pacer ──► due ──► waits, where maxOpen are there ──► Visit: steps and think times ──► left ──► its slot is free
 *     left  ──► due     (without a schedule)
 */
class SessionLoop extends DueLoop {
  /**
   * @param {object} plan with `sessions`
   * @param {?{ next: function(): number }} pacer when sessions are due, seconds from the start; null for a fixed number of users
   *   (`connections`)
   * @param {number} budget the maximum number of sessions that may come due; Infinity for no limit
   * @param {{ share: number, of: number }} part which part of the run is ours, see part.js
   * @param {object} owner see Loop
   */
  constructor (plan, pacer, budget, part, owner) {
    super(pacer, budget, plan, owner)
    const { sessions, connections, rampUp, seed, emulation } = plan
    this.plan = plan
    this.part = part
    this.seed = seed
    this.failOn = new Set(sessions.failOn)
    this.reopens = emulation?.reopens !== false
    /** Of the closed model; null if sessions come by a schedule. */
    this.users = pacer === null ? new Users(this, shareOf(connections, part), rampUp, part) : null
    this.mostOpen = this.users?.count ?? Math.max(1, shareOf(sessions.maxOpen, part))
    this.visits = []
    this.freeSlots = []
    this.waiting = new DueQueue()
    /** With scenarios: those of the sessions that come due, in order, and those of the sessions that wait. */
    this.mix = plan.scenarios === null ? null : mixOf(plan, part)
    this.waitingScenarios = new DueQueue()
    this.begunOfEach = new Float64Array(plan.scenarios?.length ?? 0)
    this.agenda = new Agenda()
    /** Of users as code: in which turn of the event loop their code continues. */
    this.turn = new Turn()
    this.open = 0
    /** Whether new sessions have to wait until others end. */
    this.isFull = false
    this.begun = 0
    /** How many sessions have left the queue: those that have begun, and those that waited too long. */
    this.taken = 0
  }

  get isInWindow () {
    return this.owner.window.isOpen
  }

  /** Sessions open their own connections. */
  get needsConnections () {
    return false
  }

  get neededConnections () {
    return this.open * this.plan.sessions.connections
  }

  /** Users as code may await anything, not only responses. One who left without a call comes again in the next turn of the event loop. */
  get expectsNothing () {
    if (this.users !== null && this.users.comingAgain > 0) return false
    return (this.open === 0 || !this.plan.isUserCode) && super.expectsNothing
  }

  get lacksConnections () {
    return true
  }

  /** Sessions that have begun continue after the window closes. */
  get outlivesWindow () {
    return true
  }

  /** Whether a session is due but has not begun, or is delayed by a back-off. */
  get isWaiting () {
    return this.waiting.length > 0 || (this.users?.areHeld === true && this.budget > 0)
  }

  /** Whether further sessions may come due. */
  get isExpecting () {
    return !this.isOver && this.budget > 0
  }

  /** Whether no session is open or waiting. */
  get isIdle () {
    return this.open === 0 && (this.isOver || !this.isWaiting)
  }

  /** Whether a session has failed whose requests have not been closed yet, which they are in the next tick. */
  get isFailing () {
    return this.visits.some((visit) => visit.isFailing && !visit.isOver)
  }

  begin (startAt) {
    this.startClock(startAt)
    this.users?.begin(startAt)
    this.alarm.wake()
  }

  // --- when sessions come due

  inheritBackOff ({ users }) {
    this.users?.inheritBackOff(users)
  }

  wake (now) {
    this.notice(now)
    this.setAlarm()
    if (this.alarm.isWatching) this.alarm.looked(world.now())
  }

  /** Processes what has come due by now: sessions, and the ends of think times. */
  notice (now) {
    const before = this.begun
    this.begunOfEach.fill(0)
    while (this.nextDue <= now && this.budget > 0) {
      this.come(this.nextDue)
      this.advance()
    }
    while (this.agenda.next <= now) {
      const time = this.agenda.next
      this.alarm.wasBusy()
      this.agenda.take().onTime(time, now)
    }
    this.admit(now)
    this.owner.recorder.sessionsBeganTogether(this.begun - before, this.begunOfEach)
  }

  /** A session has come due. It begins as soon as a slot is free. */
  come (dueAt, isInWindow = this.isInWindow) {
    const scenario = this.mix === null ? null : this.mix.next()
    this.count(isInWindow, scenario)
    this.alarm.wasBusy()
    this.waiting.push(dueAt)
    if (scenario !== null) this.waitingScenarios.push(scenario)
  }

  // A session's first request counts as scheduled when the session comes due.
  count (isInWindow, scenario) {
    this.budget--
    this.owner.recorder.scheduled++
    this.owner.recorder.sessionsOf(scenario).cameDue(isInWindow)
  }

  // The scenario of the session that has waited the longest, which no longer waits.
  takeScenario () {
    return this.mix === null ? null : this.waitingScenarios.shift()
  }

  /** Begins waiting sessions while slots are free. None begins once the run has ended early, though its accounts are still open. */
  admit (now) {
    this.dropLate(now)
    while (this.waiting.length > 0 && this.open < this.mostOpen && !this.isOver && this.owner.maySend) this.beginVisit(this.waiting.shift(), now)
    this.isFull = this.waiting.length > 0
  }

  // The number of the session that came due next: with a schedule, that of its arrival.
  takeNumber () {
    return numberInWhole(this.taken++, this.part)
  }

  beginVisit (dueAt, now) {
    const slot = this.freeSlots.pop() ?? this.visits.length
    const number = this.takeNumber()
    this.begun++
    const scenario = this.takeScenario()
    if (scenario !== null) this.begunOfEach[scenario]++
    this.open++
    this.owner.recorder.sessionsOf(scenario).began(this.isFull)
    const visit = this.owner.pool.createVisit(this, { number, slot, dueAt, scenario })
    this.visits[slot] = visit
    visit.begin(now)
  }

  /** Makes the agenda call `item.onTime(time, now)` at this time. */
  callAt (time, item) {
    this.agenda.add(time, item)
    if (this.alarm.misses(time)) this.setAlarm()
  }

  // As in the open model, responses are noticed as soon as they arrive if sessions arrive by a schedule.
  setAlarm () {
    const next = Math.min(this.isExhausted || this.isOver ? Infinity : this.nextDue, this.agenda.next)
    this.alarm.set(next, world.now(), this.pacer !== null)
  }

  // --- what connections report

  visitOf (connection) {
    const { connections } = this.plan.sessions
    const visit = this.visits[Math.floor(connection.index / connections)]
    return visit !== undefined && visit.connections[connection.index % connections] === connection ? visit : null
  }

  ready (connection, now) {
    this.alarm.wasBusy()
    this.visitOf(connection)?.proceed(now)
    this.notice(now)
    this.awaitAnswers()
  }

  /** A response to what was just sent may arrive soon, so the alarm may have to poll. */
  awaitAnswers () {
    if (this.pacer !== null && !this.alarm.sleeps && !this.alarm.isWatching) this.setAlarm()
  }

  scenarioOf (connection) {
    return this.visitOf(connection)?.scenario ?? null
  }

  closed (connection) {
    this.visitOf(connection)?.closed(connection, world.now())
  }

  unwritten (connection, dueAt) {
    this.visitOf(connection).unwritten(dueAt, connection)
  }

  /** A request on this connection failed or timed out. */
  lost (connection, isLate, fault) {
    this.visitOf(connection)?.requestLost(connection, isLate, fault)
  }

  notOpened (connection, isLate, fault) {
    this.visitOf(connection)?.notOpened(connection, isLate, fault)
  }

  // --- sessions that end

  /** A session has ended at `endedAt`, and its connections are closed. */
  left (visit, now, endedAt) {
    this.open--
    this.freeSlots.push(visit.slot)
    this.users?.left(visit, endedAt)
    this.admit(now)
    this.owner.ending.check()
  }

  // --- timeouts

  /** Fails the sessions that have waited too long for a slot. */
  dropLate (now) {
    const { waiting, owner: { recorder } } = this
    while (waiting.length > 0 && waiting.oldest + this.timeout <= now) {
      const dueAt = waiting.shift()
      const scenario = this.takeScenario()
      recorder.unsentOf(scenario, dueAt, now, 0, undefined, this.takeNumber())
      recorder.sessionsOf(scenario).gaveUp(dueAt, now)
      // In the closed model there is a slot for each user, so this happens only if the thread stalled.
      if (this.pacer === null && this.isExpecting) this.come(now)
    }
  }

  /** @returns {number} when the oldest unwritten request was due, ms; Infinity if there is none */
  dropAllLate (now) {
    this.dropLate(now)
    let oldest = this.waiting.length === 0 ? Infinity : this.waiting.oldest
    for (const visit of this.visits) {
      if (visit.isOver) continue
      visit.dropLate(now, this.timeout)
      if (!visit.isFailing) oldest = Math.min(oldest, visit.oldestDue)
    }
    return oldest
  }

  // --- the end

  /** The window has closed: no further session begins. Open sessions continue; waiting ones are kept until `leaveUnsent`. */
  end (now) {
    if (this.isOver) return
    // These came due within the window but were not processed in time.
    while (this.nextDue <= now && this.budget > 0) {
      this.come(this.nextDue, true)
      this.advance()
    }
    for (const visit of this.visits) visit.endStepBy(now, true)
    this.isOver = true
  }

  /**
   * Calls `visit` with the due time of each request that is due but not sent, and of each session that has not begun, and with its
   * scenario.
   */
  eachWaiting (visit) {
    for (const { due, scenario } of this.visits) for (const dueAt of due) visit(dueAt, scenario)
    this.eachUnbegun(visit)
  }

  eachUnbegun (visit) {
    const scenarios = []
    this.waitingScenarios.each((scenario) => scenarios.push(scenario))
    this.waiting.each((dueAt) => visit(dueAt, scenarios.length === 0 ? null : scenarios.shift()))
  }

  /**
   * Adds the sessions that have not ended to a recorder, as if the run ended now. `visits` may include ended ones, whose slots have not
   * been reused.
   */
  countUnderWay (recorder, visits, now) {
    for (const visit of visits) {
      if (!visit.isOver) visit.recordCutOff(recorder.sessionsOf(visit.scenario), now)
    }
    this.eachUnbegun((dueAt, scenario) => recorder.sessionsOf(scenario).neverBegan(dueAt, now))
  }

  endFailed (now) {
    for (const visit of this.visits) visit.endFailed(now)
  }

  /** Closes the accounts: open sessions count as unfinished, waiting ones as never begun. */
  leaveUnsent (now) {
    this.alarm.clear()
    this.agenda.clear()
    for (const visit of this.visits) visit.cutOff(now)
    while (this.waiting.length > 0) {
      const dueAt = this.waiting.shift()
      const scenario = this.takeScenario()
      this.owner.recorder.unsentOf(scenario, dueAt, now, 0, undefined, this.takeNumber())
      this.owner.recorder.sessionsOf(scenario).neverBegan(dueAt, now)
    }
    this.users?.clear()
  }
}

// By a schedule, the mix counts arrivals over all threads and machines; without one, the sessions of this thread.
function mixOf ({ scenarios, schedule }, { share, of }) {
  const mix = new Mix(scenarios.map(({ weight }) => weight))
  return new MixShare(mix, schedule === null ? undefined : { share, of })
}

module.exports = SessionLoop
