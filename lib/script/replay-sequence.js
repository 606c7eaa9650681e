'use strict'

const { CannonadeError, CODES } = require('../base/errors')
const RequestSequence = require('./sequence')

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
    const index = connection.owner.arrivalAt(connection.oldestPrepared)
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

module.exports = ReplaySequence
