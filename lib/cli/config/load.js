'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { failureInWords, optionProblem, whyUnreadable } = require('../../base/errors')
const { moduleFile } = require('../../base/user-code')

/**
 * Loads a config file: JSON, a CommonJS module or an ES module. If it exports a function, the function is called.
 *
 * @param {string} file
 * @returns {Promise<*>}
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
async function load (file) {
  const found = findFile(file)
  if (found.endsWith('.json')) return readJSON(found, file)
  try {
    const exported = exportedBy(await require('../../base/import-file')(found))
    return typeof exported === 'function' ? await exported() : exported
  } catch (cause) {
    throw unloadable(file, failureInWords(cause), cause)
  }
}

// Modules that `require` cannot load: ES modules before Node.js 22.12, and ES modules with top-level await.
const ONLY_LATER = new Set(['ERR_REQUIRE_ESM', 'ERR_REQUIRE_ASYNC_MODULE'])

/** Like `load`, but synchronous, so it throws for asynchronous modules and functions. */
function loadNow (file) {
  const found = findFile(file)
  if (found.endsWith('.json')) return readJSON(found, file)
  const value = requireNow(found, file)
  if (typeof value?.then === 'function') throw unloadable(file, 'it exports a promise, which only the command itself can wait for')
  return value
}

function requireNow (found, file) {
  try {
    const exported = exportedBy(require(found))
    return typeof exported === 'function' ? exported() : exported
  } catch (cause) {
    const reason = ONLY_LATER.has(cause?.code) ? 'only the command itself reads ES modules; parseArguments takes CommonJS and JSON' : failureInWords(cause)
    throw unloadable(file, reason, cause)
  }
}

function findFile (file) {
  try {
    return moduleFile(path.resolve(file))
  } catch (cause) {
    throw unloadable(file, whyUnreadable(cause), cause)
  }
}

function readJSON (found, file) {
  try {
    return JSON.parse(fs.readFileSync(found, 'utf8').replace(/^\ufeff/, ''))
  } catch (cause) {
    throw unloadable(file, cause instanceof SyntaxError ? `it is not JSON: ${cause.message}` : whyUnreadable(cause), cause)
  }
}

// Returns the default export, which transpiled ES modules nest one level deeper; or all named exports if there is no
// default.
function exportedBy (loaded) {
  const exported = isModuleOfOne(loaded) ? loaded.default : loaded
  return exported?.__esModule && exported.default !== undefined ? exported.default : exported
}

function isModuleOfOne (loaded) {
  return (typeof loaded === 'object' || typeof loaded === 'function') && loaded !== null && 'default' in loaded
}

function unloadable (file, reason, cause) {
  return optionProblem('config', `the config file '${file}' cannot be loaded: ${reason}`, cause && { cause })
}

module.exports = { load, loadNow }
