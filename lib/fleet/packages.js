'use strict'

const { loadPackage } = require('../base/packages')

const NEED = { user: 'a fleet', option: 'fleet', install: ['bullmq', 'ioredis'] }

/**
 * The packages that a fleet needs, loaded only when one is asked for.
 *
 * @returns {{ bullmq: object, Redis: Function }}
 * @throws {CannonadeError} CANNONADE_MISSING_PACKAGE
 */
function loadPackages () {
  const ioredis = loadPackage('ioredis', NEED)
  return { bullmq: loadPackage('bullmq', NEED), Redis: ioredis.default ?? ioredis }
}

module.exports = { loadPackages }
