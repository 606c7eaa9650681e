'use strict'

const { isTerminal, widthOf, withoutEscapes } = require('./text')

const CLEAR_LINE = '\r\u001b[K'
const LINE_UP = '\u001b[A'
const LINE_FEED = 10

const linesOfStreams = new WeakMap()

/**
 * The last lines of a terminal, on which progress is redrawn. There is one per stream, however many runs report to it:
 * the first one to draw owns it until it releases it, and text printed meanwhile appears above it.
 *
 * The program may print lines of its own, for example with `console.log` in a listener, and stdout is the same terminal.
 * The status line is erased before such a line and redrawn after it.
 */
class StatusLine {
  /** @param {object} stream a terminal */
  static of (stream) {
    if (!linesOfStreams.has(stream)) linesOfStreams.set(stream, new StatusLine(stream))
    return linesOfStreams.get(stream)
  }

  constructor (stream) {
    this.stream = stream
    this.owner = null
    this.shown = ''
    // Text that waits until a full-screen view releases the screen; null if there is none.
    this.held = null
    // Whether the program has printed an incomplete line, which must not be overwritten.
    this.isMidLine = false
    this.isWriting = false
    this.unwatch = null
  }

  /** Draws text of one or more lines, unless another owner is using the status line. */
  draw (owner, text) {
    if (this.held !== null) return
    this.owner ??= owner
    if (this.owner !== owner || this.shown === text) return
    this.write((this.isMidLine ? '\n' : this.clearing()) + text)
    this.isMidLine = false
    this.shown = text
    this.unwatch ??= watchPrinting(this.stream, (printed) => this.makeWayFor(printed))
  }

  /** Erases the text and releases the status line for other owners. */
  release (owner) {
    if (this.owner !== owner) return
    this.erase()
    this.owner = null
    this.unwatch?.()
    this.unwatch = null
  }

  /** Prints permanent lines above the status line. */
  print (text) {
    if (this.held !== null) {
      this.held += text
      return
    }
    this.erase()
    this.write(text)
  }

  erase () {
    if (this.shown !== '') this.write(this.clearing())
    this.shown = ''
  }

  makeWayFor (printed) {
    if (this.isWriting || printed.length === 0) return
    this.erase()
    this.isMidLine = !endsLine(printed)
  }

  write (text) {
    this.isWriting = true
    this.stream.write(text)
    this.isWriting = false
  }

  /**
   * Holds back printed text from now on, because a view uses the full screen.
   *
   * @returns {boolean} false if another view already does
   */
  hold () {
    if (this.held !== null) return false
    this.erase()
    this.held = ''
    return true
  }

  /** Prints the held text, and no longer holds text back. */
  letGo () {
    const { held } = this
    this.held = null
    if (held) this.print(held)
  }

  // If the terminal has become narrower since, it has wrapped the lines that no longer fit.
  clearing () {
    const { columns } = this.stream
    const rows = this.shown.split('\n')
      .reduce((sum, line) => sum + (columns > 0 ? Math.max(1, Math.ceil(widthOf(withoutEscapes(line)) / columns)) : 1), 0)
    return CLEAR_LINE + (LINE_UP + CLEAR_LINE).repeat(rows - 1)
  }
}

// Intercepts everything that this process writes to the terminal, through stdout, stderr or the stream itself.
function watchPrinting (stream, heard) {
  const watched = [...new Set([stream, process.stdout, process.stderr])].filter(isTerminal)
  const endings = watched.map((each) => {
    const { write } = each
    const watching = function (...args) {
      heard(args[0])
      return write.apply(this, args)
    }
    each.write = watching
    return () => {
      // Other code may have replaced `write` since; then it must stay.
      if (each.write === watching) each.write = write
    }
  })
  return () => endings.forEach((end) => end())
}

/** @param {string|ArrayBufferView} printed anything else is an error of the stream */
function endsLine (printed) {
  if (typeof printed === 'string') return printed.endsWith('\n')
  return !ArrayBuffer.isView(printed) || new Uint8Array(printed.buffer, printed.byteOffset, printed.byteLength).at(-1) === LINE_FEED
}

module.exports = StatusLine
