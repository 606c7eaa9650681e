'use strict'

const DraftTemplate = require('../shared/draft-template')
const { encodeMessage } = require('./message')

/** A message with placeholders that are filled from a feed row for each message. */
class MessageTemplate extends DraftTemplate {
  /** @returns {EncodedMessage} the message for this row */
  fill (row) {
    return this.encodeWith(encodeMessage, row)
  }
}

module.exports = MessageTemplate
