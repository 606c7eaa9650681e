'use strict'

// A server that refuses is asked again after 10 ms, 20 ms, … up to a second; the first response makes it 10 ms again.
const FIRST_BACKOFF_MS = 10
const LONGEST_BACKOFF_MS = 1000

/** How long to wait after so many connections, or sessions, in a row that gave no response, ms. */
function backOffAfter (failures) {
  return Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1))
}

module.exports = backOffAfter
