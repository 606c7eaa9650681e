#!/usr/bin/env node
'use strict'

// API and command in one, for programs and scripts that refer to this file.

if (require.main === module) require('./lib/cli/main')(process.argv.slice(2), 'autocannon')
else module.exports = require('.')
