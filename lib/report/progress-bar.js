'use strict'

const { goalOf, progressText } = require('./progress-text')
const world = require('../world')

const REDRAW_MS = 100

/**
 * Draws the progress of one round on a terminal, ten times a second until `stop()`. Progress is the elapsed time if the
 * run has a duration, or the number of requests sent or sessions ended if it has an amount. The cursor stays visible, so
 * that the terminal is usable if the process dies, and the timer does not keep the process alive.
 */
class ProgressBar {
  #goal
  #line
  #template
  #timer
  #startedAt = world.now()
  #reached = 0
  #completed = 0
  #rate = 0
  /** The text below the bar, shown from the next redraw on. */
  below = ''

  /**
   * @param {StatusLine} line where to draw
   * @param {string} template see progress-text.js
   * @param {{ amount?: number, duration: number, sessions?: object }} round `duration` in seconds
   */
  constructor (line, template, round) {
    this.#goal = goalOf(round)
    this.#line = line
    this.#template = template
    this.#timer = world.setInterval(() => this.#draw(), REDRAW_MS).unref()
    this.#draw()
  }

  /** Updates from a `tick` event: `{ sent, requests }` since the start, or at least `counter` since the last tick. */
  update (tick) {
    const { requests, counter = 0 } = tick
    this.#completed = requests ?? this.#completed + counter
    if (this.#goal.reached !== null) this.#reached = this.#goal.reached({ ...tick, requests: this.#completed })
    this.#rate = this.#completed / Math.max(this.#elapsed(), 0.001)
  }

  /** Removes the bar from the screen. May be called repeatedly. */
  stop () {
    world.clearInterval(this.#timer)
    this.#line.release(this)
  }

  #draw () {
    const text = progressText(this.#template, this.#progress(), this.#line.stream.columns || 80)
    this.#line.draw(this, this.below === '' ? text : `${text}\n${this.below}`)
  }

  #elapsed () {
    return (world.now() - this.#startedAt) / 1000
  }

  #progress () {
    const elapsed = this.#elapsed()
    const { total, reached } = this.#goal
    return { elapsed, rate: this.#rate, total, current: reached === null ? elapsed : this.#reached }
  }
}

module.exports = ProgressBar
