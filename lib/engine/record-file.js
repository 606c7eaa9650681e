'use strict'

const { Lines, BLOCK_BYTES } = require('../metrics/record/lines')
const { Appender, WriteQueue } = require('./write-queue')

// How much may wait to be written, in all threads of this machine together. Beyond it, lines are left out, since a run never waits for the disk.
const MOST_UNWRITTEN_BYTES = 64 * 1024 * 1024
const MOST_SPARE = 4

/** Adds the lines of one thread to the record of a run, in the background. Each write adds whole lines at the end of the file. */
class RecordFile extends WriteQueue {
  /**
   * @param {{ file: ?string, form: string }} record of the plan; the file exists
   * @param {number} threads how many threads of this machine write lines
   * @param {object} [output] replaces the file, see WriteQueue; `followsSamples`: whether each block must be of one sample
   */
  constructor ({ file, form }, threads, output = new Appender(file)) {
    super(output, Math.floor(MOST_UNWRITTEN_BYTES / threads))
    this.spares = []
    /** How many blocks it has taken. */
    this.blocks = 0
    this.lines = new Lines(form, this)
  }

  /** Takes the first bytes of a block, if there is room for them. */
  take (block, length, lines) {
    if (!this.hasRoomFor(length, lines)) {
      this.keep(block)
      return
    }
    this.blocks++
    this.add({ block, bytes: block.subarray(0, length), size: length, lines })
  }

  /** Whether to hand over a block at the end of a sample, although there is room in it. */
  get takesPartialBlocks () {
    return this.output.followsSamples === true || this.waiting.length === 0
  }

  /** A block that is no longer needed; null if there is none. */
  spare () {
    return this.spares.pop() ?? null
  }

  release (written) {
    super.release(written)
    this.keep(written.block)
  }

  keep (block) {
    if (block.length === BLOCK_BYTES && this.spares.length < MOST_SPARE) this.spares.push(block)
  }

  async end () {
    this.lines.flush()
    return super.end()
  }

  cutOff () {
    this.hold()
    this.lines.flush()
    return super.cutOff()
  }
}

module.exports = RecordFile
