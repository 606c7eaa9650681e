'use strict'

const { countsOf, unverifiedOf } = require('./counts')
const { interruptedName, missingName } = require('./figures')
const histogramsOf = require('./histograms')
const { calls } = require('./parts/calls')
const { checksResult } = require('./parts/checks')
const { sessionsResult, interimSessions } = require('./parts/sessions')
const Span = require('./span')
const { boundStatistics, durationStatistics, missingStatistics, interimStatistics } = require('./statistics')
const { composeBounds, composeInterrupted, composeMissing, composeTimings } = require('./timings')

// What a scenario has of the fields of a result, so that thresholds are judged as they are for a whole run.
const MISSING = ['latency', 'serviceTime', 'sessionLifetime', 'sessionFailTime']

/**
 * An entry of `result.scenarios`: the fields have the meaning that they have in the result itself.
 *
 * @param {{ name: string, weight: number, summary: object }} scenario merged
 * @param {object} run the argument of buildResult
 */
function scenarioResult ({ name, weight, summary }, { seconds, scheduleSeconds, summary: whole }) {
  const timings = composeTimings(summary)
  const bounds = composeBounds(summary, timings)
  const missing = missingIn(summary, timings)
  const interrupted = Object.entries(composeInterrupted(summary)).filter(([figure]) => MISSING.includes(figure))
  const { latency, serviceTime } = timings
  const { lifetime, failTime } = summary.sessions
  return {
    name,
    weight,
    sessions: sessionsResult(summary.sessions, seconds, scheduleSeconds),
    ...scenarioCounts(summary),
    ...bodiesOf(summary, timings),
    latency: durationStatistics(latency),
    latencyBounds: boundStatistics(bounds.latency, latency),
    serviceTime: durationStatistics(serviceTime),
    checks: checksOf(name, whole),
    missing: Object.fromEntries(missing.map(([figure, values]) => [figure, missingStatistics(values)])),
    ...(interrupted.length > 0 && { interrupted: Object.fromEntries(interrupted.map(([figure, values]) => [figure, missingStatistics(values)])) }),
    histograms: histogramsOf(Object.fromEntries([
      ['latency', latency], ['latencyBounds', bounds.latency], ['serviceTime', serviceTime], ['sessionLifetime', lifetime],
      ...(missing.some(([figure]) => figure === 'sessionFailTime') ? [['sessionFailTime', failTime]] : []),
      ...missing.map(([figure, values]) => [missingName(figure), values]),
      ...interrupted.map(([figure, values]) => [interruptedName(figure), values])
    ]))
  }
}

function checksOf (name, { checks }) {
  return checksResult(checks ?? []).filter(({ scenario }) => scenario === name)
}

function scenarioCounts (summary) {
  const { connectionStats, bytes, resets, errorCodes, '1xx': informational, ...counts } = countsOf(summary)
  return { ...counts, ...(hasCalls(summary) && calls.result(summary.endpoints)) }
}

function bodiesOf (summary, timings) {
  const unverified = unverifiedOf(summary, timings)
  return unverified === undefined ? {} : { unverified }
}

const hasCalls = (summary) => calls.of(summary) !== null

function missingIn (summary, timings, Kind) {
  return Object.entries(composeMissing(summary, timings, Kind)).filter(([figure]) => MISSING.includes(figure))
}

/** The same of a run that is still in progress: those fields that can change in one direction only, see interim-result.js. */
function interimScenario ({ name, summary }, whole) {
  const timings = composeTimings(summary, Span)
  const { accounting: { unfinished, ...accounting }, ...counts } = scenarioCounts(summary)
  return {
    name,
    ...counts,
    accounting,
    ...bodiesOf(summary, timings),
    sessions: interimSessions(summary.sessions),
    latency: interimStatistics(timings.latency),
    latencyBounds: boundStatistics(composeBounds(summary, timings, Span).latency, timings.latency),
    serviceTime: interimStatistics(timings.serviceTime),
    checks: checksOf(name, whole),
    missing: Object.fromEntries(missingIn(summary, timings, Span).map(([figure, values]) => [figure, missingStatistics(values)]))
  }
}

module.exports = { scenarioResult, interimScenario }
