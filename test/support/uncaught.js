'use strict'

const { createRequire } = require('node:module')

/**
 * Hands an error that nobody has caught to the test that is going on, and to the innermost where tests stand in one another.
 * The runner finds out whose it is by a hook for each promise, tick and socket there is, which costs a process that makes many
 * of them up to a tenth of its time. Where tests are played one after the other it is known without. To be called before the
 * runner is loaded.
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
    // The process goes on.
    process.setUncaughtExceptionCaptureCallback(() => process.setUncaughtExceptionCaptureCallback(null))
    innermost(root()).threw(Object.assign(Object(error), { tapCaught: origin }))
  })
}

function innermost (test) {
  const inner = [...test.activeSubtests ?? []].at(-1)
  return inner === undefined ? test : innermost(inner)
}

// What the runner makes for each test, in the place of its own.
class NoDomain {
  destroy () {}
}

module.exports = { catchUncaught }
