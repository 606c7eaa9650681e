'use strict'

module.exports = require('cannonade/lib/run')
