'use strict'

const { quicker } = require('../limited-by')
const { nextOf } = require('./order')
const { isGrowing, pointOf, recoveredAfter, whyBad } = require('./point')
const { sampleInterval } = require('../targets')

// The reasons of rates at which everything was delivered, but late.
const SLOW = new Set(['latency', 'growing latency'])

/** Measures the levels one after another, in search of the lowest rate that is too high, and stores the points. */
class Search {
  /**
   * @param {Study} study
   * @param {object} prepared `target`, and `settings`: `duration`, `drain`, `pause` in seconds, `limit` in ms
   */
  constructor (study, { target, settings }) {
    this.study = study
    this.target = target
    this.settings = settings
    this.levels = []
    /** The rate and the result in which nothing was delivered, if the rate wasn't the reason. */
    this.silence = null
    this.isAnswered = false
    /** The result of this level with the fastest responses. */
    this.idle = null
    this.runs = 0
  }

  /**
   * Measures one level: finds the lowest rate that is too high, and then measures the recovery.
   *
   * @param {object} level `connections`, `payload`, `rates`, `opts`
   * @returns {Promise<boolean>} false if the study is over, because it was stopped or the server doesn't respond
   */
  async climb (given) {
    const { connections, payload, rates } = given
    const level = {
      connections,
      ...(payload !== null && { payload }),
      baseline: null,
      points: [],
      knee: null,
      failure: null,
      lastGood: null,
      recovery: null,
      limitedBy: null,
      reasons: []
    }
    this.levels.push(level)
    this.idle = null
    const found = { good: -1, bad: rates.length }
    for (let next = nextOf(found, rates.length); next !== null; next = nextOf(found, rates.length)) {
      let step = await this.step(given, rates[next])
      // A single run may be slow by accident, which must not decide the result, so it is repeated.
      if (step?.mayBeAccident) step = await this.step(given, rates[next])
      if (step === null) return this.giveUp(level)
      this.take(level, step)
      found[step.reason === null ? 'good' : 'bad'] = next
      this.study.emit('point', step.point, level)
    }
    level.limitedBy = boundOf(level)
    // If the generator was the bottleneck, it still has to read a backlog, and its recovery says nothing about the server.
    if (level.lastGood !== null && level.limitedBy === 'server') await this.recover(level, given)
    if (this.study.isStopped) return false
    this.study.emit('level', level)
    return true
  }

  // One run at a rate; null if the study is over.
  async step (given, rate) {
    const result = await this.hold(given, rate)
    if (result === null || this.fellSilent(rate, result)) return null
    const point = pointOf(rate, given.connections, result, this.idle)
    this.idle = quicker(this.idle, result)
    const { limit } = this.settings
    const reason = whyBad(point, result, limit)
    // Times that were too long and grew until the end are no accident.
    return { point, reason, mayBeAccident: reason === 'growing latency' || (reason === 'latency' && !isGrowing(result, limit)) }
  }

  giveUp (level) {
    if (level.points.length === 0) this.levels.pop()
    return false
  }

  take (level, { point, reason }) {
    const { rate, outgoing } = point
    if (level.points.length === 0) level.baseline = point.p50
    level.points.push(point)
    level.points.sort((a, b) => a.rate - b.rate)
    if (reason === null) {
      level.lastGood = { rate, outgoing }
      return
    }
    level.knee = { rate, outgoing, reason }
    level.failure = SLOW.has(reason) ? null : level.knee
    level.reasons = point.reasons
  }

  // If the server never responded, or can't be reached any more, no rate would be low enough.
  fellSilent (rate, result) {
    const { accounting, connectionStats } = result
    const wasAnswered = this.isAnswered
    this.isAnswered ||= accounting.completed > 0
    if (accounting.completed > 0 || (wasAnswered && connectionStats.opened > 0)) return false
    this.silence = { rate: wasAnswered ? rate : null, result }
    return true
  }

  hold (given, rate) {
    const { duration, drain } = this.settings
    // The timeout covers the whole run and its drain, so that all messages, also early ones, are awaited until the end.
    return this.measure(given, { overallRate: rate, duration, timeout: duration + drain }, { demanded: rate })
  }

  async recover (level, given) {
    const { duration, drain } = this.settings
    const [{ rate: jam }, { rate }] = [level.knee, level.lastGood]
    const within = duration + drain
    const stages = [{ duration, rate: jam }, { duration: within, rate }]
    const result = await this.measure(given, { stages, duration: duration + within, timeout: duration + within + drain }, { phase: 'recovery' })
    if (result === null) return
    const usual = level.points.find((point) => point.rate === rate)
    level.recovery = { rate, seconds: recoveredAfter(result.timeline, duration, usual), within }
  }

  async measure ({ opts, connections, payload }, load, { demanded, phase }) {
    const { duration, drain, pause } = this.settings
    if (this.runs++ > 0) await this.study.pause(pause)
    const where = [`${connections} connections`, payload !== null && `${payload} bytes`, phase].filter(Boolean).join(', ')
    const about = { name: this.target.name, phase: where, ...(demanded !== undefined && { demanded }) }
    return this.study.measure({ sampleInt: sampleInterval(duration), ...opts, ...load, drain }, about)
  }
}

// What limited a level whose search is complete.
function boundOf ({ knee, points }) {
  if (knee === null) return 'maximum asked for'
  return points.find(({ rate }) => rate === knee.rate).saturated ? 'generator' : 'server'
}

module.exports = Search
