'use strict'

const { CannonadeError, CODES } = require('../base/errors')
const { anything: something, inWords, kind, list, loose, maybe, number, object, oneOrMore, orNull, record, text, truth, two, url } = require('./flaws')

/*
 * Defines the fields that results and answers of studies must have to be shown. They may come from files that anybody
 * wrote; after a check here, code can rely on these fields, and on no others. Results of other programs have fewer
 * fields.
 */

const anything = object({})

const resultFields = {
  latency: object({ p50: something }),
  requests: anything,
  throughput: maybe(anything),
  bytes: maybe(anything),
  accounting: maybe(anything),
  statusCodeStats: maybe(record(anything)),
  errorCodes: maybe(record(object({ count: number, message: maybe(text) }))),
  timeline: maybe(list(anything)),
  endpoints: maybe(list(anything)),
  checks: maybe(list(object({ name: text, passed: number, failed: number }))),
  scenarios: maybe(list(anything)),
  warnings: maybe(list(anything)),
  thresholds: maybe(list(anything)),
  fleet: maybe(object({ agents: list(object({ name: text, outcome: text })) }))
}
const result = object(resultFields)
const run = object({ duration: number, ...resultFields })

/* The answers of studies. `read` returns only these fields, with texts that are safe to display. */

const aWarning = object({ code: loose(text), message: loose(text) })
const about = {
  kind: loose(text),
  ratesOf: loose(text),
  warnings: maybe(list(aWarning)),
  start: something,
  finish: something,
  duration: loose(number),
  options: something,
  environment: something
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
    verdicts: maybe(list(object({ threshold: text, unit: maybe(text), actual: loose(number), limit: loose(number), atLeast: loose(number), passed: loose(truth), unanswered: something })))
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
const regression = object({ verdict: loose(text), passed: loose(truth), checks: list(check) })
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
    failure: maybe(step),
    lastGood: maybe(step),
    recovery: maybe(object({ rate: number, seconds: maybe(number), within: number })),
    limitedBy: maybe(text)
  })),
  threshold,
  limitedBy: loose(text),
  payloads: maybe(list(object({ payload: number, threshold, limitedBy: maybe(text) }))),
  limit: maybe(number)
})

const frame = { function: text, file: maybe(text), line: maybe(number) }
const diagnosis = object({
  processes: list(object({
    pid: number,
    thread: loose(number),
    script: maybe(text),
    eventLoop: object({ utilization: number, delay: object({ p50: maybe(number), p99: maybe(number), max: maybe(number) }) }),
    cpu: object({ user: number, system: number }),
    gc: object({ count: number, total: number, longest: number, share: number }),
    heap: object({ peak: number }),
    hot: list(object({ ...frame, package: maybe(text), self: number, total: number }))
  })),
  stalls: list(object({ pid: number, at: number, duration: number, kind: text, stack: list(object(frame)), waiting: number })),
  findings: list(object({ code: text, message: text, share: number })),
  flame: maybe(object({
    frames: list(object({ ...frame, package: maybe(text) })),
    nodes: list(list(number))
  }))
})

// Results of earlier versions have none.
const heat = loose(object({ times: list(number), bounds: list(number), counts: list(list(number)) }))

const STUDIES = {
  sweep: { is: sweep, what: 'the result of a sweep' },
  capacity: { is: capacity, what: 'the result of a capacity search' },
  jamming: { is: jamming, what: 'the result of a search for the jamming threshold' },
  comparison: { is: comparison, what: 'a comparison' }
}

/**
 * Throws unless a value is a well-formed answer of a study (if its `kind` names one) or a well-formed result of a run.
 *
 * @param {object} value
 * @param {string} [name] its name in the error
 * @throws {CannonadeError} CANNONADE_BAD_RESULT, with the path of the first flaw
 */
function checkWellFormed (value, name = 'This') {
  const { is, what } = Object.hasOwn(STUDIES, value.kind) ? STUDIES[value.kind] : { is: result, what: 'the result of a run' }
  const flaw = is(value, [])
  if (flaw !== null) throw new CannonadeError(CODES.BAD_RESULT, `${name} cannot be read as ${what}: ${inWords(flaw)}`)
}

/**
 * Throws unless a value is the result of one run, for reports that support nothing else.
 *
 * @param {*} value
 * @throws {CannonadeError} CANNONADE_BAD_RESULT, with the path of the first flaw
 */
function checkRun (value) {
  if (Object.hasOwn(STUDIES, value?.kind ?? '')) throw new CannonadeError(CODES.BAD_RESULT, `This is ${STUDIES[value.kind].what}, not the result of a run`)
  const flaw = run(value, [])
  if (flaw !== null) throw new CannonadeError(CODES.BAD_RESULT, `This cannot be read as the result of a run: ${inWords(flaw)}`)
}

/**
 * Converts any value to the answer of a study that reports can rely on: each known field is valid, null or empty, and
 * there are no others. Fields may be missing, because pages also show studies that are in progress or that somebody has
 * edited.
 *
 * @param {object} study with a known `kind`
 * @returns {object}
 */
function readStudy (study) {
  return STUDIES[study.kind].is.read(study)
}

const LISTS = ['checks', 'endpoints', 'monitor', 'scenarios', 'slowest', 'thresholds', 'timeline', 'warnings']
const RECORDS = ['closeCodes', 'errorCodes', 'statusCodeStats']

/**
 * Converts any value to a result of a run that reports can rely on: its lists are arrays of objects, and its records are
 * objects, including those of its fleet. Numbers are validated where they are shown, since results of other programs lack
 * many.
 *
 * @param {object} result
 * @returns {object}
 */
function readResult (result) {
  const { fleet } = result
  const { agents } = isObject(fleet) ? fleet : {}
  return {
    ...result,
    ...Object.fromEntries(LISTS.map((name) => [name, objectsIn(result[name])])),
    ...Object.fromEntries(RECORDS.map((name) => [name, isObject(result[name]) ? result[name] : {}])),
    // Present only for gRPC calls.
    grpcStatus: isObject(result.grpcStatus) ? result.grpcStatus : undefined,
    heat: heat.read(result.heat),
    diagnosis: isObject(result.diagnosis) ? diagnosis.read(result.diagnosis) : null,
    fleet: objectsIn(agents).length > 0 ? { ...fleet, agents: objectsIn(agents) } : null
  }
}

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value)
const objectsIn = (value) => Array.isArray(value) ? value.filter(isObject) : []

module.exports = { checkRun, checkWellFormed, readResult, readStudy }
