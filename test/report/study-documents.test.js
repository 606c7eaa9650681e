'use strict'

// Whole documents of studies: every table with the columns that only pages or only terminals have, every chart with its data, and every
// sentence. In these studies every number is unique, so that each is seen in its place.

const path = require('node:path')
const t = require('tap')
const { studyDocument } = require('../../lib/report/study-document')
const { compareDocuments } = require('./documents')

// --- studies

const MONITOR = (...shares) => shares.map((cpu, index) => ({ pid: 71 + index, cpu }))
const STREAM = (rate, first, gap) => ({ rate, timeToFirstEvent: { p99: first }, gap: { p99: gap } })

const point = (name, achieved, p50, more) => ({
  name, achieved, p50, p90: p50 + 2, p99: p50 + 3, p99_9: p50 + 4, errors: 0, errorPercent: 0, completed: 1000, failures: 0, unsent: 0, statuses: { 200: 1000 }, keepsUp: true, saturated: false, limitedBy: null, ...more
})

const SWEEP = {
  kind: 'sweep',
  axis: 'rates',
  ratesOf: 'requests',
  start: '2024-05-01T10:00:00.000Z',
  duration: 7,
  targets: [{ name: 'old', url: 'http://a' }, { name: 'a new one with a long name', url: ['http://b', 'http://c'] }],
  rows: [
    // Out of order: reports sort them.
    { demanded: 320, targets: [point('old', 201, 51, { keepsUp: false, limitedBy: 'server', unsent: 13, failures: 250, errors: 100, completed: 900, statuses: { 200: 750, 503: 150 }, atLeast: ['p99', 'p99_9'], monitor: MONITOR(83, 17), stream: STREAM(402, 61, 62) }), point('a new one with a long name', 301, 41, { keepsUp: false, saturated: true, monitor: MONITOR(89), stream: STREAM(602, 63, 64) })] },
    { demanded: 10, targets: [point('old', 9.5, 11, { monitor: MONITOR(3), stream: STREAM(19, 21, 22) }), point('a new one with a long name', 9.75, 31, { saturated: true, stream: STREAM(20, 23, 24) })] },
    { demanded: 40, targets: [point('old', 39, 12, { keepsUp: false, limitedBy: 'connections', errors: 5, failures: null, errorPercent: 0.5 }), point('a new one with a long name', 39.5, 32, { keepsUp: false, limitedBy: 'both' })] }
  ],
  knee: [{ name: 'old', rate: 10, achieved: 9.5, p50: 11, p99: 14, beyond: 40, reason: 'latency', limitedBy: 'server' }, { name: 'a new one with a long name', rate: 40, achieved: 39.5, p50: 32, p99: 35, beyond: 320, reason: 'errors', limitedBy: 'generator' }],
  stoppedBy: 'no answer',
  warnings: [{ code: 'A', message: 'First.' }, { code: 'B' }],
  environment: { version: '1.2.3', node: 'v20.0.0', os: 'linux', cpu: 'Fast', cores: 1, memory: 2 ** 31, others: [{}, {}] }
}

const BY_CONNECTIONS = {
  ...SWEEP,
  axis: 'connections',
  ratesOf: 'sessions',
  targets: [{ name: 'one', url: 'http://a' }, { name: 'two', url: 'http://b' }],
  rows: [
    { connections: 1, targets: [point('one', 100, 11, { keepsUp: null }), point('two', 110, 21, { keepsUp: null })] },
    { connections: 5, targets: [point('one', 400, 12, { keepsUp: null, saturated: true }), point('two', 390, 22, { keepsUp: null })] },
    { connections: 9, targets: [point('one', 410, 13, { keepsUp: null }), point('two', null, 23, { keepsUp: null, p50: null, p99: null })] }
  ],
  knee: [{ name: 'one', connections: 5, achieved: 400, p50: 12, p99: 15, beyond: 9, reason: 'throughput', limitedBy: 'connections' }, null],
  stoppedBy: 'agent lost',
  warnings: []
}

const step = (rate, phase, passed, p50, more) => ({
  rate, phase, passed, achieved: rate - 1, p50, p99: p50 + 3, missed: passed ? [] : ['p99 < 20ms'], errors: 0, failures: 0, completed: 500, duration: 4, limitedBy: passed ? null : 'server', statuses: { 200: 500 }, ...more
})

const CAPACITY = {
  kind: 'capacity',
  axis: 'rates',
  ratesOf: 'requests',
  start: '2024-05-01T10:00:00.000Z',
  finish: '2024-05-01T10:01:30.000Z',
  target: { name: 'shop', url: 'http://a' },
  slo: ['p99 < 20ms', 'latency.mean < 9ms', 'errors <= 1%', 'rate.achieved >= 98%'],
  capacity: 200,
  interval: [200, 210],
  limitingThreshold: 'p99 < 20ms',
  limitedBy: 'server',
  reasons: ['busy', 'slow'],
  isConfirmed: true,
  steps: [
    step(100, 'climb', true, 11),
    step(400, 'climb', false, 51, { missed: ['p99 < 20ms', 'latency.mean < 9ms', 'errors <= 1%'], verdicts: [{ threshold: 'p99 < 20ms', unit: 'ms', actual: 54, limit: 20, passed: false, unanswered: { count: 1 } }, { threshold: 'latency.mean < 9ms', unit: 'ms', actual: 53, limit: 9, passed: false }], atLeast: ['p99'], errors: 3, failures: 7, limitedBy: 'both', monitor: MONITOR(91) }),
    step(200, 'bisect', true, 12, { statuses: { 200: 490 } }),
    step(210, 'bisect', true, 13),
    step(200, 'confirm', true, 14, { duration: 12, statuses: { 200: 480, 404: 3 }, monitor: MONITOR(61) }),
    step(210, 'confirm', false, 18, { p99: null, limitedBy: 'generator', failures: null, errors: 2 })
  ],
  knee: { name: 'shop', rate: 200, achieved: 199, p50: 14, p99: 17, beyond: 400, reason: 'rate', limitedBy: 'server' },
  precision: 0.05,
  connections: 50,
  seconds: 95,
  warnings: []
}

const USERS = {
  ...CAPACITY,
  axis: 'connections',
  ratesOf: 'messages',
  capacity: 4,
  interval: [4, 5],
  isConfirmed: false,
  limitedBy: 'connections',
  steps: CAPACITY.steps.map(({ rate, ...each }) => ({ ...each, connections: rate === 210 ? 5 : rate / 50, achieved: rate })),
  knee: { name: 'shop', connections: 2, achieved: 100, p50: 11, p99: 14, beyond: 4, reason: 'latency', limitedBy: 'server' },
  warnings: [{ code: 'AGENT_LOST', message: 'An agent was lost.' }]
}

const metric = (a, b, unit, verdict, more) => ({ a, b, unit, scale: unit === 'share' ? 'absolute' : 'relative', difference: unit === 'share' ? b - a : Number((b / a - 1).toFixed(4)), interval: null, smallestDifference: null, verdict, ...more })
const check = (changes) => ({ metric: 'p99', limit: 0.1, regression: 0.04, smallestDifference: 0.02, passed: true, verdict: 'passed', interval: [0.01, 0.07], needed: null, ...changes })
const roundOf = (side, round, throughput, p50, more) => ({ side, round, throughput, p50, p99: p50 + 3, errorRate: 0, ...more })

const COMPARISON = {
  kind: 'comparison',
  start: '2024-05-01T10:00:00.000Z',
  finish: '2024-05-01T10:02:00.000Z',
  method: 'paired bootstrap',
  confidence: 0.95,
  falseAlarmRate: 0.05,
  passed: false,
  regressionVerdict: 'failed',
  sides: [{ name: 'old', url: 'ws://a', runs: 2, statuses: {}, isSaved: true }, { name: 'new', url: 'ws://b', runs: 2, statuses: {} }, { name: 'a-name-without-any-space', url: 'ws://b', runs: 2, statuses: {} }],
  comparisons: [
    {
      name: 'new',
      comparedWith: 'old',
      verdict: 'mixed',
      metrics: {
        throughput: metric(100, 150, '/s', 'faster', { interval: [0.4, 0.6], smallestDifference: 0.1 }),
        p50: metric(10, 20, 'ms', 'slower', { interval: [0.8, 1.2], smallestDifference: 0.2 }),
        p99: metric(12, 13, 'ms', 'no difference shown', { interval: [-0.3, 0.5], smallestDifference: 0.3, atLeast: ['b'] }),
        errorRate: metric(0, 0.01, 'share', 'no difference shown', { interval: [-0.01, 0.03], smallestDifference: 0.02 })
      },
      regression: { verdict: 'failed', passed: false, checks: [check(), check({ metric: 'p50', regression: 1, interval: [0.8, 1.2], passed: false, verdict: 'failed' }), check({ metric: 'throughput', interval: [-0.05, 0.12], passed: false, verdict: 'inconclusive', needed: { rounds: 3 } })] },
      hot: [{ function: 'work', file: '/app/a.js', line: 3, package: null, a: 1.5, b: 2.5 }, { function: 'parse', file: '/app/node_modules/x/i.js', line: 4, package: 'x', a: 0, b: 0.25 }]
    },
    {
      name: 'a-name-without-any-space',
      comparedWith: 'old',
      verdict: 'slower',
      metrics: {
        throughput: metric(100, 99, '/s', 'no difference shown', { interval: [-0.2, null], smallestDifference: 2000 }),
        p99: metric(10, 40, 'ms', 'slower', { interval: [0.1, 5000], smallestDifference: 0.4 }),
        errorRate: metric(0, 0.2, 'share', 'slower', { interval: [0.1, 0.3], smallestDifference: 0.05 })
      },
      regression: {
        verdict: 'inconclusive',
        passed: false,
        checks: [
          { interval: [-0.04, 0.1] }, { interval: [-0.04, 0.11] }, { interval: null, needed: { seconds: 4 } }, { interval: [null, null], needed: { rounds: 1 } }, { interval: [-0.5, 0.2], needed: { rounds: null, seconds: null } }
        ].map((changes) => check({ passed: false, verdict: 'inconclusive', regression: null, ...changes }))
      }
    }
  ],
  runs: [
    // Side by side and round by round, whatever their order.
    roundOf(0, 1, 101, 11, { monitor: MONITOR(41, 9) }), roundOf(1, 1, 151, 21), roundOf(2, 1, 99, 31, { errorRate: 0.25 }), roundOf(0, 0, 102, 12, { monitor: MONITOR(44, 10) }), roundOf(1, 0, 152, 22, { monitor: MONITOR(51, 13) })
  ],
  warnings: []
}

const at = (rate, outgoing, p50, more) => ({ rate, outgoing, received: rate * 7, p50, p99: p50 + 3, mean: p50 + 1, max: p50 + 5, lastCopyP50: p50 + 2, lastCopyP99: p50 + 4, lost: 0, drops: 0, ...more })

const JAMMING = {
  kind: 'jamming',
  start: '2024-05-01T10:00:00.000Z',
  duration: 3,
  target: { name: 'hub', url: 'ws://a' },
  limit: 50,
  levels: [
    { connections: 10, payload: 100, points: [at(60, 600, 200), at(40, 400, 90, { lost: 3, drops: 1, saturated: true }), at(10, 100, 11), at(20, 200, 12, { saturated: true, atLeast: ['p99'], monitor: MONITOR(77) })], knee: { rate: 40, outgoing: 400, reason: 'growing latency' }, lastGood: { rate: 20, outgoing: 200 }, recovery: { rate: 10, seconds: 1.5, within: 5 }, limitedBy: 'server' },
    { connections: 25, payload: 100, points: [at(4, 101, 13), at(8, 199, 14), at(12, 301, 95)], knee: { rate: 12, outgoing: 301, reason: 'latency' }, lastGood: { rate: 8, outgoing: 199 }, recovery: { rate: 4, seconds: null, within: 6 }, limitedBy: 'server' },
    { connections: 1, payload: 900, points: [at(5, 6, 15)], knee: null, lastGood: { rate: 5, outgoing: 6 }, limitedBy: null },
    { connections: 30, payload: 900, points: [at(7, 210, 98)], knee: { rate: 7, outgoing: 210, reason: 'undelivered' }, lastGood: null, limitedBy: 'generator' },
    { connections: 40, payload: 900, points: [at(3, 120, 19), at(9, 360, 99)], knee: { rate: 9, outgoing: 360, reason: 'connection lost' }, lastGood: { rate: 3, outgoing: 120 }, limitedBy: null }
  ],
  threshold: { outgoing: 350, spread: [301, 400] },
  limitedBy: 'server',
  payloads: [{ payload: 100, threshold: { outgoing: 350, spread: [301, 400] }, limitedBy: 'server' }, { payload: 900, threshold: null, limitedBy: null }],
  warnings: []
}

const STUDIES = {
  sweep: SWEEP,
  'sweep of one target': { ...SWEEP, targets: SWEEP.targets.slice(0, 1), rows: SWEEP.rows.map((row) => ({ ...row, targets: row.targets.slice(0, 1) })), knee: SWEEP.knee[0], stoppedBy: 'stop' },
  'sweep by connections': BY_CONNECTIONS,
  capacity: CAPACITY,
  'capacity in connections': USERS,
  'capacity without an answer': { ...CAPACITY, capacity: 0, interval: [0, null], precision: null, seconds: null, connections: null, slo: [], reasons: [], steps: [], knee: null, limitedBy: '', limitingThreshold: '', target: { name: '' }, start: undefined },
  comparison: COMPARISON,
  'comparison without a verdict': { ...COMPARISON, confidence: null, falseAlarmRate: null, passed: null, regressionVerdict: '', method: '', finish: COMPARISON.start, comparisons: [{ ...COMPARISON.comparisons[0], regression: null, hot: null, verdict: 'no difference shown' }], sides: COMPARISON.sides.slice(0, 2), runs: [] },
  jamming: JAMMING,
  'jamming of one level': { ...JAMMING, levels: JAMMING.levels.slice(0, 1), payloads: null, limit: null }
}

const documentOf = (study) => studyDocument(JSON.parse(JSON.stringify(study)))

compareDocuments(t, path.join(__dirname, 'fixtures/study-documents.json'), Object.fromEntries(Object.entries(STUDIES).map(([name, study]) => [name, documentOf(study)])))
