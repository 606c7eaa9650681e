'use strict'

const { anything, kind, list, loose, maybe, number, object, oneOrMore, orNull, record, text, truth, two, url } = require('../flaws')

/*
 * The fields of the answers of studies, for well-formed.js. `read` returns only these fields, with texts that are safe to display.
 */

const aWarning = object({ code: loose(text), message: loose(text) })
const about = {
  kind: loose(text),
  ratesOf: loose(text),
  warnings: maybe(list(aWarning)),
  start: anything,
  finish: anything,
  duration: loose(number),
  options: anything,
  environment: anything
}

const target = object({ name: text, url: maybe(oneOrMore(url)) })
const kneeAt = (place) => object({ name: text, [place]: number, achieved: loose(number), p50: maybe(number), p99: maybe(number), beyond: number, reason: text, limitedBy: loose(text) })
const monitored = loose(list(object({ pid: loose(number), cpu: loose(number) })))
const ofStream = loose(object({ p99: loose(number) }))

const measured = object({
  name: text,
  achieved: number,
  requestRate: maybe(number),
  connectionRate: maybe(number),
  replyRate: maybe(object({ min: maybe(number), avg: maybe(number), max: maybe(number), stddev: maybe(number) })),
  timeToFirstByte: maybe(number),
  netIO: maybe(number),
  p50: maybe(number),
  p90: loose(number),
  p99: maybe(number),
  p99_9: loose(number),
  atLeast: loose(list(text)),
  errors: number,
  errorPercent: loose(number),
  completed: loose(number),
  failures: loose(number),
  statuses: loose(record(number)),
  unsent: loose(number),
  keepsUp: loose(truth),
  saturated: loose(truth),
  limitedBy: loose(text),
  stream: loose(object({ rate: loose(number), timeToFirstEvent: ofStream, gap: ofStream })),
  monitor: monitored
})

const sweepBy = (field, placeOfKnee) => object({
  ...about,
  axis: loose(text),
  rows: list(object({ [field]: number, targets: list(measured) })),
  knee: maybe(oneOrMore(maybe(kneeAt(placeOfKnee)))),
  targets: list(target),
  stoppedBy: loose(text)
})
function byAxis (ofRates, ofConnections) {
  const kindOf = (value) => value?.axis === 'connections' ? ofConnections : ofRates
  return kind((value, path) => kindOf(value)(value, path), (value) => kindOf(value).read(value))
}

const sweep = byAxis(sweepBy('demanded', 'rate'), sweepBy('connections', 'connections'))

const capacityBy = (place) => object({
  ...about,
  axis: loose(text),
  target,
  slo: list(text),
  capacity: number,
  interval: two(maybe(number)),
  limitingThreshold: loose(text),
  limitedBy: loose(text),
  reasons: loose(list(text)),
  isConfirmed: loose(truth),
  steps: list(object({
    [place]: number,
    phase: text,
    achieved: number,
    p50: maybe(number),
    p99: maybe(number),
    atLeast: loose(list(text)),
    passed: truth,
    missed: list(text),
    errors: loose(number),
    failures: loose(number),
    statuses: loose(record(number)),
    completed: loose(number),
    duration: loose(number),
    limitedBy: loose(text),
    monitor: monitored,
    verdicts: maybe(list(object({ threshold: text, unit: maybe(text), actual: loose(number), limit: loose(number), atLeast: loose(number), passed: loose(truth), unanswered: anything })))
  })),
  knee: maybe(kneeAt(place)),
  precision: loose(number),
  connections: loose(number),
  seconds: loose(number)
})
const capacity = byAxis(capacityBy('rate'), capacityBy('connections'))

const metric = object({
  a: maybe(number),
  b: maybe(number),
  unit: loose(text),
  scale: loose(text),
  difference: maybe(number),
  interval: orNull(two(maybe(number))),
  smallestDifference: maybe(number),
  atLeast: loose(list(text)),
  verdict: text
})

const check = object({
  metric: text,
  limit: number,
  regression: maybe(number),
  smallestDifference: maybe(number),
  passed: truth,
  verdict: maybe(text),
  interval: maybe(two(maybe(number))),
  needed: maybe(object({ rounds: loose(number), seconds: loose(number) }))
})
const regression = object({ checks: list(check) })
const hot = loose(list(object({ function: text, file: maybe(text), line: maybe(number), package: maybe(text), a: number, b: number })))
const aComparison = object({ name: loose(text), comparedWith: loose(text), metrics: record(metric), verdict: text, regression: maybe(regression), hot })

const comparison = object({
  ...about,
  sides: list(object({ name: text, url: maybe(oneOrMore(url)), isSaved: loose(truth), runs: number, statuses: loose(record(number)) })),
  comparisons: list(aComparison),
  // Earlier versions stored a single comparison here instead of a list.
  metrics: loose(record(metric)),
  verdict: loose(text),
  regression: loose(regression),
  runs: loose(list(object({ side: number, round: number, throughput: number, p50: number, p99: number, errorRate: number, monitor: monitored }))),
  confidence: loose(number),
  falseAlarmRate: loose(number),
  method: loose(text),
  passed: loose(truth),
  regressionVerdict: loose(text)
})

const step = object({ rate: number, outgoing: number, reason: maybe(text) })
const threshold = maybe(object({ outgoing: number, spread: two(number) }))

const jamming = object({
  ...about,
  target,
  levels: list(object({
    connections: number,
    payload: maybe(number),
    points: list(object({
      rate: number,
      outgoing: number,
      received: loose(number),
      p50: maybe(number),
      p99: maybe(number),
      mean: maybe(number),
      max: loose(number),
      lastCopyP50: loose(number),
      lastCopyP99: maybe(number),
      atLeast: loose(list(text)),
      lost: number,
      drops: number,
      saturated: loose(truth),
      monitor: monitored
    })),
    knee: maybe(step),
    lastGood: maybe(step),
    recovery: maybe(object({ rate: number, seconds: maybe(number), within: number })),
    limitedBy: maybe(text)
  })),
  threshold,
  limitedBy: loose(text),
  payloads: maybe(list(object({ payload: number, threshold, limitedBy: maybe(text) }))),
  limit: maybe(number)
})

module.exports = { sweep, capacity, jamming, comparison }
