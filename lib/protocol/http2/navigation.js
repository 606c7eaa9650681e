'use strict'

const Navigation = require('../http1/navigation')
const requestForm = require('./request-form')

/** Cookies and redirects for HTTP/2 requests. */
class StreamNavigation extends Navigation {
  constructor (target, plan, warn) {
    super(target, plan, warn, requestForm)
  }
}

module.exports = StreamNavigation
