'use strict'

// Shares must differ by this much, and by this many standard errors, so that chance is no explanation.
const OTHER_WORK = 0.01
const STANDARD_ERRORS = 3

/*
 * Users may fail although the server answers each of their requests: their functions throw, a status of `failOn` ends them, or a check
 * fails. Each kind counts how many there were in the results of a side, and how many of them failed.
 */
const KINDS = [
  { what: 'sessions', of: ({ sessions }) => sessions && { total: sessions.started, failed: sessions.failed } },
  {
    what: 'checks',
    of: ({ checks }) => Array.isArray(checks) ? { total: total(checks, 'passed') + total(checks, 'failed'), failed: total(checks, 'failed') } : null
  }
]

// A saved result may have any form.
const total = (all, name) => all.reduce((sum, each) => sum + (each?.[name] ?? 0), 0)

/**
 * Compares how many users of two sides failed.
 *
 * @param {object[]} first results
 * @param {object[]} second results
 * @returns {Array<{ what: string, shares: number[] }>} `sessions` and `checks`, if it is certain that different shares of them failed; a
 *   side that has none is not compared
 */
function differingUsers (first, second) {
  return KINDS.flatMap(({ what, of }) => {
    const [a, b] = [first, second].map((results) => countedIn(results, of))
    if (!(a.total > 0 && b.total > 0)) return []
    const shares = [a, b].map(({ failed, total }) => failed / total)
    const pooled = (a.failed + b.failed) / (a.total + b.total)
    const error = Math.sqrt(pooled * (1 - pooled) * (1 / a.total + 1 / b.total))
    const difference = Math.abs(shares[1] - shares[0])
    return difference > OTHER_WORK && difference > STANDARD_ERRORS * error ? [{ what, shares }] : []
  })
}

function countedIn (results, of) {
  const counts = results.map(of).filter(Boolean)
  return { total: total(counts, 'total'), failed: total(counts, 'failed') }
}

/** Whether it is certain that more users of the second side failed. */
function hasWorseUsers (first, second) {
  return differingUsers(first, second).some(({ shares: [a, b] }) => b > a)
}

module.exports = { differingUsers, hasWorseUsers }
