'use strict'

const { CannonadeError, CODES } = require('../errors')

const PACKAGE = 'prom-client'

/**
 * The package that writes metrics as Prometheus reads them. It is not installed with this one, since few runs are
 * watched in this way.
 *
 * @returns {object}
 * @throws {CannonadeError} CANNONADE_MISSING_PACKAGE
 */
function loadClient () {
  try {
    return require('prom-client')
  } catch (cause) {
    // One that is there and broken is another matter.
    const isMissing = cause.code === 'MODULE_NOT_FOUND' && cause.message.includes(`'${PACKAGE}'`)
    if (!isMissing) throw cause
    throw new CannonadeError(CODES.MISSING_PACKAGE, `prometheus needs the package ${PACKAGE}, which is not installed: npm install ${PACKAGE}`, {
      cause, option: 'prometheus', package: PACKAGE
    })
  }
}

module.exports = { loadClient }
