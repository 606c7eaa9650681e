'use strict'

const { aggregateResult } = require('..')

module.exports = (results, opts) => aggregateResult([results].flat(), opts)
