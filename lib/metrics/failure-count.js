'use strict'

/**
 * Counts what failed from the point of view of a user: requests that failed or timed out, connections that could not be opened,
 * responses with a status other than 2xx or 3xx (gRPC: calls that are not OK), and bodies that did not match.
 *
 * A body that did not match may belong to a response with such a status, and the result does not tell which do, so the number has a
 * lower and an upper limit. They differ only if there are both.
 *
 * @param {object} result of a run, or the interim result of one; also of an earlier version. Or an entry of its `scenarios`
 * @returns {{ atLeast: number, atMost: number, badStatus: number, attempts: number }} `badStatus`: responses with such a status;
 *   `attempts`: what the failures are a share of
 */
function failuresOf (result) {
  const { errors = 0, mismatches = 0, non2xx = 0, requests, accounting, grpcStatus } = result
  const completed = requests?.total ?? accounting?.completed ?? 0
  const badStatus = Math.max(0, grpcStatus ? non2xx : non2xx - (result['3xx'] ?? 0))
  return {
    atLeast: errors + Math.max(badStatus, mismatches),
    atMost: errors + Math.max(badStatus, Math.min(completed, badStatus + mismatches)),
    badStatus,
    attempts: completed + errors
  }
}

module.exports = { failuresOf }
