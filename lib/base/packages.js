'use strict'

const { createRequire } = require('node:module')
const path = require('node:path')
const { CannonadeError, CODES } = require('./errors')

/**
 * Loads a package that is not installed with this one, because few runs need it. It is searched for next to this package, and then in
 * the project of the current directory, so that a globally installed command finds the packages of a project.
 *
 * @param {string} name of the package, or of a module in it (`protobufjs/ext/descriptor`)
 * @param {object} need
 * @param {string} need.user what needs it, for the error message: 'a fleet'
 * @param {string} need.option the option that requires it
 * @param {string[]} [need.install] all packages to install, if several are needed
 * @returns {*} what the module exports
 * @throws {CannonadeError} CANNONADE_MISSING_PACKAGE, with `option` and `package`; any error of a package that is present but broken
 */
function loadPackage (name, { user, option, install = [name] }) {
  let cause
  for (const load of places()) {
    try {
      return load(name)
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND' || !error.message.includes(`'${name}'`)) throw error
      cause ??= error
    }
  }
  const sentence = `${user} needs the package ${name}, which is not installed: npm install ${install.join(' ')}`
  throw new CannonadeError(CODES.MISSING_PACKAGE, sentence, { cause, option, package: name })
}

/**
 * Finds a package where `loadPackage` would.
 *
 * @param {string} name
 * @returns {?string} the path of its main file; null if it is not installed
 */
function findPackage (name) {
  for (const { resolve } of places()) {
    try {
      return resolve(name)
    } catch { /* perhaps in the other place */ }
  }
  return null
}

const places = () => [require, createRequire(path.join(process.cwd(), 'package.json'))]

module.exports = { findPackage, loadPackage }
