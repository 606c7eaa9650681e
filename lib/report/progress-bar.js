'use strict'

const { SingleBar } = require('cli-progress')
const goalOf = require('./goal')
const world = require('../world')
const progressText = require('./progress-text')

const REDRAWS_PER_SECOND = 10

/**
 * The progress of one round, drawn on a terminal ten times a second until `stop()`. By time where the run has a
 * duration, by requests sent, or sessions that have ended, where it has an amount. The cursor stays visible, so that nothing needs repair when the
 * process dies, and the timer does not keep the process alive.
 */
class ProgressBar {
  #goal
  #bar
  #startedAt = world.now()
  #reached = 0
  #completed = 0
  #rate = 0
  /** A line that stands under the bar from the next redraw on. */
  below = ''

  /**
   * @param {StatusLine} line where to draw
   * @param {string} template see progress-text.js
   * @param {{ amount?: number, duration: number, sessions?: object }} round `duration` in seconds
   */
  constructor (line, template, round) {
    this.#goal = goalOf(round)
    this.#bar = new BackgroundBar({
      fps: REDRAWS_PER_SECOND,
      forceRedraw: true,
      clearOnComplete: true,
      format: (options, { maxWidth }) => progressText(template, this.#progress(), maxWidth),
      terminal: terminalOn(line, this)
    })
    this.#bar.start(this.#goal.total, 0)
  }

  /** Takes over a `tick` event: `{ sent, requests }` since the start, or at least `counter` since the last one. */
  update (tick) {
    const { requests, counter = 0 } = tick
    this.#completed = requests ?? this.#completed + counter
    if (this.#goal.reached !== null) this.#reached = this.#goal.reached({ ...tick, requests: this.#completed })
    this.#rate = this.#completed / Math.max(this.#elapsed(), 0.001)
  }

  /** Takes the bar off the screen. Harmless when it is off already. */
  stop () {
    this.#bar.stop()
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

class BackgroundBar extends SingleBar {
  render () {
    super.render()
    this.timer.unref()
  }
}

// cli-progress would save and restore the position of the cursor and switch off line breaks. Neither survives a second
// run that prints on the same terminal, or a process that dies, so that of a terminal it only gets a line to draw on.
function terminalOn (line, owner) {
  const nothing = () => {}
  return {
    cursor: nothing,
    cursorSave: nothing,
    cursorRestore: nothing,
    cursorTo: nothing,
    clearRight: nothing,
    lineWrapping: nothing,
    newline: nothing,
    clearLine: () => line.release(owner),
    write: (text) => line.draw(owner, owner.below === '' ? text : `${text}\n${owner.below}`),
    isTTY: () => true,
    getWidth: () => line.stream.columns || 80
  }
}

module.exports = ProgressBar
