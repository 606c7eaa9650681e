'use strict'

const RequestTrain = require('../shared/request-train')

/*
 * The messages of a sequence, joined for writing like HTTP/1.1 requests. They are joined once for each form in which they are
 * sent, since connections may differ in whether they compress, and with which window size.
 */
class MessageTrain extends RequestTrain {
  /**
   * @param {EncodedMessage[]} messages in the order of the sequence
   * @param {number[]} endpoints the endpoint of the result under which each message is counted
   */
  constructor (messages, endpoints) {
    super(messages, endpoints)
    this.endpointList = endpoints
    this.compressedTrains = []
  }

  /** Returns the same messages, compressed. @param {number} windowBits how far each may refer back */
  compressed (windowBits) {
    this.compressedTrains[windowBits] ??= new RequestTrain(this.requests.map((message) => message.compressed(windowBits)), this.endpointList)
    return this.compressedTrains[windowBits]
  }
}

module.exports = MessageTrain
