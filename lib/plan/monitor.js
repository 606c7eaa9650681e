'use strict'

const { CannonadeError, CODES, optionError } = require('../errors')
const world = require('../world')
const { kind, wholeNumber } = require('./kinds')

const pid = wholeNumber(1)
// Each is looked at once a sample.
const MOST = 64

const PACKAGE = 'pidusage'

/**
 * Throws where there is nobody to ask. The package is not installed with this one, since most servers are on another machine.
 *
 * @throws {CannonadeError} CANNONADE_MISSING_PACKAGE
 */
function checkPackage () {
  try {
    world.loadProcessUsage()
  } catch (cause) {
    // One that is there and broken is another matter.
    const isMissing = cause.code === 'MODULE_NOT_FOUND' && cause.message.includes(`'${PACKAGE}'`)
    if (!isMissing) throw cause
    throw new CannonadeError(CODES.MISSING_PACKAGE, `monitor needs the package ${PACKAGE}, which is not installed: npm install ${PACKAGE}`, { cause, option: 'monitor', package: PACKAGE })
  }
}

/** Whether processes can be watched here at all. */
function canMonitor () {
  try {
    checkPackage()
    return true
  } catch {
    return false
  }
}

/** Processes of this machine to watch: an array of their numbers. */
const monitor = kind('the number of a process on this machine (its pid), or an array of them', (value, name) => {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',').map((text) => text.trim()) : [value]
  if (list.length === 0 || list.length > MOST) return undefined
  const pids = [...new Set(list.map((each, index) => list.length === 1 ? pid.read(each, name) : pid.read(each, `${name}[${index}]`)))]
  const missing = pids.find((each) => !world.hasProcess(each))
  if (missing !== undefined) throw optionError(name, missing, 'the number of a process on this machine: there is none with this one')
  return pids
})

module.exports = { monitor, checkPackage, canMonitor }
