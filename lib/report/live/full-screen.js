'use strict'

const process = require('node:process')

// The alternate screen preserves the terminal's content and cursor position.
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[2J'
const LEAVE = '\u001b[?25h\u001b[?1049l'
const HOME = '\u001b[H'
const CLEAR_REST_OF_LINE = '\u001b[K'
const CLEAR_BELOW = '\u001b[J'

const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']
const CAN_BE_SUSPENDED = process.platform !== 'win32'

/**
 * Takes over the whole terminal and restores it, at the end or whenever the process ends, except by SIGKILL.
 */
class FullScreen {
  #stream
  #isEntered = false
  #isOver = false
  #onGone
  #listeners

  /**
   * @param {object} stream a terminal
   * @param {function()} onGone called right after the screen was restored because the process is ending
   */
  constructor (stream, onGone) {
    this.#stream = stream
    this.#onGone = onGone
    const gone = () => this.#goneWith()
    this.#listeners = [
      ['exit', gone],
      // Emitted before the error is printed; otherwise it would be printed on the alternate screen and disappear.
      ['uncaughtExceptionMonitor', gone],
      ...ENDING_SIGNALS.map((signal) => [signal, () => this.#endedBy(signal)]),
      ...(CAN_BE_SUSPENDED ? [['SIGTSTP', () => this.#suspend()]] : [])
    ]
  }

  enter () {
    if (this.#isEntered || this.#isOver) return
    this.#isEntered = true
    this.#stream.write(ENTER)
    // Prepended so that these listeners run first: one-time listeners of others are still counted then, and listeners
    // that check whether they are the only one no longer find ours.
    for (const [event, listener] of this.#listeners) process.prependListener(event, listener)
  }

  /** @param {string[]} lines none wider than the terminal */
  draw (lines) {
    if (!this.#isEntered) return
    this.#stream.write(HOME + lines.map((line) => line + CLEAR_REST_OF_LINE).join('\r\n') + CLEAR_BELOW)
  }

  /** Restores the screen for good. May be called repeatedly. */
  leave () {
    this.#isOver = true
    this.#restore()
  }

  #restore () {
    if (!this.#isEntered) return
    this.#isEntered = false
    for (const [event, listener] of this.#listeners) process.removeListener(event, listener)
    this.#stream.write(LEAVE)
  }

  #goneWith () {
    this.leave()
    this.#onGone()
  }

  // The run is about to end, so the screen is restored immediately. If there are other listeners, they decide what
  // happens to the process; otherwise the signal is sent again, so that it ends the process as it would by default.
  #endedBy (signal) {
    const isAlone = process.listenerCount(signal) === 1
    this.#goneWith()
    if (isAlone) process.kill(process.pid, signal)
  }

  // Ctrl-Z: restores the screen for the shell; `fg` takes it over again.
  #suspend () {
    this.#restore()
    process.once('SIGCONT', () => this.enter())
    process.kill(process.pid, 'SIGSTOP')
  }
}

module.exports = FullScreen
