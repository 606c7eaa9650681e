'use strict'

const { call } = require('./current')

module.exports = (...args) => call('setupRequest', args)
