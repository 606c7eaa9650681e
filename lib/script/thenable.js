'use strict'

/** Whether a hook has returned a promise. */
function isThenable (value) {
  return value !== null && typeof value === 'object' && typeof value.then === 'function'
}

module.exports = isThenable
