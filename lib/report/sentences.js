'use strict'

const { atLeast, count: inDigits, counted, isNumber, time } = require('../words/numbers')
const { causesOfErrors } = require('./failures')
const { clean, cleanName } = require('./text')
const { nounOf } = require('../words/noun')
const { isMarked } = require('../thresholds/marked')

const MOST_CAUSES = 10
const WORTH_TELLING = 0.1
const BOXES = ['scheduled', 'unsent', 'sent', 'completed', 'failed', 'timedOut', 'unfinished']

const PHASES = new Map([
  ['dns', 'while looking up the host name'],
  ['connect', 'while connecting'],
  ['tls', 'in the TLS handshake'],
  ['send', 'while sending'],
  ['receive', 'while receiving'],
  ['parse', 'while reading the response'],
  ['timeout', 'while waiting for the response']
])

/**
 * Returns what a reader of the tables must not miss, in words. Empty if nothing went wrong.
 *
 * @param {object} result from `readResult`
 * @returns {{ severity: 'error' | 'warning' | 'note', text: string }[]} paragraphs, free of control characters
 */
function sentences (result) {
  return [
    ...errors(result),
    ...missingRequests(result),
    ...warnings(result),
    ...saturatedGenerator(result),
    ...findings(result),
    ...waitBeforeSending(result),
    ...thresholds(result)
  ]
}

function errors (result) {
  const isWarnedOf = result.warnings.some(({ code }) => code === 'NO_FILE_DESCRIPTORS')
  const causes = causesOfErrors(result)
  const shown = causes.slice(0, MOST_CAUSES).map(([code, cause]) => {
    const message = cause.message ? `: ${clean(cause.message)}` : ''
    return { severity: 'error', text: `${inDigits(cause.count)} × ${clean(code)}${phasesOf(cause)}${message}${adviceOn(code, cause, isWarnedOf)}` }
  })
  const rest = causes.slice(MOST_CAUSES)
  if (rest.length === 0) return shown
  const others = rest.reduce((sum, [, { count }]) => sum + count, 0)
  return [...shown, { severity: 'error', text: `${counted(others, 'error')} of ${counted(rest.length, 'other kind')}: see errorCodes in the JSON result.` }]
}

const TOO_MANY_FILES = 'this process may not open more files: raise the limit (ulimit -n 65536) or use fewer connections.'
const NO_TLS = 'the server did not respond with TLS: is this an http port instead of an https port?'

// Adds advice if neither the system's error message nor a warning says what to do.
function adviceOn (code, { message }, isWarnedOf) {
  const advice = !isWarnedOf && (code === 'EMFILE' || code === 'ENFILE') ? TOO_MANY_FILES : /wrong version number|packet length too long/i.test(message) ? NO_TLS : ''
  return advice && `. That means: ${advice}`
}

function phasesOf ({ phase, phases }) {
  const counts = Object.entries(phases ?? {}).filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a)
  if (counts.length > 1) return ` (${counts.map(([name, count]) => `${count} ${inWords(name)}`).join(', ')})`
  return phase ? ` ${inWords(phase)}` : ''
}

const inWords = (phase) => PHASES.get(phase) ?? `(${clean(phase)})`

// Reports missing requests, except those that were merely in flight when time was up: in the closed model, that is always
// one per slot.
function missingRequests (result) {
  const { accounting, rate, connections, pipelining } = result
  if (!BOXES.every((box) => isNumber(accounting?.[box]))) return []
  const { scheduled, unsent, sent, completed, failed, timedOut, unfinished } = accounting
  const inFlight = rate ? 0 : connections * pipelining
  if (!(unsent > 0 || failed > 0 || unfinished > inFlight || (completed === 0 && sent > 0))) return []
  const parts = [
    [failed, 'failed'], [timedOut, 'timed out'], [unfinished, 'still in flight at the end'], [unsent, 'never sent']
  ].filter(([count]) => count > 0).map(([count, what]) => `${inDigits(count)} ${what}`)
  const of = scheduled > sent ? `${counted(scheduled, nounOf(result))} that came due` : `${counted(sent, nounOf(result))} sent`
  return [{ severity: 'error', text: `Of ${of}, ${inDigits(completed)} completed, ${parts.join(', ')}.` }]
}

function warnings (result) {
  return result.warnings.filter(({ message }) => message)
    .map(({ message }) => ({ severity: 'warning', text: `Warning: ${clean(message).replace(/^Warning: /, '')}` }))
}

// Results usually contain this as a warning; results assembled elsewhere may contain only the verdict.
function saturatedGenerator ({ generator, warnings }) {
  if (!generator?.saturated || warnings.some(({ code }) => code === 'GENERATOR_SATURATED')) return []
  const reasons = [generator.reasons ?? []].flat().map(clean).join('; ')
  const why = reasons ? ` (${reasons})` : ''
  return [{
    severity: 'warning',
    text: `Warning: the load generator was saturated${why}, so these numbers include its delays. Use more workers, fewer hooks, or another machine.`
  }]
}

// Only the open model distinguishes response time from service time, and readers need the explanation only if the two
// differ.
function waitBeforeSending (result) {
  const { rate, latency, serviceTime } = result
  if (!rate || !isNumber(latency?.p99) || !isNumber(serviceTime?.p99)) return []
  if (serviceTime.totalCount === 0 || latency.p99 - serviceTime.p99 <= WORTH_TELLING * serviceTime.p99) return []
  return [{
    severity: 'note',
    text: `Latency is the response time a user feels: it counts from when a ${nounOf(result)} was due, and includes those that timed out. Service time counts from when it was sent, for completed ${nounOf(result)}s only. At the 99th percentile they are ${atLeast(time(latency.p99), isMarked(result, 'p99'))} and ${time(serviceTime.p99)}.`
  }]
}

const findings = (result) => result.diagnosis === null ? [] : require('./diagnosis').findingSentences(result)

function thresholds (result) {
  if ((result.thresholds ?? []).length === 0) return []
  // Loaded on demand, since few runs have thresholds.
  const { verdictsOf } = require('../thresholds/evaluate')
  const { verdictInWords } = require('../thresholds/words')
  return verdictsOf(result).map((threshold) => ({
    severity: threshold.passed ? 'note' : 'error',
    text: `Threshold ${threshold.passed ? 'passed' : 'FAILED'}: ${cleanName(verdictInWords(threshold))}`
  }))
}

/**
 * Returns the sentences that are printed even in terse output: warnings, findings and failed thresholds.
 *
 * @param {object} result
 * @returns {object[]} in the form of `sentences`
 */
function verdictSentences (result) {
  return [...warnings(result), ...saturatedGenerator(result), ...findings(result), ...thresholds(result).filter(({ severity }) => severity === 'error')]
}

module.exports = Object.assign(sentences, { verdictSentences })
