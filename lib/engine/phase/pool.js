'use strict'

const { ByWeight, RoundRobin } = require('../../load/request-order')
const protocolOf = require('../../protocol')
const world = require('../../world')
const { LongTimer } = require('../../world/long-timer')
const backOffAfter = require('../loops/back-off')
const { numberInWhole, shareOf } = require('../deal/part')
const ClosingSockets = require('./closing-sockets')

/** The connections of a run: opens them, and reopens them after they close. */
class Pool {
  /**
   * @param {object} plan
   * @param {object} hooks loaded, see engine/hooks.js
   * @param {{ share: number, of: number }} part which of the run's connections belong to this part, see part.js
   * @param {?Feed} feed the rows of this thread
   * @param {?TraceIds} traces of this thread; null without trace context
   */
  constructor (plan, hooks, part, feed, traces) {
    this.plan = plan
    this.hooks = hooks
    this.part = part
    this.feed = feed
    this.traces = traces
    /** While a phase owns the connections, and if requests are sent by weight; otherwise null. */
    this.mix = null
    this.owner = null
    const protocol = protocolOf(plan)
    this.sockets = new protocolOf.Sockets(plan, part)
    this.protocol = protocol
    this.memos = plan.requests.map(() => new protocol.Memo())
    this.needsScripts = areScriptsNeeded(plan, hooks, feed)
    this.knownScripts = null
    /** Whether connections stay open for the next phase. */
    this.keepsConnections = false
    this.trains = plan.targets.map((target, index) => trainFor(plan, protocol, target, index))
    /** With scenarios, the URLs of their sessions. */
    this.turnOf = plan.scenarios === null || plan.targets.length === 1 ? null : require('../deal/scenarios').targetTurns(plan, part)
    // A session creates its own connections.
    const count = plan.sessions === null ? shareOf(plan.connections, part) : 0
    this.connections = Array.from({ length: count }, (_, index) => this.createConnection(index, numberInWhole(index, part)))
    /** The next attempt of connections that have to wait for it. */
    this.timers = new Map()
    /** Connections that have not begun to open because `delays` holds them back. */
    this.heldBack = new Set()
    /** Connections to reopen at the end of this turn of the event loop. */
    this.reopening = []
    this.openAll = this.openAll.bind(this)
    /** How many connection attempts have begun in this turn of the event loop. */
    this.begunTogether = 0
    this.endTurn = this.endTurn.bind(this)
    this.closingSockets = new ClosingSockets()
  }

  /** Loaded on demand, since few runs need them. */
  get scripts () {
    this.knownScripts ??= new (require('../../script'))(this.plan, this.protocol, this.hooks, this.feed)
    return this.knownScripts
  }

  createConnection (index, turn) {
    const { plan, protocol, trains, hooks } = this
    const which = turn % plan.targets.length
    const connection = new protocol.Connection(plan, index, plan.targets[which], trains[which], hooks)
    connection.sockets = this.sockets
    if (this.traces !== null) connection.traceWith(this.traces)
    connection.order = plan.mix === null ? new RoundRobin(trains[which].requests.length) : new ByWeight()
    return connection
  }

  /**
   * Creates a session with connections of its own, a fresh context, fresh cookies and a row of the feed.
   *
   * @param {SessionLoop} loop
   * @param {{ number: number, slot: number, dueAt: number, scenario: ?number }} place see Visit
   */
  createVisit (loop, place) {
    const { plan: { sessions }, scripts, owner } = this
    const first = place.slot * sessions.connections
    const turn = this.turnOf === null ? place.number : this.turnOf(place.scenario)
    const connections = Array.from({ length: sessions.connections }, (_, index) => this.createConnection(first + index, turn))
    for (const connection of connections) {
      connection.owner = owner
      this.connections[connection.index] = connection
    }
    const row = this.feed === null ? null : this.feed.next(place.scenario ?? 0)
    const visit = this.isUserCode(place.scenario) ? this.userVisit(loop, place, connections, row) : this.sequenceVisit(loop, place, connections, row)
    const preparation = scripts.setUpVisit(visit)
    if (preparation !== null) visit.waitFor(preparation)
    return visit
  }

  isUserCode (scenario) {
    return scenario === null ? this.plan.isUserCode : this.plan.scenarios[scenario].isUserCode
  }

  sequenceVisit (loop, place, connections, row) {
    const { plan: { scenarios, sessions }, scripts } = this
    const Visit = require('../loops/sessions/visit')
    const visit = new Visit(loop, place, connections)
    const which = place.scenario ?? place.number % sessions.scripts.length
    visit.follow(scripts.equip(connections, visit, which, row), scenarios === null ? sessions.calls : scenarios[which].calls)
    return visit
  }

  userVisit (loop, place, connections, row) {
    const { plan, hooks, scripts } = this
    const UserVisit = require('../loops/sessions/user-visit')
    const visit = new UserVisit(loop, place, connections)
    const { user, calls } = scripts.equipUser(connections, visit, plan.seed, row)
    visit.follow(place.scenario === null ? hooks.user : hooks.users[place.scenario], user, calls, row)
    return visit
  }

  /** How many rows have not been used; Infinity if they do not run out. */
  get rowsLeft () {
    return this.feed === null ? Infinity : this.feed.left
  }

  /**
   * How many requests the feed allows, without redirects; Infinity without a feed or if its rows do not run out.
   */
  get supply () {
    if (this.feed === null || this.feed.left === Infinity || this.plan.sessions !== null) return Infinity
    const begun = this.connections.reduce((sum, { script }) => sum + (script === null ? 0 : script.sequence.leftOfRow + script.waiting), 0)
    return this.feed.left * this.plan.feed.steps + begun
  }

  /** Whether no row is left that a connection could begin. */
  get hasNoRows () {
    return this.feed !== null && this.feed.left === 0
  }

  /** Whether every row has been used, including the last request of its round. */
  get isSpent () {
    return this.hasNoRows && this.connections.every(({ isSpent }) => isSpent)
  }

  /** The share of the connections' time that users' hooks take, averaged over all connections. */
  get hookShare () {
    const { connections } = this
    if (!this.needsScripts || connections.length === 0) return 0
    return connections.reduce((sum, connection) => sum + connection.hookShare, 0) / connections.length
  }

  /** Whether no connection may send requests because the servers accept none on those that are open. */
  get isBarred () {
    return this.connections.every(({ isOpen, isBarred }) => !isOpen || isBarred)
  }

  /** Makes a phase the owner of all connections. */
  adopt (owner) {
    this.owner = owner
    this.dealMix(owner.plan)
    for (const connection of this.connections) {
      connection.owner = owner
      connection.sentEver = 0
      if (this.needsScripts) this.scripts.ensure(connection)
    }
  }

  // Each phase begins the mix anew.
  dealMix (plan) {
    if (plan.mix === null) return
    const RequestMix = require('../deal/request-mix')
    this.mix = new RequestMix(plan, this.part, this.connections.length)
    for (const connection of this.connections) this.mix.begin(connection)
  }

  // How long each connection waits before it opens, ms: for its turn in the ramp, and for the rest of its back-off if it failed
  // before, in a warm-up. Timers would cut off the fraction, and the back-off would be too short.
  get delays () {
    const { rampUp } = this.plan
    const now = world.now()
    const startTimes = rampUp === null ? null : require('../../load/ramp-users').connectionStartTimes(rampUp)
    return this.connections.map(({ index, notBefore }) =>
      Math.max(0, Math.ceil(notBefore - now), startTimes === null ? 0 : startTimes[numberInWhole(index, this.part)] * 1000))
  }

  /** How long the first connection waits before it opens, ms. */
  get firstDelay () {
    return this.connections.length === 0 ? 0 : this.delays.reduce((least, delay) => Math.min(least, delay))
  }

  /**
   * Takes over the back-off of the connections of an earlier pool: only a response resets it, so the failures in a row still count if
   * the wait after the last one is over.
   */
  inheritBackOff ({ connections }) {
    this.connections.forEach((connection, index) => {
      const { failuresInRow, notBefore } = connections[index] ?? connection
      Object.assign(connection, { failuresInRow, notBefore })
    })
  }

  /** Opens the connections that are not open yet, all at once or as the plan ramps them up. */
  open () {
    // Kept connections that closed before this phase may have planned their next attempt.
    this.forgetPlanned()
    const { delays } = this
    for (const connection of this.connections) {
      const delay = delays[connection.index]
      if (delay > 0) {
        this.heldBack.add(connection)
        this.openLater(connection, delay)
      } else if (!connection.isInUse) this.begin(connection)
    }
  }

  /** Called when a connection has closed: if it gave no response, its next attempt has to wait. */
  backOff (connection) {
    const { failuresInRow } = connection
    if (failuresInRow > 0) connection.notBefore = world.now() + backOffAfter(failuresInRow)
  }

  /**
   * Reopens a connection that has closed: at once if it gave a response, otherwise after its back-off.
   *
   * @returns {number} how long it waits, ms
   */
  reopen (connection) {
    const { failuresInRow } = connection
    const pause = failuresInRow === 0 ? 0 : backOffAfter(failuresInRow)
    this.openIn(connection, pause)
    return pause
  }

  /** Opens a connection that closed some time ago, when its back-off is over, unless its next attempt is already planned. */
  openAgain (connection) {
    if (!this.timers.has(connection)) this.openIn(connection, Math.max(0, Math.ceil(connection.notBefore - world.now())))
  }

  openIn (connection, pause) {
    if (pause > 0) this.openLater(connection, pause)
    else if (this.reopening.push(connection) === 1) world.setImmediate(this.openAll)
  }

  openAll () {
    for (const connection of this.reopening.splice(0)) this.openNow(connection)
  }

  openLater (connection, delay) {
    this.timers.set(connection, new LongTimer(() => {
      this.timers.delete(connection)
      this.openNow(connection)
    }, delay))
  }

  /** Forgets when connections were to be tried again. */
  forgetPlanned () {
    for (const timer of this.timers.values()) timer.clear()
    this.timers.clear()
  }

  openNow (connection) {
    this.heldBack.delete(connection)
    const isNeeded = this.owner.needs(connection) || (connection.isOwing && this.owner.maySend)
    if (isNeeded && !connection.isInUse) this.begin(connection)
  }

  /** Opens a connection and counts it among the attempts of this turn of the event loop. */
  begin (connection) {
    if (this.begunTogether++ === 0) world.setImmediate(this.endTurn)
    this.owner.recorder.beganTogether(this.begunTogether)
    connection.open()
  }

  endTurn () {
    this.begunTogether = 0
  }

  /** Ends the phase: requests in flight count as unfinished, and all connections are closed except idle ones that are kept. */
  abandon (now) {
    this.forgetPlanned()
    this.heldBack.clear()
    for (const connection of this.connections) {
      // Neither a request that has not been written nor one that the server refused is in flight, so the connection can be kept.
      if (this.keepsConnections) {
        connection.returnUnwritten()
        connection.endPhase(now)
      }
      if (!this.keepsConnections || !connection.isIdle) {
        connection.recordMissing(this.owner.recorder, now, this.owner.loop.lacksConnections)
        connection.abandon(now)
      }
      connection.endPhase(now)
    }
  }
}

// The requests for a target: all except those that name another target.
function trainFor (plan, { RequestTrain, encodeRequest }, target, index) {
  const endpoints = [...plan.requests.keys()].filter((endpoint) => (plan.requests[endpoint].target ?? index) === index)
  const requests = endpoints.map((endpoint) => encodeRequest(plan.requests[endpoint], target, plan.idReplacement))
  return new RequestTrain(requests, endpoints)
}

/**
 * Whether each connection needs a script from the start.
 *
 * @param {object} plan
 * @param {object} hooks loaded, see engine/hooks.js
 * @param {?Feed} feed the rows of this thread
 * @returns {boolean}
 */
function areScriptsNeeded (plan, { setupClient, verifyBody, requests }, feed) {
  return plan.isUserCode || setupClient !== null || verifyBody !== null || plan.expectBody !== null || feed !== null ||
    plan.cookies || plan.followRedirects !== null ||
    plan.replay !== null || requests.some((request) => Object.values(request).some((hook) => hook !== null))
}

module.exports = Pool
