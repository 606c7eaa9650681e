'use strict'

const { createRequire } = require('node:module')
const path = require('node:path')
const { CannonadeError, CODES } = require('./errors')

/**
 * A package that is not installed with this one, because few runs need it. It is looked for beside this package, then in the
 * project in whose folder the process runs: a command that is installed globally finds what the project has.
 *
 * @param {string} name of the package, or of a module in it (`protobufjs/ext/descriptor`)
 * @param {object} need
 * @param {string} need.user what needs it, as the error says: 'a fleet'
 * @param {string} need.option the option that asked for it
 * @param {string[]} [need.install] all packages to install, when it takes several
 * @returns {*} what the module exports
 * @throws {CannonadeError} CANNONADE_MISSING_PACKAGE, with `option` and `package`; whatever a package throws that is there and broken
 */
function loadPackage (name, { user, option, install = [name] }) {
  let cause
  for (const load of [require, createRequire(path.join(process.cwd(), 'package.json'))]) {
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

module.exports = { loadPackage }
