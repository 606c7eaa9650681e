'use strict'

// Limits (ms) after which a test file counts as hanging. The tests of these limits set lower ones.

const { TEST_MS_PER_FILE = 600_000, TEST_MS_TO_END = 60_000 } = process.env

module.exports = {
  /** For one file, on a machine many times slower than usual. */
  MS_PER_FILE: Number(TEST_MS_PER_FILE),

  /** For whatever still runs in a process after its last test. */
  MS_TO_END: Number(TEST_MS_TO_END)
}
