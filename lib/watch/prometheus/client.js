'use strict'

const { loadPackage } = require('../../base/packages')

/** Loads the package that writes the Prometheus format. @throws {CannonadeError} CANNONADE_MISSING_PACKAGE */
const loadClient = () => loadPackage('prom-client', { user: 'prometheus', option: 'prometheus' })

module.exports = { loadClient }
