'use strict'

// How long test files may take, in ms, before what they do is taken for endless. The tests of these limits have lower ones.

const { TEST_MS_PER_FILE = 240_000, TEST_MS_TO_END = 30_000 } = process.env

module.exports = {
  /** One file, on a machine that is many times as slow as it should be. */
  MS_PER_FILE: Number(TEST_MS_PER_FILE),

  /** What goes on in a process when all of its tests are over. */
  MS_TO_END: Number(TEST_MS_TO_END)
}
