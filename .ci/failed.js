'use strict'

// The test files that failed in a stream of TAP, by their paths below test/: one a line.
//
//     node .ci/failed.js tests.tap

const fs = require('node:fs')
const { Parser } = require('tap-parser')

const failed = new Set()

function listen (parser) {
  parser.on('child', listen)
  parser.on('assert', ({ ok, name }) => {
    if (!ok && /^[\w./-]+\.test\.js$/.test(name)) failed.add(name)
  })
}

const parser = new Parser()
listen(parser)
parser.end(fs.readFileSync(process.argv[2]))
for (const file of failed) console.log(file)
