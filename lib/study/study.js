'use strict'

const { circumstancesOf } = require('../base/circumstances')
const { isGiven, isObject } = require('../values/kinds')
const { isOption } = require('../plan/unknown')
const Awaitable = require('../base/awaitable')
const inspectable = require('../report/inspectable')
const { counted, rate: perSecond } = require('../words/numbers')
const run = require('../run')
const world = require('../world')
const { longSleep } = require('../world/long-timer')
const { ATTEMPTS, LOAD_ENDS_WITHIN_S, Losses, lossBy, lossOf } = require('./losses')

// Tells an answer of a study that failed from a whole one, for readers who don't know the error.
const FAILED = Object.freeze({ code: 'STOPPED', message: 'The study failed before it was over, so the result covers only part of it.' })

/**
 * Several runs that answer one question: like a run, it is both an EventEmitter and a promise of the result. `stop()`, or an
 * abort signal, ends it at once with the results so far.
 *
 * Events: `dashboard({ url, host, port })`, before all others, if one of its runs has the option `dashboard`; `start({ seconds })`;
 * `begin(instance, about)` and `run(result, about)` for each run; those of the specific study; `done(result)`; `error(error)`, if
 * nothing awaits the promise.
 */
class Study extends Awaitable {
  #prepared = { signals: [] }
  #work
  #stopping = new AbortController()
  #current = null
  #dashboard = null
  #losses = new Losses()
  #hasMeasured = false
  #soFar = null

  /**
   * @param {function(): object} prepare checks the user's input. It is called at once; if it throws, the study fails. Its return
   *   value is passed to `work`, and has `seconds` (see there), `signals`, `options` (those of the runs, or of each target, for
   *   the result) and `dashboard` (where to show the study, or null)
   * @param {function(Study, object): Promise<object>} work begins in the next turn of the event loop, so that the caller can attach
   *   listeners
   */
  constructor (prepare, work) {
    super()
    this.stop = this.stop.bind(this)
    /** How long it will take, in seconds; for a capacity search, the maximum. undefined if options are invalid. */
    this.seconds = undefined
    this.#work = work
    let failure = null
    try {
      this.#prepared = prepare()
      this.seconds = this.#prepared.seconds
    } catch (error) {
      failure = error
    }
    world.setImmediate(() => failure === null ? this.#begin() : this.#settle({ error: failure }))
  }

  get #signals () {
    return this.#prepared.signals.filter(Boolean)
  }

  /** Ends the study and its current run at once, with the results so far. Has no effect after the end. */
  stop () {
    this.#stopping.abort()
    this.#current?.stop()
    this.#dashboard?.hurry()
  }

  get isStopped () {
    return this.#stopping.signal.aborted
  }

  // --- used by `work`

  /** Aborted when the study is stopped. @returns {AbortSignal} */
  get stopping () {
    return this.#stopping.signal
  }

  /** Whether it ends because its fleet lost agents. */
  get hasLostFleet () {
    return this.#losses.last !== null
  }

  /** Whether there are no further runs, so that the results so far are the answer. */
  get isOver () {
    return this.isStopped || this.hasLostFleet
  }

  /**
   * Executes one run, and repeats it once if its fleet lost an agent.
   *
   * @param {object} opts options; `signal` is one that the study creates for this run
   * @param {object} about passed to the listeners; with `isWarmup`, there is no `run` event
   * @returns {Promise<object|null>} null if the run or the study was stopped, or lost its fleet, because half a run is not a valid measurement
   */
  async measure (opts, about) {
    const isCancelled = () => this.isOver || opts.signal?.aborted
    for (let attempt = 1; !isCancelled(); attempt++) {
      const { result, loss } = await this.#attempt(opts, about)
      if (isCancelled()) return null
      // A warm-up isn't a measurement, so it isn't repeated if only a part of it is missing.
      const isUsable = loss === null || (about.isWarmup && result !== null)
      if (!isUsable && (attempt === ATTEMPTS || !loss.isWorthRepeating)) {
        this.#losses.end(loss, inWords(about, this.#prepared.ratesOf))
        return null
      }
      // A lost agent may still send load, which would affect the next run.
      if (loss !== null && !loss.isLoadOver) await this.pause(LOAD_ENDS_WITHIN_S, opts.signal)
      if (isUsable) return about.isWarmup ? result : this.#reportMeasured(result, about)
      if (!isCancelled()) this.#losses.repeat(loss)
    }
    return null
  }

  async #attempt (opts, about) {
    try {
      const result = await this.#run(opts, about)
      return { result, loss: lossOf(result) }
    } catch (error) {
      const loss = lossBy(error)
      // If nothing has been measured yet, there is nothing to keep: the study fails.
      if (loss === null || (!this.#hasMeasured && !loss.isWorthRepeating && this.#losses.isNone)) throw error
      return { result: null, loss }
    }
  }

  async #run (opts, about) {
    this.#dashboard?.begins(inWords(about, this.#prepared.ratesOf))
    this.#current = run(withMetrics(opts, about), undefined, this.#dashboard)
    this.#stopWith(this.#current, opts.signal)
    this.emit('begin', this.#current, about)
    return this.#current.finally(() => { this.#current = null })
  }

  // A listener of `begin` may stop the run. Half a run is not a valid measurement, and further runs would be useless.
  #stopWith (instance, signal) {
    const { stop } = instance
    instance.stop = () => {
      if (this.#current !== instance || this.isStopped || signal?.aborted) stop()
      else this.stop()
    }
  }

  #reportMeasured (result, about) {
    this.#hasMeasured = true
    this.emit('run', result, about)
    return result
  }

  /**
   * Updates the live page, and what remains if the study fails.
   *
   * @param {function(object=): object} soFar returns the result so far. If the study has failed, it gets `{ isStopped, hasLostFleet }`, see
   *   comparisonResult
   */
  grew (soFar) {
    this.#soFar = soFar
    this.#dashboard?.grew(soFar)
  }

  /**
   * @param {number} seconds less if the study is stopped
   * @param {AbortSignal} [signal] also ends the pause
   */
  async pause (seconds, signal) {
    if (!(seconds > 0) || signal?.aborted) return
    const both = new AbortController()
    const end = () => both.abort()
    const signals = [this.#stopping.signal, signal].filter(Boolean)
    for (const each of signals) each.addEventListener('abort', end, { once: true })
    if (!this.isStopped) await longSleep(seconds * 1000, both.signal)
    for (const each of signals) each.removeEventListener('abort', end)
  }

  // --- life cycle

  async #begin () {
    for (const signal of this.#signals) {
      if (signal.aborted) this.stop()
      else signal.addEventListener('abort', this.stop, { once: true })
    }
    try {
      if (!this.isStopped) await this.#openToWatchers()
      if (!this.isStopped) this.emit('start', { seconds: this.seconds })
      const answer = this.#withLosses(await this.#work(this, this.#prepared))
      this.#settle({ result: inspectable({ ...answer, ...circumstancesOf(this.#prepared.options, isOption) }) })
    } catch (error) {
      // Prevents operations in progress from starting anything else.
      this.stop()
      this.#settle({ error: this.#withAnswerSoFar(error) })
    }
  }

  // A server that crashes in the last of many runs must not take the others with it.
  #withAnswerSoFar (error) {
    if (this.#soFar === null || !(error instanceof Error) || !Object.isExtensible(error)) return error
    const soFar = this.#soFar({ isStopped: true, hasLostFleet: true })
    const { warnings = [] } = soFar
    const marked = warnings.some(({ code }) => code === FAILED.code) ? warnings : [...warnings, FAILED]
    return Object.assign(error, { soFar: inspectable({ ...soFar, warnings: marked, ...circumstancesOf(this.#prepared.options, isOption) }) })
  }

  #withLosses (answer) {
    const { warnings } = this.#losses
    return warnings.length === 0 ? answer : { ...answer, warnings: [...answer.warnings, ...warnings] }
  }

  // Done before anything is sent, because a port that is in use makes the study fail.
  async #openToWatchers () {
    const { dashboard = null } = this.#prepared
    if (dashboard === null) return
    const Dashboard = require('../watch/dashboard')
    this.#dashboard = new Dashboard(dashboard.settings, dashboard)
    this.emit('dashboard', await this.#dashboard.open())
  }

  async #settle (outcome) {
    if (this.#dashboard !== null) await this.#dashboard.finish(outcome)
    for (const signal of this.#signals) signal.removeEventListener('abort', this.stop)
    // Outside of the current promise, so that an error thrown by a listener isn't taken for a failure of `work`.
    world.nextTick(() => this.#announce(outcome))
  }

  #announce (outcome) {
    const { error, result } = outcome
    const isHeard = Awaitable.settle(this, outcome)
    if (error) Awaitable.emitError(this, error, isHeard)
    else this.emit('done', result)
  }
}

// Warm-ups have no metrics. There is no `linger`, because the duration of a study is announced.
function withMetrics ({ prometheus, dashboard, ...opts }, { name, isWarmup }) {
  if (isWarmup || !isGiven(prometheus)) return opts
  const settings = isObject(prometheus) ? prometheus : { port: prometheus }
  const labels = { ...(name !== undefined && { target: name }), ...settings.labels }
  return { ...opts, prometheus: { ...settings, labels, linger: 0 } }
}

// Describes a run of a study for the live page.
function inWords ({ name, demanded, rate = demanded, connections, phase, round, isWarmup }, ratesOf = 'requests') {
  const parts = [
    name,
    rate !== undefined && `${perSecond(rate)} ${ratesOf} per second`,
    connections !== undefined && counted(connections, 'connection'),
    phase,
    round !== undefined && `round ${round + 1}`,
    isWarmup && 'warm-up'
  ]
  return parts.filter(Boolean).join(', ')
}

module.exports = Study
