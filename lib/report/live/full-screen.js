'use strict'

const process = require('node:process')

// The alternate screen leaves what stood on the terminal, and the place of the cursor, as they were.
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[2J'
const LEAVE = '\u001b[?25h\u001b[?1049l'
const HOME = '\u001b[H'
const CLEAR_REST_OF_LINE = '\u001b[K'
const CLEAR_BELOW = '\u001b[J'

const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']
const CAN_BE_SUSPENDED = process.platform !== 'win32'

/**
 * A terminal taken over as a whole, and given back as it was: at the end, and however the process ends, but for SIGKILL.
 */
class FullScreen {
  #stream
  #isEntered = false
  #isOver = false
  #onGone
  #listeners

  /**
   * @param {object} stream a terminal
   * @param {function()} onGone called right after the screen was given back because the process ends
   */
  constructor (stream, onGone) {
    this.#stream = stream
    this.#onGone = onGone
    const gone = () => this.#goneWith()
    this.#listeners = [
      ['exit', gone],
      // Comes before the error is printed, which would otherwise be written to a screen that is about to vanish.
      ['uncaughtExceptionMonitor', gone],
      ...ENDING_SIGNALS.map((signal) => [signal, () => this.#endedBy(signal)]),
      ...(CAN_BE_SUSPENDED ? [['SIGTSTP', () => this.#suspend()]] : [])
    ]
  }

  enter () {
    if (this.#isEntered || this.#isOver) return
    this.#isEntered = true
    this.#stream.write(ENTER)
    // In front of all others: one that listens once is still counted when ours runs, and those that look whether anybody
    // else listens no longer find us when it is their turn.
    for (const [event, listener] of this.#listeners) process.prependListener(event, listener)
  }

  /** @param {string[]} lines none wider than the terminal */
  draw (lines) {
    if (!this.#isEntered) return
    this.#stream.write(HOME + lines.map((line) => line + CLEAR_REST_OF_LINE).join('\r\n') + CLEAR_BELOW)
  }

  /** Gives the screen back for good. Harmless when that has happened already. */
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

  // The run is about to end, so the screen is given back at once. Where others listen to the signal they decide what
  // becomes of the process. Where nobody does, it ends the process, as it would have without us.
  #endedBy (signal) {
    const isAlone = process.listenerCount(signal) === 1
    this.#goneWith()
    if (isAlone) process.kill(process.pid, signal)
  }

  // Ctrl-Z: the shell gets its screen as it was, and `fg` brings ours back.
  #suspend () {
    this.#restore()
    process.once('SIGCONT', () => this.enter())
    process.kill(process.pid, 'SIGSTOP')
  }
}

module.exports = FullScreen
