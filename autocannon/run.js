'use strict'

// The same function accepts `(opts, tracker, cb)`.
module.exports = require('../lib/run')
