'use strict'

module.exports = require('cannonade/lib/histUtil')
