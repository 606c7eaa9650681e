'use strict'

const Awaitable = require('../../lib/base/awaitable')

/** The end of a run that is no promise itself, since it has a callback or no end of its own. @returns {Promise<object>} */
function ended (instance) {
  return Awaitable.outcomeOf(instance)
}

module.exports = { ended }
