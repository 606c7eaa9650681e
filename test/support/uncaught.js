'use strict'

const { createRequire } = require('node:module')

/**
 * Attributes uncaught errors to the current test, or to the innermost of nested tests. The test runner would determine the test by a
 * hook for each promise, tick and socket, which takes up to a tenth of the time of a process that creates many of them. If tests run
 * one after another, this isn't necessary. Call it before the runner is loaded.
 *
 * @param {function(): object} root the test in which all others stand
 */
function catchUncaught (root) {
  const fromRunner = createRequire(require.resolve('tap'))
  const filename = createRequire(fromRunner.resolve('@tapjs/core')).resolve('async-hook-domain')
  require.cache[filename] = { id: filename, filename, loaded: true, exports: { Domain: NoDomain } }

  process.on('uncaughtExceptionMonitor', (error, origin) => {
    const isCaught = process.hasUncaughtExceptionCaptureCallback() || process.listenerCount('uncaughtException') > 0
    if (isCaught) return
    // The process continues.
    process.setUncaughtExceptionCaptureCallback(() => process.setUncaughtExceptionCaptureCallback(null))
    innermost(root()).threw(Object.assign(Object(error), { tapCaught: origin }))
  })
}

function innermost (test) {
  const inner = [...test.activeSubtests ?? []].at(-1)
  return inner === undefined ? test : innermost(inner)
}

// Replaces the domain that the runner creates for each test.
class NoDomain {
  destroy () {}
}

module.exports = { catchUncaught }
