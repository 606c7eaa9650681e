'use strict'

const { unpackBytes } = require('../../fleet/codec')
const { Appender, WriteQueue } = require('../write-queue')

/**
 * Sends the lines of a thread's record to the leader of a fleet, which writes them to the file: the output of a RecordFile. A block is
 * sent when the one before has arrived. If the network is slow, the others wait in the RecordFile, which limits them.
 */
class RecordChannel {
  /** @param {function(Uint8Array, number)} send gets the bytes of whole lines, and how many lines these are */
  constructor (send) {
    this.send = send
    this.callback = null
    // The leader can then separate the lines that the accounts of this machine include from those that they do not.
    this.followsSamples = true
  }

  write ({ bytes, lines }, callback) {
    this.callback = callback
    this.send(bytes, lines)
  }

  /** The leader has the last block. */
  arrived () {
    this.callback?.(null)
  }

  writeNow ({ bytes, lines }) {
    this.send(bytes, lines)
  }

  close () {
    this.callback = null
  }
}

// How much may wait to be written, compressed.
const MOST_WAITING_BYTES = 64 * 1024 * 1024

/**
 * Writes the lines of all agents of a fleet to the file of its leader:
 *
 *     agent    block 1   block 2   accounts, with block 1     block 3        lost
 *     file                         block 1                                   nothing of blocks 2 and 3
 *
 * A block waits until the accounts of its agent include its requests, because only these count if the agent is lost. So each line is
 * that of a request in the result, and how many are missing is known.
 */
class GatheredRecord {
  /** @param {{ file: string }} record of the plan; the file exists */
  constructor ({ file }) {
    this.queue = new WriteQueue(new Unpacker(file), MOST_WAITING_BYTES)
    this.agents = new Map()
  }

  of (agent) {
    if (!this.agents.has(agent)) this.agents.set(agent, { parts: new Map(), lines: 0, leftOut: 0 })
    return this.agents.get(agent)
  }

  /** @param {object} agent @param {number} share of the thread @param {string} text packed lines @param {number} lines how many */
  take (agent, share, text, lines) {
    const entry = this.of(agent)
    if (!entry.parts.has(share)) entry.parts.set(share, { arrived: 0, held: [] })
    const part = entry.parts.get(share)
    part.arrived++
    if (this.queue.hasRoomFor(text.length, lines)) part.held.push({ number: part.arrived, text, size: text.length, lines })
    else entry.leftOut += lines
  }

  /** The accounts of an agent include these. @param {Array<{ share: number, blocks: number }>} recorded of each thread, how many blocks so far */
  include (agent, recorded) {
    const entry = this.of(agent)
    for (const { share, blocks } of recorded) this.write(entry, entry.parts.get(share)?.held ?? [], blocks)
  }

  /** An agent has reported its outcome, which includes everything. */
  includeAll (agent) {
    const entry = this.of(agent)
    for (const { held } of entry.parts.values()) this.write(entry, held, Infinity)
  }

  write (entry, held, blocks) {
    while (held.length > 0 && held[0].number <= blocks) {
      const block = held.shift()
      entry.lines += block.lines
      this.queue.add(block)
    }
  }

  /** An agent is lost, or has failed: what its accounts do not include does not count. */
  drop (agent) {
    const entry = this.of(agent)
    for (const block of [...entry.parts.values()].flatMap(({ held }) => held)) this.queue.release(block)
    entry.parts.clear()
  }

  /**
   * Resolves when all is written.
   *
   * @param {Map<object, number>} scheduled of each agent that was lost, how many of its requests are in the result
   * @returns {Promise<{ leftOut: number, problem: ?string, lost: number }>} see WriteQueue; `lost`: how many lines lost agents did not send
   */
  async end (scheduled) {
    const { leftOut, problem } = await this.queue.end()
    const ofLost = [...scheduled].map(([agent, requests]) => ({ requests, ...this.of(agent) }))
    return {
      leftOut: ofLost.reduce((left, { leftOut }) => left - leftOut, leftOut),
      problem,
      lost: ofLost.reduce((sum, { requests, lines }) => sum + requests - lines, 0)
    }
  }
}

/** Unpacks a block when it is written. */
class Unpacker extends Appender {
  write ({ text, bytes = unpackBytes(text) }, callback) {
    super.write({ bytes }, callback)
  }
}

module.exports = { GatheredRecord, RecordChannel }
