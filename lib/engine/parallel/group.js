'use strict'

const { fromData, workerFailed } = require('./error-data')
const { EventReceiver } = require('./event-channel')
const { WHOLE, mostParts, partOf, shareOf } = require('../deal/part')
const IntervalMerger = require('../../metrics/interval-merger')
const { joinOutcomes } = require('../../metrics/outcome')
const world = require('../../world')
const RemoteClient = require('./remote-client')

// How far ahead the common start is set: the message must reach every member before then.
const START_AHEAD_MS = 20
// A member that is told to stop does so in the next turn of its event loop, unless a user's hook blocks it. While the whole process or
// machine stands still it cannot, so its time is measured in slices, and a pause takes no more than one of them.
const STOP_PATIENCE_MS = 5000
const STOP_SLICES = 20
const WATCHABLE = ['response', 'reqError', 'reqMismatch']

/**
 * Runs a plan on several members, threads or other machines, that each run their part of a shared schedule. It has the interface
 * of LocalEngine, and its listener receives the same calls as from a single thread. Subclasses define the members and how to
 * reach them: `recruit(parts)` adds a Member for each part to `members`; `size` is the maximum number of members; and
 * `isOneProcess` says whether each of them measures the CPU time of all.
 */
class GroupEngine {
  /**
   * @param {object} plan
   * @param {object} listener see LocalEngine; also `onWatchersChanged(callback)`, which returns a function that unsubscribes
   * @param {object} [coordinator] connects this group to others, if its plan is itself part of a run; see LocalEngine
   */
  constructor (plan, listener, coordinator = new Independent()) {
    this.plan = plan
    this.listener = listener
    this.coordinator = coordinator
    this.hasBegun = false
    this.error = null
    this.client = new RemoteClient()
    this.members = []
    this.mergers = null
    this.events = new EventReceiver((event) => this.emit(event), (member, count) => member.heardEvents(count))
    this.patience = null
    this.isStopping = false
    /** All members are ready, but the start depends on other groups. */
    this.isWaiting = false
  }

  /** @returns {Promise} resolves after `ended` has been called; rejects if no member got as far as measuring */
  async start () {
    const letGo = this.listener.onWatchersChanged(() => this.sendToAll('watch', this.watched))
    try {
      await this.assemble()
      const outcome = await this.run() ?? this.withoutOutcome()
      await this.dismiss()
      this.listener.ended({ ...outcome, error: this.error })
    } finally {
      letGo()
      await this.dismiss()
    }
  }

  async assemble () {
    const { plan: { sampleInt }, coordinator: { part } } = this
    const of = Math.min(this.size, shareOf(mostParts(this.plan), part))
    this.mergers = [false, true].map((isWarmup) =>
      new IntervalMerger(of, sampleInt, (interval, isLast) => this.reportInterval(interval, isLast, isWarmup)))
    await this.recruit(Array.from({ length: of }, (_, index) => partOf(part, index, of)))
  }

  // No member got as far as measuring.
  withoutOutcome () {
    throw this.error
  }

  async run () {
    await this.until(({ hasStarted }) => hasStarted)
    if (this.error !== null) return null
    this.listener.started()
    // Events wait until now, since a fast member may report errors before all members have loaded their hooks.
    this.events.open()
    await this.until(({ isReady }) => isReady)
    if (this.plan.warmup !== null) {
      const outcome = await this.play((member) => member.warmedUp, true)
      if (outcome !== null) this.listener.warmedUp(outcome)
      await this.until(({ isReady }) => isReady)
    }
    if (this.plan.diagnose) await this.listener.aboutToMeasure()
    return this.play((member) => member.ended, false)
  }

  // Runs one phase, the warm-up or the run, from the common start to the last member's outcome; null if no member has an outcome.
  async play (outcomeOf) {
    const startTime = await this.commonStart()
    for (const member of this.members) member.isReady = false
    this.sendToAll('start', startTime)
    await this.until((member) => outcomeOf(member) !== null)
    const players = this.members.filter((member) => outcomeOf(member) !== null)
    const leftOut = await this.settleEvents(players, outcomeOf)
    if (players.length === 0) return null
    const silent = this.members.length - players.length
    const { warnings, ...outcome } = joinOutcomes(players.map(outcomeOf), { isOneProcess: this.isOneProcess, silent })
    return { ...outcome, warnings: [...firstOfEachKind(warnings), ...leftOut] }
  }

  // A group that waits for other groups cannot stop before they do, so its members' time to stop counts from the common start.
  async commonStart () {
    this.isWaiting = true
    world.clearTimeout(this.patience)
    const startTime = await this.startTime()
    this.isWaiting = false
    this.patience = null
    if (this.isStopping) this.waitForEnd()
    return startTime
  }

  // When all members start the phase, ms since 1970.
  async startTime () {
    return world.origin() + (await this.coordinator.startTime() ?? world.now() + START_AHEAD_MS)
  }

  async settleEvents (players, outcomeOf) {
    const unheard = await this.events.settle(new Map(players.map((member) => [member, outcomeOf(member).events.told])))
    const leftOut = players.reduce((sum, member) => sum + outcomeOf(member).events.leftOut, unheard)
    return leftOut === 0 ? [] : [eventsLeftOut(leftOut)]
  }

  /** Ends the run immediately; its results so far are kept. @param {boolean} [byPerson] see LocalEngine.stop */
  stop (byPerson = false) {
    this.isStopping = true
    this.sendToAll('stop', byPerson)
    if (!this.isWaiting) this.waitForEnd()
  }

  waitForEnd () {
    if (this.patience === null) this.waitFor(STOP_SLICES)
  }

  waitFor (slices) {
    this.patience = slices === 0 ? null : world.setTimeout(() => this.waitFor(slices - 1), STOP_PATIENCE_MS / STOP_SLICES)
    if (slices === 0) this.giveUp()
  }

  /** Ends the run immediately with an error and its results so far. If called again, the first error is kept. */
  fail (error) {
    if (this.error === null) this.coordinator.failed(error)
    this.error ??= error
    this.stop()
  }

  giveUp () {
    for (const member of this.members) {
      member.fail(workerFailed(`it did not stop within ${STOP_PATIENCE_MS / 1000} seconds`))
    }
  }

  /** The leader of a fleet has the lines that the thread with this part sent last. */
  linesArrived (share) {
    this.sendToAll('linesArrived', share)
  }

  dismiss () {
    world.clearTimeout(this.patience)
    this.events.close()
    return Promise.all(this.members.map((member) => member.terminate()))
  }

  sendToAll (type, ...args) {
    for (const member of this.members) member.tell(type, ...args)
  }

  // Waits until the condition holds for each member that is not over.
  async until (condition) {
    while (!this.members.every((member) => member.isOver || condition(member))) {
      await new Promise((resolve) => { this.changed = resolve })
    }
  }

  changed () {}

  // --- what members report

  heard ({ number }, type, args) {
    switch (type) {
      case 'interval':
        this.addInterval(number, ...args)
        break
      case 'failing':
        this.fail(fromData(args[0]))
        break
      case 'bailOut':
        this.coordinator.bailOut()
        this.stop()
        break
      case 'lines':
        this.coordinator.passLines(...args)
        break
      case 'begun':
        if (!this.hasBegun) this.coordinator.begun(args[0])
        this.hasBegun = true
    }
  }

  heardEvents (member, batch) {
    this.events.take(member, batch)
  }

  addInterval (number, interval, isLast, isWarmup) {
    this.mergers[Number(isWarmup)].add(number, interval, isLast)
  }

  memberFailed ({ number }, error) {
    for (const merger of this.mergers) merger.finish(number)
    this.fail(error)
  }

  // --- what the listener receives

  reportInterval (interval, isLast, isWarmup) {
    this.listener.interval(interval, isLast, isWarmup)
  }

  emit ([type, ...args]) {
    if (type === 'response') this.listener.response(this.client, ...args)
    else if (type === 'reqError') this.listener.requestError(fromData(args[0]))
    else this.listener.mismatch(args[0])
  }

  get watched () {
    return WATCHABLE.filter((event) => this.listener.watches(event))
  }
}

/** The coordinator of a group that does the whole run alone. */
class Independent {
  get part () {
    return WHOLE
  }

  get keepsAccounts () {
    return false
  }

  startTime () {}

  bailOut () {}

  failed () {}

  begun () {}
}

// A single engine also reports only the first warning of each kind.
function firstOfEachKind (warnings) {
  return warnings.filter(({ code }, index) => warnings.findIndex((other) => other.code === code) === index)
}

function eventsLeftOut (count) {
  const events = count === 1 ? '1 event was' : `${count.toLocaleString('en-US')} events were`
  return {
    code: 'EVENTS_LEFT_OUT',
    message: `Listeners were slower than the load: ${events} not delivered to them (response, reqError, reqMismatch). The numbers in this result include all of them. Make the listeners faster, or count in the hooks of a module.`
  }
}

module.exports = GroupEngine
