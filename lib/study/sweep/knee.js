'use strict'

// The ratio of throughput to latency has a flat maximum, whose position depends on noise; the knee is the far end of it.
const NEAR_BEST = 0.9
// By how much latency must grow beyond the knee.
const LATENCY_GROWTH = 2
const MORE_ERRORS_PERCENT = 1

/**
 * Finds the knee of a sweep: the highest rate at which a target kept up and had at least 90% of its best power, which is the
 * throughput divided by the median latency (Kleinrock). Beyond it, latency grows faster than throughput.
 *
 * There is a knee only if the sweep went beyond it: if the target didn't keep up with some higher rate, made errors, or its latency
 * doubled.
 *
 * @param {Array<{ at: number, target: object, limitedBy: 'server'|'generator'|'connections'|'both' }>} points of one target, in ascending
 *   order of rates (`at`); `limitedBy` is the bottleneck, also if the target kept up, and `errorsBy` says who caused its errors, by
 *   default the server: see limited-by.js
 * @returns {object|null} `{ name, rate, achieved, p50, p99, beyond, reason, limitedBy }`: `beyond` is the first rate beyond the
 *   knee, `reason` says how: 'rate', 'errors' or 'latency'. null if there is no knee
 */
function kneeOf (points) {
  const last = points.findLastIndex(({ target }) => target.keepsUp)
  // A target that keeps up with a rate can keep up with lower ones, too: if one of those failed, that was an accident.
  const kept = points.filter(({ target }) => target.keepsUp)
  if (kept.length === 0) return null
  const knee = strongest(kept, 'p50')
  const beyond = [...kept.slice(kept.indexOf(knee) + 1), ...points.slice(last + 1)]
    .find(({ target }) => reasonBeyond(target, knee.target) !== null)
  return beyond === undefined ? null : described('rate', knee, beyond, reasonBeyond(beyond.target, knee.target))
}

/**
 * Finds the knee of a sweep of connections: the highest number of users with whom a target had at least 90% of its best power. Beyond it,
 * further users bring latency instead of throughput.
 *
 * Power has the mean latency here: in the closed model, the mean follows from the throughput (Little's law), while the median depends on
 * how requests queue.
 *
 * @param {object[]} points as for `kneeOf`; `at` is the number of connections
 * @returns {object|null} as `kneeOf`, with `connections` instead of `rate`; `reason` is 'throughput' or 'errors'. null if the sweep
 *   didn't go beyond it
 */
function kneeOfUsers (points) {
  const answered = points.filter(({ target }) => target.responseTime !== null)
  if (answered.length === 0) return null
  const knee = strongest(answered, 'responseTime')
  const beyond = points.find(({ at }) => at > knee.at)
  return beyond === undefined ? null : described('connections', knee, beyond, failsMore(beyond.target, knee.target) ? 'errors' : 'throughput')
}

// The far end of the maximum of power, among the points with the fewest failures.
function strongest (points, latency) {
  const powerOf = ({ target }) => target.sustained === 0 ? 0 : target.sustained / target[latency]
  const fewest = Math.min(...points.map(({ target }) => failedPercent(target)))
  const good = points.filter(({ target }) => failedPercent(target) <= fewest + MORE_ERRORS_PERCENT)
  const best = Math.max(...good.map(powerOf))
  return good.findLast((point) => powerOf(point) >= NEAR_BEST * best)
}

function described (place, { at, target: { name, achieved, p50, p99 } }, beyond, reason) {
  return { name, [place]: at, achieved, p50, p99, beyond: beyond.at, reason, limitedBy: reason === 'errors' ? beyond.errorsBy ?? 'server' : beyond.limitedBy }
}

function reasonBeyond (target, knee) {
  if (!target.keepsUp) return 'rate'
  if (failsMore(target, knee)) return 'errors'
  return target.p50 >= LATENCY_GROWTH * knee.p50 ? 'latency' : null
}

const failsMore = (target, knee) => failedPercent(target) > failedPercent(knee) + MORE_ERRORS_PERCENT

// Responses that are failures, such as those with status 500, are errors too. Other sources of rows have only errors.
function failedPercent ({ failures, errors, completed, errorPercent }) {
  return failures === undefined || !(errors + completed > 0) ? errorPercent : 100 * failures / (errors + completed)
}

module.exports = { kneeOf, kneeOfUsers }
