'use strict'

// How long test files may take, in ms, before what they do is taken for endless.

module.exports = {
  /** One file, on a machine that is many times as slow as it should be. */
  MS_PER_FILE: 240_000,

  /** What goes on in a process when all of its tests are over. */
  MS_TO_END: 30_000
}
