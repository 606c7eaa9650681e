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
  const originals = { _load: Module._load, _resolveFilename: Module._resolveFilename }
  for (const [method, original] of Object.entries(originals)) {
    Module[method] = function (request, ...rest) {
      if (request === name) throw Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' })
      return original.call(this, request, ...rest)
    }
  }
  const restore = () => Object.assign(Module, originals)
  t.teardown(restore)
  return restore
}

module.exports = { withoutPackage }
