'use strict'

const fc = require('fast-check')

// Well below what a file may take. A property whose counterexample can be made smaller for ever would go on for ever.
const LONGEST_MS = 60_000

// A property that is still being tried then has failed. What failed is told with its seed and path, which repeat it.
fc.configureGlobal({ interruptAfterTimeLimit: LONGEST_MS, markInterruptAsFailure: true })

module.exports = fc
