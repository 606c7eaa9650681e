'use strict'

const { CannonadeError, CODES } = require('../errors')

/**
 * The packages that a fleet needs. They are not installed with this one, since most runs are of one machine; what is
 * here loads them only where a fleet is asked for.
 *
 * @returns {{ bullmq: object, Redis: Function }}
 * @throws {CannonadeError} CANNONADE_MISSING_PACKAGE
 */
function loadPackages () {
  const ioredis = load('ioredis', () => require('ioredis'))
  return { bullmq: load('bullmq', () => require('bullmq')), Redis: ioredis.default ?? ioredis }
}

function load (name, loadIt) {
  try {
    return loadIt()
  } catch (cause) {
    // One that is there and broken is another matter.
    const isMissing = cause.code === 'MODULE_NOT_FOUND' && cause.message.includes(`'${name}'`)
    if (!isMissing) throw cause
    throw new CannonadeError(CODES.MISSING_PACKAGE, `a fleet needs the package ${name}, which is not installed: npm install bullmq ioredis`, {
      cause, option: 'fleet', package: name
    })
  }
}

module.exports = { loadPackages }
