'use strict'

const { fromData, workerFailed } = require('./error-data')
const { EventReceiver } = require('./event-channel')
const { mostParts } = require('./part')
const IntervalMerger = require('../metrics/interval-merger')
const { joinOutcomes } = require('../metrics/outcome')
const world = require('../world')
const RemoteClient = require('./remote-client')

// How far ahead the common start lies: the message must have reached each member by then.
const START_AHEAD_MS = 20
// A member that is told to stop does so in the next turn of its event loop, unless a hook of the user's never ends it.
const STOP_PATIENCE_MS = 5000
const WATCHABLE = ['response', 'reqError', 'reqMismatch']

/**
 * Runs a plan by several members that each play their part of the one schedule: threads, or other machines. It has the
 * interface of LocalEngine, and its listener hears what one thread would have said. What members there are, and how one
 * talks to them, is for a subclass to say: `recruit(parts)` brings a Member for each part into `members`; `size` is how many
 * there may be, and `isOneProcess` whether each sees the processor time of all.
 */
class CrewEngine {
  /**
   * @param {object} plan
   * @param {object} listener see LocalEngine; and `onWatchersChanged(callback)`, which gives how to end that
   */
  constructor (plan, listener) {
    this.plan = plan
    this.listener = listener
    this.error = null
    this.client = new RemoteClient()
    this.members = []
    this.mergers = null
    this.events = new EventReceiver((event) => this.emit(event), (member, count) => member.heardEvents(count))
    this.patience = null
  }

  /** @returns {Promise} when the listener has been told of the end; rejects when no member came so far as to measure */
  async start () {
    const letGo = this.listener.onWatchersChanged(() => this.tellAll('watch', this.watched))
    try {
      await this.assemble()
      const outcome = await this.run()
      await this.dismiss()
      if (outcome === null) throw this.error
      this.listener.ended({ ...outcome, error: this.error })
    } finally {
      letGo()
      await this.dismiss()
    }
  }

  async assemble () {
    const { sampleInt } = this.plan
    const of = Math.min(this.size, mostParts(this.plan))
    this.mergers = [false, true].map((isWarmup) =>
      new IntervalMerger(of, sampleInt, (interval, isLast) => this.listener.interval(interval, isLast, isWarmup)))
    await this.recruit(Array.from({ length: of }, (_, share) => ({ share, of })))
  }

  async run () {
    await this.until(({ hasStarted }) => hasStarted)
    if (this.error !== null) return null
    this.listener.started()
    // A quick member may have had errors before all had loaded their hooks.
    this.events.open()
    await this.until(({ isReady }) => isReady)
    if (this.plan.warmup !== null) {
      const outcome = await this.play((member) => member.warmedUp)
      if (outcome !== null) this.listener.warmedUp(outcome)
      await this.until(({ isReady }) => isReady)
    }
    return this.play((member) => member.ended)
  }

  // One phase: from the common start to the last one's outcome; null when none has any.
  async play (outcomeOf) {
    for (const member of this.members) member.isReady = false
    this.tellAll('start', world.origin() + world.now() + START_AHEAD_MS)
    await this.until((member) => outcomeOf(member) !== null)
    const players = this.members.filter((member) => outcomeOf(member) !== null)
    const leftOut = await this.settleEvents(players, outcomeOf)
    if (players.length === 0) return null
    const { warnings, ...outcome } = joinOutcomes(players.map(outcomeOf), { isOneProcess: this.isOneProcess })
    return { ...outcome, warnings: [...firstOfEachKind(warnings), ...leftOut] }
  }

  async settleEvents (players, outcomeOf) {
    const unheard = await this.events.settle(new Map(players.map((member) => [member, outcomeOf(member).events.told])))
    const leftOut = players.reduce((sum, member) => sum + outcomeOf(member).events.leftOut, unheard)
    return leftOut === 0 ? [] : [eventsLeftOut(leftOut)]
  }

  /** Ends the run at once, with what it has. */
  stop () {
    this.tellAll('stop')
    this.patience ??= world.setTimeout(() => this.giveUp(), STOP_PATIENCE_MS)
  }

  /** Ends the run at once, with what it has and an error: the first that is given. */
  fail (error) {
    this.error ??= error
    this.stop()
  }

  giveUp () {
    for (const member of this.members) {
      member.fail(workerFailed(`it did not stop within ${STOP_PATIENCE_MS / 1000} seconds`))
    }
  }

  dismiss () {
    world.clearTimeout(this.patience)
    this.events.close()
    return Promise.all(this.members.map((member) => member.terminate()))
  }

  tellAll (type, ...args) {
    for (const member of this.members) member.tell(type, ...args)
  }

  // Waits until each member is as it should be, or over.
  async until (condition) {
    while (!this.members.every((member) => member.isOver || condition(member))) {
      await new Promise((resolve) => { this.changed = resolve })
    }
  }

  changed () {}

  // --- what members tell

  heard ({ number }, type, args) {
    switch (type) {
      case 'interval':
        this.addInterval(number, ...args)
        break
      case 'failing':
        this.fail(fromData(args[0]))
        break
      case 'bailOut':
        this.stop()
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

  // --- what the listener hears

  emit ([type, ...args]) {
    if (type === 'response') this.listener.response(this.client, ...args)
    else if (type === 'reqError') this.listener.requestError(fromData(args[0]))
    else this.listener.mismatch(args[0])
  }

  get watched () {
    return WATCHABLE.filter((event) => this.listener.watches(event))
  }
}

// As one engine tells the first warning of a kind, and no other.
function firstOfEachKind (warnings) {
  return warnings.filter(({ code }, index) => warnings.findIndex((other) => other.code === code) === index)
}

function eventsLeftOut (count) {
  const events = count === 1 ? '1 event was' : `${count.toLocaleString('en-US')} events were`
  return {
    code: 'EVENTS_LEFT_OUT',
    message: `Listeners were slower than the load: ${events} not told to them (response, reqError, reqMismatch). The numbers of this result hold all of them. Let the listeners do less, or count in the hooks of a module.`
  }
}

module.exports = CrewEngine
