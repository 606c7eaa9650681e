'use strict'

/**
 * Gives back what it is given: the exports of a config file, or a function that returns them, so that an editor knows
 * their types.
 *
 * @template T
 * @param {T} config
 * @returns {T}
 */
function defineConfig (config) {
  return config
}

module.exports = defineConfig
