'use strict'

const { isMarked } = require('../../thresholds/marked')
const { headOf, nounOf } = require('../../words/noun')
const { looks } = require('../axes')
const { failuresOf } = require('../../metrics/failure-count')
const { inFigures, inTexts, long } = require('../document')
const { failureFigures, kindsOfFailures, statusesInWords } = require('../failures')
const numbers = require('../../words/numbers')

/** The six most important numbers of a run. */
function figuresOf (result) {
  return [throughput(result), ...latencies(result), failures(result), completed(result)]
}

function throughput (result) {
  const { requests, rate } = result
  const spread = numbers.isNumber(requests?.stddev) ? `± ${numbers.rate(requests.stddev)} (standard deviation)` : ''
  return {
    name: `${headOf(nounOf(result))}/s`,
    value: numbers.rate(rate?.achieved ?? requests?.average),
    more: rate ? `of ${numbers.rate(rate.offered)} that came due` : spread
  }
}

function latencies (result) {
  const { latency, rate } = result
  const what = rate ? 'response' : 'latency'
  const one = (name, key, more) => {
    const { value, unit } = numbers.timeParts(latency?.totalCount === 0 ? null : latency?.[key])
    return { name, value: numbers.atLeast(value, isMarked(result, key)), unit, more }
  }
  return [
    one(`Median ${what}`, 'p50', 'half take no longer'),
    one(`p99 ${what}`, 'p99', 'one in 100 is slower'),
    one(`Longest ${what}`, 'max', numbers.isNumber(latency?.totalCount) ? `of ${numbers.count(latency.totalCount)}` : '')
  ]
}

function failures (result) {
  const { count, share, isBad } = failureFigures(result)
  return { name: 'Failures', value: count, more: isBad ? [share, ...kindsOfFailures(result)].join(' · ') : withoutFailures(result), isBad }
}

function withoutFailures (result) {
  if (result.messages) return 'no message failed'
  return statusesInWords(result) || (result.non2xx === 0 ? 'only 2xx responses' : '')
}

function completed (result) {
  const total = result.accounting?.completed ?? result.requests?.total
  const sent = result.accounting?.sent ?? result.requests?.sent
  return { name: 'Completed', value: numbers.count(total), more: numbers.isNumber(sent) ? `of ${numbers.count(sent)} sent` : '' }
}

const POINTS = { signed: true, unit: ' pp' }
const LATENCIES = [['p50', 'p50 ms'], ['p99', 'p99 ms'], ['max', 'Longest ms']]

/** The same numbers for several runs, one per row; for two runs, also the difference. */
function figureTable (runs) {
  const all = runs.flatMap(({ result }) => LATENCIES.map(([key]) => result.latency?.[key]))
  const columns = columnsFor(numbers.durations(all), nounOf(...runs.map(({ result }) => result))).filter(({ isText, read }) => !isText || runs.some(({ result }) => read(result)))
  return runs.length === 2 ? tableOfTwo(runs, columns) : tableOfSeveral(runs, columns)
}

// The columns: name, how to read the number, how to format it, and whether it indicates a problem.
function columnsFor (milliseconds, noun) {
  return [
    { name: `${headOf(noun)}/s`, read: ({ rate, requests }) => rate?.achieved ?? requests?.average, show: numbers.rate },
    { name: 'Offered/s', read: ({ rate }) => rate?.offered, show: numbers.rate },
    ...LATENCIES.map(([key, name]) => ({ name, read: ({ latency }) => latency?.totalCount === 0 ? null : latency?.[key], show: milliseconds, isBound: (result) => isMarked(result, key) })),
    { name: 'Failures', read: (result) => failuresOf(result).atLeast, show: numbers.count, isBad: true, isBound: areFailuresBound },
    { name: 'Failures %', read: shareOfFailures, show: numbers.percent, isShare: true, isBad: true, isBound: areFailuresBound },
    { name: 'Errors', read: ({ errors }) => errors, show: numbers.count, isBad: true },
    { name: 'Not 2xx', read: ({ non2xx }) => non2xx, show: numbers.count },
    { name: 'Completed', read: (result) => result.accounting?.completed ?? result.requests?.total, show: numbers.count },
    { name: 'Status codes', read: (result) => result.messages ? '' : statusesInWords(result), show: String, isText: true }
  ]
}

function shareOfFailures (result) {
  const { atLeast, attempts } = failuresOf(result)
  return attempts > 0 ? atLeast / attempts : null
}

function areFailuresBound (result) {
  const { atLeast, atMost } = failuresOf(result)
  return atMost > atLeast
}

function tableOfSeveral (runs, columns) {
  return {
    caption: 'Comparison of the runs',
    columns: [...inTexts(['Run']), ...inFigures(columns.map(({ name }) => name))],
    rows: runs.map(({ name, result }, index) => [long(name, { look: looks(index) }), ...columns.map((column) => cellOf(column, result))])
  }
}

// Two runs are compared side by side with the differences, so that the reader need not calculate them.
function tableOfTwo (runs, columns) {
  const [a, b] = runs.map(({ result }) => result)
  return {
    caption: 'Comparison of the runs. Only repeated runs can show whether a difference is significant: use cannonade compare',
    isCaptionSeen: true,
    columns: [{ name: '' }, ...runs.map(({ name }, index) => ({ name, of: 'figure', look: looks(index) })), ...inFigures(['Difference'])],
    rows: columns.filter(({ read, isText }) => isText || [a, b].some((result) => numbers.isNumber(read(result)))).map((column) => [
      { value: column.name, className: 'short' }, cellOf(column, a), cellOf(column, b), differenceOf(column, a, b)
    ])
  }
}

function cellOf ({ read, show, isBad, isBound }, result) {
  const value = read(result)
  return { value: numbers.atLeast(show(value), isBound?.(result) === true), isBad: isBad && value > 0 }
}

// If one value is only a lower bound, the most that can be known is that it is higher than the other.
function differenceOf (column, a, b) {
  const { read, isBound } = column
  const text = difference(column, read(a), read(b))
  if (isBound === undefined || !(isBound(a) || isBound(b))) return text
  return !isBound(a) && read(b) > read(a) ? numbers.atLeast(text, true) : numbers.NOTHING
}

// There is no relative difference to zero, and shares differ by percentage points.
function difference ({ show, isShare, isText }, before, after) {
  if (isText) return ''
  if (!numbers.isNumber(before) || !numbers.isNumber(after)) return numbers.NOTHING
  if (after === before) return `±${before !== 0 ? numbers.percent(0) : show(0)}`
  if (isShare) return numbers.percent(after - before, POINTS)
  return before === 0 ? `+${show(after)}` : numbers.percent(after / before - 1, { signed: true })
}

module.exports = { figureTable, figuresOf }
