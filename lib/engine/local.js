'use strict'

const world = require('../world')
const TraceIds = require('../world/trace-ids')
const { areFunctions, loadHooks } = require('./hooks')
const Generator = require('./generator')
const { WHOLE } = require('./deal/part')
const Phase = require('./phase/phase')
const Pool = require('./phase/pool')

/**
 * Runs a plan, or a part of it, in this thread. What few runs need is loaded on demand.
 *
 * The listener receives `started()`, `interval(interval, isLast, isWarmup)`, `warmedUp(outcome)`, then one `ended(outcome)`
 * with the numbers, how busy the generator was, and `error` if the user's code failed. An outcome is plain data:
 * `{ summaries, isInterrupted, seconds, scheduleSeconds, drain, generator, warnings, error }`; `isInterrupted` says whether a person
 * ended it. `watches(event)` returns whether anyone listens to `response`, `reqError` or `reqMismatch`; if so, the engine calls
 * `response(…)`, `requestError(error)` and `mismatch(body)`.
 */
class LocalEngine {
  /**
   * @param {object} plan
   * @param {object} hooks of createPlan
   * @param {object} listener
   * @param {object} [coordinator] connects this thread to the others of the run: `part` (see part.js), `startTime()` (a promise for the
   *   start of the next phase, ms), `countFailure()` (counts a failure and returns the total of all threads), `bailOut()`,
   *   `failed(error)` (the user's code has thrown, which ends the run), `begun(time)` (the clock of the run has started, ms since
   *   1970), `keepsAccounts` (whether each interval includes the accounts so far), `recordOutput` (where lines of a record go; see RecordFile)
   */
  constructor (plan, hooks, listener, coordinator = new LocalCoordinator(this)) {
    this.plan = plan
    this.hooks = hooks
    this.listener = listener
    this.coordinator = coordinator
    this.part = coordinator.part
    this.phase = null
    this.isWarmingUp = false
    this.outcome = null
    this.isStopped = false
    /** Whether a person stopped it. */
    this.isInterrupted = false
    this.error = null
    this.warnings = []
    /** The file that gets a line for each request; null if there is none. */
    this.record = null
  }

  /** @returns {Promise} resolves after `ended` has been called; rejects if the hooks cannot be loaded */
  async start () {
    if (!areFunctions(this.hooks)) this.hooks = await loadHooks(this.hooks)
    this.feed = this.plan.feed === null ? null : new (require('./deal/feed'))(this.plan, this.part)
    if (this.plan.record !== null) this.openRecord()
    this.traces = this.plan.traceKey === null ? null : new TraceIds(this.plan.traceKey, this.part.share)
    this.pool = new Pool(this.plan, this.hooks, this.part, this.feed, this.traces)
    this.listener.started()
    if (this.plan.warmup !== null && !this.isStopped) this.listener.warmedUp(await this.warmUp())
    const outcome = await this.run()
    const { gone } = this.pool.closingSockets
    if (gone !== null) await gone
    const record = this.record === null ? null : await this.record.end()
    this.listener.ended({ ...outcome, record, warnings: this.warnings, error: this.error })
  }

  // In a fleet, the file is on the machine of the leader.
  openRecord () {
    const RecordFile = require('./record-file')
    const { record, workers } = this.plan
    this.record = new RecordFile(record, Math.min(this.part.of, workers ?? 1), record.file === null ? this.coordinator.recordOutput : undefined)
  }

  /** The leader of a fleet has the lines that the thread with this part sent last. */
  linesArrived (share) {
    if (share === this.part.share) this.record.output.arrived()
  }

  /** Ends the run immediately; its results so far are kept. @param {boolean} [byPerson] whether the person who runs it wants that */
  stop (byPerson = false) {
    this.isStopped = true
    this.isInterrupted ||= byPerson
    if (this.phase !== null) this.phase.finish(undefined, byPerson)
  }

  // Applies the same load without counting it in the result. It uses the run's connections if it has equally many.
  async warmUp () {
    const { sessions } = this.plan
    // If the run ramps up its users, its connections must not be open beforehand.
    const sharesConnections = sessions === null && this.plan.rampUp === null && this.plan.warmup.connections === this.plan.connections
    const plan = require('./warm-up')(this.plan)
    const pool = sharesConnections ? this.pool : new Pool(plan, this.hooks, this.part, this.feed, this.traces)
    // At its end, the run also waits for sockets of the warm-up to close.
    pool.closingSockets = this.pool.closingSockets
    pool.keepsConnections = sharesConnections
    const outcome = await this.play(plan, pool, true)
    pool.keepsConnections = false
    return outcome
  }

  run () {
    return this.play(this.plan, this.pool, false)
  }

  // Runs one phase until all of its requests are accounted for.
  async play (plan, pool, isWarmup) {
    this.isWarmingUp = isWarmup
    this.outcome = null
    const earlier = this.phase
    const ended = new Promise((resolve) => {
      this.phase = new Phase(plan, pool, this.part, this.phaseListener(plan, isWarmup, resolve))
    })
    if (earlier !== null) this.phase.follow(earlier)
    // If the run was stopped before this phase began, it opens no connection and sends nothing.
    if (this.isStopped) this.phase.finish(undefined, this.isInterrupted)
    await this.phase.connect()
    if (!isWarmup && plan.diagnose) await this.listener.aboutToMeasure()
    const startTime = await this.coordinator.startTime()
    if (startTime !== undefined) await reach(startTime)
    this.generator = new Generator()
    if (!isWarmup) this.coordinator.begun(world.origin() + world.now())
    this.phase.begin(startTime)
    return ended
  }

  phaseListener (plan, isWarmup, ended) {
    const { listener, coordinator } = this
    let generator = null
    return {
      record: isWarmup || this.record === null ? null : { lines: this.record.lines, isWhole: this.part.of === 1 },
      ended: (outcome) => {
        this.outcome = { ...outcome, generator }
        ended(this.outcome)
      },
      interval: (interval, isLast) => {
        const { phase } = this
        const isWatched = plan.prometheus !== null && !isWarmup
        const watched = isWatched ? { watched: this.watched(phase, plan.prometheus) } : undefined
        const interims = plan.abortOnFail && !isWarmup ? { interims: [phase.recorder.interim()] } : undefined
        const accounts = coordinator.keepsAccounts ? { accounts: require('./phase/so-far').accountsSoFar(phase, phase.window.startedAt + interval.end) } : undefined
        const blocks = coordinator.keepsAccounts && this.record !== null && !isWarmup ? { recorded: [{ share: this.part.share, blocks: this.record.blocks }] } : undefined
        // Measured before the drain, which has little to do and would make the generator look less busy than it was.
        if (isLast) generator = this.generator.end(phase.loop.watchingTime)
        listener.interval({ ...interval, ...watched, ...interims, ...accounts, ...blocks }, isLast, isWarmup)
      },
      warn: (warning) => this.warn(warning),
      fail: (error) => this.fail(error),
      watches: (event) => listener.watches(event),
      requestError: (error) => listener.requestError(error),
      mismatch: (body) => listener.mismatch(body),
      response: (...args) => listener.response(...args),
      countFailure: () => coordinator.countFailure(),
      bailOut: () => coordinator.bailOut(),
      isExpectedBody: bodyCheck(plan, this.hooks)
    }
  }

  // Additional totals for Prometheus, once per sample.
  watched ({ recorder, loop }, { buckets }) {
    const { totalsOfRecorder } = require('../metrics/totals')
    return { totals: totalsOfRecorder(recorder, buckets), eventLoop: this.generator.sample(loop.watchingTime) }
  }

  // Keeps only the first warning of each kind.
  warn (warning) {
    if (this.warnings.every(({ code }) => code !== warning.code)) this.warnings.push(warning)
  }

  /** Ends the run immediately with an error and its results so far. If called again, the first error is kept. */
  fail (error) {
    if (this.error === null) this.coordinator.failed(error)
    this.error ??= error
    this.stop()
  }

  /**
   * Ends the run synchronously, for a thread that exits without another turn of its event loop.
   *
   * @returns {?object} the outcome; null if the run itself has not begun
   */
  cutOff () {
    this.record?.hold()
    this.phase?.cutOff()
    const record = this.record === null ? null : this.record.cutOff()
    return this.isWarmingUp || this.outcome === null ? null : { ...this.outcome, record, warnings: this.warnings }
  }
}

// Waits until this time, ms. Timers have millisecond resolution, and nothing may be sent early, so the last millisecond is
// polled.
async function reach (time) {
  const ahead = time - world.now() - 1
  if (ahead >= 1) await world.sleep(ahead)
  while (world.now() < time) await new Promise((resolve) => world.nextTurn(resolve, time))
}

/** The coordinator of a thread that does the whole run alone. */
class LocalCoordinator {
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

// verifyBody takes precedence over expectBody; null if bodies are not checked.
function bodyCheck ({ expectBody }, { verifyBody }) {
  if (verifyBody !== null) return verifyBody
  return expectBody === null ? null : (text) => text === expectBody
}

module.exports = LocalEngine
