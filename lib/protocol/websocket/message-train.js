'use strict'

const RequestTrain = require('../shared/request-train')

/*
 * The messages of the sequence, coupled for writing like requests of HTTP/1.1; once for each form that they go out in, since with one
 * server some connections may compress, with smaller windows or larger ones, and others not.
 */
class MessageTrain extends RequestTrain {
  /**
   * @param {EncodedMessage[]} messages in the order of the sequence
   * @param {number[]} endpoints under which of the result's endpoints each is counted
   */
  constructor (messages, endpoints) {
    super(messages, endpoints)
    this.endpointList = endpoints
    this.compressedTrains = []
  }

  /** The same messages, compressed. @param {number} windowBits how far each may refer back */
  compressed (windowBits) {
    this.compressedTrains[windowBits] ??= new RequestTrain(this.requests.map((message) => message.compressed(windowBits)), this.endpointList)
    return this.compressedTrains[windowBits]
  }
}

module.exports = MessageTrain
