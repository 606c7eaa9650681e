'use strict'

const { CannonadeError, CODES } = require('../base/errors')
const { anything: something, inWords, list, loose, maybe, number, object, record, text } = require('./flaws')

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
  stalls: list(object({ pid: number, thread: loose(number), at: number, duration: number, kind: text, stack: list(object(frame)), waiting: number })),
  findings: list(object({ code: text, message: text, share: number })),
  flame: maybe(object({
    frames: list(object({ ...frame, package: maybe(text) })),
    nodes: list(list(number))
  }))
})

// Results of earlier versions have none.
const heat = loose(object({ times: list(number), bounds: list(number), counts: list(list(number)) }))

const STUDIES = {
  sweep: 'the result of a sweep',
  capacity: 'the result of a capacity search',
  jamming: 'the result of a search for the jamming threshold',
  comparison: 'a comparison'
}

// Loaded on demand: a run has none.
const answerOf = (kind) => require('./study/answers')[kind]

/**
 * Throws unless a value is a well-formed answer of a study (if its `kind` names one) or a well-formed result of a run.
 *
 * @param {object} value
 * @param {string} [name] its name in the error
 * @throws {CannonadeError} CANNONADE_BAD_RESULT, with the path of the first flaw
 */
function checkWellFormed (value, name = 'This') {
  const isStudy = Object.hasOwn(STUDIES, value.kind)
  const what = isStudy ? STUDIES[value.kind] : 'the result of a run'
  const flaw = isStudy ? answerOf(value.kind)(value, []) : result(value, [])
  if (flaw !== null) throw new CannonadeError(CODES.BAD_RESULT, `${name} cannot be read as ${what}: ${inWords(flaw)}`)
}

/**
 * Throws unless a value is the result of one run, for reports that support nothing else.
 *
 * @param {*} value
 * @throws {CannonadeError} CANNONADE_BAD_RESULT, with the path of the first flaw
 */
function checkRun (value) {
  if (Object.hasOwn(STUDIES, value?.kind ?? '')) throw new CannonadeError(CODES.BAD_RESULT, `This is ${STUDIES[value.kind]}, not the result of a run`)
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
  return answerOf(study.kind).read(study)
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
