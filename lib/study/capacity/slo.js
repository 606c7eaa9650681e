'use strict'

const { evaluateThresholds, parseThresholds } = require('../../thresholds')
const { assess } = require('../keeping-up')

/** What a rate has to meet although nobody said so: a server that does not answer, or only with errors, has no capacity. */
const IMPLIED = '5xx < 1%'
/** And of whose sessions many fail has none either. */
const IMPLIED_OF_SESSIONS = 'sessions.failed < 1%'
// The units of durations and rates.
const SPEEDS = new Set(['ms', 's', '/s', 'B/s'])
const ABOUT_STATUS = /^(5xx|2xx|non2xx|statusCodeStats)\b/

/**
 * @param {object[]} slo parsed thresholds
 * @param {boolean} [hasSessions] whether what arrives is a session
 * @returns {object[]} with those that are implied, where none of their own is about the same
 */
function withImplied (slo, hasSessions = false) {
  const implied = [
    ...(slo.some(({ metric }) => ABOUT_STATUS.test(metric)) ? [] : [IMPLIED]),
    ...(!hasSessions || slo.some(({ metric }) => metric === 'sessions.failed') ? [] : [IMPLIED_OF_SESSIONS])
  ]
  return implied.length === 0 ? slo : [...slo, ...parseThresholds(implied)]
}

/**
 * Which thresholds a run at a rate has not met. `rate.achieved` is here judged as keeping up is: in short runs, what is
 * still being answered at their end would count as missing, and so would a request on the edge of a sample.
 *
 * @param {object} result
 * @param {object[]} slo as withImplied gives them
 * @param {{ rate: number, arrivals: string, enough: number, assessment: object }} load see assess; `assessment`: what it
 *   says, where that is known already
 * @returns {{ missed: string[], verdicts: object[], isAboutSpeed: boolean }} `verdicts`: of all of them, as
 *   evaluateThresholds gives them. `missed`: empty where the rate passes; that the server did not keep up comes last, since it follows from what a user has asked for more often than the other way round. isAboutSpeed: the
 *   first is about how fast the answers came, and not about what they were
 */
function missedBy (result, slo, { rate, arrivals, enough, assessment = assess(result, rate, { arrivals, enough }) }) {
  const share = Math.min(1, assessment.answered / rate)
  const fair = { ...result, ...fairRates(result, rate, share, assessment.answered) }
  const asked = evaluateThresholds(fair, slo)
  const verdicts = [...asked, keepingUp(rate, enough, assessment, result.sessions === undefined ? 'rate.achieved' : 'sessions.rate.achieved')]
  const missed = verdicts.filter(({ passed }) => !passed).map(({ threshold }) => threshold)
  const first = asked.find(({ passed }) => !passed)
  return { missed, verdicts, isAboutSpeed: first === undefined || SPEEDS.has(first.unit) || /^(sessions\.)?rate\./.test(first.metric) }
}

function fairRates ({ rate: { offered }, sessions }, demanded, share, answered) {
  if (sessions === undefined) return { rate: { offered, achieved: Math.min(offered, answered) } }
  return { rate: { offered, achieved: offered * share }, sessions: { ...sessions, rate: { offered: sessions.rate.offered, achieved: sessions.rate.offered * share } } }
}

// Whether the server keeps up, as the verdict of a threshold.
function keepingUp (rate, enough, { answered, keepsUp }, metric) {
  const limit = Number((enough * 100).toPrecision(4))
  const actual = Number((100 * answered / rate).toPrecision(6))
  return { threshold: `${metric} >= ${limit}%`, metric, operator: '>=', limit, unit: '%', actual, passed: keepsUp, certain: true }
}

module.exports = { withImplied, missedBy }
