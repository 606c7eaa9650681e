'use strict'

// The best ratio of throughput to latency is a flat top that noise moves about; the knee is the far end of it.
const NEAR_BEST = 0.9
// What shows that the way beyond the knee is a worse one.
const LATENCY_GROWTH = 2
const MORE_ERRORS_PERCENT = 1

/**
 * The knee of a sweep: the highest rate at which a target still kept up and still had 90 % of its best power, which is
 * the throughput divided by the median latency (Kleinrock). Beyond it there is little more throughput to be had, and it
 * is paid for with latency.
 *
 * There is one only where the sweep went past it: where some higher rate was not kept up with, made errors, or doubled
 * the latency.
 *
 * @param {Array<{ demanded: number, target: object, limitedBy: 'server'|'generator'|'connections'|'both' }>} points of one target, in rising
 *   order of the rate; `limitedBy` is who was the limit, also where the rate was kept up with, and `errorsBy` whose doing
 *   its errors were, the server's where it is not said: see limited-by.js
 * @returns {object|null} `{ name, rate, achieved, p50, p99, beyond, reason, limitedBy }`: `beyond` is the first rate that
 *   shows that this is the knee, `reason` what it shows: 'rate', 'errors' or 'latency'. null where there is none
 */
function kneeOf (points) {
  const last = points.findLastIndex(({ target }) => target.keepsUp)
  // Who keeps up with a rate can keep up with a lower one: where that failed it was an accident of the measurement.
  const kept = points.slice(0, last + 1).filter(({ target }) => target.keepsUp)
  if (kept.length === 0) return null
  const fewest = Math.min(...kept.map(({ target }) => target.errorPercent))
  const good = kept.filter(({ target }) => target.errorPercent <= fewest + MORE_ERRORS_PERCENT)
  const best = Math.max(...good.map(powerOf))
  const knee = good.findLast((point) => powerOf(point) >= NEAR_BEST * best)
  const beyond = [...kept.slice(kept.indexOf(knee) + 1), ...points.slice(last + 1)]
    .find(({ target }) => reasonBeyond(target, knee.target) !== null)
  if (beyond === undefined) return null
  const { name, achieved, p50, p99 } = knee.target
  const reason = reasonBeyond(beyond.target, knee.target)
  return {
    name,
    rate: knee.demanded,
    achieved,
    p50,
    p99,
    beyond: beyond.demanded,
    reason,
    limitedBy: reason === 'errors' ? beyond.errorsBy ?? 'server' : beyond.limitedBy
  }
}

function powerOf ({ target }) {
  return target.sustained / target.p50
}

function reasonBeyond (target, knee) {
  if (!target.keepsUp) return 'rate'
  if (target.errorPercent > knee.errorPercent + MORE_ERRORS_PERCENT) return 'errors'
  return target.p50 >= LATENCY_GROWTH * knee.p50 ? 'latency' : null
}

module.exports = { kneeOf }
