'use strict'

const { evaluateThresholds, parseThresholds } = require('../../thresholds')
const { assess } = require('../keeping-up')

/** An implicit condition: a server that only returns errors has no capacity. */
const IMPLIED = '5xx < 1%'
/** If no rate is demanded, requests without a response are not missed by it. */
const IMPLIED_OF_ERRORS = 'errorRate < 1%'
/** If bodies are verified, a server that sends wrong ones has no capacity either. What a run left unverified is not held against it. */
const [IMPLIED_OF_BODIES] = parseThresholds('mismatches < 1%')
/** The same for sessions: if many fail, the rate is too high. */
const IMPLIED_OF_SESSIONS = 'sessions.failed < 1%'
/** The same for checks of users, if there are any. */
const IMPLIED_OF_CHECKS = 'checks >= 99%'
/** If runs don't wait for responses at their end, their times say nothing about the responses that they lack. */
const LONG_ENOUGH = 'accounting.unfinished < 20%'
// The units of durations and rates.
const SPEEDS = new Set(['ms', 's', '/s', 'B/s'])
const ABOUT_STATUS = /^(5xx|2xx|non2xx|failures|statusCodeStats)\b/
const ABOUT_ERRORS = /^(errors|errorRate|failures|timeouts|errorCodes|accounting\.(completed|failed|timedOut))\b/
const ABOUT_BODIES = /^(mismatches|failures)\b/
const ABOUT_CHECKS = /^(scenarios\b.*\.)?checks\b/

/**
 * @param {object[]} slo parsed thresholds
 * @param {object} runs
 * @param {boolean} runs.hasSessions whether arrivals are sessions
 * @param {boolean} [runs.demandsRate=true] whether a rate is demanded
 * @param {boolean} [runs.verifiesBodies=false] whether bodies are verified
 * @param {boolean} runs.drains whether runs wait for responses at their end
 * @returns {object[]} the thresholds, plus implicit ones, unless the user's thresholds cover the same subject
 */
function withImplied (slo, { hasSessions, demandsRate = true, verifiesBodies = false, drains }) {
  const isCovered = (subject) => slo.some(({ metric }) => subject.test(metric))
  const implied = [
    ...(isCovered(ABOUT_STATUS) ? [] : [IMPLIED]),
    ...(demandsRate || hasSessions || isCovered(ABOUT_ERRORS) ? [] : [IMPLIED_OF_ERRORS]),
    ...(!verifiesBodies || isCovered(ABOUT_BODIES) ? [] : [IMPLIED_OF_BODIES]),
    ...(!hasSessions || isCovered(/^sessions\.failed$/) ? [] : [IMPLIED_OF_SESSIONS]),
    ...(drains || isCovered(/^accounting\.unfinished$/) ? [] : [LONG_ENOUGH])
  ]
  return implied.length === 0 ? slo : [...slo, ...parseThresholds(implied)]
}

/**
 * Determines which thresholds a run at a rate didn't meet. `rate.achieved` is judged in the same way as keeping up; otherwise,
 * requests still being answered at the end of a short run would count as missing, and so would one at the edge of a sample.
 *
 * @param {object} result
 * @param {object[]} slo from withImplied
 * @param {{ rate: number, arrivals: string, enough: number, assessment: object }} load see assess; `assessment`: its result, if
 *   it is known already. If its `keepsUp` is null, no rate was demanded
 * @returns {{ missed: string[], verdicts: object[], isAboutSpeed: boolean }} `verdicts`: on all thresholds, as in
 *   evaluateThresholds. `missed`: empty if the rate passes; that the server didn't keep up comes last, because it is usually a
 *   consequence of the user's own thresholds, rather than the other way round. `isAboutSpeed`: the first missed threshold is about
 *   how fast responses arrived, not about their contents
 */
function missedBy (result, slo, { rate, arrivals, enough, assessment = assess(result, rate, { arrivals, enough }) }) {
  const isOfRate = assessment.keepsUp !== null
  const all = withChecks(slo, result)
  const asked = evaluateThresholds(isOfRate ? { ...result, ...fairRates(result, rate, assessment) } : result, all)
    .map((verdict, index) => all[index] === IMPLIED_OF_BODIES ? { ...verdict, passed: verdict.actual !== null && verdict.actual < verdict.limit } : verdict)
  const verdicts = isOfRate ? [...asked, keepingUp(rate, enough, assessment, result.sessions === undefined ? 'rate.achieved' : 'sessions.rate.achieved')] : asked
  const failed = verdicts.filter(({ passed }) => !passed).map(({ threshold }) => threshold)
  // A run that is aborted because it failed is short.
  const missed = failed.length > 1 ? failed.filter((threshold) => threshold !== LONG_ENOUGH) : failed
  const first = asked.find(({ passed }) => !passed)
  return { missed, verdicts, isAboutSpeed: first === undefined || SPEEDS.has(first.unit) || /^((sessions\.)?rate\.|accounting\.unfinished$)/.test(first.metric) }
}

// Which checks there are only shows in a run.
function withChecks (slo, { checks = [] }) {
  const isImplied = checks.some(({ passed, failed }) => passed + failed > 0) && !slo.some(({ metric }) => ABOUT_CHECKS.test(metric))
  return isImplied ? [...slo, ...parseThresholds(IMPLIED_OF_CHECKS)] : slo
}

function fairRates ({ rate: { offered }, sessions }, demanded, { answered }) {
  const share = Math.min(1, answered / demanded)
  if (sessions === undefined) return { rate: { offered, achieved: Math.min(offered, answered) } }
  return { rate: { offered, achieved: offered * share }, sessions: { ...sessions, rate: { offered: sessions.rate.offered, achieved: sessions.rate.offered * share } } }
}

// Whether the server keeps up, as the verdict of a threshold.
function keepingUp (rate, enough, { answered, keepsUp }, metric) {
  const limit = Number((enough * 100).toPrecision(4))
  const actual = Number((100 * answered / rate).toPrecision(6))
  return { threshold: `${metric} >= ${limit}%`, metric, operator: '>=', limit, unit: '%', actual, passed: keepsUp, certain: true }
}

module.exports = { LONG_ENOUGH, missedBy, withImplied }
