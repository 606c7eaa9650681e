'use strict'

const DraftTemplate = require('../shared/draft-template')
const { encodeRequest } = require('./request')

/** A request with placeholders that are filled from a feed row for each request. */
class RequestTemplate extends DraftTemplate {
  /** @returns {StreamRequest} the request for this row */
  fill (row) {
    return this.encodeWith(encodeRequest, row)
  }
}

module.exports = RequestTemplate
