'use strict'

// Mutants that change nothing which could be seen, each with its reason. `file` is below lib/, `after` is what the line is with
// the mutant in it.

module.exports = []
