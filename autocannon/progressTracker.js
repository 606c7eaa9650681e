'use strict'

module.exports = require('..').track
