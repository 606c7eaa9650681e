'use strict'

// Each cell of the tables in a run's report has the number that its column names: in these results every number is unique.

const t = require('tap')
const { toJUnit } = require('../..')
const { hotTable, serverTable, stallTable } = require('../../lib/report/diagnosis')
const { inWords, partsOf } = require('../../lib/report/document')
const { checkTable, endpointTable, failureTable, processTable, scenarioTable } = require('../../lib/report/result-tables')
const { figureTable, figuresOf } = require('../../lib/report/run/figures')
const { latencyDistribution } = require('../../lib/report/run/latency')
const messages = require('../../lib/report/run/messages')
const { requestOutcomes } = require('../../lib/report/run/outcomes')
const { errorCodes, grpcStatuses, statusCodes } = require('../../lib/report/run/responses')
const { modelInWords, namedRuns } = require('../../lib/report/run/runs')
const sessions = require('../../lib/report/run/sessions')
const streams = require('../../lib/report/run/streams')
const { tableText } = require('../../lib/report/table-text')

/** A table in words: its columns, and its rows. Bad values have an exclamation mark. */
function wordsOf ({ columns, rows }) {
  return [columns.map(({ name }) => name).join(' | '), ...rows.map((row) => row.map((cell, index) => {
    const { value, isBad } = partsOf(cell)
    if (value !== null && typeof value === 'object') return `${value.part}/${value.whole}${value.isBad ? '!' : ''}`
    return `${inWords(cell, columns[index].of)}${isBad ? '!' : ''}`
  }).join(' | '))]
}

const tablesOf = (parts) => parts.filter((part) => part?.table).map(({ table }) => wordsOf(table))
const run = (name, result) => ({ name, result })
const times = (p50, p90, p99, max, more) => ({ totalCount: 100, min: 1, p50, p90, p95: p90 + 1, p97_5: p90 + 2, p99, p99_9: p99 + 1, max, mean: p50 + 1, average: p50 + 1, stddev: 3, ...more })

const ONE = {
  title: 'shop',
  url: 'http://a',
  connections: 7,
  pipelining: 2,
  rate: { offered: 61, achieved: 53 },
  requests: { average: 47, stddev: 5, total: 211, sent: 223, mean: 47 },
  latency: times(11, 31, 41, 43),
  latencyBounds: { count: 0, smallest: null },
  serviceTime: times(7, 17, 19, 23),
  errors: 13,
  timeouts: 3,
  non2xx: 17,
  mismatches: 2,
  accounting: { scheduled: 229, unsent: 6, sent: 223, completed: 211, failed: 8, timedOut: 3, unfinished: 1 },
  statusCodeStats: { 200: { count: 194 }, 404: { count: 16 }, 503: { count: 1 } },
  errorCodes: { EPIPE: { count: 2, phase: 'send', message: 'broken' }, ECONNRESET: { count: 8, phases: { receive: 5, send: 3 }, message: 'gone' }, NONE: { count: 0 } }
}
const TWO = {
  ...ONE,
  title: 'other',
  rate: undefined,
  requests: { average: 71, stddev: 0, total: 307, sent: 311 },
  latency: times(22, 62, 82, 172),
  errors: 0,
  timeouts: 0,
  non2xx: 0,
  mismatches: 0,
  accounting: { scheduled: 311, unsent: 0, sent: 311, completed: 307, failed: 0, timedOut: 0, unfinished: 4 },
  statusCodeStats: { 200: { count: 307 } },
  errorCodes: {}
}
// Ten of the hundred values of its latency are only bounds, from 40 ms.
const BOUNDED = { ...ONE, title: 'bounded', latency: times(11, 31, 41, 43, { p95: 40.5, p97_5: 40.75 }), latencyBounds: { count: 10, smallest: 40 } }

t.test('the figures at the top', async (t) => {
  const words = (result) => figuresOf(result).map(({ name, value, unit, more, isBad }) => [name, value, unit, more, isBad].filter((part) => part !== undefined && part !== '').join(' | '))
  t.same(words(ONE), [
    'Requests/s | 53 | of 61 that came due', 'Median response | 11 | ms | half take no longer', 'p99 response | 41 | ms | one in 100 is slower', 'Longest response | 43 | ms | of 100',
    'Failures | ≥ 30 | ≥ 13.4% · 404: 16, 503: 1 · 13 errors (3 timed out) · 2 unexpected bodies | true', 'Completed | 211 | of 223 sent'
  ])
  t.same(words(TWO), [
    'Requests/s | 71 | ± 0 (standard deviation)', 'Median latency | 22 | ms | half take no longer', 'p99 latency | 82 | ms | one in 100 is slower', 'Longest latency | 172 | ms | of 100',
    'Failures | 0 | 200: 307 | false', 'Completed | 307 | of 311 sent'
  ])
  t.same(words(BOUNDED).slice(1, 4).map((line) => line.split(' | ')[1]), ['11', '≥ 41', '≥ 43'])
})

t.test('runs side by side, and the differences between two of them', async (t) => {
  t.same(wordsOf(figureTable([run('shop', ONE), run('other', TWO)])), [
    ' | shop | other | Difference',
    'Requests/s | 53 | 71 | +34%',
    'Offered/s | 61 | – | –',
    'p50 ms | 11.0 | 22.0 | +100%',
    'p99 ms | 41.0 | 82.0 | +100%',
    'Longest ms | 43.0 | 172.0 | +300%',
    'Failures | ≥ 30! | 0 | –',
    'Failures % | ≥ 13.4%! | 0% | –',
    'Errors | 13! | 0 | −100%',
    'Not 2xx | 17 | 0 | −100%',
    'Completed | 211 | 307 | +45.5%',
    'Status codes | 200: 194, 404: 16, 503: 1 | 200: 307 | '
  ])
  const differences = (a, b) => wordsOf(figureTable([run('a', a), run('b', b)])).slice(3, 6).map((row) => row.split(' | ').at(-1))
  t.same(differences(TWO, BOUNDED), ['−50%', '–', '–'], 'a bound that is less says nothing')
  t.same(differences({ ...ONE, latency: times(11, 31, 32, 33) }, BOUNDED), ['±0%', '≥ +28.1%', '≥ +30.3%'])
  t.same(differences(BOUNDED, TWO), ['+100%', '–', '–'], 'nor does what is more than a bound')
  t.same(wordsOf(figureTable([run('shop', ONE), run('other', TWO), run('bounded', BOUNDED)])), [
    'Run | Requests/s | Offered/s | p50 ms | p99 ms | Longest ms | Failures | Failures % | Errors | Not 2xx | Completed | Status codes',
    'shop | 53 | 61 | 11.0 | 41.0 | 43.0 | ≥ 30! | ≥ 13.4%! | 13! | 17 | 211 | 200: 194, 404: 16, 503: 1',
    'other | 71 | – | 22.0 | 82.0 | 172.0 | 0 | 0% | 0 | 0 | 307 | 200: 307',
    'bounded | 53 | 61 | 11.0 | ≥ 41.0 | ≥ 43.0 | ≥ 30! | ≥ 13.4%! | 13! | 17 | 211 | 200: 194, 404: 16, 503: 1'
  ])
})

t.test('the outcomes of the requests', async (t) => {
  t.same(wordsOf(requestOutcomes([run('shop', ONE)])), [
    'Requests |  | Count | Share',
    'Came due | 229/229 | 229 | 100%',
    'Never sent | 6/229! | 6! | 2.62%',
    'Sent | 223/229 | 223 | 97.4%',
    'Completed | 211/229 | 211 | 92.1%',
    'Failed | 8/229! | 8! | 3.49%',
    'Timed out | 3/229! | 3! | 1.31%',
    'Unfinished | 1/229 | 1 | 0.437%'
  ])
  t.same(wordsOf(requestOutcomes([run('shop', ONE), run('other', TWO)])), [
    'Run | Came due | Never sent | Sent | Completed | Failed | Timed out | Unfinished', 'shop | 229 | 6! | 223 | 211 | 8! | 3! | 1', 'other | 311 | 0 | 311 | 307 | 0 | 0 | 4'
  ])
})

t.test('statuses, and errors with their phases', async (t) => {
  t.same(wordsOf(statusCodes([run('shop', ONE)])), ['Status code |  | Responses | Share', '200 | 194/211 | 194 | 91.9%', '404 | 16/211! | 16 | 7.58%', '503 | 1/211! | 1 | 0.474%'])
  t.same(wordsOf(statusCodes([run('shop', ONE), run('other', TWO)])), ['Run | 200 | 404 | 503', 'shop | 194 | 16 | 1', 'other | 307 | 0 | 0'])
  t.same(wordsOf(errorCodes([run('shop', ONE)])), ['Error | Count | While | First message', 'ECONNRESET | 8 | receive 5, send 3 | gone', 'EPIPE | 2 | send | broken'])
  t.same(wordsOf(errorCodes([run('other', TWO), run('shop', ONE)]))[1], 'ECONNRESET | shop | 8 | receive 5, send 3 | gone')
  const calls = [run('a', { grpcStatus: { OK: 30, NOT_FOUND: 10 } }), run('b', { grpcStatus: { OK: 3 } })]
  t.same(wordsOf(grpcStatuses(calls.slice(0, 1))), ['gRPC status | Calls | Share', 'OK | 30 | 75%', 'NOT_FOUND | 10 | 25%'])
  t.same(wordsOf(grpcStatuses(calls)), ['gRPC status | Run | Calls | Share', 'OK | a | 30 | 75%', 'OK | b | 3 | 100%', 'NOT_FOUND | a | 10 | 25%', 'NOT_FOUND | b | 0 | 0%'])
})

t.test('latency by percentile', async (t) => {
  const [{ chart: { summary, table } }] = latencyDistribution({ ...BOUNDED, latencyWithUnfinished: times(13, 33, 47, 53) })
  t.same(wordsOf(table), [
    'Percentile | Response time, ms | Service time, ms | With unfinished, ms',
    'Shortest | 1.00 | 1.00 | 1.00',
    '25% | – | – | –',
    '50% | 11.00 | 7.00 | 13.00',
    '75% | – | – | –',
    '90% | 31.00 | 17.00 | 33.00',
    '95% | ≥ 40.50 | 18.00 | 34.00',
    '97.5% | ≥ 40.75 | 19.00 | 35.00',
    '99% | ≥ 41.00 | 19.00 | 47.00',
    'Longest | ≥ 43.00 | 23.00 | 53.00',
    'Average | ≥ 12.00 | 8.00 | 14.00',
    'Standard deviation | ≥ 3.00 | 3.00 | 3.00',
    'Requests | 100 | 100 | 100'
  ])
  t.match(summary, 'Response time: median 11 ms, 99th percentile ≥ 41 ms, longest ≥ 43 ms. Service time: median 7 ms, 99th percentile 19 ms, longest 23 ms.')
})

t.test('sessions, streams and messages', async (t) => {
  const ofSessions = {
    ...ONE,
    timeline: [],
    sessions: { scheduled: 97, unstarted: 4, started: 93, completed: 80, failed: 11, unfinished: 2, lifetime: times(110, 120, 130, 140), failTime: times(210, 220, 230, 240), connections: { average: 1.5 }, peak: 29 }
  }
  t.same(tablesOf(sessions([run('shop', ofSessions)])), [
    [
      'Sessions |  | Count | Share', 'Came due | 97/97 | 97 | 100%', 'Never started | 4/97! | 4! | 4.12%', 'Started | 93/97 | 93 | 95.9%',
      'Completed | 80/97 | 80 | 82.5%', 'Failed | 11/97! | 11! | 11.3%', 'Unfinished | 2/97 | 2 | 2.06%'
    ],
    [' | p50 | p90 | p99 | Max | Connections per session | Peak', 'Lifetime (completed) | 110 | 120 | 130 | 140 | 1.5 | 29', 'Time to failure | 210 | 220 | 230 | 240 |  | ']
  ])
  const stream = { events: 1009, rate: 101, timeToFirstEvent: times(3, 4, 5, 6), gap: times(13, 14, 15, 16), eventsPerResponse: { totalCount: 50, min: 18, mean: 20.5, max: 24 } }
  t.same(tablesOf(streams([run('shop', { ...ONE, stream, timeline: [] })])), [
    [' | p50 | p90 | p95 | p99 | Longest | Average | Count', 'Time to first event | 3.00 | 4.00 | 5.00 | 5.00 | 6.00 | 4.00 | 100', 'Gap between events | 13.00 | 14.00 | 15.00 | 15.00 | 16.00 | 14.00 | 100'],
    [' | Events | Per second | Per response: min | Average | Max | Responses', 'All responses | 1,009 | 101 | 18 | 20.5 | 24 | 50']
  ])
  // Rates by the length of each sample, which may differ.
  const sample = (time, seconds, events) => ({ time, seconds, requests: 1, bytes: 1, errors: 0, connections: 1, p50: 1, p90: 1, p99: 1, max: 1, stream: { events, timeToFirstEvent: { p50: 2, p99: 3 }, gap: { p50: 4, p99: 5 } } })
  const overTime = streams([run('shop', { ...ONE, sampleInt: 1000, stream, timeline: [sample(0.5, 0.5, 30), sample(2.5, 2, 80)] })])
  const [rates, timesOfEvents] = overTime.flatMap((part) => part?.chart ?? [])
  t.same(rates.chart.data, [[0, 0.5, 2.5], [60, 60, 40]])
  t.same(timesOfEvents.chart.data, [[0, 0.5, 2.5], [2, 2, 2], [3, 3, 3], [4, 4, 4], [5, 5, 5]])
  t.same(wordsOf(timesOfEvents.table).slice(1), ['0.5 | 60 | 2.00 | 3.00 | 4.00 | 5.00', '2.5 | 40 | 2.00 | 3.00 | 4.00 | 5.00'])
  const ofMessages = {
    ...ONE,
    timeline: [],
    messages: { sent: 31, received: 37, unasked: 41, pings: 43, pongs: 47, bytesSent: 53, bytesReceived: 59 },
    broadcast: { expected: 80, received: 60, fanOut: 7.5, lastCopy: times(3, 4, 5, 6) },
    closeCodes: { 1000: 3, 1006: 2 }
  }
  const whole = { ...ofMessages, broadcast: { ...ofMessages.broadcast, received: 80 }, closeCodes: { 1001: 5 } }
  t.same(tablesOf(messages([run('shop', ofMessages), run('whole', whole)])), [
    ['Run | Sent | Received | Unsolicited | Pings | Pongs | Bytes sent | Bytes received', 'shop | 31 | 37 | 41 | 43 | 47 | 53 | 59', 'whole | 31 | 37 | 41 | 43 | 47 | 53 | 59'],
    ['Run | Expected | Received | Share | Per second | p50 | p90 | p99 | Longest', 'shop | 80 | 60! | 75% | 7.5 | ≥ 3.00 | ≥ 4.00 | ≥ 5.00 | ≥ 6.00', 'whole | 80 | 80 | 100% | 7.5 | 3.00 | 4.00 | 5.00 | 6.00'],
    ['Run | 1000 | 1001 | 1006', 'shop | 3 | 0 | 2', 'whole | 0 | 5 | 0']
  ])
})

t.test('endpoints, scenarios, checks, failures and monitored processes', async (t) => {
  const endpoint = (number, more) => ({ method: 'GET', path: `/${number}`, completed: number, failed: number % 2, latency: times(number + 1, 0, number + 2, number + 3), latencyBounds: { count: 0 }, statusCodeStats: { 200: { count: number } }, ...more })
  const result = {
    ...ONE,
    endpoints: [endpoint(10), endpoint(21, { title: 'page', latencyBounds: { count: 2, smallest: 23 } })],
    scenarios: [
      { name: 'browse', weight: 3, sessions: { completed: 17, failed: 2 }, accounting: { completed: 170 }, errors: 5, latency: times(33, 0, 34, 35), latencyBounds: { count: 0 }, statusCodeStats: { 200: { count: 169 }, 500: { count: 1 } } },
      { name: 'buy', weight: 1, sessions: { completed: 6, failed: 0 }, accounting: { completed: 60 }, errors: 0, latency: { totalCount: 0 }, statusCodeStats: {} }
    ],
    checks: [{ name: 'paid', scenario: 'buy', passed: 9, failed: 3 }, { name: 'none', scenario: null, passed: 0, failed: 0 }],
    sessions: { failures: [{ message: 'out of stock', code: null, count: 4 }, { message: 'late', code: 'CANNONADE_RESPONSE_TIMEOUT', count: 2 }] },
    monitor: [{ pid: 71, cpu: { totalCount: 5, p50: 50, mean: 60, max: 70 }, memory: { p50: 1000, mean: 2000, max: 3000 } }, { pid: 72, cpu: { totalCount: 0 } }]
  }
  const one = [run('shop', result)]
  t.same(wordsOf(endpointTable(one)), ['Request | Completed | Failed | p50 | p99 | Max | Status codes', 'GET /10 | 10 | 0 | 11 ms | 12 ms | 13 ms | 200: 10', 'page | 21 | 1! | 22 ms | ≥ 23 ms | ≥ 24 ms | 200: 21'])
  t.same(wordsOf(scenarioTable(one)), [
    'Scenario | Share | Sessions | Failed | Requests | Errors | p50 | p99 | Max | Status codes', 'browse | 75% | 17 | 2! | 170 | 5! | 33 ms | 34 ms | 35 ms | 200: 169, 500: 1', 'buy | 25% | 6 | 0 | 60 | 0 | – | – | – | '
  ])
  t.same(wordsOf(checkTable(one)), ['Check | Scenario | Passed | Failed | Share', 'paid | buy | 9 | 3! | 75%', 'none |  | 0 | 0 | –'])
  t.same(wordsOf(failureTable(one)), ['Reason | Code | Sessions', 'out of stock |  | 4!', 'late | CANNONADE_RESPONSE_TIMEOUT | 2!'])
  t.same(wordsOf(processTable(one)), ['Process | CPU 50% | CPU Avg | CPU Max | Memory 50% | Memory Avg | Memory Max', '71 | 50% | 60% | 70% | 1 kB | 2 kB | 3 kB'])
  // A process and those that it has started.
  const family = (processes) => wordsOf(processTable([run('shop', { monitor: [{ ...result.monitor[0], processes }] })]))[1].split(' | ')[0]
  t.same([undefined, 1, 2, 3].map(family), ['71', '71', '71 and 1 child process', '71 and 2 child processes'])
  // What counts as a failure is bad: a status of HTTP, or of gRPC if there are any.
  const isBad = (counts) => wordsOf(endpointTable([run('shop', { ...result, endpoints: [endpoint(10, counts), endpoint(20)] })]))[1].endsWith('!')
  t.same([{ 200: 1 }, { 200: 1, 302: 1 }, { 404: 1 }, { 200: 1, 503: 1 }].map((stats) => isBad({ statusCodeStats: stats })), [false, false, true, true])
  t.same([{ OK: 1 }, { OK: 1, UNAVAILABLE: 1 }].map((grpcStatus) => isBad({ grpcStatus })), [false, true])
  t.equal(wordsOf(checkTable([run('a', result), run('b', result)]))[3], 'paid | buy | b | 9 | 3! | 75%')
})

t.test('JUnit: a case for the responses, each check and each threshold', async (t) => {
  const thresholds = [{ threshold: 'p99 < 50ms', passed: true, certain: true, actual: 41, limit: 50, operator: '<', unit: 'ms' }, { threshold: 'errors == 0', passed: false, certain: true, actual: 13, limit: 0, operator: '==', unit: '' }]
  const xml = toJUnit({ ...ONE, missing: {}, duration: 4.5, checks: [{ name: 'paid', scenario: 'buy', passed: 9, failed: 3 }, { name: 'found', scenario: null, passed: 5, failed: 0 }], thresholds, warnings: [{ code: 'A', message: 'slow & late' }] })
  const cases = [...xml.matchAll(/<testcase classname="shop" name="([^"]*)"(?:\/>|>\s*<failure message="([^"]*)">)/g)].map(([, name, failure]) => [name, failure])
  t.same(cases.slice(0, 4), [['answers', undefined], ['check: buy: paid', '3 of 12 times the check \'paid\' failed'], ['check: found', undefined], ['p99 &lt; 50ms', undefined]])
  t.match(cases[4], ['errors == 0', /13/])
  t.match(xml, /<testsuite name="shop" tests="5" failures="2" errors="0" skipped="0" time="4.5"/)
  t.match(xml, /Warning: slow &amp; late<\/system-out>/)
  t.match(toJUnit({ ...ONE, duration: 1, checks: [], accounting: { completed: 0 }, errorCodes: { EPIPE: { count: 2, message: 'broken' } } }), /name="answers">\s*<failure message="no request got a response">no request got a response\n2 × EPIPE: broken</)
})

t.test('the diagnosis of a server', async (t) => {
  const stall = (number) => ({ at: number, duration: 50 + number, kind: number % 2 === 0 ? 'gc' : 'code', waiting: 100 + number, stack: [{ function: `f${number}`, file: '/app/a.js', line: number }, { function: 'native', file: null, line: null }] })
  const diagnosis = {
    processes: [
      {
        pid: 71,
        thread: 2,
        script: '/app/server.js',
        eventLoop: { utilization: 0.87, delay: { p99: 21, max: 23 } },
        cpu: { user: 61, system: 7 },
        gc: { share: 0.03, count: 19 },
        heap: { peak: 5000 },
        hot: [{ function: 'render', file: '/app/node_modules/views/index.js', line: 12, package: 'views', self: 0.4, total: 0.6 }, { function: 'run', file: null, line: null, package: null, self: 0.1, total: 0.2 }]
      },
      { pid: 72, thread: 0, script: null }
    ],
    stalls: [stall(1), stall(4), stall(2)]
  }
  t.same(wordsOf(serverTable({ diagnosis })), [
    'Process | Event loop busy | Delay p99 | Longest delay | CPU, user | CPU, system | Garbage collection | Collections | Largest heap', '71, thread 2 | 87% | 21 ms | 23 ms | 61% | 7% | 3% | 19 | 5 kB', '72 | – | – | – | – | – | – | – | –'
  ])
  t.same(wordsOf(hotTable({ diagnosis })).slice(1), ['render | /app/node_modules/views/index.js:12 | views | 40% | 60%', 'run |  |  | 10% | 20%'])
  t.equal(hotTable({ diagnosis }, 1).rows.length, 1)
  const internal = { function: 'processTicksAndRejections', file: 'node:internal/process/task_queues', line: 103, package: 'node:', self: 0.123, total: 0.456 }
  const narrow = hotTable({ diagnosis: { processes: [{ hot: [internal, { ...internal, file: `/app/${'folder/'.repeat(9)}a.js` }] }] } })
  t.match(tableText(narrow, { width: 80, colors: { bold: String, cyan: String, gray: String } }), /processTicksAndRejections *│ …de:internal\/process\/task_queues:103│ 12.3%│[^]*folder\/a.js:103│/)
  t.same(wordsOf(stallTable({ diagnosis })), ['At | Duration | Cause | Requests in flight | Code', '4 s | 54 ms | garbage collection | 104 | f4 › native', '2 s | 52 ms | garbage collection | 102 | f2 › native', '1 s | 51 ms | code | 101 | f1 › native'])
  const captionOf = (count) => stallTable({ diagnosis: { ...diagnosis, stalls: Array.from({ length: count }, (_, number) => stall(number)) } })
  t.same([9, 10, 11].map((count) => [captionOf(count).rows.length, captionOf(count).caption.startsWith('The longest')]), [[9, false], [10, true], [10, true]])
})

t.test('names and the model of a run', async (t) => {
  t.same(namedRuns([ONE, TWO, ONE, { url: ['http://a', 'http://b'] }, {}]).map(({ name }) => name), ['shop (1)', 'other', 'shop (3)', 'http://a, http://b', 'Run 5'])
  t.equal(namedRuns([{ title: 'x'.repeat(61) }])[0].name, `${'x'.repeat(59)}…`)
  t.equal(namedRuns([{ title: 'x'.repeat(60) }])[0].name.length, 60)
  t.equal(modelInWords(ONE), 'open model: 61 requests per second came due, over 7 connections, 2 requests at a time on each')
  const users = { connections: 4, pipelining: 1, sessions: { rate: { offered: 20 } } }
  t.equal(modelInWords({ ...users, rate: { offered: 57.2 } }), 'open model: 20 sessions per second came due')
  t.equal(modelInWords(users), 'closed model: 4 sessions at a time, each followed by the next when it is over')
  t.match(modelInWords({ ...users, connections: 4000 }), /^closed model: 4,000 sessions at a time, /)
  t.equal(modelInWords({ connections: 1, pipelining: 1 }), 'closed model: one connection, each sending its next request when the previous response has arrived')
})
