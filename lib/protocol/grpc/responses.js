'use strict'

const { PREFIX_BYTES } = require('../../grpc/frame')
const { OK, MISSING, NO_MESSAGE, readStatus } = require('../../grpc/status')
const Responses = require('../http2/responses')
const Call = require('./call')
const messagesFor = require('./messages')

/**
 * The responses to unary calls of gRPC: how a call ended is told behind its response, in the trailers, or in its head where that
 * is all there is.
 */
class CallResponses extends Responses {
  constructor (connection, plan, hooks) {
    super(connection, plan)
    /** By their slots, how calls have ended. */
    this.outcomes = new Uint8Array(connection.depth)
    /** By their slots, the fields that told it; for hooks. */
    this.endings = []
    this.messages = messagesFor(plan, hooks)
  }

  // A message says its length in bytes.
  get isTextEnough () {
    return false
  }

  headCame (slot, head) {
    super.headCame(slot, head)
    this.outcomes[slot] = MISSING
    this.readOutcome(slot, head.raw)
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
    return outcome === OK && this.streams.received[slot] < PREFIX_BYTES ? NO_MESSAGE : outcome
  }

  count (slot, status, bytes) {
    const { streams, connection: { owner: { recorder }, now } } = this
    recorder.completedCall(streams.endpoint[slot], status, this.outcomeIn(slot), bytes, streams.dueAt[slot], streams.sentAt[slot], streams.firstByteAt[slot], now, streams.headAt[slot])
  }

  callIn (slot) {
    return new Call(this.outcomeIn(slot), this.endings[slot], this.messages, this.streams.endpoint[slot])
  }
}

module.exports = CallResponses
