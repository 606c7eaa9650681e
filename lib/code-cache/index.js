'use strict'

const path = require('node:path')
const Loader = require('./loader')
const Store = require('./store')

const ROOT = path.join(__dirname, '..', '..')

// The first variable switches off the compile cache of Node.js as well. The second asks for coverage, which is less precise for code from a cache.
const { NODE_DISABLE_COMPILE_CACHE, NODE_V8_COVERAGE } = process.env
const IS_USED = NODE_DISABLE_COMPILE_CACHE === undefined && NODE_V8_COVERAGE === undefined

/**
 * Loads a file of this package and what it requires. The first process stores them in the package's folder `.cache`, if this user may write
 * there, and those after it load them from there: finding, reading and compiling 200 files took more than half of a short run's processor time.
 *
 * @param {string} name of the file, relative to the package's folder
 * @returns {*} what the module exports
 */
function load (name) {
  if (!IS_USED) return require(path.join(ROOT, name))
  const store = new Store(ROOT, path.join(ROOT, '.cache', `${process.version}-${process.arch}`))
  process.on('exit', () => store.write())
  return new Loader(store).load(name)
}

module.exports = { load }
