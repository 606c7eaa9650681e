'use strict'

/**
 * Returns its argument (the exports of a config file, or a function that returns them). It exists so that editors know
 * the types.
 *
 * @template T
 * @param {T} config
 * @returns {T}
 */
function defineConfig (config) {
  return config
}

module.exports = defineConfig
