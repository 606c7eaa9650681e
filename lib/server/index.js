'use strict'

const { startServer } = require('./start-server')
const { serverOptions } = require('./options')

module.exports = { startServer, serverOptions }
