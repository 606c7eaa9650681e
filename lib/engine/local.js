'use strict'

const { totalsOfRecorder } = require('../metrics/totals')
const world = require('../world')
const { areFunctions, loadHooks } = require('./hooks')
const Feed = require('./deal/feed')
const Generator = require('./generator')
const { WHOLE } = require('./deal/part')
const Phase = require('./phase/phase')
const Pool = require('./phase/pool')
const { accountsSoFar } = require('./phase/so-far')
const planOfWarmup = require('./warm-up')

/**
 * Runs a plan, or a part of it, in this thread.
 *
 * The listener hears `started()`, `interval(interval, isLast, isWarmup)`, `warmedUp(outcome)`, then one `ended(outcome)`
 * with the numbers and how busy the generator was, or with `error` where the user's code failed. An outcome is plain
 * data: `{ summaries, seconds, scheduleSeconds, drain, generator, warnings, error }`. Meanwhile `watches(event)` tells
 * whether somebody listens to `response`, `reqError` or `reqMismatch`, which are then told with `response(…)`,
 * `requestError(error)` and `mismatch(body)`.
 */
class LocalEngine {
  /**
   * @param {object} plan
   * @param {object} hooks of createPlan
   * @param {object} listener
   * @param {object} [crew] how this thread goes with others: `part` (see part.js), `startTime()` (a promise of when the
   *   next phase starts, ms), `countFailure()` (how many failures all have had, with this one), `bailOut()`,
   *   `failed(error)` (the user's code has thrown, so that the run ends), `begun(time)` (the clock of the run has started, ms
   *   since 1970), `keepsAccounts` (whether each interval brings the accounts so far)
   */
  constructor (plan, hooks, listener, crew = new Alone(this)) {
    this.plan = plan
    this.hooks = hooks
    this.listener = listener
    this.crew = crew
    this.part = crew.part
    this.phase = null
    this.isWarmingUp = false
    this.outcome = null
    this.isStopped = false
    this.error = null
    this.warnings = []
  }

  /** @returns {Promise} when the listener has been told of the end; rejects where the hooks cannot be loaded */
  async start () {
    if (!areFunctions(this.hooks)) this.hooks = await loadHooks(this.hooks)
    this.feed = this.plan.feed === null ? null : new Feed(this.plan, this.part)
    this.pool = new Pool(this.plan, this.hooks, this.part, this.feed)
    this.listener.started()
    if (this.plan.warmup !== null && !this.isStopped) this.listener.warmedUp(await this.warmUp())
    const outcome = await this.run()
    const { gone } = this.pool.closingSockets
    if (gone !== null) await gone
    this.listener.ended({ ...outcome, warnings: this.warnings, error: this.error })
  }

  /** Ends the run at once, with what it has. */
  stop () {
    this.isStopped = true
    if (this.phase !== null) this.phase.finish()
  }

  // The same load for a while, not measured: on the same connections, where the run has as many.
  async warmUp () {
    const { sessions } = this.plan
    // A ramp of the run's own begins with connections that are not there yet.
    const sharesConnections = sessions === null && this.plan.rampUp === null && this.plan.warmup.connections === this.plan.connections
    const plan = planOfWarmup(this.plan)
    const pool = sharesConnections ? this.pool : new Pool(plan, this.hooks, this.part, this.feed)
    // Whoever is stopped meanwhile waits for the last words of these.
    pool.closingSockets = this.pool.closingSockets
    pool.keepsConnections = sharesConnections
    const outcome = await this.play(plan, pool, true)
    pool.keepsConnections = false
    return outcome
  }

  run () {
    return this.play(this.plan, this.pool, false)
  }

  // One phase, from its start to its last account.
  async play (plan, pool, isWarmup) {
    this.isWarmingUp = isWarmup
    this.outcome = null
    const earlier = this.phase
    const ended = new Promise((resolve) => {
      this.phase = new Phase(plan, pool, this.part, this.phaseListener(plan, isWarmup, resolve))
    })
    if (earlier !== null) this.phase.follow(earlier)
    // One that is stopped before it begins opens no connection and sends nothing.
    if (this.isStopped) this.phase.finish()
    await this.phase.connect()
    const startTime = await this.crew.startTime()
    if (startTime !== undefined) await reach(startTime)
    this.generator = new Generator()
    if (!isWarmup) this.crew.begun(world.origin() + world.now())
    this.phase.begin(startTime)
    return ended
  }

  phaseListener (plan, isWarmup, ended) {
    const { listener, crew } = this
    let generator = null
    return {
      ended: (outcome) => {
        this.outcome = { ...outcome, generator }
        ended(this.outcome)
      },
      interval: (interval, isLast) => {
        const { phase } = this
        const isWatched = plan.prometheus !== null && !isWarmup
        const watched = isWatched ? { watched: this.watched(phase, plan.prometheus) } : undefined
        const standings = plan.abortOnFail && !isWarmup ? { standings: [phase.recorder.standing()] } : undefined
        const accounts = crew.keepsAccounts ? { accounts: accountsSoFar(phase, phase.window.startedAt + interval.end) } : undefined
        // In the drain there is next to nothing to do, which would look like time to spare.
        if (isLast) generator = this.generator.end(phase.loop.watchingTime)
        listener.interval({ ...interval, ...watched, ...standings, ...accounts }, isLast, isWarmup)
      },
      warn: (warning) => this.warn(warning),
      fail: (error) => this.fail(error),
      watches: (event) => listener.watches(event),
      requestError: (error) => listener.requestError(error),
      mismatch: (body) => listener.mismatch(body),
      response: (...args) => listener.response(...args),
      countFailure: () => crew.countFailure(),
      bailOut: () => crew.bailOut(),
      isExpectedBody: bodyCheck(plan, this.hooks)
    }
  }

  // What somebody who watches from outside wants to know besides, once per sample.
  watched ({ recorder, loop }, { buckets }) {
    return { totals: totalsOfRecorder(recorder, buckets), eventLoop: this.generator.sample(loop.watchingTime) }
  }

  // The first of its kind tells enough.
  warn (warning) {
    if (this.warnings.every(({ code }) => code !== warning.code)) this.warnings.push(warning)
  }

  /** Ends the run at once, with what it has and an error: the first that is given. */
  fail (error) {
    if (this.error === null) this.crew.failed(error)
    this.error ??= error
    this.stop()
  }

  /**
   * Ends the run here and now, for a thread that is about to end without another turn of its event loop.
   *
   * @returns {?object} the outcome; null where the run itself has not begun
   */
  cutOff () {
    this.phase?.cutOff()
    return this.isWarmingUp || this.outcome === null ? null : { ...this.outcome, warnings: this.warnings }
  }
}

// Waits until that time, ms. Timers know whole milliseconds, and nothing may be sent before it is due.
async function reach (time) {
  const ahead = time - world.now() - 1
  if (ahead >= 1) await world.sleep(ahead)
  while (world.now() < time) await new Promise((resolve) => world.nextTurn(resolve, time))
}

/** The crew of a thread that does the whole run. */
class Alone {
  constructor (engine) {
    this.engine = engine
    this.part = WHOLE
    this.failures = 0
  }

  startTime () {
    return undefined
  }

  countFailure () {
    return ++this.failures
  }

  bailOut () {
    this.engine.stop()
  }

  failed () {}

  begun () {}

  get keepsAccounts () {
    return false
  }
}

// verifyBody goes before expectBody; null where bodies are not looked at.
function bodyCheck ({ expectBody }, { verifyBody }) {
  if (verifyBody !== null) return verifyBody
  return expectBody === null ? null : (text) => text === expectBody
}

module.exports = LocalEngine
