'use strict'

const { loadPackage } = require('../../base/packages')

/** The package that writes metrics as Prometheus reads them. @throws {CannonadeError} CANNONADE_MISSING_PACKAGE */
const loadClient = () => loadPackage('prom-client', { user: 'prometheus', option: 'prometheus' })

module.exports = { loadClient }
