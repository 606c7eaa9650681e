'use strict'

const path = require('node:path')
const { pathToFileURL } = require('node:url')

const ROOT = path.join(__dirname, '..', '..')

// The first variable switches off the compile cache of Node.js as well. The second asks for coverage, which is less precise for code from a cache.
const { NODE_DISABLE_COMPILE_CACHE, NODE_V8_COVERAGE } = process.env
const IS_USED = NODE_DISABLE_COMPILE_CACHE === undefined && NODE_V8_COVERAGE === undefined

// Of this thread; null unless `load` was called.
let store = null

/**
 * Loads a file of this package and what it requires. The first process stores them in the package's folder `.cache`, if this user may write
 * there, and those after it load them from there: finding, reading and compiling 200 files took more than half of a short run's processor time.
 *
 * @param {string} name of the file, relative to the package's folder
 * @returns {*} what the module exports
 */
function load (name) {
  if (!IS_USED) return require(path.join(ROOT, name))
  const Loader = require('./loader.js')
  const Store = require('./store.js')
  store = new Store(ROOT, path.join(ROOT, '.cache', `${process.version}-${process.arch}`))
  return new Loader(store).load(name)
}

/** Stores what this thread has compiled so far, if it was loaded by `load`; call it before the thread ends. */
function save () {
  store?.write()
}

/**
 * Returns the program of a thread that executes a file. If this thread was loaded by `load`, so is that one; a program that uses this
 * package as a library stores nothing.
 *
 * @param {string} file
 * @returns {string} a line that is valid both as CommonJS and as a module. A thread inherits Node's flags, and with `--input-type`, which a
 *   program run with `--eval` may use, it refuses to start from a file
 */
function programOf (file) {
  if (store === null) return `import(${urlOf(file)})`
  return `import(${urlOf(__filename)}).then((codeCache) => codeCache.default.load(${JSON.stringify(path.relative(ROOT, file))}))`
}

function urlOf (file) {
  return JSON.stringify(pathToFileURL(file).href)
}

module.exports = { load, programOf, save }
