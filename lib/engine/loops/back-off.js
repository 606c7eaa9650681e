'use strict'

// After a failure, a server is retried after 10 ms, then 20 ms, and so on up to a second; the first response resets
// this to 10 ms.
const FIRST_BACKOFF_MS = 10
const LONGEST_BACKOFF_MS = 1000

/** How long to wait after this many consecutive connections, or sessions, without a response, ms. */
function backOffAfter (failures) {
  return Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1))
}

module.exports = backOffAfter
