'use strict'

const { PREFIX_BYTES } = require('../../grpc/frame')
const { OK, MISSING, NO_MESSAGE, readStatus } = require('../../grpc/status')
const { CANCEL } = require('../http2/constants')
const Responses = require('../http2/responses')
const { Call, messagesFor } = require('./call')

/**
 * The responses to unary gRPC calls. The status of a call comes after the response, in the trailers, or in the head if there is
 * nothing else.
 */
class CallResponses extends Responses {
  constructor (connection, plan, hooks) {
    super(connection, plan)
    /** By slot, how calls have ended. */
    this.outcomes = new Uint8Array(connection.depth)
    /** By slot, the message length given in its prefix, as far as it has arrived. */
    this.announced = new Float64Array(connection.depth)
    /** By slot, the fields that contained the status, for hooks. */
    this.endings = []
    this.messages = messagesFor(plan, hooks)
  }

  // The length of a message counts bytes, so its text is not enough.
  get isTextEnough () {
    return false
  }

  headCame (slot, head) {
    super.headCame(slot, head)
    this.outcomes[slot] = MISSING
    this.announced[slot] = 0
    this.readOutcome(slot, head.raw)
  }

  bodyCame (slot, buffer, start, end) {
    const before = this.streams.received[slot] - (end - start)
    if (before < PREFIX_BYTES) this.readPrefix(slot, buffer, start, end, before)
    super.bodyCame(slot, buffer, start, end)
  }

  // Skips the first byte of the prefix, which is the compression flag.
  readPrefix (slot, buffer, start, end, before) {
    const last = Math.min(end, start + PREFIX_BYTES - before)
    for (let at = before === 0 ? start + 1 : start; at < last; at++) this.announced[slot] = this.announced[slot] * 256 + buffer[at]
  }

  // A response with status OK must contain one complete message.
  answered (slot) {
    const { streams: { received }, announced } = this
    const isWhole = received[slot] === 0 || received[slot] === PREFIX_BYTES + announced[slot]
    if (this.outcomes[slot] === OK && !isWhole) this.malformed(slot, problemWithMessage(received[slot], announced[slot]), CANCEL)
    else super.answered(slot)
  }

  trailersCame (slot, fields) {
    this.readOutcome(slot, fields)
  }

  readOutcome (slot, fields) {
    if (this.connection.script !== null) this.endings[slot] = fields
    for (let index = 0; index < fields.length; index += 2) {
      if (fields[index] === 'grpc-status') this.outcomes[slot] = readStatus(fields[index + 1])
    }
  }

  outcomeIn (slot) {
    const outcome = this.outcomes[slot]
    return outcome === OK && this.streams.received[slot] === 0 ? NO_MESSAGE : outcome
  }

  count (slot, status, bytes) {
    const { streams, connection } = this
    const { owner: { recorder }, now } = connection
    recorder.completedCall(streams.endpoint[slot], status, this.outcomeIn(slot), bytes, streams.dueAt[slot], streams.sentAt[slot], streams.firstByteAt[slot], now, streams.headAt[slot], connection, slot)
  }

  callIn (slot) {
    return new Call(this.outcomeIn(slot), this.endings[slot], this.messages, this.streams.endpoint[slot])
  }
}

function problemWithMessage (received, announced) {
  if (received < PREFIX_BYTES) return `its status is OK, but its message ends after ${received} of the ${PREFIX_BYTES} octets of its prefix`
  return `its status is OK, but its message has ${received - PREFIX_BYTES} octets and not the ${announced} that it says`
}

module.exports = CallResponses
