'use strict'

const { call } = require('./current')

module.exports = (...args) => call('onResponse', args)
