'use strict'

const Navigation = require('../http1/navigation')
const requestForm = require('./request-form')

/** Cookies and redirects, with requests of HTTP/2. */
class StreamNavigation extends Navigation {
  constructor (target, plan, warn) {
    super(target, plan, warn, requestForm)
  }
}

module.exports = StreamNavigation
