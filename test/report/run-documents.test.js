'use strict'

// Whole documents of runs, of one and of several side by side, as study-documents.test.js does it for studies: every table, every chart
// with its data, and every sentence. Neighboring numbers differ, so that each is seen in its place.

const path = require('node:path')
const t = require('tap')
const runDocument = require('../../lib/report/run')
const { compareDocuments } = require('./documents')

const statistics = (first, more) => ({ totalCount: 400, min: first - 1, p25: first, p50: first + 1, p75: first + 2, p90: first + 3, p95: first + 4, p97_5: first + 5, p99: first + 6, p99_9: first + 7, max: first + 9, mean: first + 1.5, average: first + 1.5, stddev: 2.5, ...more })
const MEBIBYTE = 2 ** 20

const sample = (time, first, more) => ({
  time,
  seconds: 2,
  requests: 10 * first,
  bytes: 1000 * first,
  errors: 0,
  p50: first,
  p90: first + 1,
  p99: first + 2,
  max: first + 3,
  connections: first - 5,
  statuses: { '2xx': 10 * first },
  sessions: { scheduled: first + 20, started: first + 21, completed: first + 22, failed: 0, open: first + 24 },
  stream: { events: first * 100, timeToFirstEvent: { p50: first + 30, p99: first + 31 }, gap: { p50: first + 32, p99: first + 33 } },
  monitor: [{ pid: 71, cpu: first + 40, memory: (first + 0.25) * MEBIBYTE }, { pid: 72, cpu: first + 41, memory: first * 2 * MEBIBYTE }],
  server: { utilization: first / 100, delay: first + 50, gc: first + 51, cpu: first + 52 },
  ...more
})

const counts = (first) => ({ scheduled: first + 70, unsent: first + 7, sent: first + 63, completed: first + 50, failed: first, timedOut: 3, unfinished: 10 - first })

const RUN = {
  title: 'shop',
  url: ['http://a', 'http://b'],
  socketPath: '/tmp/socket',
  start: '2024-05-01T10:00:00.000Z',
  duration: 6,
  drain: { seconds: 0.5, completed: 4 },
  warmup: { duration: 3 },
  connections: 7,
  pipelining: 2,
  workers: 4,
  sampleInt: 2000,
  rate: { offered: 150, achieved: 140 },
  requests: { average: 141, stddev: 5, total: 850, sent: 860 },
  bytes: { read: 123_456, written: 65_432 },
  throughput: { total: 123_456 },
  latency: statistics(21, { totalCount: 894 }),
  latencyBounds: { count: 44, share: 0.05, smallest: 26 },
  latencyWithUnfinished: statistics(22, { max: 51, totalCount: 900 }),
  serviceTime: statistics(11, { totalCount: 850 }),
  connectTime: statistics(3, { dns: statistics(1.1), tcp: statistics(1.2), tls: { totalCount: 0 } }),
  connectionStats: { opened: 12, failed: 2, closedByServer: 3, closedByClient: 4, peak: 9 },
  accounting: { scheduled: 900, unsent: 40, sent: 860, completed: 850, failed: 6, timedOut: 3, unfinished: 1 },
  errors: 11,
  timeouts: 3,
  mismatches: 5,
  non2xx: 17,
  '2xx': 833,
  statusCodeStats: { 200: { count: 800 }, 204: { count: 33 }, 404: { count: 10 }, 500: { count: 4 }, 502: { count: 2 }, 503: { count: 1 } },
  errorCodes: { ECONNRESET: { count: 6, phases: { receive: 4, send: 2 }, message: 'gone' }, ECONNREFUSED: { count: 2, phase: 'connect', message: 'no' } },
  warnings: [{ code: 'W', message: 'Mind this.' }],
  thresholds: [{ threshold: 'p99 < 30ms', metric: 'latency.p99', operator: '<', limit: 30, unit: 'ms', actual: 27, passed: true, certain: true }, { threshold: 'max < 25ms', metric: 'latency.max', operator: '<', limit: 25, unit: 'ms', actual: 30, passed: false, certain: true }],
  passed: false,
  generator: { saturated: true, cause: 'hooks', cpu: { user: 1, system: 2, percent: 91 }, eventLoop: { utilization: 0.93, delayP99: 4 }, reasons: ['slow hooks'] },
  sessions: { ...counts(2), started: 61, unstarted: 9, rate: { offered: 12 }, lifetime: statistics(61), failTime: statistics(71), connections: { average: 1.75 }, peak: 8, failures: [{ message: 'not found', code: 'E', scenario: 'buy', count: 3 }] },
  scenarios: [{ name: 'browse', weight: 3, sessions: { completed: 31, failed: 2 }, accounting: { completed: 310 }, errors: 5, latency: statistics(81), statusCodeStats: { 200: { count: 300 } } }, { name: 'buy', weight: 1, sessions: { completed: 11, failed: 1 }, accounting: { completed: 110 }, errors: 0, latency: statistics(91), statusCodeStats: { 201: { count: 110 } } }],
  checks: [{ name: 'is there', scenario: 'buy', passed: 19, failed: 1 }],
  endpoints: [
    { title: 'pay', method: 'POST', path: '/pay', scenario: 'buy', latency: statistics(41), completed: 110, failed: 2, statusCodeStats: { 201: { count: 108 }, 500: { count: 2 } } },
    { method: 'GET', path: '/items?token=x', scenario: 'browse', latency: statistics(31), latencyBounds: { count: 1, smallest: 39 }, completed: 310, failed: 0, statusCodeStats: { 200: { count: 310 } } }
  ],
  stream: { events: 6300, rate: 1050, eventsPerResponse: statistics(5), timeToFirstEvent: statistics(51), gap: statistics(6) },
  monitor: [{ pid: 71, processes: 3, cpu: { totalCount: 3, p50: 51, mean: 52, max: 63 }, memory: { p50: 11e6, mean: 12e6, max: 13e6 } }, { pid: 72, processes: 1, cpu: { totalCount: 3, p50: 55, mean: 56, max: 57 }, memory: { p50: 21e6, mean: 22e6, max: 23e6 } }],
  slowest: [
    { latency: 31, serviceTime: 21, dueAt: 1.5, method: 'GET', path: '/items', status: 200, bytes: 1234, connection: 3, traceId: 'abc', stall: 1 },
    { latency: 30, serviceTime: 30, dueAt: 2.25, method: 'POST', path: `/${'long/'.repeat(12)}`, status: 503, bytes: 99, connection: 4, traceId: null, stall: null }
  ],
  heat: { times: [2, 4, 6, 6.5], bounds: [10, 13.3, 17.8, 23.7], counts: [[4, 0, 1], [0, 8, 2], [1, 1, 2], [0, 0, 4]] },
  timeline: [
    sample(2, 11, { errors: 4, statuses: { '2xx': 90, '4xx': 10, '5xx': 6 } }),
    sample(4, 23, { sessions: { scheduled: 1, started: 2, completed: 3, failed: 4, open: 5 } }),
    sample(6, 19, { errors: 1, statuses: { '2xx': 180, '3xx': 4, '5xx': 2, '1xx': 8 } })
  ],
  diagnosis: {
    processes: [
      { pid: 71, thread: 0, script: '/app/server.js', eventLoop: { utilization: 0.85, delay: { p50: 1, p99: 12, max: 120 } }, cpu: { user: 71.5, system: 12.5 }, gc: { count: 9, total: 90, longest: 20, share: 0.015 }, heap: { peak: 33e6 }, hot: [{ function: 'work', file: '/app/server.js', line: 20, package: null, self: 0.4, total: 0.6 }, { function: 'parse', file: '/app/node_modules/x/i.js', line: 2, package: 'x', self: 0.2, total: 0.25 }] },
      { pid: 71, thread: 2, script: '/app/worker.js', eventLoop: { utilization: 0.25, delay: { p50: 2, p99: 13, max: 130 } }, cpu: { user: 21.5, system: 2.5 }, gc: { count: 2, total: 10, longest: 7, share: 0.002 }, heap: { peak: 22e6 }, hot: [] }
    ],
    // Two of one thread overlap, as at a boundary of their clocks.
    stalls: [
      { pid: 71, thread: 0, at: 1, duration: 250, kind: 'code', stack: [{ function: 'work', file: '/app/server.js', line: 20 }, { function: 'run', file: null, line: null }], waiting: 5 },
      { pid: 71, thread: 0, at: 1.125, duration: 100, kind: 'gc', stack: [], waiting: 6 },
      { pid: 71, thread: 2, at: 3.5, duration: 300, kind: 'code', stack: [{ function: 'other', file: '/app/worker.js', line: 3 }], waiting: 7 }
    ],
    findings: [{ code: 'HOT_FUNCTION', message: 'work took 40% of the busy time by itself.', share: 0.4 }],
    flame: {
      frames: [{ function: 'server.js, process 71' }, { function: 'emit', file: 'node:events', line: 5, package: 'node:' }, { function: 'work', file: '/app/server.js', line: 20, package: null }, { function: 'parse', file: '/app/node_modules/x/i.js', line: 2, package: 'x' }, { function: '(garbage collector)' }],
      nodes: [[-1, 0, 100], [0, 1, 90], [1, 2, 89], [2, 3, 25], [2, 2, 30], [0, 4, 9], [1, 3, 0.5]]
    }
  },
  options: { headers: { accept: 'text/plain' }, connections: 7, requests: [{ path: '/a' }, { path: '/b' }], timeout: 5, expectBody: 'secret' },
  environment: { version: '1.2.3', node: 'v20.0.0', os: 'linux', cpu: 'Fast', cores: 2, memory: 2 ** 31 }
}

const OTHER = {
  title: 'other',
  url: 'http://c',
  start: '2024-05-01T09:00:00.000Z',
  duration: 5,
  connections: 1,
  pipelining: 1,
  sampleInt: 1000,
  requests: { average: 100, stddev: 3, total: 500, sent: 501 },
  bytes: { read: 1000, written: 100 },
  latency: statistics(5),
  serviceTime: statistics(5),
  accounting: { scheduled: 501, unsent: 0, sent: 501, completed: 500, failed: 0, timedOut: 0, unfinished: 1 },
  errors: 0,
  timeouts: 0,
  mismatches: 0,
  non2xx: 0,
  statusCodeStats: { 200: { count: 500 } },
  thresholds: [{ threshold: 'p99 < 30ms', metric: 'latency.p99', operator: '<', limit: 30, unit: 'ms', actual: 11, passed: true, certain: true }],
  passed: true,
  generator: { saturated: false, cpu: { percent: 50 }, eventLoop: { utilization: 0.4 } },
  timeline: [1, 2, 3, 4, 5].map((time) => ({ time, seconds: 1, requests: 95 + time, errors: 0, p50: time, p90: time + 1, p99: time + 2, max: time + 3, connections: 1 })),
  options: { connections: 1, timeout: 6 }
}

const MESSAGES = {
  title: 'hub',
  url: 'ws://a',
  duration: 4,
  connections: 5,
  pipelining: 1,
  sampleInt: 1000,
  requests: { average: 25, total: 100, sent: 103 },
  latency: statistics(15),
  accounting: { scheduled: 103, unsent: 0, sent: 103, completed: 100, failed: 2, timedOut: 1, unfinished: 0 },
  errors: 3,
  timeouts: 1,
  messages: { sent: 103, received: 450, unasked: 350, pings: 6, pongs: 7, bytesSent: 2060, bytesReceived: 9000 },
  broadcast: { expected: 515, received: 450, fanOut: 112.5, lastCopy: statistics(35) },
  closeCodes: { 1000: 3, 1006: 1, other: 9 },
  timeline: [1, 2, 3, 4].map((time) => ({ time, seconds: 1, requests: 20 + time, errors: 0, p50: time + 10, p90: time + 11, p99: time + 12, max: time + 13, connections: 5, messages: { sent: 30 + time, received: 100 + time, lastCopy: time + 40 } }))
}

const documentOf = (...results) => runDocument(results.map((result) => JSON.parse(JSON.stringify(result))), {})

compareDocuments(t, path.join(__dirname, 'fixtures/run-documents.json'), {
  'one run': documentOf(RUN),
  'two runs': documentOf(RUN, OTHER),
  'three runs': documentOf(OTHER, { ...OTHER, title: undefined, latencyBounds: { count: 3, share: 0.01, smallest: 5.5 } }, { ...RUN, diagnosis: null, heat: null }),
  messages: documentOf(MESSAGES),
  'messages side by side': documentOf(MESSAGES, { ...MESSAGES, closeCodes: { 1001: 2 }, broadcast: undefined }, { ...MESSAGES, latency: statistics(16) })
})
