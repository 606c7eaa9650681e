#!/usr/bin/env node
'use strict'

const path = require('node:path')

// API and command in one, as autocannon's main file is. The command is not among the exports of the package.
if (require.main === module) require(path.join(path.dirname(require.resolve('cannonade/package.json')), 'lib/cli/main'))(process.argv.slice(2), 'autocannon')
else module.exports = require('cannonade')
