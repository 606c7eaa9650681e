'use strict'

const Awaitable = require('./base/awaitable')
const { hookError } = require('./base/errors')
const world = require('./world')

/**
 * Runs a load test.
 *
 * Returns an EventEmitter. Without a callback and `forever`, it is also a promise of the result; with them, `await` returns the
 * instance itself, for its `on` and `stop`.
 *
 * @param {object} opts see docs/options.md; `url` or `socketPath` is required
 * @param {function(?Error, object)} [cb]
 * @param {Dashboard} [dashboard] the live page of the study that this run belongs to
 * @returns {Run} events `start tick response reqError reqMismatch done error`, and with the options `dashboard` and `prometheus`
 *   also `dashboard({ url, host, port })` and `prometheus({ url, host, port })` before all others, and `linger({ seconds })`
 *
 * Invalid options aren't thrown here: the callback gets the error, the promise rejects with it, or `error` is emitted. The same
 * happens if a hook or a listener throws during the run; the run then ends, and `error.result` is the result so far. If nothing
 * listens to any of these, the error is thrown as an uncaught exception, so that it doesn't go unnoticed.
 *
 * `json: true` also prints the result to stdout. With options from parseArguments, it shows what the command would.
 *
 * Programs that load this file by its path call it like autocannon's: `run(opts, tracker, cb)`.
 */
function run (opts, cb, dashboard = null) {
  if (isEmitter(cb) || typeof dashboard === 'function') return runFor(cb ?? null, opts, dashboard)
  const instance = new Run(opts, typeof cb === 'function' ? cb : null, dashboard)
  showAsAsked(instance, opts)
  // Deferred, so that the caller can attach listeners first.
  world.setImmediate(() => instance[kBegin]())
  return instance
}

const isEmitter = (value) => typeof value?.emit === 'function'
const EVENTS = ['start', 'tick', 'response', 'reqError', 'reqMismatch', 'done', 'error']

// Forwards the events of a run to the caller's tracker and gives it a `stop`. Without a tracker, returns the instance itself.
function runFor (tracker, opts, cb) {
  const instance = run(opts, cb)
  if (!isEmitter(tracker)) return instance
  for (const event of EVENTS) instance.on(event, (...args) => tracker.emit(event, ...args))
  return Object.assign(tracker, { opts: instance.opts, stop: instance.stop })
}

// Loads the reports only if they are needed.
function showAsAsked (instance, opts) {
  const { askedFor, isFromCommandLine } = require('./plan/given')
  if (isTrue(opts?.json)) instance.on('done', (result) => process.stdout.write(require('./report/json')(result)))
  else if (isFromCommandLine(opts)) require('./report/track')(instance, askedFor(opts))
}

const isTrue = (value) => value === true || value === 'true'

const kBegin = Symbol('begin')

// Rounds of `forever` that fail are repeated after 10 ms, then 20 ms, and so on up to a second, like connection attempts.
const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 1000

class Run extends Awaitable {
  #plan = null
  #hooks = null
  #fleet = null
  #diagnose = null
  #warnings = null
  #signal = null
  #callback
  #engine = null
  #listener = null
  #monitor = null
  #dashboard
  #isDashboardOwn = false
  #settled = null
  #isStopped = false
  #closeRecord = null
  // How many rounds in a row have failed, and the pause before the next one.
  #failedRounds = 0
  #pause = null

  constructor (opts, callback, dashboard) {
    // All but this file is loaded with the first run, so that a program that only requires this module doesn't wait for it.
    const draft = require('./plan').draftPlan(opts)
    const filled = draft.opts
    super({ isThenable: callback === null && filled.forever !== true })
    this.#callback = callback
    this.#dashboard = dashboard
    /** The options with defaults filled in; `duration` in seconds. */
    this.opts = filled
    // Bound, because it is often passed on: `process.once('SIGINT', instance.stop)`.
    this.stop = this.stop.bind(this)
    try {
      const { plan, hooks, fleet, diagnose, warnings } = draft.createPlan()
      this.#plan = plan
      this.#hooks = hooks
      this.#fleet = fleet
      this.#diagnose = diagnose
      this.#warnings = warnings
      this.#signal = opts.signal || null
      // Feed rows that are each used once define an amount, of requests or of sessions, and so does a recording.
      if (plan.feed?.amount || plan.replay !== null) this.opts.amount = plan.amount
      if (plan.sessions !== null && plan.feed?.order === 'once' && !this.opts.stages) this.opts.sessions = { ...this.opts.sessions, amount: plan.sessions.amount }
      if (plan.prometheus !== null) this.#monitor = createMonitor(plan)
      if (plan.dashboard !== null && dashboard === null) this.#createDashboard(plan)
    } catch (error) {
      this.#settled = { error }
    }
  }

  /** Ends the run immediately, with the result so far. Has no effect before the start or after the end. */
  stop () {
    this.#monitor?.hurry()
    if (this.#isDashboardOwn) this.#dashboard.hurry()
    this.#listener?.stopped()
    this.#end(true)
  }

  #end (byPerson) {
    this.#isStopped = true
    this.#engine?.stop(byPerson)
    this.#endPause()
  }

  [kBegin] () {
    if (this.#settled !== null) {
      this.#announce()
      return
    }
    if (this.#plan.record !== null && !this.#openRecord(this.#plan.record)) return
    if (this.#signal !== null) {
      if (this.#signal.aborted) this.#isStopped = true
      else this.#signal.addEventListener('abort', this.stop, { once: true })
    }
    if (this.#isWatched) this.#openToWatchers()
    else this.#round(this.#plan)
  }

  // --- the record of all requests

  // Created before anything is sent, since a file that cannot be written is an option error. @returns {boolean} whether it could be
  #openRecord (record) {
    try {
      // Loaded on demand, since few runs use it.
      this.#closeRecord = require('./run/record')(record)
      return true
    } catch (error) {
      this.#settle({ error })
      return false
    }
  }

  // --- monitoring from outside

  // Loaded on demand, since few runs use it.
  #createDashboard (plan) {
    const Dashboard = require('./watch/dashboard')
    this.#dashboard = new Dashboard(plan.dashboard, plan)
    this.#isDashboardOwn = true
  }

  #createDiagnosis () {
    if (this.#diagnose === null) return null
    const Diagnosis = require('./diagnose')
    return new Diagnosis(this.#diagnose, this.#plan)
  }

  get #isWatched () {
    return this.#monitor !== null || this.#isDashboardOwn
  }

  // Opens the servers before anything is sent, since a port that is in use is an option error.
  async #openToWatchers () {
    try {
      if (this.#isDashboardOwn) this.#emitToUser('dashboard', await this.#dashboard.open())
      if (this.#monitor !== null) this.#emitToUser('prometheus', await this.#monitor.open())
    } catch (error) {
      this.#finish({ error })
      return
    }
    this.#round(this.#plan)
  }

  // The numbers are final now; a scraper that has only seen earlier ones gets time to read them.
  async #closeMonitor ({ error }) {
    if (this.#monitor === null) return
    try {
      if (error || !this.#monitor.lingers) return
      this.#emitToUser('linger', { seconds: this.#plan.prometheus.linger })
      await this.#monitor.linger()
    } finally {
      await this.#monitor.close()
    }
  }

  #emitToUser (event, ...args) {
    try {
      this.emit(event, ...args)
    } catch (cause) {
      throw hookError(`a listener of ${event}`, cause)
    }
  }

  // --- rounds: one, or with `forever` one after another

  #round (plan) {
    const Round = require('./run/round')
    const { isOption } = require('./plan/unknown')
    const round = new Round(plan, {
      instance: this,
      warnings: this.#warnings,
      monitor: this.#monitor,
      dashboard: this.#dashboard,
      verifiesBodies: plan.expectBody !== null || this.#hooks.verifyBody !== null,
      diagnosis: this.#createDiagnosis(),
      isOption,
      onAbort: () => this.#end(false),
      onListenerFailed: (error) => this.#engine?.fail(error),
      onEnd: (error, result) => this.#roundEnded(error, result)
    })
    this.#engine = this.#createEngine(plan, round)
    this.#listener = round
    this.#engine.start().catch((error) => this.#roundEnded(error))
    if (this.#isStopped) this.stop()
  }

  // Loads only the engine that is needed.
  #createEngine (plan, round) {
    if (this.#fleet !== null) return new (require('./engine/parallel/fleet'))(plan, this.#hooks, round, this.#fleet)
    const Engine = plan.workers === null ? require('./engine/local') : require('./engine/parallel/workers')
    return new Engine(plan, this.#hooks, round)
  }

  #roundEnded (error, result) {
    if (this.#engine === null) return
    this.#engine = this.#listener = null
    // Deferred: the engine is our caller, and an error thrown by a listener must not look like a failure of the engine.
    world.nextTick(() => {
      if (error || !this.#plan.forever || this.#isStopped) this.#finish({ error, result })
      else this.#nextRound(result)
    })
  }

  #nextRound (result) {
    try {
      this.emit('done', result)
    } catch (cause) {
      this.#finish({ error: Object.assign(hookError('a listener of done', cause), { result }) })
      return
    }
    const next = () => {
      this.#pause = null
      if (this.#isStopped) this.#finish({ result, isTold: true })
      else this.#round(require('./plan').planOfNextRound(this.#plan))
    }
    this.#failedRounds = hasFailed(result, this.#plan) ? this.#failedRounds + 1 : 0
    // A listener of `done` may have stopped the run.
    if (this.#failedRounds === 0 || this.#isStopped) world.setImmediate(next)
    else this.#pause = { next, timer: world.setTimeout(next, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failedRounds - 1))) }
  }

  #endPause () {
    if (this.#pause === null) return
    world.clearTimeout(this.#pause.timer)
    this.#pause.next()
  }

  // --- the end

  #finish (outcome) {
    // Called synchronously, not in a promise: an error thrown by a listener must not become a rejection.
    if (this.#isWatched) this.#finishAfterWatchers(outcome)
    else this.#settle(outcome)
  }

  async #finishAfterWatchers (outcome) {
    let failure = null
    try {
      await Promise.all([this.#closeMonitor(outcome), this.#isDashboardOwn && this.#dashboard.finish(outcome)])
    } catch (error) {
      failure = error
    }
    world.nextTick(() => this.#settle(failure === null ? outcome : { error: Object.assign(failure, { result: outcome.result }) }))
  }

  #settle (outcome) {
    this.#signal?.removeEventListener('abort', this.stop)
    this.#closeRecord?.()
    this.#settled = outcome
    this.#announce()
  }

  // Reports the outcome once to the promise, the listeners and the callback. A listener that throws must not keep the callback
  // from being called.
  #announce () {
    const { error, result, isTold } = this.#settled
    const callback = this.#callback
    const isHeard = Awaitable.settle(this, this.#settled) || callback !== null
    try {
      if (error) Awaitable.emitError(this, error, isHeard)
      else if (!isTold) this.emit('done', result)
    } finally {
      if (callback !== null) callback(error ?? null, result)
    }
  }
}

// Whether there was no response, or so many failures that they ended the round; that happens at once if the server is down.
function hasFailed ({ accounting: { completed }, errors, mismatches }, { bailout }) {
  return completed === 0 || (bailout !== null && errors + mismatches >= bailout)
}

// Loaded on demand, since few runs use it.
function createMonitor (plan) {
  const Monitor = require('./watch/prometheus')
  return new Monitor(plan)
}

module.exports = run
