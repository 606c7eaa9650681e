'use strict'

const { isTerminal, widthOf, withoutEscapes } = require('./text')

const CLEAR_LINE = '\r\u001b[K'
const LINE_UP = '\u001b[A'

const linesOfStreams = new WeakMap()

/**
 * The last lines of a terminal, on which progress is drawn again and again. There is one such place a stream, however
 * many runs report to it: the first one to draw has it until it lets go, and text printed meanwhile appears above it.
 *
 * A program prints lines of its own as well, with `console.log` in a listener for instance, and stdout is the same terminal.
 * While something is shown here, it is taken away before such a line, and drawn again after it.
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
    // Text that waits until a view gives back the screen that it has taken as a whole.
    this.held = null
    // What a program has printed, and has not ended with a line break yet, is not drawn over.
    this.isMidLine = false
    this.isWriting = false
    this.unwatch = null
  }

  /** Shows a text, of one line or more, unless the place is somebody else's. */
  draw (owner, text) {
    if (this.held !== null) return
    this.owner ??= owner
    if (this.owner !== owner || this.shown === text) return
    this.write((this.isMidLine ? '\n' : this.clearing()) + text)
    this.isMidLine = false
    this.shown = text
    this.unwatch ??= watchPrinting(this.stream, (printed) => this.makeWayFor(printed))
  }

  /** Gives the place back, empty, for others to draw on. */
  release (owner) {
    if (this.owner !== owner) return
    this.erase()
    this.owner = null
    this.unwatch?.()
    this.unwatch = null
  }

  /** Writes lines for good, above whatever is drawn next. */
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
    if (this.isWriting) return
    this.erase()
    this.isMidLine = printed.length > 0 && !String(printed).endsWith('\n')
  }

  write (text) {
    this.isWriting = true
    this.stream.write(text)
    this.isWriting = false
  }

  /**
   * From now on text is held back, since somebody draws on the whole screen.
   *
   * @returns {boolean} false where somebody does already
   */
  hold () {
    if (this.held !== null) return false
    this.erase()
    this.held = ''
    return true
  }

  /** Writes what was held back, and all that comes from now on. */
  letGo () {
    const { held } = this
    this.held = null
    if (held) this.print(held)
  }

  // A terminal that has become narrower since has broken the lines that no longer fit.
  clearing () {
    const { columns } = this.stream
    const rows = this.shown.split('\n')
      .reduce((sum, line) => sum + (columns > 0 ? Math.max(1, Math.ceil(widthOf(withoutEscapes(line)) / columns)) : 1), 0)
    return CLEAR_LINE + (LINE_UP + CLEAR_LINE).repeat(rows - 1)
  }
}

// Whatever reaches the terminal by way of this process: on stderr and on stdout, where they are terminals.
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
      // Somebody else may have put their own in front of it since.
      if (each.write === watching) each.write = write
    }
  })
  return () => endings.forEach((end) => end())
}

module.exports = StatusLine
