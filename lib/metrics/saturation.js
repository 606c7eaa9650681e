'use strict'

// In the closed model a busy event loop is the sign, in the open model lateness that users of the server never saw. A loop
// too busy to see the answers is late nowhere, since it thinks that the server is: there the missing rate gives it away.
const BUSY_UTILIZATION = 0.95
// In its first moments any program is busy with itself: code is compiled, connections are opened.
const TELLING_SECONDS = 0.25
const LATE_MILLISECONDS = 1
const LATE_SHARE = 0.1
const ACHIEVED_SHARE = 0.99

/**
 * Why the numbers of a run are the load generator's as much as the server's.
 *
 * @param {object} generator of the result, see engine/generator.js
 * @param {boolean} isOpen whether the run was one of the open model
 * @param {object} result its `duration`, `latency`, `sendDelay` and `rate`
 * @param {object} plan
 * @returns {string[]} none: they are the server's
 */
function reasonsForSaturation (generator, isOpen, { duration, latency, sendDelay, rate }, { pacing }) {
  const reasons = []
  const isShort = !isOpen || rate?.achieved < ACHIEVED_SHARE * rate?.offered
  if (isShort && duration >= TELLING_SECONDS && latency.totalCount > 0 && generator.eventLoop.utilization >= BUSY_UTILIZATION) {
    reasons.push(`the event loop of the load generator was busy ${Math.round(generator.eventLoop.utilization * 100)} % of the time, so the server may well be faster than these numbers say`)
  }
  const [level, inWords] = tellingPercentile(latency.totalCount)
  const late = sendDelay.client[level]
  if (isOpen && late > LATE_MILLISECONDS && late > LATE_SHARE * latency[level]) {
    const byChoice = pacing === 'sleep' ? "; pacing 'sleep' alone makes up to 1 ms, 'precise' does not" : ''
    reasons.push(`the load generator itself sent requests late (${late} ms at the ${inWords} percentile${byChoice}), and that is part of the latency shown`)
  }
  return reasons
}

// Of few requests the 99th percentile is the slowest, and of fewer the 90th: one pause of the machine is not a generator
// that is too slow.
function tellingPercentile (count) {
  if (count < 10) return ['p50', '50th']
  return count < 100 ? ['p90', '90th'] : ['p99', '99th']
}

module.exports = reasonsForSaturation
