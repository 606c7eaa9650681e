'use strict'

const Awaitable = require('../../lib/base/awaitable')

/** Awaits the end of a run that isn't a promise, because it has a callback or `forever`. @returns {Promise<object>} */
function ended (instance) {
  return Awaitable.outcomeOf(instance)
}

module.exports = { ended }
