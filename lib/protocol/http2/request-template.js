'use strict'

const DraftTemplate = require('../shared/draft-template')
const { encodeRequest } = require('./request')

/** A request with gaps that each sending fills from a row of the feed. */
class RequestTemplate extends DraftTemplate {
  /** @returns {StreamRequest} for one sending */
  fill (row) {
    return this.encodeWith(encodeRequest, row)
  }
}

module.exports = RequestTemplate
