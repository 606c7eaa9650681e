'use strict'

const fs = require('node:fs')
const { CannonadeError, CODES, showPath } = require('../base/errors')
const { mergeHeaders, headerList, headersOf, withoutTraceparent } = require('../values/headers')
const { READERS } = require('../inputs/replay/formats')
const RequestSequence = require('./sequence')

// Reads some thousand lines at once; from the system's cache, this takes some ten microseconds.
const BLOCK_BYTES = 256 * 1024
// If lines are slightly out of order, reads alternate between two blocks.
const MOST_BLOCKS = 4

/** The requests of a log to replay, read from the file block by block when they are due. */
class Recording {
  /**
   * @param {object} plan with `replay`
   * @param {object} protocol for encoding requests
   */
  constructor (plan, protocol) {
    this.replay = plan.replay
    this.withIds = plan.idReplacement
    this.protocol = protocol
    this.common = plan.base.headers
    this.ofRun = headersOf(this.common)
    /** The most recently used blocks, newest first. */
    this.blocks = []
  }

  /** The endpoint of the result under which a request is counted. */
  endpointOf (index) {
    return this.replay.endpoints[index]
  }

  /**
   * Encodes a request. Headers of the run override the recorded ones, or remove them.
   *
   * @param {number} index in the order in which they are due
   * @param {object} target of the plan
   * @throws {CannonadeError} CANNONADE_HOOK_FAILED if the file has changed since it was first read
   */
  encode (index, target) {
    const { method, path, headers, body = null } = this.replay.entries === null ? this.lineAt(index) : this.replay.entries[index]
    const own = headers === undefined ? this.common : headerList(this.mergedWith(headers instanceof Map ? headers : headersOf(headers), target))
    return this.protocol.encodeRequest({ method, path, headers: own, body }, target, this.withIds)
  }

  mergedWith (recorded, { traceparent = null }) {
    const all = mergeHeaders(recorded, this.ofRun)
    for (const name of this.replay.removed) all.delete(name)
    return traceparent === null ? all : withoutTraceparent(all)
  }

  lineAt (index) {
    const { file, format, places, lengths } = this.replay
    const place = places[index]
    const length = lengths[index]
    try {
      const { bytes, from } = this.blockWith(place, length)
      return READERS[format](bytes.toString('utf8', place - from, place - from + length))
    } catch (cause) {
      throw new CannonadeError(CODES.HOOK_FAILED, `${showPath(file)} cannot be replayed further: it has changed since the run began (${cause.message})`, { cause })
    }
  }

  blockWith (place, length) {
    let which = this.blocks.findIndex(({ bytes, from }) => from <= place && place + length <= from + bytes.length)
    if (which === -1) {
      this.blocks.unshift(readBlock(this.replay.file, place, Math.max(BLOCK_BYTES, length)))
      if (this.blocks.length > MOST_BLOCKS) this.blocks.pop()
      which = 0
    }
    return this.blocks[which]
  }
}

// Opens the file for each read, so that there is nothing to close at the end.
function readBlock (file, from, length) {
  const handle = fs.openSync(file, 'r')
  try {
    const bytes = Buffer.allocUnsafe(length)
    return { from, bytes: bytes.subarray(0, fs.readSync(handle, bytes, 0, length, from)) }
  } finally {
    fs.closeSync(handle)
  }
}

/** The requests of a log. Each connection sends whichever request is due next, so the due time determines which one it is. */
class ReplaySequence extends RequestSequence {
  /**
   * @param {Step[]} steps one for each endpoint, in any order
   * @param {function(): object} newContext
   * @param {Recording} recording
   * @param {Connection} connection
   */
  constructor (steps, newContext, recording, connection) {
    super(steps, null, newContext, null, null)
    this.recording = recording
    this.connection = connection
    this.closes = steps.length > 0 && steps[0].encoded.closes
  }

  get isByDueTime () {
    return true
  }

  get hookName () {
    return 'replay'
  }

  get left () {
    return Infinity
  }

  get version () {
    return 0
  }

  passOver () {}

  untilClosing () {
    return this.closes ? 1 : Infinity
  }

  next () {
    const { connection, recording } = this
    const index = connection.owner.arrivalAt(connection.nextPrepared)
    const encoded = recording.encode(index, connection.target)
    this.current = recording.endpointOf(index)
    return { step: this.steps[this.current], encoded, context: this.newContext() }
  }

  change () {
    throw nothingToChange()
  }

  replace () {
    throw nothingToChange()
  }
}

function nothingToChange () {
  return new CannonadeError(CODES.CLIENT_MISUSE, 'With replay the recording defines what is sent, so a client cannot change it. Set headers for all requests with the option headers.')
}

module.exports = { Recording, ReplaySequence }
