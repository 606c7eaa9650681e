'use strict'

const DraftTemplate = require('../shared/draft-template')
const { encodeMessage } = require('./message')

/** A message with gaps that each sending fills from a row of the feed. */
class MessageTemplate extends DraftTemplate {
  /** @returns {EncodedMessage} for one sending */
  fill (row) {
    return this.encodeWith(encodeMessage, row)
  }
}

module.exports = MessageTemplate
