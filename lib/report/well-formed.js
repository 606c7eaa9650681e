'use strict'

const { CannonadeError, CODES } = require('../base/errors')
const { inWords, list, maybe, number, object, oneOrMore, orNull, record, text, truth } = require('./flaws')

/*
 * What results and the answers of studies must be like to be shown. They come from files as well, which anybody may have
 * written; whoever has seen them through here can rely on these fields, and on no others. Results of other programs have
 * fewer fields than ours.
 */

const something = () => null
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

const target = object({ name: text, url: maybe(oneOrMore(text)) })
const knee = object({ name: text, rate: number, p50: maybe(number), p99: maybe(number), beyond: number, reason: text })

const measured = object({
  name: text,
  achieved: number,
  requestRate: maybe(number),
  connectionRate: maybe(number),
  replyRate: maybe(object({ min: maybe(number), avg: maybe(number), max: maybe(number), stddev: maybe(number) })),
  timeToFirstByte: maybe(number),
  netIO: maybe(number),
  p50: maybe(number),
  p99: maybe(number),
  errors: number
})

const sweep = object({
  rows: list(object({ demanded: number, targets: list(measured) })),
  knee: maybe(oneOrMore(maybe(knee))),
  targets: list(target),
  warnings: maybe(list(anything))
})

const capacity = object({
  target,
  slo: list(text),
  capacity: number,
  interval: twoBounds(maybe(number)),
  steps: list(object({ rate: number, phase: text, achieved: number, p50: maybe(number), p99: maybe(number), passed: truth, missed: list(text), verdicts: maybe(list(object({ threshold: text, unit: maybe(text) }))) })),
  knee: maybe(knee),
  warnings: maybe(list(anything))
})

const metric = object({
  a: maybe(number),
  b: maybe(number),
  difference: maybe(number),
  interval: orNull(twoBounds(maybe(number))),
  smallestDifference: maybe(number),
  verdict: text
})

const check = object({ metric: text, limit: number, regression: maybe(number), smallestDifference: maybe(number), passed: truth, verdict: maybe(text), interval: maybe(twoBounds(maybe(number))), needed: maybe(anything) })

const comparison = object({
  sides: list(object({ name: text, url: maybe(oneOrMore(text)), runs: number })),
  comparisons: list(object({ metrics: record(metric), verdict: text, regression: maybe(object({ checks: list(check) })) })),
  warnings: maybe(list(anything))
})

const step = object({ rate: number, outgoing: number, reason: maybe(text) })
const threshold = maybe(object({ outgoing: number, spread: twoBounds(number) }))

const jamming = object({
  target,
  levels: list(object({
    connections: number,
    payload: maybe(number),
    points: list(object({ rate: number, outgoing: number, p50: maybe(number), p99: maybe(number), mean: maybe(number), lastCopyP99: maybe(number), lost: number, drops: number })),
    knee: maybe(step),
    failure: maybe(step),
    lastGood: maybe(step),
    recovery: maybe(object({ rate: number, seconds: maybe(number), within: number })),
    limitedBy: maybe(text)
  })),
  threshold,
  payloads: maybe(list(object({ payload: number, threshold, limitedBy: maybe(text) }))),
  limit: maybe(number),
  warnings: maybe(list(anything))
})

function twoBounds (kind) {
  return (value, path) => list(kind)(value, path) ?? (value.length === 2 ? null : { path, must: 'an array of two', value })
}

const STUDIES = {
  sweep: { is: sweep, what: 'the answer of a sweep' },
  capacity: { is: capacity, what: 'the answer of a search for the capacity' },
  jamming: { is: jamming, what: 'the answer of a search for the jamming threshold' },
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
  if (Object.hasOwn(STUDIES, value?.kind ?? '')) throw new CannonadeError(CODES.BAD_RESULT, `This is ${STUDIES[value.kind].what}, and not the result of a run`)
  const flaw = run(value, [])
  if (flaw !== null) throw new CannonadeError(CODES.BAD_RESULT, `This cannot be read as the result of a run: ${inWords(flaw)}`)
}

module.exports = { checkRun, checkWellFormed }
