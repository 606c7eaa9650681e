'use strict'

const { assess } = require('../keeping-up')
const { targetOf } = require('../sweep/row')
const { errorsBy, limitedBy, quicker, withSaturation } = require('../limited-by')
const { ownWarmup } = require('../targets')
const world = require('../../world')
const { LongTimer } = require('../../world/long-timer')
const { LONGER } = require('./budget')
const { missedBy } = require('./slo')

// If the server achieved less than this share of a rate, it didn't fail by accident.
const CLEARLY = 0.9

/** Executes the runs of a search, and stores their results. */
class Explorer {
  /**
   * @param {Study} study
   * @param {object} prepared `target`, `slo` (parsed), `enough` (see keepsUp), `budget` (see budget.js)
   */
  constructor (study, { target, slo, enough, budget }) {
    this.study = study
    this.target = target
    this.slo = slo
    this.enough = enough
    this.budget = budget
    this.steps = []
    /** The bottleneck of each step, including those that passed, and who caused its errors. */
    this.limits = new Map()
    this.idle = null
    this.deadline = world.now() + budget.seconds * 1000
    this.isOutOfTime = false
    this.isUnanswered = false
    /** The step and its result in which the server stopped responding. */
    this.silence = null
  }

  /** @returns {Promise<boolean|null>} whether a rate passes; null if the search is over */
  async probe (rate, phase) {
    const first = await this.run(rate, phase)
    if (this.silence !== null) return null
    if (first === null || first.passed) return first && true
    // The server never responded, so no rate would be low enough.
    this.isUnanswered = first.completed === 0 && this.steps.length === 1
    if (first.completed === 0 || first.sustained < CLEARLY * rate) return false
    // A single run may fail by accident, which must not decide the result, so it is repeated. If there is no time for that, the
    // rate has failed as far as we know.
    const second = await this.run(rate, phase)
    if (this.silence !== null || this.study.hasLostFleet) return null
    return second !== null && second.passed
  }

  async run (rate, phase) {
    const { duration: short, drain, pause } = this.budget
    const duration = phase === 'confirm' ? LONGER * short : short
    if (this.isUnanswered) return null
    if (this.steps.length > 0) await this.study.pause(pause)
    const needed = ownWarmup(this.target.opts, duration) + duration + drain
    if (world.now() + needed * 1000 > this.deadline) this.isOutOfTime = true
    if (this.isOutOfTime) return null
    const result = await this.untilDeadline((signal) => this.study.measure({ ...this.optionsFor(rate, duration), signal }, { rate, phase }))
    return result === null ? null : this.take(result, rate, phase)
  }

  // Ends a run at the announced time, because it is unknown how long the last responses to a warm-up will take.
  async untilDeadline (measure) {
    const over = new AbortController()
    const end = () => {
      this.isOutOfTime = true
      over.abort()
    }
    const timer = new LongTimer(end, this.deadline - world.now())
    try {
      return await measure(over.signal)
    } finally {
      timer.clear()
    }
  }

  optionsFor (rate, duration) {
    const { opts } = this.target
    const sampleInt = opts.sampleInt ?? Math.round(Math.min(1000, Math.max(10, duration * 100)))
    return { ...opts, sampleInt, overallRate: rate, duration, drain: this.budget.drain, thresholds: this.slo, abortOnFail: true }
  }

  take (result, rate, phase) {
    const how = { arrivals: this.target.opts.arrivals, enough: this.enough }
    const load = { rate, demanded: rate, ...how, assessment: assess(result, rate, how) }
    const { missed, verdicts, isAboutSpeed } = missedBy(result, this.slo, load)
    const measured = targetOf(this.target.name, result, this.idle, load)
    const step = { rate, phase, duration: result.duration, passed: missed.length === 0, missed, verdicts, ...measured }
    const ofErrors = errorsBy(result)
    const limit = isAboutSpeed || step.passed
      ? withSaturation(limitedBy(result, this.idle, measured.keepsUp), result, this.idle)
      : ofErrors
    if (!step.passed) Object.assign(step, limit, { saturated: step.saturated || limit.limitedBy === 'generator' })
    this.limits.set(step, { limitedBy: limit.limitedBy, errorsBy: ofErrors.limitedBy })
    this.idle = quicker(this.idle, result)
    if (step.completed === 0 && this.steps.some(({ completed }) => completed > 0)) this.silence = { step, result }
    this.steps.push(step)
    this.study.emit('step', step, result)
    return step
  }
}

module.exports = Explorer
