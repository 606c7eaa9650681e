'use strict'

// Preloaded (`--require`) into every process and thread of a test: replaces the source of the file that MUTANT names.

const Module = require('node:module')
const fs = require('node:fs')

const { MUTANT } = process.env

if (MUTANT !== undefined) {
  const { file, source } = JSON.parse(fs.readFileSync(MUTANT, 'utf8'))
  const { _compile: compile } = Module.prototype
  Module.prototype._compile = function (content, filename, ...rest) {
    return compile.call(this, filename === file ? source : content, filename, ...rest)
  }
}
