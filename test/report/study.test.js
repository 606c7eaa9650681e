'use strict'

const t = require('tap')
const { toHTML } = require('../..')
const printResult = require('../../lib/report/print-result')
const { nearness } = require('../../lib/report/study/capacity')
const { rowLine } = require('../../lib/report/study/sweep')
const { withoutEscapes } = require('../../lib/report/text')

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

t.test('a comparison: the sides, a table, and the conclusion', async (t) => {
  const text = print(comparison())
  t.match(text, /^\nA: before \(5 runs\)\nB: after \(1 run\)\n/)
  t.match(text, /│ Throughput +│ 1,774\/s │ 1,597\/s │ −10% +│ −14\.8% … −4\.91% +│ ▼ slower/)
  t.match(text, /│ Latency p50 {2}│ 2\.2 ms {2}│ 2\.43 ms │ \+10\.9%/)
  t.match(text, /│ Latency p99 {2}│ 2\.79 ms │ – +│ – +│ – +│ none shown/)
  t.match(text, /│ Failure rate │ 0% +│ 1\.23% +│ \+1\.23 pp +│ −0\.2 … more +│/)
  t.match(unwrapped(text), /\nB is slower than A: p50 \+10\.9% \(3\.03% to 19\.3%\), throughput −10% \(−14\.8% to −4\.91%\)\.\n/)
  t.match(unwrapped(text), /at most 5% of all comparisons\.\nWarning: Mind this\.\n$/)
  for (const line of text.split('\n')) t.ok(line.length <= (/[─│]/.test(line) ? 100 : 80), line)
  // eslint-disable-next-line no-control-regex
  t.notMatch(text, /[\u0007\u001b]/)
})

t.test('a comparison: mixed, no difference shown, single runs, more than two sides', async (t) => {
  const { metrics } = comparison()
  const verdictOf = (changes) => unwrapped(print(comparison({ comparisons: [{ name: 'after', metrics, ...changes }] })))
  t.match(verdictOf({ verdict: 'mixed', metrics: { ...metrics, p50: { ...metrics.p50, verdict: 'faster' } } }), /B is faster than A in latency p50, and slower in throughput\./)
  t.match(verdictOf({ verdict: none }), /No difference between A and B is shown\. The smallest detectable differences: throughput 5\.66%, latency p50 5\.66%, failure rate 5\.66 pp\./)
  const failing = { ...metrics, errorRate: { ...metrics.errorRate, verdict: 'slower' }, p50: { ...metrics.p50, verdict: 'faster' } }
  t.match(verdictOf({ verdict: 'mixed', metrics: failing }), /\nB fails more often than A: failures \+1\.23 pp \(−0\.2 pp to more\)\. That may be why it is faster in latency p50\.\n/)
  t.match(print(comparison({ comparisons: [{ name: 'after', verdict: 'mixed', metrics: failing }] })), /│ Failure rate [^\n]+│ ✗ more +│/)
  const onlyFailing = { ...failing, p50: { ...metrics.p50, verdict: none }, throughput: { ...metrics.throughput, verdict: none } }
  t.match(verdictOf({ verdict: 'slower', metrics: onlyFailing }), /\nB fails more often than A: failures \+1\.23 pp \(−0\.2 pp to more\)\.\n/)
  t.match(unwrapped(print(comparison({ falseAlarmRate: null }))), /as far as a single run can show\./)
  const three = comparison({ comparisons: [{ name: 'x', verdict: none, metrics }, { name: 'y', verdict: 'faster', metrics }] })
  t.match(print(three), /\nC is faster than A\.\n/)
  t.equal(print(three).match(/│ Throughput/g).length, 2)
})

t.test('a comparison with a side that never responded has no verdict', async (t) => {
  const { metrics } = comparison()
  const lead = (a, b, changes) => {
    const silent = { ...metrics, throughput: { ...metrics.throughput, a, b }, ...changes }
    const given = comparison({ verdict: 'faster', metrics: silent, comparisons: [{ name: 'after', comparedWith: 'before', verdict: 'faster', metrics: silent }] })
    const page = toHTML(JSON.parse(JSON.stringify(given)))
    return [unwrapped(print(given)), page.replaceAll('after', 'B').replaceAll('before', 'A')]
  }
  for (const text of lead(0, 0)) t.match(text, 'Neither A nor B responded: there is nothing to compare.')
  for (const text of lead(0, 5)) t.match(text, 'A did not respond: there is nothing to compare B with.')
  for (const text of lead(5, 0)) t.match(text, 'B did not respond: there is nothing to compare A with.')
  for (const text of lead(0, 0, { eventRate: { ...metrics.throughput, a: 5, b: 7 } })) t.notMatch(text, 'nothing to compare')
})

t.test('a comparison: unimaginably large ratios are put into words', async (t) => {
  const { metrics } = comparison()
  const huge = { throughput: metric({ a: 1, difference: null, interval: [1220, null], verdict: 'faster' }), p99: metric({ unit: 'ms', difference: 5000, interval: [-0.999, 9.32e7], smallestDifference: 9.32e7, verdict: none }) }
  const check = (changes) => ({ metric: 'p99', limit: 0.05, regression: 0.1, smallestDifference: 9.32e7, passed: true, ...changes })
  const textOf = (verdict, ...checks) => print(comparison({ comparisons: [{ name: 'after', verdict, metrics: { ...metrics, ...huge }, regression: { checks } }] }))
  const text = textOf(none, check())
  const page = toHTML(comparison({ comparisons: [{ name: 'after', verdict: none, metrics: { ...metrics, ...huge } }] }))
  t.match(page, 'over 1,000-fold')
  t.notMatch(page, 'over 1,000-fold or more')
  t.match(text, /│ Throughput +│ 1\/s +│ 1,597\/s ?│ – +│ over 1,000-fold … more ?│ ▲ faster/)
  t.match(text, /│ over 1,000-fold ?│ −99\.9% … more/)
  t.match(unwrapped(text), /latency p99 over 1,000-fold/)
  t.match(unwrapped(text), /Latency p99 of B is not shown to be more than 5% worse than that of A, but even a 1,000-fold difference would have been too small to detect\./)
  t.match(unwrapped(textOf(none, check({ passed: false, regression: 2e4 }))), /is over 1,000-fold worse than that of A/)
  for (const line of text.split('\n')) t.ok(line.length <= (/[─│]/.test(line) ? 100 : 80), line)
})

t.test('a comparison that was stopped before a round was complete states no confidence', async (t) => {
  const metrics = { throughput: metric({ a: null, b: null, difference: null, interval: null, smallestDifference: null, verdict: none }) }
  const text = print(comparison({ sides: [{ name: 'before', runs: 0 }, { name: 'after', runs: 0 }], comparisons: [{ name: 'after', verdict: none, metrics }], warnings: [] }))
  t.equal(text, '\nA: before (0 runs)\nB: after (0 runs)\n\nNothing was compared: no round was completed.\n')
})

t.test('a comparison: the regression check', async (t) => {
  const { metrics } = comparison()
  const check = (changes) => ({ metric: 'throughput', limit: 0.05, regression: 0.1, smallestDifference: 0.02, passed: false, ...changes })
  const textOf = (...checks) => unwrapped(print(comparison({ comparisons: [{ name: 'after', verdict: none, metrics, regression: { passed: false, checks } }] })))
  t.match(textOf(check()), /Regression check FAILED: Throughput of B is 10% worse than that of A \(allowed: 5%\)\./)
  t.match(textOf(check({ regression: null })), /is infinitely worse than/)
  t.match(textOf(check({ smallestDifference: null, regression: null })), /FAILED: too little was measured to compare the Throughput/)
  t.match(textOf(check({ passed: true })), /passed: Throughput of B is not shown to be more than 5% worse than that of A\.\n/)
  t.match(textOf(check({ passed: true, smallestDifference: 0.2 })), /A, but differences below 20% were too small to detect\./)
})

t.test('a sweep: the rows, the knee, and why it ended', async (t) => {
  const text = unwrapped(print(sweep()))
  t.match(text, /│ 100 +│ 99\.9 +│ 234 µs │ 12\.3 ms │ 0 +│ yes/)
  t.match(text, /│ 2,000 +│ 1,235 +│ – +│ 12\.3 ms │ 1,200 \(12\.3%\) │ no: the generator │/)
  t.match(text, /The knee of server is at 100 requests per second \(p50 234 µs, p99 12\.3 ms\): at 2,000 the achieved rate falls behind\. The limit was the load generator, not the server\./)
  t.match(text, /The sweep ended early because a limit was exceeded: p99\./)
  const [first] = sweep().rows
  const two = { rows: [{ demanded: 100, targets: [...first.targets, target({ name: 'another server with a long name' })] }], knee: [sweep().knee, null], stoppedBy: 'stop' }
  t.match(print(sweep(two)), /│ B: another server with… ?│/)
  t.match(print(sweep(two)), /The sweep was stopped before it was over\./)
  const both = { demanded: 200, targets: [target({ keepsUp: false, limitedBy: 'both' })] }
  t.match(print(sweep({ rows: [both] })), /│ no: server and generator ?│/)
  const wide = ['localhost:4571', '127.0.0.1:4571'].map((name) => target({ name, achieved: 12345.6, p50: 123.4, p99: 1292.4, errors: 1200, errorPercent: 12.34, keepsUp: false, limitedBy: 'both' }))
  const onTerminal = { outputStream: { isTTY: true, columns: 80 } }
  const table = withoutEscapes(print(sweep({ rows: [{ demanded: 12345, targets: wide }], knee: [null, null] }), onTerminal))
  t.match(table, /│ ?no: both ?│/)
  for (const line of table.split('\n')) t.ok(line.length <= 80, line)
  t.match(unwrapped(print(sweep({ knee: { ...sweep().knee, limitedBy: 'connections' } }))), /The limit was the number of connections, not the server\./)
  t.match(print(sweep({ rows: [{ demanded: 200, targets: [target({ keepsUp: false, limitedBy: 'connections' })] }] })), /no: too few connections/)
  t.match(unwrapped(print(sweep({ knee: { ...sweep().knee, limitedBy: 'both' } }))), /The limit was both the server and the load generator\./)
  t.match(print(sweep({ rows: [], knee: null, stoppedBy: null })), /server: http:\/\/server/)
})

t.test('a capacity search: the steps and the conclusion', async (t) => {
  const text = unwrapped(print(capacity()))
  t.match(text, /server, SLO: p99 < 100ms, errors == 0\n/)
  t.match(text, /│ 206\.3 │ bisect │ 199 +│ 20 ms │ 130 ms │ no: p99 < 100ms │/)
  t.match(text, /The capacity is 200 requests per second \(between 200 and 206\.3, confirmed by a longer run\)\. It is limited by the server: beyond it, p99 < 100ms is not met\./)
  t.match(unwrapped(print(capacity({ interval: [200, null], limitedBy: 'maximum asked for', isConfirmed: false }))), /\(or more, not confirmed\)\. That is the maximum rate of the search\./)
  t.match(print(capacity({ limitedBy: null, steps: [] })), /The capacity is 200/)
})

t.test('a capacity search: without a rate as its answer', async (t) => {
  const answerOf = (changes) => unwrapped(print(capacity({ capacity: 0, isConfirmed: false, ...changes }), { verbose: false }))
  const step = { rate: 50, phase: 'climb', passed: false, missed: ['errors == 0'], completed: 0, achieved: 0, p50: null, p99: null }
  t.equal(answerOf({ interval: [0, null], steps: [], limitedBy: null, limitingThreshold: null }), 'The capacity is unknown: the search ended before its first run was complete.\n')
  t.equal(answerOf({ interval: [0, 50], steps: [step], limitedBy: null }), 'There were no responses, not even at 50 requests per second.\n')
  t.equal(answerOf({ interval: [0, 50], steps: [{ ...step, completed: 9 }] }), 'No rate passed: even 50 requests per second failed (p99 < 100ms was not met).\n')
  t.equal(
    answerOf({ interval: [0, 43.3], steps: [{ ...step, completed: 9, passed: true }, { ...step, completed: 9, phase: 'confirm' }] }),
    'No sustainable rate was found: short runs passed at up to 50 requests per second, but longer ones failed even at 43.3 (p99 < 100ms was not met).\n'
  )
  t.match(answerOf({ capacity: 200, limitedBy: 'generator' }), /It is limited by the load generator: beyond it/)
  t.match(answerOf({ capacity: 200, limitedBy: 'connections' }), /It is limited by the number of connections: beyond it/)
})

t.test('the heading has the subject and the start time', async (t) => {
  const start = '2024-05-01T10:00:00.000Z'
  const url = 'http://shop.example/'
  const headOf = (study) => print(study).trimStart().split('\n\n')[0].split('\n')
  t.same(headOf(capacity({ target: { name: 'shop', url }, start })), ['shop, SLO: p99 < 100ms, errors == 0', `${url} (2024-05-01 10:00:00 UTC)`])
  t.same(headOf(sweep({ targets: [{ name: 'old', url }, { name: 'new', url: [url, url] }], start })), [`A: old: ${url}`, `B: new: ${url}, ${url}`, '2024-05-01 10:00:00 UTC'])
  const sides = [{ name: 'old', url, runs: 5, isSaved: false }, { name: 'new', runs: 1, isSaved: true }]
  const twice = toHTML(comparison({ sides: [sides[0], { ...sides[0], name: 'new' }], start }))
  t.match(twice, `<span class="url">${url}</span>`, 'one address, once')
  t.same(headOf(comparison({ sides, start })), [`A: old (5 runs): ${url}`, 'B: new (1 run)', '2024-05-01 10:00:00 UTC'])
})

t.test('a rate that did not pass is shown with the number that decided', async (t) => {
  const lost = (verdict, missed = 'p99.9 < 1s') => {
    const step = { rate: 50, phase: 'climb', passed: false, missed: [missed], achieved: 50, p50: 20, p99: 130 }
    return print(capacity({ steps: [{ ...step, verdicts: [{ threshold: 'errors == 0', actual: 0, limit: 0, unit: '' }, { threshold: missed, ...verdict }] }] }))
  }
  t.match(lost({ actual: 1320, limit: 1000, unit: 'ms' }), /no: p99\.9 < 1s \(1.32 s\)/)
  t.match(lost({ actual: 1320, limit: 1000, unit: 'ms', certain: false, unanswered: { count: 3, of: 90 } }), /no: p99\.9 < 1s \(≥ 1.32 s\)/)
  t.match(lost({ actual: 75.25, limit: 98, unit: '%' }, 'rate.achieved >= 98%'), /no: rate\.achieved >= 98% \(75\.3%\)/)
  t.match(lost({ actual: null, limit: 1, unit: '' }, 'x < 1'), /no: x < 1 +│/)
  t.match(print(capacity()), /no: p99 < 100ms +│/, 'a result of an earlier version has none')
})

t.test('a search that was cut short only knows a lower limit', async (t) => {
  for (const code of ['STOPPED', 'OUT_OF_TIME', 'AGENT_LOST']) {
    t.match(unwrapped(print(capacity({ capacity: 200, interval: [200, null], warnings: [{ code, message: 'x' }] }))), /The capacity is at least 200 requests per second/)
  }
})

t.test('the stated precision is the distance to the lowest rate that failed', async (t) => {
  t.equal(nearness({ capacity: 200, interval: [200, 210] }), '5%')
  t.equal(nearness({ capacity: 285.7, interval: [285.7, 300] }), '5.1%')
  t.equal(nearness({ capacity: 200, interval: [200, 259.7] }), '29.9%')
  for (const none of [{ capacity: 200, interval: [200, null] }, { capacity: 0, interval: [0, 50] }, { capacity: 5 }]) t.equal(nearness(none), '')
})

t.test('progress of a sweep: lines of 80 characters, the rate first and the verdict last', async (t) => {
  const row = { demanded: 100000 }
  const busy = target({ name: 'another server with a long name', achieved: 99999, p50: 12.34, p99: 1234.5 })
  const failing = { ...busy, errors: 1200, errorPercent: 12.34, keepsUp: false }
  for (const each of [busy, failing, { ...failing, limitedBy: 'server' }, { ...failing, limitedBy: 'generator' }, { ...failing, limitedBy: 'both' }, { ...failing, name: 'b' }]) {
    for (const isOne of [true, false]) t.ok(rowLine(row, each, isOne).length <= 80, rowLine(row, each, isOne))
  }
  t.equal(rowLine({ demanded: 100 }, target(), true), '100/s: achieved 99.9/s, p50 234 µs, p99 12.3 ms, kept up')
  t.equal(rowLine({ demanded: 100 }, target({ keepsUp: false, errors: 3, errorPercent: 1.5 }), false), '100/s server: achieved 99.9/s, p50 234 µs, p99 12.3 ms, 1.5% failed, not kept up')
  t.match(rowLine(row, target({ errors: 3, failures: 50, completed: 197 }), true), ', 25% failed, ', 'an error status counts as well')
  // Of 200 attempts; results of earlier versions have no `failures`, which include the errors.
  for (const [errors, failures, shown] of [[0, 0, ''], [0, 50, ', 25% failed'], [3, 3, ', 1.5% failed'], [3, 50, ', 25% failed'], [0, undefined, ''], [3, undefined, ', 1.5% failed'], [3, null, ', 1.5% failed']]) {
    t.equal(rowLine({ demanded: 100 }, target({ errors, failures, completed: 200 - errors, errorPercent: errors / 2 }), true), `100/s: achieved 99.9/s, p50 234 µs, p99 12.3 ms${shown}, kept up`, `${errors} errors, ${failures} failures`)
  }
  t.equal(rowLine({ connections: 5 }, target({ keepsUp: null, saturated: true }), true), '5 connections: achieved 99.9/s, p50 234 µs, p99 12.3 ms, generator saturated')
  t.equal(rowLine({ connections: 1 }, target({ keepsUp: null }), true), '1 connection: achieved 99.9/s, p50 234 µs, p99 12.3 ms')
  t.equal(rowLine(row, { ...failing, limitedBy: 'both' }, true), '100,000/s: 99,999/s, p50 12.3 ms, p99 1.23 s, 12.3% failed, both too slow')
})

t.test('not verbose: only the conclusion', async (t) => {
  t.match(print(comparison(), { verbose: false }), /^B is slower than A: p50 /)
  t.notMatch(print(sweep(), { verbose: false }), /│/)
})
