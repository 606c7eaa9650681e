'use strict'

module.exports = require('..').printResult
