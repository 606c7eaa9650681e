'use strict'

// Plays the test files that TEST_FILES names, between commas, one after the other, in this process. Each gets a test of its
// own from `require('tap')`, with which it does what it does with that of a whole process when it is played by itself.

const tap = require('tap')
const path = require('node:path')

const runner = require.cache[require.resolve('tap')]
const MS_PER_FILE = 300_000

tap.setTimeout(0) // each file has its own
for (const file of process.env.TEST_FILES.split(',')) {
  tap.test(file, { timeout: MS_PER_FILE }, async (t) => {
    runner.exports = t
    require(path.join(__dirname, file))
  })
}
