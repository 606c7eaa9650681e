'use strict'

const world = require('../world')

/** Blocks of lines that are written one after the other, in the background. If too much waits, further lines are left out and counted. */
class WriteQueue {
  /**
   * @param {object} output `write(block, callback)`, `writeNow(block)`, `close()`; blocks are objects with the number of their `lines` and
   *   what the output needs; the callback gets an error, or null
   * @param {number} limit how much may wait
   */
  constructor (output, limit) {
    this.output = output
    this.limit = limit
    /** Blocks that are not written yet, oldest first. */
    this.waiting = []
    /** Whether the first of them is being written. */
    this.isWriting = false
    /** Whether nothing more is written in the background. */
    this.isHeld = false
    this.unwritten = 0
    this.leftOut = 0
    /** Why nothing more can be written; null if it can. */
    this.problem = null
    this.whenWritten = null
  }

  /** Whether there is room for a block of this size, which is then reserved; otherwise its lines are left out. */
  hasRoomFor (size, lines) {
    if (this.problem !== null || this.unwritten + size > this.limit) {
      this.leftOut += lines
      return false
    }
    this.unwritten += size
    return true
  }

  /** Adds a block that there is room for: an object with its `size`, its `lines`, and what the output needs. */
  add (block) {
    if (this.problem !== null) this.leftOut += block.lines
    else if (this.waiting.push(block) === 1 && !this.isHeld) this.write()
  }

  write () {
    this.isWriting = true
    this.output.write(this.waiting[0], (error) => this.wrote(error))
  }

  wrote (error) {
    this.isWriting = false
    if (error !== null) this.fail(error)
    else this.release(this.waiting.shift())
    if (this.waiting.length > 0) this.write()
    else this.whenWritten?.()
  }

  /** Called with a block that was written, or is not going to be. */
  release ({ size }) {
    this.unwritten -= size
  }

  fail (error) {
    this.problem = error.message
    for (const { lines } of this.waiting) this.leftOut += lines
    this.waiting.length = 0
    this.unwritten = 0
  }

  /** Closes the output when all is written. @returns {Promise<object>} see `outcome` */
  async end () {
    if (this.waiting.length > 0) await new Promise((resolve) => { this.whenWritten = resolve })
    this.output.close()
    return this.outcome
  }

  /** Leaves what is added from now on to `cutOff`: the system drops a write that it has not begun when the thread ends. */
  hold () {
    this.isHeld = true
  }

  /** Writes all that is left at once, for a thread that will not run another turn. @returns {object} see `outcome` */
  cutOff () {
    for (const block of this.waiting.slice(this.isWriting ? 1 : 0)) {
      try {
        this.output.writeNow(block)
      } catch (error) {
        this.problem = error.message
        this.leftOut += block.lines
      }
    }
    return this.outcome
  }

  /** `{ leftOut, problem }`: how many lines are missing, and the error of the system; null if the output was only too slow. */
  get outcome () {
    const { leftOut, problem } = this
    return { leftOut, problem }
  }
}

/** Writes the `bytes` of blocks at the end of a file that others may write to as well. Each block is written before the next one. */
class Appender {
  constructor (file) {
    this.descriptor = world.openFile(file, 'a')
  }

  write ({ bytes }, callback) {
    world.writeFile(this.descriptor, bytes, (error, written) => {
      if (error) callback(error)
      // The system may write less than it was given, for example to a disk that is nearly full.
      else if (written < bytes.length) this.write({ bytes: bytes.subarray(written) }, callback)
      else callback(null)
    })
  }

  writeNow ({ bytes }) {
    world.writeFileNow(this.descriptor, bytes)
  }

  close () {
    world.closeFile(this.descriptor)
  }
}

module.exports = { Appender, WriteQueue }
