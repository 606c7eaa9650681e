'use strict'

const { CannonadeError, CODES } = require('../base/errors')
const { anything: something, inWords, list, loose, maybe, number, object, oneOrMore, orNull, record, text, truth, two, url } = require('./flaws')

/*
 * What results and the answers of studies must be like to be shown. They come from files as well, which anybody may have
 * written; whoever has seen them through here can rely on these fields, and on no others. Results of other programs have
 * fewer fields than ours.
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
  warnings: maybe(list(anything)),
  thresholds: maybe(list(anything)),
  fleet: maybe(object({ agents: list(object({ name: text, outcome: text })) }))
}
const result = object(resultFields)
const run = object({ duration: number, ...resultFields })

/* The answers of studies. Read, they have these fields and no others, and texts are fit to be shown. */

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
const knee = object({ name: text, rate: number, p50: maybe(number), p99: maybe(number), beyond: number, reason: text, limitedBy: loose(text) })
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
  unsent: loose(number),
  keepsUp: loose(truth),
  saturated: loose(truth),
  limitedBy: loose(text),
  stream: loose(object({ rate: loose(number), timeToFirstEvent: ofStream, gap: ofStream }))
})

const sweep = object({
  ...about,
  rows: list(object({ demanded: number, targets: list(measured) })),
  knee: maybe(oneOrMore(maybe(knee))),
  targets: list(target),
  stoppedBy: loose(text)
})

const capacity = object({
  ...about,
  target,
  slo: list(text),
  capacity: number,
  interval: two(maybe(number)),
  limitingThreshold: loose(text),
  limitedBy: loose(text),
  reasons: loose(list(text)),
  isConfirmed: loose(truth),
  steps: list(object({
    rate: number,
    phase: text,
    achieved: number,
    p50: maybe(number),
    p99: maybe(number),
    atLeast: loose(list(text)),
    passed: truth,
    missed: list(text),
    errors: loose(number),
    completed: loose(number),
    duration: loose(number),
    limitedBy: loose(text),
    verdicts: maybe(list(object({ threshold: text, unit: maybe(text), actual: loose(number), limit: loose(number), atLeast: loose(number), passed: loose(truth), unanswered: something })))
  })),
  knee: maybe(knee),
  precision: loose(number),
  connections: loose(number),
  seconds: loose(number)
})

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
const aComparison = object({ name: loose(text), comparedWith: loose(text), metrics: record(metric), verdict: text, regression: maybe(regression) })

const comparison = object({
  ...about,
  sides: list(object({ name: text, url: maybe(oneOrMore(url)), isSaved: loose(truth), runs: number })),
  comparisons: list(aComparison),
  // Of one by an earlier version that has no list.
  metrics: loose(record(metric)),
  verdict: loose(text),
  regression: loose(regression),
  runs: loose(list(object({ side: number, round: number, throughput: number, p50: number, p99: number, errorRate: number }))),
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
      saturated: loose(truth)
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

const STUDIES = {
  sweep: { is: sweep, what: 'the result of a sweep' },
  capacity: { is: capacity, what: 'the result of a capacity search' },
  jamming: { is: jamming, what: 'the result of a search for the jamming threshold' },
  comparison: { is: comparison, what: 'a comparison' }
}

/**
 * Throws unless something that says to be the answer of a study is one, or something that has the fields of a result is
 * sound where it is to be relied on.
 *
 * @param {object} value
 * @param {string} [name] what it is called in the error
 * @throws {CannonadeError} CANNONADE_BAD_RESULT, with one sentence that says where
 */
function checkWellFormed (value, name = 'This') {
  const { is, what } = Object.hasOwn(STUDIES, value.kind) ? STUDIES[value.kind] : { is: result, what: 'the result of a run' }
  const flaw = is(value, [])
  if (flaw !== null) throw new CannonadeError(CODES.BAD_RESULT, `${name} cannot be read as ${what}: ${inWords(flaw)}`)
}

/**
 * Throws unless it is the result of one run, for reports that are of nothing else.
 *
 * @param {*} value
 * @throws {CannonadeError} CANNONADE_BAD_RESULT, with one sentence that says where
 */
function checkRun (value) {
  if (Object.hasOwn(STUDIES, value?.kind ?? '')) throw new CannonadeError(CODES.BAD_RESULT, `This is ${STUDIES[value.kind].what}, not the result of a run`)
  const flaw = run(value, [])
  if (flaw !== null) throw new CannonadeError(CODES.BAD_RESULT, `This cannot be read as the result of a run: ${inWords(flaw)}`)
}

/**
 * The answer of a study as reports rely on it, whatever it is: each field that they know is what it should be, or null or empty, and
 * there are no others. It may lack anything: pages show what there is of one that is under way, or that somebody has changed.
 *
 * @param {object} study with a `kind` that there is
 * @returns {object}
 */
function readStudy (study) {
  return STUDIES[study.kind].is.read(study)
}

const LISTS = ['endpoints', 'monitor', 'thresholds', 'timeline', 'warnings']
const RECORDS = ['closeCodes', 'errorCodes', 'statusCodeStats']

/**
 * The result of a run as reports rely on it, whatever it is: its lists are lists of objects, its records are objects, and so are those
 * of its fleet. Of its figures each is looked at where it is shown, since results of other programs lack many.
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
    // Only calls of gRPC have it.
    grpcStatus: isObject(result.grpcStatus) ? result.grpcStatus : undefined,
    fleet: objectsIn(agents).length > 0 ? { ...fleet, agents: objectsIn(agents) } : null
  }
}

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value)
const objectsIn = (value) => Array.isArray(value) ? value.filter(isObject) : []

module.exports = { checkRun, checkWellFormed, readResult, readStudy }
