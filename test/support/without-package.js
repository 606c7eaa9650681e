'use strict'

const Module = require('node:module')

/**
 * Simulates that a package isn't installed, until the test is over or the returned function is called.
 *
 * @param {object} t
 * @param {string} name
 * @returns {function()}
 */
function withoutPackage (t, name) {
  const { _load: load } = Module
  Module._load = function (request, ...rest) {
    if (request === name) throw Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' })
    return load.call(this, request, ...rest)
  }
  const restore = () => { Module._load = load }
  t.teardown(restore)
  return restore
}

module.exports = { withoutPackage }
