'use strict'

const { circumstancesOf } = require('../base/circumstances')
const { hookError, onOneLine } = require('../base/errors')
const { clean } = require('../outside/text')
const Timeline = require('../metrics/timeline')
const { latencyBoundsOf } = Timeline
const cutShort = require('../metrics/cut-short')
const { merge } = require('../metrics/merge')
const recordIncomplete = require('../metrics/record/incomplete')
const { addPartIntervals, tickOfParts } = require('../metrics/parts')
const { roundSeconds } = require('../metrics/statistics')
const { addStatusClasses } = require('../metrics/status-classes')
const { buildResult } = require('../metrics/result')
const inspectable = require('../report/inspectable')
const world = require('../world')

/**
 * One round of a run: receives the engine's calls, emits the instance's events, and builds the result at the end. What few runs need is
 * loaded on demand.
 */
class Round {
  /**
   * @param {object} plan
   * @param {object} run
   * @param {EventEmitter} run.instance
   * @param {object[]} run.warnings about the options
   * @param {?object} run.monitor for external monitoring: `started()`, `interval(interval)`, `ended(summary)`
   * @param {?Dashboard} run.dashboard for the live page
   * @param {boolean} run.verifiesBodies whether responses may be failures because of their bodies
   * @param {?Diagnosis} run.diagnosis of the server
   * @param {function(string): boolean} run.isOption whether a name is one of our options
   * @param {function()} run.onAbort the run must end immediately
   * @param {function(Error)} run.onListenerFailed a listener of the instance has thrown
   * @param {function(?Error, object)} run.onEnd
   */
  constructor (plan, { instance, warnings, monitor, dashboard, verifiesBodies = false, diagnosis = null, isOption, onAbort, onListenerFailed, onEnd }) {
    this.plan = plan
    this.instance = instance
    this.warnings = warnings
    this.monitor = monitor
    this.dashboard = dashboard
    this.verifiesBodies = verifiesBodies
    this.diagnosis = diagnosis
    this.isOption = isOption
    this.onAbort = onAbort
    this.onListenerFailed = onListenerFailed
    this.onEnd = onEnd
    this.warmup = null
    /** The processes that are monitored during the run. */
    this.processes = null
    this.failure = null
    this.abortion = null
    this.isStopped = false
    this.hasStarted = false
    this.begin()
  }

  begin () {
    this.start = world.date()
    this.timeline = new Timeline({ keepsIntervals: this.plan.skipAggregateResult })
    this.totals = { requests: 0, errors: 0, statuses: {} }
    /** What the parts counted since the start. */
    this.parts = {}
  }

  /** Records that the run was stopped early, so that the result covers only part of it. */
  stopped () {
    this.isStopped = true
  }

  // Samples the monitored processes at the end of a sample.
  observe (sample) {
    this.processes?.look((entries) => {
      // A short interval at the end may have been merged with this sample and replaced it.
      const { samples } = this.timeline
      const own = samples.includes(sample) ? sample : samples.at(-1)
      own.monitor ??= entries
      this.monitor?.observed(entries)
    })
  }

  // As with hooks, results with a failing listener are meaningless, so the run ends with the listener's error.
  emit (event, ...args) {
    try {
      this.instance.emit(event, ...args)
    } catch (cause) {
      this.failure ??= hookError(`a listener of ${event}`, cause)
      this.onListenerFailed(this.failure)
    }
  }

  // A warm-up emits only its start; all other events are those of the run itself.
  started () {
    if (this.plan.warmup === null) {
      this.reportStart()
    } else {
      this.dashboard?.warmsUp()
      this.emit('warmup', { ...this.plan.warmup })
    }
  }

  /** The measured part begins when this resolves. */
  aboutToMeasure () {
    return this.diagnosis.begin()
  }

  reportStart () {
    if (this.hasStarted) return
    this.hasStarted = true
    if (this.plan.monitor !== null) {
      const Processes = require('../watch/processes')
      this.processes = new Processes(this.plan.monitor)
      this.processes.begin()
    }
    this.monitor?.started()
    this.dashboard?.started(this.plan, this.verifiesBodies)
    this.emit('start')
  }

  interval (interval, isLast, isWarmup) {
    const sample = isLast ? this.timeline.fold(interval, this.plan.sampleInt) : this.timeline.add(interval)
    this.totals.requests += interval.completed
    this.totals.errors += interval.errors
    this.totals.statuses = addStatusClasses([this.totals.statuses, interval.statuses])
    addPartIntervals(this.parts, interval)
    if (isWarmup) return
    this.observe(sample)
    this.monitor?.interval(interval)
    this.dashboard?.sampled({ timeline: this.timeline, sampleInt: this.plan.sampleInt, totals: this.totals, connections: interval.connections })
    if (!isLast || this.isWorthATick(interval)) this.tick(interval, sample)
    if (interval.interims !== undefined && !isLast) this.abortWhenLost(interval)
  }

  // The last interval is often an empty one of less than a millisecond.
  isWorthATick ({ start, end, completed, bytes, errors }) {
    return completed > 0 || bytes > 0 || errors > 0 || end - start >= this.plan.sampleInt / 2
  }

  // As in autocannon, `counter` and `bytes` count since the last tick.
  tick (interval, sample) {
    this.emit('tick', {
      counter: interval.completed,
      bytes: interval.bytes,
      time: roundSeconds(interval.end / 1000),
      requests: this.totals.requests,
      sent: interval.sent,
      settled: interval.settled,
      errors: this.totals.errors,
      statuses: this.totals.statuses,
      timeouts: interval.timeouts,
      connections: interval.connections,
      ...tickOfParts(this.parts, sample),
      p50: sample.p50,
      p99: sample.p99,
      ...latencyBoundsOf(interval.bounds)
    })
  }

  abortWhenLost ({ end, interims }) {
    // Samples of threads may still arrive when the run has been stopped.
    if (this.abortion !== null || this.isStopped) return
    const { actualInWords, boundInWords, findLost } = require('../thresholds')
    const interimResult = require('../metrics/interim-result')
    const { plan, timeline, warmup } = this
    const lost = findLost(plan.thresholds, interimResult({ plan, interims, seconds: end / 1000, timeline, warmup }))
    if (lost === null) return
    const known = boundInWords(lost)
    this.abortion = {
      code: 'ABORTED_ON_FAIL',
      message: `The run ended early, after ${Math.round(end) / 1000} seconds, because a threshold can no longer be met: ${onOneLine(lost.threshold)} (${known || `it was ${actualInWords(lost)}`} by then).`
    }
    this.onAbort()
  }

  warmedUp (outcome) {
    this.warmup = this.resultOf({ ...this.plan, ...this.plan.warmup }, outcome, [])
    this.begin()
    this.reportStart()
  }

  ended (outcome) {
    this.reportStart()
    this.monitor?.ended(merge(outcome.summaries))
    this.dashboard?.ended()
    if (this.processes === null && this.diagnosis === null) this.conclude(outcome)
    else Promise.all([this.processes?.settled(), this.diagnosis?.end()]).then(() => this.conclude(outcome)).catch((error) => this.onEnd(error))
  }

  conclude (outcome) {
    const warnings = [...this.warnings, ...outcome.warnings, ...(this.processes?.warnings ?? []), ...(this.diagnosis?.warnings ?? []), ...recordIncomplete(outcome.record, this.plan.record?.file)]
    const error = outcome.error ?? this.failure
    const early = this.abortion ?? cutShort(this.plan, outcome, { isStopped: this.isStopped, hasFailed: Boolean(error) })
    if (early !== null) warnings.push(early)
    const result = inspectable(this.judged(this.diagnosed(outcome, this.resultOf(this.plan, outcome, warnings, circumstancesOf(this.instance.opts, this.isOption)))))
    if (error) {
      // The results measured before the user's code failed must not be lost.
      error.result = result
      this.onEnd(error)
    } else {
      this.onEnd(null, result)
    }
  }

  diagnosed ({ summaries }, result) {
    return this.diagnosis === null ? result : this.diagnosis.addTo(result, merge(summaries))
  }

  judged (result) {
    if (this.plan.thresholds.length === 0) return result
    const thresholds = require('../thresholds').evaluateThresholds(result, this.plan.thresholds)
    return { ...result, thresholds, passed: thresholds.every(({ passed }) => passed) }
  }

  resultOf (plan, outcome, warnings, circumstances) {
    const { summaries, ...rest } = outcome
    const { timeline } = this
    const result = buildResult({
      ...rest,
      plan,
      summary: merge(summaries),
      timeline,
      start: this.start,
      finish: world.date(),
      warnings,
      warmup: this.warmup,
      circumstances,
      // Not yet there when the result of a warm-up is built.
      monitor: this.processes?.toResult()
    })
    if (!plan.skipAggregateResult) return result
    const { rawFields } = require('../metrics/raw')
    const { toMergeable } = require('../metrics/mergeable')
    return { ...result, ...rawFields(result), mergeable: toMergeable(plan, { ...outcome, timeline, warnings }) }
  }

  // --- events that are emitted only if they have listeners

  /** Calls back whenever a listener may have been added or removed. Returns a function that unsubscribes. */
  onWatchersChanged (callback) {
    // Node emits `newListener` before it adds the listener.
    const later = () => world.nextTick(callback)
    const events = ['newListener', 'removeListener']
    for (const event of events) this.instance.on(event, later)
    return () => events.forEach((event) => this.instance.removeListener(event, later))
  }

  watches (event) {
    return this.instance.listenerCount(event) > 0 || (event === 'reqError' && this.plan.debug)
  }

  requestError (error) {
    if (this.plan.debug) process.stderr.write(`${clean(error.code)}: ${clean(error.message)}\n`)
    if (this.hasStarted) this.emit('reqError', error)
  }

  mismatch (body) {
    if (this.hasStarted) this.emit('reqMismatch', body)
  }

  response (client, status, bytes, milliseconds) {
    if (this.hasStarted) this.emit('response', client, status, bytes, milliseconds)
  }
}

module.exports = Round
