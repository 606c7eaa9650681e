'use strict'

require('./drive')(() => require('../..').run)
