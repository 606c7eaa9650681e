'use strict'

/*
 * Which thresholds a run can no longer meet while it is still going on: those that say a number that only ever grows is
 * to stay small.
 */

/** How such a field is called among the counts of `Round`. */
const GROWING = new Map([
  ['errors', 'errors'],
  ['timeouts', 'timeouts'],
  ['accounting.timedOut', 'timeouts'],
  ['accounting.failed', 'failed'],
  ['connectionStats.failed', 'connectionsFailed'],
  ['non2xx', 'non2xx'],
  ['mismatches', 'mismatches'],
  ['resets', 'resets'],
  ['latency.max', 'latencyMax']
])

// In percent it may still shrink again.
function canBeLost ({ metric, operator, unit }) {
  return GROWING.has(metric) && unit !== '%' && ['<', '<=', '=='].includes(operator)
}

/**
 * The first threshold that is lost, whatever comes yet.
 *
 * @param {object[]} thresholds as parsed
 * @param {object} counts so far, by the names above
 * @returns {{ threshold: object, actual: number }|null} null while all can still be met
 */
function findLost (thresholds, counts) {
  for (const threshold of thresholds.filter(canBeLost)) {
    const actual = counts[GROWING.get(threshold.metric)]
    if (threshold.operator === '<' ? actual >= threshold.limit : actual > threshold.limit) return { threshold, actual }
  }
  return null
}

module.exports = { canBeLost, findLost }
