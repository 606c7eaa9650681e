'use strict'

const RequestTrain = require('../http1/request-train')

/*
 * The messages of the sequence, coupled for writing like requests of HTTP/1.1; twice, since with one server some
 * connections may compress and others not.
 */
class MessageTrain extends RequestTrain {
  /**
   * @param {EncodedMessage[]} messages in the order of the sequence
   * @param {number[]} endpoints under which of the result's endpoints each is counted
   */
  constructor (messages, endpoints) {
    super(messages, endpoints)
    this.endpointList = endpoints
    this.compressedTrain = null
  }

  /** The same messages, compressed. */
  get compressed () {
    this.compressedTrain ??= new RequestTrain(this.requests.map(({ compressed }) => compressed), this.endpointList)
    return this.compressedTrain
  }
}

module.exports = MessageTrain
