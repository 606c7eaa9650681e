'use strict'

const world = require('../../world')
const { LONGEST_TIMER_MS } = require('../../world/long-timer')

const EARLY_TIMER_MS = 2

/** The time in which a phase sends requests, with its start, its end and the samples between. All times in ms. */
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
    this.owner.sample(world.now())
    // A late sample, or a listener that took long, must not delay all later ones: the next interval ends on the grid again.
    const { sampleInt } = this
    const since = world.now() - this.startedAt
    // A timer may also fire slightly early; that must not add an extra interval.
    const early = Math.min(EARLY_TIMER_MS, sampleInt / 2)
    this.sampler.reschedule(Math.max(1, Math.round((Math.floor((since + early) / sampleInt) + 1) * sampleInt - since)))
  }

  /**
   * Sets the end of the window. Timers may fire slightly early by this clock, and cannot be set for months ahead. The
   * end is handled one turn of the event loop later: if the thread was stalled, the loop first sends what came due
   * meanwhile.
   */
  endAt (time) {
    // Processing what came due just before the end may set an end again, if it was the last request.
    if (!this.isOpen) return
    world.clearTimeout(this.timer)
    const wait = time - world.now()
    this.timer = wait <= 0
      ? world.setImmediate(() => this.owner.timeIsUp())
      : world.setTimeout(() => this.endAt(time), Math.min(LONGEST_TIMER_MS, Math.ceil(wait)))
  }

  /** Ends the window. If several threads start together, its start may still be in the future when a run is stopped. */
  close (now) {
    this.endedAt = Math.max(now, this.startedAt)
    this.sampler.destroy()
    world.clearTimeout(this.timer)
    world.clearImmediate(this.timer)
  }
}

module.exports = Window
