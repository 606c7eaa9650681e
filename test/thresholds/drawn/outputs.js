'use strict'

// What drawn results say of drawn thresholds: the verdicts, or the error, and what an assertion prints.

const { assertResult, evaluateThresholds } = require('../../..')
const { drawnRun } = require('../../report/drawn/runs')
const Dice = require('../../simulation/random/dice')
const { plain } = require('../../support/digests')

const SETS = 12
const TIMES = ['latency', 'latency', 'serviceTime', 'transferTime', 'timeToFirstByte', 'connectTime', 'latencyWithUnfinished', 'stream.timeToFirstEvent', 'stream.gap', 'sessions.lifetime', 'sessions.failTime', 'broadcast.lastCopy', 'connectionStats.lifetime', 'warmup.latency', 'endpoints[0].latency', "scenarios['browse'].latency", "scenarios['buy'].serviceTime"]
const STATISTICS = ['p50', 'p90', 'p99', 'p99_9', 'p99.99', 'p37', 'min', 'max', 'mean', 'average', 'stddev', 'total', 'totalCount']
const COUNTS = [
  'errors', 'timeouts', 'mismatches', 'failures', 'non2xx', '2xx', '4xx', '5xx', 'resets', 'statusCodeStats.200', 'statusCodeStats.404', 'errorCodes.ECONNRESET', 'errorCodes.ETIMEDOUT', 'accounting.unsent', 'accounting.completed', 'accounting.timedOut', 'accounting.unfinished',
  'requests.total', 'requests.sent', 'connectionStats.opened', 'connectionStats.failed', 'sessions.failed', 'sessions.completed', "scenarios['browse'].errors", "scenarios['buy'].sessions.failed", 'endpoints[0].failed', 'endpoints[1].completed', 'checks', "checks['paid']", 'grpcStatus.OK', 'stream.events', 'messages.received', 'warmup.errors'
]
const RATES = ['requests.average', 'requests.p50', 'throughput.average', 'rate.achieved', 'rate.offered', 'errorRate', 'failures.rate', 'replyRate.mean', 'broadcast.ratio', 'drain.completed', 'duration', 'warmup.p99', 'p95', 'p99', 'generator.saturated', 'nothing', 'endpoints', 'scenarios.nobody.errors']
const UNITS = { time: ['', 'ms', 's', 'us'], count: ['', '', '%', 'k'], rate: ['', '/s', '%', ' MB'] }
const NUMBERS = ['0', '1', '5', '100', '0.5', '99', '1e3', 'Infinity', 'x', '', '-1']
const OPERATORS = ['<', '<=', '>', '>=', '==', '!=']

/** The number in a result that is just at the limit, if there is one. */
function valueAt (result, metric) {
  const parts = metric.replace(/\[['"]?(\w+)['"]?\]/g, '.$1').split('.')
  const value = parts.reduce((value, part) => Array.isArray(value) && !/^\d+$/.test(part) ? value.find(({ name }) => name === part) : value?.[part], result)
  return typeof value === 'number' ? value : null
}

function drawThreshold (dice, result) {
  const kind = dice.one('time', 'time', 'count', 'rate')
  const metric = { time: () => `${dice.one(...TIMES)}.${dice.one(...STATISTICS)}`, count: () => dice.one(...COUNTS), rate: () => dice.one(...RATES) }[kind]()
  const at = valueAt(result, metric)
  const number = at !== null && dice.happens(0.6) ? String(dice.one(at, at, at + 1, Math.max(0, at - 1), at * 1.01)) : dice.one(...NUMBERS)
  const [operator, value] = [dice.one(...OPERATORS), number + (dice.happens(0.6) ? '' : dice.one(...UNITS[kind]))]
  if (dice.happens(0.9)) return `${metric} ${operator} ${value}`
  return dice.one({ metric, operator, value }, { [metric]: `${operator} ${value}` }, { [metric]: Number(value) || 0 }, `${metric}${operator}${value}`)
}

function outcomeOf (act) {
  try {
    return act()
  } catch ({ name, code, message }) {
    return { name, code, message }
  }
}

/** @param {number} seed @returns {Record<string, string>} */
function outputsOfVerdicts (seed) {
  const dice = Dice.of(seed, 'thresholds')
  const result = drawnRun(seed)
  return Object.fromEntries(Array.from({ length: SETS }, (_, index) => {
    const thresholds = Array.from({ length: dice.one(1, 1, 2, 3) }, () => drawThreshold(dice, result))
    return [index, plain([thresholds, outcomeOf(() => evaluateThresholds(result, thresholds)), dice.happens(0.3) ? outcomeOf(() => assertResult(result, thresholds)) : null])]
  }))
}

module.exports = { OUTPUTS: { verdicts: outputsOfVerdicts } }
