#!/usr/bin/env node
'use strict'

const path = require('node:path')

// A link to this file may have another name.
require('../lib/cli/main')(process.argv.slice(2), path.parse(process.argv[1]).name)
