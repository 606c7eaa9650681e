#!/usr/bin/env node
'use strict'

const { enableCompileCache } = require('node:module')
const path = require('node:path')

// Keeps compiled code for the next command, from Node.js 22.8 on. It is up to the program whether a program does this.
enableCompileCache?.()

// A link to this file may have another name.
require('../lib/cli/main')(process.argv.slice(2), path.parse(process.argv[1]).name)
