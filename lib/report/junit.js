'use strict'

const { readingResults } = require('../base/errors')
const { verdictsOf } = require('../thresholds/evaluate')
const { verdictInWords } = require('../thresholds/words')
const { doneOf, nounOf } = require('../words/noun')
const { counted } = require('../words/numbers')
const { causesOfErrors, failureFigures, kindsOfFailures } = require('./failures')
const { caption } = require('./summary')
const { clean, cleanName } = require('./text')
const { checkRun, readResult } = require('./well-formed')

/**
 * Returns a result as a JUnit test suite, for CI systems. Each threshold is a test case, and so is each check of user code; the test case `answers` fails if there was
 * no response. Warnings are in `system-out`.
 *
 * @param {object} given the result of a run; also read from JSON
 * @returns {string} XML
 * @throws {CannonadeError} CANNONADE_BAD_RESULT if it isn't the result of a run
 */
function toJUnit (given) {
  checkRun(given)
  const result = readResult(given)
  const cases = [answers(result), ...result.checks.map(check), ...verdictsOf(result).map(threshold)]
  const failures = cases.filter(({ failure }) => failure !== null).length
  const name = cleanName(result?.title ?? '') || 'cannonade'
  const seconds = typeof result?.duration === 'number' ? result.duration : 0
  const start = new Date(result?.start ?? NaN)
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${cases.length}" failures="${failures}" time="${seconds}">`,
    `  <testsuite name="${attribute(name)}" tests="${cases.length}" failures="${failures}" errors="0" skipped="0" time="${seconds}"${Number.isNaN(start.getTime()) ? '' : ` timestamp="${start.toISOString().slice(0, 19)}"`}>`,
    ...cases.flatMap((each) => caseLines(each, name)),
    ...systemOut(result),
    '  </testsuite>',
    '</testsuites>'
  ]
  return lines.join('\n') + '\n'
}

function answers (result) {
  const completed = result?.accounting?.completed ?? result?.requests?.total ?? 0
  const causes = causesOfErrors(result).map(([code, { count, message }]) => `${count} × ${clean(code)}${message ? `: ${clean(message)}` : ''}`)
  return { name: 'answers', failure: completed > 0 ? null : [`no ${nounOf(result)} got a response`, ...causes].join('\n') }
}

function check ({ name, scenario, passed, failed }) {
  const failure = failed > 0 ? `${failed} of ${passed + failed} times the check '${cleanName(name)}' failed` : null
  return { name: `check: ${[scenario, name].filter(Boolean).map(cleanName).join(': ')}`, failure }
}

function threshold (verdict) {
  return { name: cleanName(verdict.threshold), failure: verdict.passed ? null : cleanName(verdictInWords(verdict)) }
}

function caseLines ({ name, failure }, suite) {
  const open = `    <testcase classname="${attribute(suite)}" name="${attribute(name)}"`
  if (failure === null) return [`${open}/>`]
  return [`${open}>`, `      <failure message="${attribute(failure.split('\n', 1)[0])}">${text(failure)}</failure>`, '    </testcase>']
}

function systemOut (result) {
  const words = [caption(result), summary(result), ...result.warnings.map(({ message }) => `Warning: ${clean(message)}`)].filter(Boolean)
  return words.length === 0 ? [] : [`    <system-out>${text(words.join('\n'))}</system-out>`]
}

function summary (result) {
  const { count, share, isBad } = failureFigures(result)
  const completed = result.accounting?.completed ?? result.requests?.total ?? 0
  const noun = nounOf(result)
  return `${counted(completed, noun)} ${doneOf(noun)}, ${isBad ? `${count} failures (${[share, ...kindsOfFailures(result)].join('; ')})` : 'no failures'}`
}

// Characters that XML 1.0 cannot represent. `clean` has removed control characters already.
// eslint-disable-next-line no-control-regex
const IMPOSSIBLE = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

function text (value) {
  return value.replace(IMPOSSIBLE, '\ufffd').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function attribute (value) {
  return text(value).replaceAll('"', '&quot;').replace(/\s/g, ' ')
}

module.exports = readingResults(toJUnit)
