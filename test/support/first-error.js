'use strict'

const { run } = require('../..')

/**
 * Executes a run until its first error, for connections or requests that are expected to fail, however long that takes.
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
