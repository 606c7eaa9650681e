'use strict'

const t = require('tap')
const printResult = require('../../lib/report/print-result')

const stream = { isTTY: false }

const metric = (changes) => ({
  a: 1774.02, b: 1596.5, unit: '/s', better: 'higher', scale: 'relative', difference: -0.10007, interval: [-0.1483, -0.0491], smallestDifference: 0.0566, verdict: 'slower', ...changes
})
const none = 'no difference shown'

function comparison (changes) {
  const metrics = {
    throughput: metric(),
    p50: metric({ a: 2.196, b: 2.4346, unit: 'ms', difference: 0.1086, interval: [0.0303, 0.1929], better: 'lower' }),
    p99: metric({ a: 2.789, b: null, unit: 'ms', difference: null, interval: null, smallestDifference: null, verdict: none }),
    errorRate: metric({ a: 0, b: 0.0123, unit: 'share', scale: 'absolute', difference: 0.0123, interval: [-0.002, null], verdict: none })
  }
  return {
    kind: 'comparison',
    verdict: 'slower',
    metrics,
    comparisons: [{ name: 'after', comparedWith: 'before', verdict: 'slower', metrics }],
    sides: [{ name: 'before\u001b[31m', runs: 5, isSaved: false }, { name: 'after', runs: 1, isSaved: true }],
    confidence: 0.95,
    falseAlarmRate: 0.05,
    method: 'paired bootstrap over rounds',
    runs: [],
    warnings: [{ code: 'BLUNT', message: 'Mind\u0007 this.' }],
    ...changes
  }
}

const target = (changes) => ({
  name: 'server', achieved: 99.9, p50: 0.234, p99: 12.3, errors: 0, errorPercent: 0, keepsUp: true, limitedBy: null, ...changes
})

function sweep (changes) {
  return {
    kind: 'sweep',
    rows: [
      { demanded: 100, targets: [target()] },
      { demanded: 2000, targets: [target({ achieved: 1234.5, errors: 1200, errorPercent: 12.34, keepsUp: false, limitedBy: 'generator', p50: null })] }
    ],
    knee: { name: 'server', rate: 100, achieved: 99.9, p50: 0.234, p99: 12.3, beyond: 2000, reason: 'rate', limitedBy: 'generator' },
    stoppedBy: 'p99',
    targets: [{ name: 'server', url: 'http://server' }],
    warnings: [],
    ...changes
  }
}

function capacity (changes) {
  return {
    kind: 'capacity',
    capacity: 200,
    interval: [200, 206.3],
    limitedBy: 'server',
    limitingThreshold: 'p99 < 100ms',
    isConfirmed: true,
    knee: null,
    steps: [{ rate: 206.3, phase: 'bisect', passed: false, missed: ['p99 < 100ms', 'errors == 0'], achieved: 199, p50: 20, p99: 130 }],
    slo: ['p99 < 100ms', 'errors == 0'],
    target: { name: 'server', url: 'http://server' },
    warnings: [],
    ...changes
  }
}

const print = (study, options) => printResult(JSON.parse(JSON.stringify(study)), { outputStream: stream, ...options })
const unwrapped = (text) => text.replaceAll('\n  ', ' ')

t.test('a comparison: the sides, a table, and what it comes to', async (t) => {
  const text = print(comparison())
  t.match(text, /^\nA: before \(5 runs\)\nB: after \(1 run\)\n/)
  t.match(text, /│ Throughput +│ 1,774\/s │ 1,597\/s │ -10% +│ -14\.8% … -4\.91% +│ slower/)
  t.match(text, /│ Latency p50 │ 2\.2 ms +│ 2\.43 ms │ \+10\.9%/)
  t.match(text, /│ Latency p99 │ 2\.79 ms │ - +│ - +│ - +│ none shown/)
  t.match(text, /│ Error rate +│ 0% +│ 1\.23% +│ \+1\.23 pp +│ -0\.2 … more +│/)
  t.match(text, /\nB is slower than A\.\n/)
  t.match(unwrapped(text), /at most 5% of all comparisons\.\nWarning: Mind this\.\n$/)
  for (const line of text.split('\n')) t.ok(line.length <= 80, line)
  // eslint-disable-next-line no-control-regex
  t.notMatch(text, /[\u0007\u001b]/)
})

t.test('a comparison: mixed, nothing shown, single runs, more than two sides', async (t) => {
  const { metrics } = comparison()
  const verdictOf = (changes) => unwrapped(print(comparison({ comparisons: [{ name: 'after', metrics, ...changes }] })))
  t.match(verdictOf({ verdict: 'mixed', metrics: { ...metrics, p50: { ...metrics.p50, verdict: 'faster' } } }), /B is faster than A in latency p50, and slower in throughput\./)
  t.match(verdictOf({ verdict: none }), /No difference between A and B is shown\. The smallest that could have been: throughput 5\.66%, latency p50 5\.66%, error rate 5\.66%\./)
  t.match(unwrapped(print(comparison({ falseAlarmRate: null }))), /as far as a single run can tell\./)
  const three = comparison({ comparisons: [{ name: 'x', verdict: none, metrics }, { name: 'y', verdict: 'faster', metrics }] })
  t.match(print(three), /\nC is faster than A\.\n/)
  t.equal(print(three).match(/│ Throughput/g).length, 2)
})

t.test('a comparison: the regression check', async (t) => {
  const { metrics } = comparison()
  const check = (changes) => ({ metric: 'throughput', limit: 0.05, regression: 0.1, smallestDifference: 0.02, passed: false, ...changes })
  const textOf = (...checks) => unwrapped(print(comparison({ comparisons: [{ name: 'after', verdict: none, metrics, regression: { passed: false, checks } }] })))
  t.match(textOf(check()), /Regression check FAILED: Throughput of B is 10% worse than that of A, and 5% is allowed\./)
  t.match(textOf(check({ regression: null })), /is worse by any measure than/)
  t.match(textOf(check({ smallestDifference: null, regression: null })), /FAILED: too little was measured to compare the Throughput/)
  t.match(textOf(check({ passed: true })), /passed: Throughput of B is not shown to be more than 5% worse than that of A\.\n/)
  t.match(textOf(check({ passed: true, smallestDifference: 0.2 })), /A, but less than 20% could not have been\./)
})

t.test('a sweep: the rows, the knee, and why it ended', async (t) => {
  const text = unwrapped(print(sweep()))
  t.match(text, /│ 100 +│ 99\.9 +│ 234 µs │ 12\.3 ms │ 0 +│ yes/)
  t.match(text, /│ 2,000 +│ 1,235 +│ - +│ 12\.3 ms │ 1k \(12\.3%\) │ no: the generator │/)
  t.match(text, /The knee of server is at 100 requests per second \(p50 234 µs, p99 12\.3 ms\): at 2,000 the rate is no longer kept up with\. It is that of the load generator, not of the server\./)
  t.match(text, /The sweep ended early, since this limit was passed: p99\./)
  const [first] = sweep().rows
  const two = { rows: [{ demanded: 100, targets: [...first.targets, target({ name: 'another server with a long name' })] }], knee: [sweep().knee, null], stoppedBy: 'stop' }
  t.match(print(sweep(two)), /│ another server with… ?│/)
  t.match(print(sweep(two)), /The sweep was stopped before it was over\./)
  t.match(print(sweep({ rows: [], knee: null, stoppedBy: null })), /server: http:\/\/server/)
})

t.test('a search for the capacity: the steps and the answer', async (t) => {
  const text = unwrapped(print(capacity()))
  t.match(text, /server while p99 < 100ms, errors == 0\n/)
  t.match(text, /│ 206\.3 │ bisect │ 199 +│ 20 ms │ 130 ms │ no: p99 < 100ms │/)
  t.match(text, /The capacity is 200 requests per second \(between 200 and 206\.3, confirmed by a longer run\)\. It is limited by the server: beyond it, this is not met: p99 < 100ms\./)
  t.match(unwrapped(print(capacity({ interval: [200, null], limitedBy: 'maximum asked for', isConfirmed: false }))), /\(or more, not confirmed\)\. That is the most that was asked for\./)
  t.match(print(capacity({ limitedBy: null, steps: [] })), /The capacity is 200/)
})

t.test('without verbose, only what it comes to', async (t) => {
  t.match(print(comparison(), { verbose: false }), /^B is slower than A\.\n/)
  t.notMatch(print(sweep(), { verbose: false }), /│/)
})
