'use strict'

const { goalOf } = require('../progress-text')
const world = require('../../world')
const { nounOfOptions } = require('../../words/noun')
const { isNumber } = require('../../words/numbers')
const Now = require('./now')
const { cut } = require('../text')
const { drainLine, lastLine, liveLine, plainLine, troubleLine, whyNoAnswer } = require('./words')

const REDRAW_MS = 250
const LONGEST_HISTORY = 500

/*
 * Displays for a run in progress. Each has `update(tick)`, `trouble(error)` for the first error of a run, and `end()`,
 * which removes the display.
 */

/** The progress bar, and below it the current values, updated every second. */
class BarDisplay {
  constructor (screen, settings, opts) {
    this.stream = screen.line.stream
    this.opts = opts
    this.noun = nounOfOptions(opts)
    this.firstError = null
    this.now = new Now(1)
    const ProgressBar = require('../progress-bar')
    this.bar = new ProgressBar(screen.line, settings.progressBarString, opts)
  }

  update (tick) {
    this.bar.update(tick)
    if (tick.counter > 0) this.firstError = null
    const window = this.now.take(tick)
    const drain = drainLine(tick, this.opts)
    if (drain !== '') this.bar.below = drain
    else if (window !== null) this.bar.below = this.line(window)
  }

  line (window) {
    if (this.firstError === null) return liveLine(window, this.noun, this.columns)
    return cut(troubleLine(this.firstError, window.errors), this.columns - 1)
  }

  trouble (error) {
    this.firstError = error
    this.bar.below = cut(troubleLine(error, 1), this.columns - 1)
  }

  get columns () {
    return this.stream.columns || 80
  }

  end () {
    this.bar.stop()
  }
}

/**
 * Progress lines every `statusInterval` seconds, for output that is not a terminal. At the very end, only the totals and
 * the highest number of connections, since the result follows.
 */
class PlainDisplay {
  constructor (screen, { statusInterval }, opts) {
    this.screen = screen
    this.noun = nounOfOptions(opts)
    this.now = new Now(statusInterval)
    const { total, reached } = goalOf(opts)
    this.lastSecond = reached === null ? total : Infinity
    this.firstError = null
    this.hasPrinted = false
    this.last = null
  }

  update (tick) {
    if (tick.counter > 0) this.firstError = null
    this.last = tick
    const window = this.now.take(tick)
    // Compares the rounded time, since the last tick may arrive a millisecond early.
    if (window === null || Number(window.time.toFixed(1)) >= this.lastSecond) return
    this.screen.print(plainLine(window, this.noun, this.firstError) + '\n')
    this.hasPrinted = true
  }

  trouble (error) {
    this.firstError = error
  }

  // Only below other lines: a short run has none.
  end (result) {
    const peak = result?.connectionStats?.peak
    if (!this.hasPrinted || !isNumber(peak) || this.last?.time === undefined) return
    this.screen.print(lastLine(this.last, this.noun, peak) + '\n')
  }
}

/** A full-screen display with the history of each value. */
class FullScreenDisplay {
  /** @returns {?FullScreenDisplay} null if another run is using the screen */
  static on (screen, settings, opts) {
    return screen.line.hold() ? new FullScreenDisplay(screen, opts) : null
  }

  constructor ({ line, colors }, opts) {
    this.line = line
    this.colors = colors
    this.opts = opts
    this.now = new Now(1)
    this.history = []
    this.firstError = null
    this.note = ''
    this.totals = { completed: 0, errors: 0 }
    this.goal = goalOf(opts)
    this.reached = 0
    this.startedAt = world.now()
    this.isOver = false
    this.redraw = this.redraw.bind(this)
    const FullScreen = require('./full-screen')
    this.fullScreen = new FullScreen(line.stream, () => this.end())
    this.fullScreen.enter()
    this.redraw()
    this.timer = world.setInterval(this.redraw, REDRAW_MS).unref()
    line.stream.on?.('resize', this.redraw)
  }

  update (tick) {
    const completed = tick.requests ?? this.totals.completed + (tick.counter ?? 0)
    this.totals = { completed, errors: tick.errors ?? 0, statuses: tick.statuses }
    if (this.goal.reached !== null) this.reached = this.goal.reached({ ...tick, requests: completed })
    if (tick.counter > 0) this.firstError = null
    this.note = drainLine(tick, this.opts) || (this.firstError === null ? '' : whyNoAnswer(this.firstError))
    const before = this.history.at(-1)?.time ?? 0
    const window = this.now.take(tick)
    if (window === null) return
    this.history.push({ ...window, errorRate: window.newErrors / (window.time - before) })
    if (this.history.length > LONGEST_HISTORY) this.history.shift()
    this.redraw()
  }

  trouble (error) {
    this.firstError = error
    this.note = whyNoAnswer(error)
    this.redraw()
  }

  redraw () {
    const { columns = 80, rows = 24 } = this.line.stream
    this.fullScreen.draw(require('./view')({ ...this, progress: this.progress() }, { columns, rows }, this.colors))
  }

  progress () {
    const { total, reached } = this.goal
    const elapsed = (world.now() - this.startedAt) / 1000
    return { elapsed, rate: 0, total, current: reached === null ? elapsed : this.reached }
  }

  end () {
    if (this.isOver) return
    this.isOver = true
    world.clearInterval(this.timer)
    this.line.stream.removeListener?.('resize', this.redraw)
    this.fullScreen.leave()
    this.line.letGo()
  }
}

module.exports = { BarDisplay, FullScreenDisplay, PlainDisplay }
