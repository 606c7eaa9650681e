'use strict'

const { run } = require('../..')

/**
 * A run that ends with its first error: of a connection or a request that is bound to fail, however long that takes here.
 *
 * @param {object} opts for `run`
 * @returns {Promise<object>} the result
 */
function untilFirstError (opts) {
  const instance = run({ duration: 60, ...opts })
  instance.on('reqError', () => instance.stop())
  return instance
}

module.exports = { untilFirstError }
