'use strict'

const Round = require('../../../../lib/run/round')
const Recorder = require('../../../../lib/metrics/recorder')
const defectIn = require('./plant')

// Between samples, whose percentiles have a precision of a thousandth.
const LIMIT_MS = 37.77
const NEAR = 0.002

const sum = (counts) => counts.reduce((total, count) => total + count, 0)
const otherThan2xx = (statuses) => sum(Object.entries(statuses).filter(([name]) => name !== '2xx').map(([, count]) => count))

/*
 * What each threshold is on: `inSample` adds up to the number that must not exceed `most`, `inAll` is that number in the result.
 */
const JUDGED = {
  'errors == 0': { most: 0, inSample: ({ errors }) => errors, inAll: ({ errors }) => errors },
  'errors <= 2': { most: 2, inSample: ({ errors }) => errors, inAll: ({ errors }) => errors },
  'non2xx == 0': { most: 0, inSample: ({ statuses }) => otherThan2xx(statuses), inAll: (result) => result.non2xx },
  '5xx <= 1': { most: 1, inSample: ({ statuses }) => statuses['5xx'] ?? 0, inAll: (result) => result['5xx'] },
  'sessions.failed == 0': { most: 0, isOf: isOfSessions, inSample: ({ sessions }) => sessions.failed, inAll: ({ sessions }) => sessions.failed },
  'sessions.completed < 5': { most: 4, isOf: isOfSessions, inSample: ({ sessions }) => sessions.completed, inAll: ({ sessions }) => sessions.completed },
  'scenarios.scenario0.errors == 0': { most: 0, isOf: ({ mix }) => mix !== undefined, inAll: ({ scenarios }) => scenarios[0].errors },
  [`latency.max < ${LIMIT_MS}ms`]: { isTime: true }
}

function isOfSessions ({ opts }) {
  return opts.sessions !== undefined
}

/** Thresholds with sessions, mixes and everything else, which may end the run with any sample. */
function draw (dice, drawn) {
  const { opts, messages, calls, edge } = drawn
  const isTaken = [opts.thresholds, messages, calls].some((each) => each !== undefined) || edge === 'samples'
  if (isTaken || !dice.happens(isOfSessions(drawn) ? 0.3 : 0.05)) return
  const names = Object.keys(JUDGED).filter((name) => JUDGED[name].isOf?.(drawn) ?? true)
  opts.thresholds = [...new Set(Array.from({ length: dice.whole(1, 3) }, () => dice.one(...names)))]
  if (dice.happens(0.7)) opts.abortOnFail = true
  if (dice.happens(0.7)) opts.sampleInt = dice.one(50, 100, 250)
}

const isIn = ({ opts, messages, calls }) => opts.thresholds?.some((threshold) => JUDGED[threshold] !== undefined) === true && messages === undefined && calls === undefined

/** A threshold on a count passes if the count meets it; and a run ends with the first sample in which it no longer can, and no earlier. */
function check ({ must, drawn, parts, result }) {
  // A warm-up has none.
  if (result.thresholds === undefined) return
  for (const { threshold, passed } of result.thresholds) {
    const { most, inAll } = JUDGED[threshold] ?? {}
    if (inAll === undefined) continue
    const isMet = inAll(result) <= most
    // If nothing was answered, or not everything, what statuses would have been is unknown.
    const isKnown = !isMet || /^(errors|sessions)/.test(threshold)
    must(!isKnown || passed === isMet, `${threshold} ${passed ? 'passed' : 'failed'} with ${inAll(result)}`)
  }
  const isAborted = result.warnings.some(({ code }) => code === 'ABORTED_ON_FAIL')
  must(!isAborted || drawn.opts.abortOnFail === true, 'it ended early, although no threshold may end it')
  if (drawn.opts.abortOnFail !== true || !drawn.opts.thresholds.every((threshold) => JUDGED[threshold]?.inAll !== undefined || JUDGED[threshold]?.isTime)) return
  const lostAt = drawn.opts.thresholds.map((threshold) => lostIn(JUDGED[threshold], result))
  must(!isAborted || lostAt.some((at) => at !== Infinity) || drawn.mix !== undefined, 'it ended early, although each threshold could still be met')
  // The rest after the sample may be a sample of its own. Threads hear of it by messages, when others have gone on.
  const first = Math.min(...lostAt)
  if (parts.length === 1 && !drawn.threads) must(first >= result.timeline.length - 2, `a threshold was lost with sample ${first} of ${result.timeline.length}, and the run went on`)
}

// The sample with which a threshold can no longer be met.
function lostIn ({ most, inSample, isTime }, { timeline, errors, latencyBounds: { count } }) {
  if (isTime) {
    const at = timeline.findIndex(({ max, latencyBounds }) => max > LIMIT_MS * (1 + NEAR) || latencyBounds?.count > 0)
    const isNear = timeline.some(({ max }) => Math.abs(max - LIMIT_MS) <= NEAR * LIMIT_MS)
    if (at !== -1) return at
    // Samples don't count what was dropped before it could be sent.
    return isNear || errors + count > 0 ? timeline.length : Infinity
  }
  if (inSample === undefined) return Infinity
  let total = 0
  const at = timeline.findIndex((sample) => { total += inSample(sample); return total > most })
  return at === -1 ? Infinity : at
}

const mayAbort = ({ opts, threads }) => opts.abortOnFail === true && threads === undefined && opts.thresholds.some((threshold) => JUDGED[threshold]?.inSample !== undefined)

const defects = {
  'a threshold that is lost, which is only looked at in the end': defectIn(Round, 'abortWhenLost', () => () => {}, mayAbort),
  'a failed session that the numbers so far leave out': defectIn(Recorder, 'interim', (original) => function () {
    const interim = original.call(this)
    return interim.sessions?.counters === undefined ? interim : { ...interim, sessions: { ...interim.sessions, counters: { ...interim.sessions.counters, failed: 0 } } }
  }, (drawn) => mayAbort(drawn) && drawn.opts.thresholds.includes('sessions.failed == 0'))
}

module.exports = { name: 'aborts', draw, isIn, check, defects }
