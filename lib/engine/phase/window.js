'use strict'

const world = require('../../world')
const { LONGEST_TIMER_MS } = require('../../world/long-timer')

const EARLY_TIMER_MS = 2

/** The time in which a phase sends requests: from when to when, and the samples between. All times in ms. */
class Window {
  /**
   * @param {number} sampleInt
   * @param {object} owner `sample(now)`, and `timeIsUp()` at the time given to `endAt`
   */
  constructor (sampleInt, owner) {
    this.sampleInt = sampleInt
    this.owner = owner
    this.startedAt = null
    this.endedAt = null
    this.sampler = null
    this.timer = null
  }

  get hasBegun () {
    return this.startedAt !== null
  }

  /** Whether it has not ended; it may not have begun yet. */
  get isOpen () {
    return this.endedAt === null
  }

  begin (now) {
    this.startedAt = now
    this.sampler = world.reInterval(() => this.sample(), this.sampleInt)
  }

  sample () {
    const now = world.now()
    this.owner.sample(now)
    // Intervals that began late must not push all later ones back: the next one ends on the grid again.
    const { sampleInt } = this
    const since = now - this.startedAt
    // A timer may also fire a little early; that is not yet another interval.
    const early = Math.min(EARLY_TIMER_MS, sampleInt / 2)
    this.sampler.reschedule(Math.max(1, Math.round((Math.floor((since + early) / sampleInt) + 1) * sampleInt - since)))
  }

  /**
   * Sets the end. Timers may fire a little early by this clock, and not be set for months. The end itself comes a turn
   * later: after a pause of the whole thread the loop sees first what came due meanwhile, and sends it.
   */
  endAt (time) {
    // What comes due unseen in the moment of the end may be the last there is, which sets an end as well.
    if (!this.isOpen) return
    world.clearTimeout(this.timer)
    const wait = time - world.now()
    this.timer = wait <= 0
      ? world.setImmediate(() => this.owner.timeIsUp())
      : world.setTimeout(() => this.endAt(time), Math.min(LONGEST_TIMER_MS, Math.ceil(wait)))
  }

  /** Ends it. Where several threads start as one, its beginning may still lie ahead when a run is stopped. */
  close (now) {
    this.endedAt = Math.max(now, this.startedAt)
    this.sampler.destroy()
    world.clearTimeout(this.timer)
    world.clearImmediate(this.timer)
  }
}

module.exports = Window
