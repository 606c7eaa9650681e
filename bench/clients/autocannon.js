'use strict'

require('./drive')(() => require('autocannon'))
