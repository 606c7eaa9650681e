'use strict'

// The same function takes `(opts, tracker, cb)`.
module.exports = require('../lib/run')
