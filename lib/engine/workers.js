'use strict'

const { performance } = require('node:perf_hooks')
const { fromData, workerFailed } = require('./error-data')
const IntervalMerger = require('../metrics/interval-merger')
const RemoteClient = require('./remote-client')
const Thread = require('./thread')

// How far ahead the common start of all threads lies: the message must have reached each by then.
const START_AHEAD_MS = 20
// A thread that is told to stop does so in the next turn of its event loop, unless a hook of the user's never ends it.
const STOP_PATIENCE_MS = 5000
const WATCHABLE = ['response', 'reqError', 'reqMismatch']

/**
 * Runs a plan in several threads, each a LocalEngine with its part of the one schedule. It has the interface of
 * LocalEngine, and its listener hears what one thread would have said.
 */
class WorkersEngine {
  /**
   * @param {object} plan
   * @param {object} hooks of createPlan: paths, since functions cannot be sent to a thread
   * @param {object} listener see LocalEngine; and `onWatchersChanged(callback)`, which gives how to end that
   */
  constructor (plan, hooks, listener) {
    this.plan = plan
    this.hooks = hooks
    this.listener = listener
    this.error = null
    this.client = new RemoteClient()
    this.threads = []
    this.mergers = null
    this.hasStarted = false
    this.early = []
    this.patience = null
  }

  /** @returns {Promise} when the listener has been told of the end; rejects when no thread came so far as to measure */
  async start () {
    const letGo = this.listener.onWatchersChanged(() => this.tellAll('watch', this.watched))
    try {
      this.startThreads()
      const outcome = await this.run()
      await this.endThreads()
      if (outcome === null) throw this.error
      this.listener.ended({ ...outcome, error: this.error })
    } finally {
      letGo()
      await this.endThreads()
    }
  }

  async run () {
    await this.until(({ hasStarted }) => hasStarted)
    if (this.error !== null) return null
    this.started()
    await this.until(({ isReady }) => isReady)
    if (this.plan.warmup !== null) {
      const outcome = await this.play((thread) => thread.warmedUp)
      if (outcome !== null) this.listener.warmedUp(outcome)
      await this.until(({ isReady }) => isReady)
    }
    return this.play((thread) => thread.ended)
  }

  // One phase in all threads: from the common start to the last one's outcome; null when none has any.
  async play (outcomeOf) {
    for (const thread of this.threads) thread.isReady = false
    this.tellAll('start', performance.timeOrigin + performance.now() + START_AHEAD_MS)
    await this.until((thread) => outcomeOf(thread) !== null)
    const outcomes = this.threads.map(outcomeOf).filter((outcome) => outcome !== null)
    return outcomes.length === 0 ? null : joinOutcomes(outcomes)
  }

  /** Ends the run at once, with what it has. */
  stop () {
    this.tellAll('stop')
    this.patience ??= setTimeout(() => this.giveUp(), STOP_PATIENCE_MS)
  }

  /** Ends the run at once, with what it has and an error: the first that is given. */
  fail (error) {
    this.error ??= error
    this.stop()
  }

  giveUp () {
    for (const thread of this.threads) {
      thread.fail(workerFailed(`it did not stop within ${STOP_PATIENCE_MS / 1000} seconds`))
    }
  }

  // --- threads

  startThreads () {
    // A thread without a connection, or without a request to send, would have nothing to do.
    const { workers, connections, amount, maxOverallRequests } = this.plan
    const of = Math.min(workers, connections, amount ?? maxOverallRequests ?? Infinity)
    this.mergers = [false, true].map((isWarmup) =>
      new IntervalMerger(of, this.plan.sampleInt, (interval, isLast) => this.listener.interval(interval, isLast, isWarmup)))
    const shared = { plan: this.plan, hooks: this.hooks, watched: this.watched, failures: new Int32Array(new SharedArrayBuffer(4)) }
    for (let share = 0; share < of; share++) this.threads.push(new Thread({ ...shared, part: { share, of } }, this))
  }

  endThreads () {
    clearTimeout(this.patience)
    return Promise.all(this.threads.map((thread) => thread.terminate()))
  }

  tellAll (type, ...args) {
    for (const thread of this.threads) thread.tell(type, ...args)
  }

  // Waits until each thread is as it should be, or over.
  async until (condition) {
    while (!this.threads.every((thread) => thread.isOver || condition(thread))) {
      await new Promise((resolve) => { this.changed = resolve })
    }
  }

  changed () {}

  // --- what threads tell

  heard ({ number }, type, args) {
    switch (type) {
      case 'interval':
        this.addInterval(number, ...args)
        break
      case 'events':
        for (const event of args[0]) this.emit(event)
        break
      case 'failing':
        this.fail(fromData(args[0]))
        break
      case 'bailOut':
        this.stop()
    }
  }

  addInterval (number, interval, isLast, isWarmup) {
    this.mergers[Number(isWarmup)].add(number, interval, isLast)
  }

  threadFailed ({ number }, error) {
    for (const merger of this.mergers) merger.finish(number)
    this.fail(error)
  }

  // --- what the listener hears

  // When all threads have loaded the hooks. A quick one may have had errors before that.
  started () {
    this.listener.started()
    this.hasStarted = true
    for (const event of this.early.splice(0)) this.emit(event)
  }

  emit (event) {
    if (!this.hasStarted) {
      this.early.push(event)
      return
    }
    const [type, ...args] = event
    if (type === 'response') this.listener.response(this.client, ...args)
    else if (type === 'reqError') this.listener.requestError(fromData(args[0]))
    else this.listener.mismatch(args[0])
  }

  get watched () {
    return WATCHABLE.filter((event) => this.listener.watches(event))
  }
}

function joinOutcomes (outcomes) {
  const largest = (pick) => Math.max(...outcomes.map(pick))
  return {
    summaries: outcomes.flatMap(({ summaries }) => summaries),
    seconds: largest(({ seconds }) => seconds),
    scheduleSeconds: Math.min(...outcomes.map(({ scheduleSeconds }) => scheduleSeconds)),
    drain: {
      seconds: largest(({ drain }) => drain.seconds),
      completed: outcomes.reduce((sum, { drain }) => sum + drain.completed, 0)
    },
    generator: joinGenerators(outcomes),
    warnings: unique(outcomes.flatMap(({ warnings }) => warnings ?? []))
  }
}

// Each thread has seen the CPU time of the whole process, the longest most of it. Of the event loops, the busiest tells: of
// the whole run, since a thread that was done after some milliseconds had nothing to do from then on.
function joinGenerators (outcomes) {
  const time = ({ seconds, drain }) => seconds + drain.seconds
  const longest = outcomes.reduce((one, other) => time(other) > time(one) ? other : one)
  const busy = (outcome) => time(longest) === 0 ? 0 : outcome.generator.eventLoop.utilization * time(outcome) / time(longest)
  return {
    cpu: longest.generator.cpu,
    eventLoop: {
      utilization: Math.max(...outcomes.map(busy)),
      delayP99: Math.max(...outcomes.map(({ generator }) => generator.eventLoop.delayP99))
    }
  }
}

function unique (warnings) {
  return warnings.filter(({ code }, index) => warnings.findIndex((other) => other.code === code) === index)
}

module.exports = WorkersEngine
