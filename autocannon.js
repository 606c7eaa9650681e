#!/usr/bin/env node
'use strict'

// Interface and command in one, for programs and scripts that name this file.

if (require.main === module) require('./lib/cli/main')(process.argv.slice(2), 'autocannon')
else module.exports = require('.')
