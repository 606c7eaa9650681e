'use strict'

const { Lines, BLOCK_BYTES } = require('../metrics/record/lines')
const world = require('../world')

// How much may wait to be written, in all threads together. Beyond it, lines are left out, since a run never waits for the disk.
const MOST_UNWRITTEN_BYTES = 64 * 1024 * 1024
const MOST_SPARE = 4

/** Adds the lines of one thread to the record of a run, in the background. Each write adds whole lines at the end of the file. */
class RecordFile {
  /**
   * @param {{ file: string, form: string }} record of the plan; the file exists
   * @param {number} threads how many threads write to the file
   */
  constructor ({ file, form }, threads) {
    this.descriptor = world.openFile(file, 'a')
    this.limit = Math.floor(MOST_UNWRITTEN_BYTES / threads)
    /** Blocks that are not written yet, oldest first: `{ block, bytes, lines }`. */
    this.waiting = []
    this.unwritten = 0
    this.spares = []
    this.leftOut = 0
    /** Why nothing more can be written; null if it can. */
    this.problem = null
    this.whenWritten = null
    this.lines = new Lines(form, this)
  }

  /** Takes the first bytes of a block, if there is room for them. */
  take (block, length, lines) {
    if (this.problem !== null || this.unwritten + length > this.limit) {
      this.leftOut += lines
      this.keep(block)
      return
    }
    this.unwritten += length
    if (this.waiting.push({ block, bytes: block.subarray(0, length), lines }) === 1) this.write()
  }

  /** Whether nothing waits to be written. */
  get isIdle () {
    return this.waiting.length === 0
  }

  /** A block that is no longer needed; null if there is none. */
  spare () {
    return this.spares.pop() ?? null
  }

  keep (block) {
    if (block.length === BLOCK_BYTES && this.spares.length < MOST_SPARE) this.spares.push(block)
  }

  write () {
    world.writeFile(this.descriptor, this.waiting[0].bytes, (error, written) => this.wrote(error, written))
  }

  wrote (error, written) {
    const [first] = this.waiting
    if (error) {
      this.fail(error)
    } else {
      this.unwritten -= written
      // The system may write less than it was given, for example to a disk that is nearly full.
      if (written < first.bytes.length) first.bytes = first.bytes.subarray(written)
      else this.keep(this.waiting.shift().block)
    }
    if (this.waiting.length > 0) this.write()
    else this.whenWritten?.()
  }

  fail (error) {
    this.problem = error.message
    for (const { lines } of this.waiting) this.leftOut += lines
    this.waiting.length = 0
    this.unwritten = 0
  }

  /** Closes the file when all is written. @returns {Promise<object>} see `outcome` */
  async end () {
    this.lines.flush()
    if (this.waiting.length > 0) await new Promise((resolve) => { this.whenWritten = resolve })
    world.closeFile(this.descriptor)
    return this.outcome
  }

  /** Writes all that is left at once, for a thread that will not run another turn. @returns {object} see `outcome` */
  cutOff () {
    this.lines.flush()
    // The system is writing the first one already.
    for (const { bytes, lines } of this.waiting.slice(1)) {
      try {
        world.writeFileNow(this.descriptor, bytes)
      } catch (error) {
        this.problem = error.message
        this.leftOut += lines
      }
    }
    return this.outcome
  }

  /** `{ leftOut, problem }`: how many lines are missing, and the error of the system; null if the disk was only too slow. */
  get outcome () {
    const { leftOut, problem } = this
    return { leftOut, problem }
  }
}

module.exports = RecordFile
