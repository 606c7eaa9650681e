'use strict'

const { onOneLine } = require('../../base/errors')
const { percent, span } = require('../../words/numbers')
const { silenceWarning } = require('../silence')
const { LONG_ENOUGH } = require('./slo')

// If the share of responses with another status is higher, there is a warning.
const OTHER_STATUS = 0.01

/**
 * Creates the result of a search.
 *
 * @param {Explorer} explorer with the `steps` it has made
 * @param {object} found see search.js
 * @param {object} prepared
 * @returns {object}
 */
function capacityResult (explorer, found, { axis, target, bounds, budget, slo, ratesOf, warnings }) {
  const { steps } = explorer
  const { field } = axis
  const { low, high, isConfirmed } = found
  // If the server went away, that doesn't mean that the rate, or the number of connections, failed.
  const judged = steps.filter((step) => step !== explorer.silence?.step)
  const failed = judged.findLast((step) => !step.passed && (step[field] === high || low === 0)) ?? null
  // If the server never accepted a request, there is no bottleneck to name.
  const isNobodyThere = explorer.idle?.accounting.sent === 0
  const limit = limitOf(judged, isNobodyThere ? null : failed, field)
  const isMaximum = found.isComplete && failed === null && low === bounds.to
  return {
    kind: 'capacity',
    axis: axis.setting,
    ratesOf,
    capacity: low,
    interval: [low, high],
    limitingThreshold: failed === null ? null : failed.missed[0],
    limitedBy: isMaximum ? 'maximum asked for' : limit.limitedBy,
    reasons: limit.reasons,
    isConfirmed,
    knee: axis.kneeOf(pointsOf(explorer, field)),
    steps,
    slo: slo.map(({ threshold }) => threshold),
    precision: bounds.precision,
    target: { name: target.name, url: target.plan.url },
    connections: axis.setting === 'connections' ? null : target.plan.connections,
    seconds: budget.seconds,
    warnings: [...warnings, ...warningsOf(explorer, found, failed, limit, { axis, ratesOf, budget, isOfCalls: Boolean(target.plan.grpc) })]
  }
}

// The bottleneck according to most of the failed runs at or above the limit. Close to it, a run may fail by accident; further up,
// the cause is clear.
function limitOf (steps, failed, field) {
  if (failed === null) return { limitedBy: null, reasons: [] }
  const beyond = lastAtEach(field, steps.filter((step) => !step.passed && step[field] >= failed[field]))
  const areMost = (some) => some.length * 2 > beyond.length
  const lacking = beyond.filter(({ limitedBy }) => limitedBy === 'connections')
  const own = beyond.filter(({ limitedBy }) => limitedBy === 'generator' || limitedBy === 'connections')
  if (areMost(own)) {
    const who = lacking.length * 2 >= own.length ? 'connections' : 'generator'
    return { limitedBy: who, reasons: own.findLast(({ limitedBy }) => limitedBy === who).reasons }
  }
  // If the server is at its limit, it is the bottleneck, even if the generator was close to its own limit.
  const shared = beyond.filter(({ limitedBy }) => limitedBy !== 'server')
  return { limitedBy: 'server', reasons: areMost(shared) ? shared.at(-1).reasons : [] }
}

// The search tests values near the limit several times; only the last run at each of them counts.
function lastAtEach (field, steps) {
  return [...new Map(steps.map((step) => [step[field], step])).values()]
}

// The last run at each value, in ascending order.
function pointsOf ({ steps, limits, silence }, field) {
  return lastAtEach(field, steps.filter((step) => step !== silence?.step))
    .sort((a, b) => a[field] - b[field])
    .map((step) => ({ at: step[field], target: step, ...limits.get(step) }))
}

function warningsOf ({ steps, study, isOutOfTime, idle, silence, target }, { low, isConfirmed, isComplete }, failed, limit, { axis, ratesOf, budget, isOfCalls }) {
  const warnings = []
  const add = (code, message) => warnings.push({ code, message })
  if (study.isStopped) add('STOPPED', 'The search was stopped before it was over.')
  else if (silence !== null) warnings.push(goneWarning(target, silence, axis, ratesOf))
  else if (isOutOfTime) add('OUT_OF_TIME', 'The search ran out of time because runs took longer than expected: raise maxDuration.')
  else if (idle !== null && idle.accounting.completed === 0) add('NO_ANSWER', aboutNoAnswer(idle))
  // A study that lost its fleet has its own warning.
  else if (low === 0 && !study.hasLostFleet) add('NO_CAPACITY', aboutNoCapacity(steps, failed, axis, ratesOf))
  if (isComplete && low > 0 && !isConfirmed) add('NOT_CONFIRMED', `No longer run confirmed the ${axis.noun}: the speed of the server varies, so its capacity is less certain than the interval suggests.`)
  if (failed?.missed[0] === LONG_ENOUGH) {
    add('RUNS_TOO_SHORT', `Runs of ${span(budget.duration)} are too short for more connections: too many requests had no response yet when they ended. Use a longer duration.`)
  }
  if (limit.limitedBy === 'generator') {
    add('GENERATOR_LIMIT', `The load generator was the bottleneck, not the server: ${limit.reasons.join('; ')}. The server may handle more.`)
  }
  if (limit.limitedBy === 'connections') {
    add('CONNECTIONS_LIMIT', `The number of connections was the limit, not the server: ${limit.reasons.join('; ')}. The server may handle more.`)
  }
  if (limit.limitedBy === 'server' && limit.reasons.length > 0) {
    add('GENERATOR_SATURATED', `The load generator was saturated as well as the server: ${limit.reasons.join('; ')}. The server may handle somewhat more.`)
  }
  const best = steps.findLast((step) => step.passed && step[axis.field] === low)
  if (best !== undefined && best.non2xx > OTHER_STATUS * best.completed) {
    const [noun, others] = isOfCalls ? ['calls', 'were not OK'] : ['responses', 'had a status other than 2xx']
    add('OTHER_STATUS', `${percent(best.non2xx / best.completed)} of the ${noun} ${axis.preposition} this ${axis.noun} ${others}.`)
  }
  return warnings
}

function goneWarning ({ name }, { step, result }, { field, preposition, inWords }, ratesOf) {
  const { code, message } = silenceWarning(name, result, `${preposition} ${inWords(step[field], ratesOf)}`)
  return { code, message: `${message} The search ended there, so its answer is incomplete.` }
}

function aboutNoCapacity (steps, failed, { field, preposition, inWords }, ratesOf) {
  const missed = `${preposition} ${inWords(failed[field], ratesOf)} this was not met: ${onOneLine(failed.missed.join(', '))}`
  const passed = steps.filter((step) => step.passed).map((step) => step[field])
  if (passed.length === 0) return `Even ${missed}.`
  return `Shorter runs passed ${preposition} up to ${inWords(Math.max(...passed), ratesOf)}, but in longer ones even ${missed}.`
}

function aboutNoAnswer ({ errorCodes, warnings }) {
  const [cause] = Object.entries(errorCodes)
  if (cause !== undefined) return `The server did not respond at all (${cause[0]}: ${cause[1].message}).`
  return ['The server did not respond at all.', ...warnings.map(({ message }) => message)].join(' ')
}

module.exports = { capacityResult }
