'use strict'

const fc = require('fast-check')

// Well below the time limit of a test file. Some counterexamples could be shrunk forever.
const LONGEST_MS = 60_000

// A property that is still being tested then has failed. The failure is reported with the seed and path that reproduce it.
fc.configureGlobal({ interruptAfterTimeLimit: LONGEST_MS, markInterruptAsFailure: true })

module.exports = fc
