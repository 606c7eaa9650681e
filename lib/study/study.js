'use strict'

const { circumstancesOf } = require('../base/circumstances')
const { isGiven, isObject } = require('../values/kinds')
const { isOption } = require('../plan/unknown')
const Awaitable = require('../base/awaitable')
const { rate: perSecond } = require('../metrics/in-words')
const run = require('../run')
const world = require('../world')
const { longSleep } = require('../world/long-timer')
const { ATTEMPTS, LOAD_ENDS_WITHIN_S, Losses, lossBy, lossOf } = require('./losses')

/**
 * Several runs with one answer: an EventEmitter and a promise of the result at the same time, as a run is. `stop()`, and
 * an abort signal where one is given, end it at once with what it has.
 *
 * Events: with the option `dashboard` among those of its runs `dashboard({ url, host, port })`, before all others; `start({ seconds })`; `begin(instance, about)` and `run(result, about)` of each single run; those of the study
 * itself; `done(result)`; `error(error)`, where nobody waits for the promise.
 */
class Study extends Awaitable {
  #prepared = { signals: [] }
  #work
  #stopping = new AbortController()
  #current = null
  #dashboard = null
  #losses = new Losses()
  #hasMeasured = false

  /**
   * @param {function(): object} prepare checks what the user wrote: called at once, what it throws is the end. What it
   *   returns is given to `work`, and has `seconds` (how long it will take, see there), `signals`, and `options`: those of
   *   the runs, or of each target, for the reader of the result; `dashboard`: where to show it, null for nowhere
   * @param {function(Study, object): Promise<object>} work begins in the next turn of the event loop, when the caller has
   *   had the time to attach listeners
   */
  constructor (prepare, work) {
    super()
    this.stop = this.stop.bind(this)
    /** How long it will take, in seconds; of a capacity search, the most it can take. undefined where options are bad. */
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

  /** Ends the study, and the run it is in, at once, with what it has. Harmless after the end. */
  stop () {
    this.#stopping.abort()
    this.#current?.stop()
    this.#dashboard?.hurry()
  }

  get isStopped () {
    return this.#stopping.signal.aborted
  }

  // --- for the work

  /** Tells when the study is stopped. @returns {AbortSignal} */
  get stopping () {
    return this.#stopping.signal
  }

  /** Whether it ends since its fleet is not whole any more. */
  get hasLostFleet () {
    return this.#losses.last !== null
  }

  /** Whether no other run is made, and what there is is the answer. */
  get isOver () {
    return this.isStopped || this.hasLostFleet
  }

  /**
   * Makes one run; where its fleet lost an agent, once more.
   *
   * @param {object} opts `signal`: the study's own, for this run alone
   * @param {object} about what the listeners are told; with `isWarmup` there is no event `run`
   * @returns {Promise<object|null>} null where it, or the study, was stopped, or lost its fleet: half a run is no measurement
   */
  async measure (opts, about) {
    const isCancelled = () => this.isOver || opts.signal?.aborted
    for (let attempt = 1; !isCancelled(); attempt++) {
      const { result, loss } = await this.#attempt(opts, about)
      if (isCancelled()) return null
      if (loss === null) return about.isWarmup ? result : this.#tellMeasured(result, about)
      if (attempt === ATTEMPTS || !loss.isWorthRepeating) {
        this.#losses.end(loss, inWords(about, this.#prepared.ratesOf))
        return null
      }
      // A run that ended early leaves a lost agent to what it was told before: that would be the next run's load as well.
      if (!loss.isLoadOver) await this.pause(LOAD_ENDS_WITHIN_S, opts.signal)
      if (!isCancelled()) this.#losses.repeat(loss)
    }
    return null
  }

  async #attempt (opts, about) {
    try {
      const result = await this.#run(opts, about)
      // A warm-up is no measurement, and has done what it could.
      return { result, loss: about.isWarmup ? null : lossOf(result) }
    } catch (error) {
      const loss = lossBy(error)
      // Where nothing has been measured there is nothing to keep.
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

  // A listener of `begin` may stop the run. Half a run is no measurement, and the runs behind it would be made for nothing.
  #stopWith (instance, signal) {
    const { stop } = instance
    instance.stop = () => {
      if (this.#current !== instance || this.isStopped || signal?.aborted) stop()
      else this.stop()
    }
  }

  #tellMeasured (result, about) {
    this.#hasMeasured = true
    this.emit('run', result, about)
    return result
  }

  /** For who watches: there is more to be seen. @param {function(): object} soFar gives the answer, with what there is */
  grew (soFar) {
    this.#dashboard?.grew(soFar)
  }

  /**
   * @param {number} seconds; shorter where the study is stopped
   * @param {AbortSignal} [signal] which ends it as well
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

  // --- from begin to end

  async #begin () {
    for (const signal of this.#signals) {
      if (signal.aborted) this.stop()
      else signal.addEventListener('abort', this.stop, { once: true })
    }
    try {
      if (!this.isStopped) await this.#openToWatchers()
      if (!this.isStopped) this.emit('start', { seconds: this.seconds })
      const answer = this.#withLosses(await this.#work(this, this.#prepared))
      this.#settle({ result: { ...answer, ...circumstancesOf(this.#prepared.options, isOption) } })
    } catch (error) {
      // What is still under way shall begin nothing more.
      this.stop()
      this.#settle({ error })
    }
  }

  #withLosses (answer) {
    const { warnings } = this.#losses
    return warnings.length === 0 ? answer : { ...answer, warnings: [...answer.warnings, ...warnings] }
  }

  // Before anything is sent, since a port that is taken is an error of the options.
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
    // Outside of the promise that brought us here, so that what a listener throws is not taken for a failure of the work.
    world.nextTick(() => this.#announce(outcome))
  }

  #announce (outcome) {
    const { error, result } = outcome
    const isHeard = Awaitable.settle(this, outcome)
    if (error) Awaitable.emitError(this, error, isHeard)
    else this.emit('done', result)
  }
}

// A warm-up is no measurement, and the time a study takes is announced: it waits for nobody who reads metrics.
function withMetrics ({ prometheus, dashboard, ...opts }, { name, isWarmup }) {
  if (isWarmup || !isGiven(prometheus)) return opts
  const settings = isObject(prometheus) ? prometheus : { port: prometheus }
  const labels = { ...(name !== undefined && { target: name }), ...settings.labels }
  return { ...opts, prometheus: { ...settings, labels, linger: 0 } }
}

// What a run of a study is, for who watches it.
function inWords ({ name, demanded, rate = demanded, phase, round, isWarmup }, ratesOf = 'requests') {
  const parts = [
    name,
    rate !== undefined && `${perSecond(rate)} ${ratesOf} per second`,
    phase,
    round !== undefined && `round ${round + 1}`,
    isWarmup && 'warm-up'
  ]
  return parts.filter(Boolean).join(', ')
}

module.exports = Study
