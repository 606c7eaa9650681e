'use strict'

/** Whether a hook has returned something to wait for. */
function isThenable (value) {
  return value !== null && typeof value === 'object' && typeof value.then === 'function'
}

module.exports = isThenable
