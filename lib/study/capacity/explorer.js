'use strict'

const { targetOf } = require('../sweep/row')
const { errorsBy, quicker } = require('../limited-by')
const { ownWarmup, sampleInterval } = require('../targets')
const world = require('../../world')
const { LongTimer } = require('../../world/long-timer')
const { LONGER } = require('./budget')
const { missedBy } = require('./slo')

// If the server answered less than this share of a rate, it didn't fail by accident.
const CLEARLY = 0.9

/** Executes the runs of a search, and stores their results. */
class Explorer {
  /**
   * @param {Study} study
   * @param {object} prepared `axis` (see axes.js), `target`, `slo` (parsed), `enough` (see keepsUp), `drains` (see axes.js),
   *   `budget` (see budget.js)
   */
  constructor (study, { axis, target, slo, enough, drains, budget }) {
    this.study = study
    this.axis = axis
    this.target = target
    this.slo = slo
    this.enough = enough
    this.drains = drains
    this.budget = budget
    this.steps = []
    /** The bottleneck of each step, including those that passed, who caused its errors, and the rate that was answered (see keeping-up.js). */
    this.limits = new Map()
    this.idle = null
    /** How many seconds the server may need for what was in flight when the last run ended. */
    this.settling = 0
    this.deadline = world.now() + budget.seconds * 1000
    this.isOutOfTime = false
    this.isUnanswered = false
    /** The step and its result in which the server stopped responding. */
    this.silence = null
  }

  /** @returns {Promise<boolean|null>} whether a value of the axis passes; null if the search is over */
  async probe (value, phase) {
    const first = await this.run(value, phase)
    if (this.silence !== null) return null
    if (first === null || first.passed) return first && true
    // The server never responded, so no value would be low enough.
    this.isUnanswered = first.completed === 0 && this.steps.length === 1
    if (first.completed === 0 || (first.keepsUp === false && this.limits.get(first).answered < CLEARLY * value)) return false
    // A single run may fail by accident, which must not decide the result, so it is repeated. If there is no time for that, the
    // value has failed as far as we know.
    const second = await this.run(value, phase)
    if (this.silence !== null || this.study.hasLostFleet) return null
    return second !== null && second.passed
  }

  async run (value, phase) {
    const { duration: short, drain, pause } = this.budget
    const duration = phase === 'confirm' ? LONGER * short : short
    if (this.isUnanswered) return null
    if (this.steps.length > 0) await this.study.pause(pause + this.settling)
    const needed = ownWarmup(this.target.opts, duration) + duration + drain
    if (world.now() + needed * 1000 > this.deadline) this.isOutOfTime = true
    if (this.isOutOfTime) return null
    const about = { name: this.target.name, [this.axis.field]: value, phase }
    const result = await this.untilDeadline((signal) => this.study.measure({ ...this.optionsFor(value, duration), signal }, about))
    return result === null ? null : this.take(result, value, phase)
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

  optionsFor (value, duration) {
    const opts = { ...this.target.opts, sampleInt: this.target.opts.sampleInt ?? sampleInterval(duration) }
    const times = this.steps.filter((step) => step[this.axis.field] === value).length
    return { ...opts, ...this.axis.seedFor(opts, { value, duration, times }), ...this.axis.optionsFor(value), duration, ...(this.drains && { drain: this.budget.drain }), thresholds: this.slo, abortOnFail: true }
  }

  take (result, value, phase) {
    const { axis, enough } = this
    const assessment = axis.assess(result, value, { arrivals: this.target.opts.arrivals, enough })
    const { missed, verdicts, isAboutSpeed } = missedBy(result, this.slo, { rate: value, enough, assessment })
    const measured = targetOf(this.target.name, result, this.idle, assessment)
    const step = { [axis.field]: value, phase, duration: result.duration, passed: missed.length === 0, missed, verdicts, ...measured }
    const ofErrors = errorsBy(result)
    const limit = isAboutSpeed || step.passed ? axis.limitOf(result, this.idle, measured) : ofErrors
    if (!step.passed) Object.assign(step, limit, { saturated: step.saturated || limit.limitedBy === 'generator' })
    this.limits.set(step, { limitedBy: limit.limitedBy, errorsBy: ofErrors.limitedBy, answered: assessment.answered })
    this.idle = quicker(this.idle, result)
    // What a run leaves behind, because it was aborted or has no drain, would slow down the next one.
    this.settling = result.accounting.unfinished === 0 ? 0 : Math.min(this.budget.drain, result.latencyWithUnfinished.max / 1000)
    if (step.completed === 0 && this.steps.some(({ completed }) => completed > 0)) this.silence = { step, result }
    this.steps.push(step)
    this.study.emit('step', step, result)
    return step
  }
}

module.exports = Explorer
