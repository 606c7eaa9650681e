'use strict'

// The sentences that explain why a rate was not achieved, from the numbers of a result.

const t = require('tap')
const { assertResult, evaluateThresholds, run } = require('../..')
const inWords = require('../../lib/words/numbers')
const warningsOf = require('../../lib/metrics/warnings')
const { parseThresholds } = require('../../lib/thresholds')
const { simulate } = require('../simulation/world')

const PLAN = { amount: null, schedule: { kind: 'constant' }, pipelining: 1, ignoreCoordinatedOmission: false }

// One second at 200/s, which was achieved except for the given changes.
function resultOf ({ accounting, connectionStats, generator, ...rest }) {
  return {
    connections: 10,
    rate: { offered: 200, achieved: 100 },
    accounting: { scheduled: 200, unsent: 0, sent: 200, completed: 100, failed: 0, timedOut: 0, unfinished: 0, ...accounting },
    connectionStats: { failed: 0, ...connectionStats },
    errorCodes: {},
    generator: { saturated: false, eventLoop: { utilization: 0.2, delayP99: 0 }, reasons: [], ...generator },
    sendDelay: { client: { mean: 0, p99: 0 }, waiting: { mean: 0 } },
    latency: { totalCount: 200, mean: 5, p99: 5 },
    latencyWithUnfinished: { totalCount: 200, p99: 5 },
    serviceTime: { mean: 5, p10: 5 },
    drain: { completed: 0 },
    timeline: [{ connections: 10 }],
    ...rest
  }
}

function reasonOf (given) {
  const warnings = warningsOf(resultOf(given), PLAN, { counters: { undecided: 0 } })
  return warnings.find(({ code }) => code === 'RATE_NOT_ACHIEVED')?.message ?? null
}

function warningOf (code, given) {
  return warningsOf(resultOf(given), PLAN, { counters: { undecided: 0 } }).find((warning) => warning.code === code)?.message
}

const refused = (count) => ({ ECONNREFUSED: { count, phase: 'connect', phases: { connect: count }, message: 'connect ECONNREFUSED' } })
const reset = (count) => ({ ECONNRESET: { count, phase: 'receive', phases: { receive: count }, message: 'read ECONNRESET' } })

t.test('why nothing was answered is one sentence, however the message ends', async (t) => {
  const nobody = { accounting: { scheduled: 2, sent: 0, completed: 0 }, connectionStats: { failed: 2 } }
  const failed = (phase, message) => ({ BAD: { count: 2, phase, phases: { [phase]: 2 }, message } })
  const begin = 'No request was sent: all 2 connection attempts failed (BAD: why).'
  t.equal(warningOf('NO_CONNECTION', { ...nobody, errorCodes: failed('connect', 'why') }), `${begin} Is the server running at this address?`)
  t.match(warningOf('NO_CONNECTION', { ...nobody, errorCodes: { ENOTFOUND: { count: 3, phase: 'dns', message: 'getaddrinfo ENOTFOUND shpo.example' } } }),
    /There is no host of this name: is it spelled correctly\?$/)
  t.match(warningOf('NO_CONNECTION', { ...nobody, errorCodes: { EAI_AGAIN: { count: 3, phase: 'dns', message: 'getaddrinfo EAI_AGAIN shop.example' } } }),
    /is its spelling correct, and does name resolution work on this machine\?$/)
  t.equal(warningOf('NO_CONNECTION', { ...nobody, errorCodes: failed('tls', 'why.\n') }),
    `${begin} There is a server at this address, but the TLS handshake failed.`)
  const silent = { accounting: { scheduled: 2, sent: 2, completed: 0, failed: 2 }, errorCodes: failed('receive', 'why\n') }
  t.equal(warningOf('NO_ANSWER', silent), 'There were no responses: BAD: why.')
})

t.test('connections for which the load generator lacked something say nothing about the server', async (t) => {
  const lacking = (failed, codes) => warningOf('NO_CONNECTION', { accounting: { scheduled: 2, sent: 0, completed: 0 }, connectionStats: { failed, opened: 0 }, errorCodes: codes })
  t.equal(lacking(3, { EMFILE: { count: 3, phase: 'connect', phases: { connect: 3 }, message: 'connect EMFILE' } }),
    'No request was sent: all 3 connection attempts failed (EMFILE: connect EMFILE). This says nothing about the server.')
  t.equal(lacking(1, { EMFILE: { count: 1, phase: 'connect', phases: { connect: 1 }, message: 'connect EMFILE' } }),
    'No request was sent: the only connection attempt failed (EMFILE: connect EMFILE). This says nothing about the server.')
  t.equal(lacking(1, refused(1)), 'No request was sent: the only connection attempt failed (ECONNREFUSED: connect ECONNREFUSED). Is the server running at this address?')
})

t.test('a server that does not speak the requested protocol still exists', async (t) => {
  const nobody = { accounting: { scheduled: 2, sent: 0, completed: 0 }, connectionStats: { failed: 2 } }
  const failed = (code, phase) => ({ [code]: { count: 2, phase, phases: { [phase]: 2 }, message: 'why' } })
  t.match(warningOf('NO_CONNECTION', { ...nobody, errorCodes: failed('CANNONADE_BAD_HANDSHAKE', 'connect') }), /There is a server at this address, but it rejected the WebSocket handshake: .*\.$/)
  t.match(warningOf('NO_CONNECTION', { ...nobody, errorCodes: failed('CANNONADE_BAD_RESPONSE', 'parse') }), /There is a server at this address, but it speaks another protocol\.$/)
})

t.test('endless streams are not responses; the warning says how to end them', async (t) => {
  const endless = { accounting: { scheduled: 2, sent: 2, completed: 0, unfinished: 2 }, stream: { events: 57 } }
  const sentence = 'There were no responses: 57 events arrived, but no stream ended. If streams are endless, set stream.limit to define when one is complete.'
  t.equal(warningOf('NO_ANSWER', endless), sentence)
  t.equal(warningOf('NO_ANSWER', { ...endless, accounting: { ...endless.accounting, unfinished: 1, timedOut: 1 } }), sentence)
  t.equal(warningOf('NO_ANSWER', { ...endless, stream: { events: 0 } }), 'There were no responses: 2 requests had no response yet when the run ended.')
})

t.test('if nothing is missing, the cause is waiting that latency leaves out', async (t) => {
  t.equal(warningOf('LATENCY_INCOMPLETE', { latencyWithUnfinished: { totalCount: 200, p99: 25 } }),
    'latency excludes the time requests waited before they were sent, because ignoreCoordinatedOmission makes it the service time. Counted from when they were due, the 99th percentile is 25 ms instead of 5 ms; see latencyWithUnfinished.')
})

t.test('a server that no connection can be opened to has not responded, in the closed model as well', async (t) => {
  const nothing = { accounting: { scheduled: 0, sent: 0, completed: 0 }, connectionStats: { failed: 0, peak: 0 } }
  const closed = (given, plan) => warningsOf(resultOf(given), { ...PLAN, schedule: null, ...plan }, { counters: { undecided: 0 } })
    .find(({ code }) => code === 'NO_ANSWER')?.message
  t.equal(closed(nothing), 'There were no responses: no connection was ready before the run ended, so no request was sent.')
  t.equal(closed({ ...nothing, connectionStats: { failed: 0, peak: 2 } }), 'There were no responses: no request was sent.')
  t.equal(closed(nothing, { sessions: { calls: 1 } }), undefined)
  t.equal(warningOf('NO_ANSWER', nothing), undefined, 'nothing came due')
  for (const server of [{ attempt: () => 'silence' }, { secure: true, handshake: 'silence' }]) {
    const { value: result } = await simulate({ seed: 1 }, (world) => run({ url: world.server(server).url, connections: 2, duration: 1 }))
    t.same(result.warnings.map(({ code }) => code), ['NO_ANSWER'])
    t.equal(result.requests.sent, 0)
  }
})

t.test('numbers are written as in the tables', async (t) => {
  const many = { scheduled: 75000, sent: 37140, completed: 37140, unsent: 37860 }
  t.match(warningOf('LATENCY_BOUND', { accounting: many, latency: { totalCount: 75000, p99: 2533 }, latencyBounds: { count: 37860, share: 0.5048, smallest: 1058.5 } }),
    /^50\.5% of .*: 37,860 of 75,000 requests had no response \(37,860 never sent\) .*, 1.06 s or more\./)
  t.match(reasonOf({ accounting: many, rate: { offered: 15000, achieved: 741.605 }, serviceTime: { mean: 675, p10: 5 } }),
    /^Only 741\.6 of 15,000 requests per second .* takes 675 ms on average, .* at least 10,125 requests in flight \(Little's law\): 10,125 connections, and there were 10\./)
  t.match(warningOf('NO_CONNECTION', { accounting: { sent: 0 }, connectionStats: { failed: 1200 }, errorCodes: refused(1200) }), 'all 1,200 connection attempts')
  t.equal(inWords.percent(11), '1,100%')
  t.equal(inWords.rate(0.05), '0.05')
  t.equal(inWords.counted(1, 'request'), '1 request')
})

t.test('99% or more counts as achieved', async (t) => {
  t.equal(reasonOf({ rate: { offered: 200, achieved: 198 } }), null)
  t.match(reasonOf({ rate: { offered: 200, achieved: 197 } }), /^Only 197 of 200 requests per second/)
})

t.test('responses of the drain were missing in the window, apart from as many as are always on their way', async (t) => {
  const late = (count, p10) => reasonOf({ accounting: { completed: 200 }, drain: { completed: count }, rate: { offered: 200, achieved: 200 - count }, serviceTime: { mean: 5, p10 } })
  // 200/s: one in 5 ms, four in 20 ms; and 1% of the 200.
  t.same([late(3, 5), late(6, 20)], [null, null])
  t.match([late(4, 5), late(7, 20)], [/^Only 196 of 200/, /^Only 193 of 200/])
  const byAmount = (achieved) => warningsOf(resultOf({ accounting: { completed: 200 }, rate: { offered: 200, achieved } }), { ...PLAN, amount: 200 }, { counters: { undecided: 0 } })
    .find(({ code }) => code === 'RATE_NOT_ACHIEVED')?.message
  t.equal(byAmount(197.1), undefined)
  t.match(byAmount(196), /^Only 196 of 200/)
})

t.test('nobody responded, or most requests failed', async (t) => {
  t.match(reasonOf({ accounting: { completed: 0, failed: 200 } }), /: there were no responses\.$/)
  t.match(reasonOf({ accounting: { completed: 90, failed: 60, timedOut: 50 }, errorCodes: reset(60) }), /: most requests failed\.$/)
})

t.test('what failed is not blamed on the speed of the server, if it is at least half of what is missing', async (t) => {
  const missing = (failed, timedOut, late, more) => reasonOf({ ...more, accounting: { completed: 200 - failed - timedOut, failed, timedOut }, drain: { completed: late }, rate: { offered: 200, achieved: 200 - failed - timedOut - late } })
  t.match([missing(0, 20, 0), missing(9, 11, 0), missing(12, 8, 20), missing(1, 7, 4)], [20, 20, 20, 8].map((count) => new RegExp(`: ${count} requests failed or timed out\\.$`)))
  t.match([missing(20, 0, 0), missing(10, 10, 0), missing(20, 0, 20)], [20, 10, 20].map((count) => new RegExp(`: ${count} requests failed\\.$`)))
  const slowGenerator = { generator: { saturated: true } }
  t.match(missing(20, 0, 0, slowGenerator), /: 20 requests failed\.$/, 'nor on that of the client')
  t.match([missing(0, 20, 0, slowGenerator), missing(9, 11, 0, slowGenerator)], [/the load generator was too slow/, /the load generator was too slow/], 'which may be why requests time out')
  for (const slow of [missing(0, 0, 20), missing(12, 7, 20), missing(1, 0, 4)]) t.match(slow, /: the server was slower than the schedule/)
})

t.test('the server went away, and unsent requests are not blamed on its speed', async (t) => {
  const gone = {
    accounting: { sent: 75, completed: 73, failed: 2, unsent: 125 },
    connectionStats: { failed: 60 },
    errorCodes: { ...reset(2), ...refused(60) },
    timeline: [{ connections: 0 }]
  }
  t.match(reasonOf(gone), /: 60 connection attempts failed \(ECONNREFUSED\), and 125 requests could not get a connection in time\.$/)
  t.match(reasonOf({ ...gone, generator: { saturated: true } }), /60 connection attempts failed/, 'nor on the client')
  t.match(reasonOf({ ...gone, connectionStats: { failed: 300 } }), /300 connection attempts failed/, 'nor on requests that failed: few did')
  t.match(reasonOf({ ...gone, connectionStats: { failed: 1 }, errorCodes: refused(1) }), /1 connection attempt failed/)
})

t.test('a failed attempt is no cause if the connections were there', async (t) => {
  const slow = { accounting: { sent: 100, unsent: 100 }, connectionStats: { failed: 1 }, errorCodes: refused(1), serviceTime: { mean: 100, p10: 100 } }
  t.match(reasonOf(slow), /at least 20 requests in flight \(Little's law\): 20 connections, and there were 10/)
  t.match(reasonOf({ ...slow, timeline: [{ connections: 9 }] }), /Little's law/, 'nor is a missing one')
})

t.test('connections were the cause if half of them were missing, and half of the unanswered requests were never sent', async (t) => {
  const lacking = { accounting: { sent: 150, completed: 100, unsent: 50 }, connectionStats: { failed: 1 }, errorCodes: refused(1), timeline: [{ connections: 10 }, { connections: 5 }] }
  t.match(reasonOf(lacking), /50 requests could not get a connection in time/)
  const failed = (phase) => ({ count: 1, phase, phases: { [phase]: 1 } })
  const each = { DNS: failed('dns'), TCP: failed('connect'), TLS: failed('tls'), SENT: failed('send'), LATE: failed('receive') }
  t.match(reasonOf({ ...lacking, connectionStats: { failed: 3 }, errorCodes: each }), /3 connection attempts failed \(DNS, TCP, TLS\), and/)
  t.notMatch(reasonOf({ ...lacking, accounting: { sent: 151, completed: 100, unsent: 49 } }), /could not get a connection/)
  t.notMatch(reasonOf({ ...lacking, timeline: [{ connections: 10 }, { connections: 6 }] }), /could not get a connection/)
  t.notMatch(reasonOf({ ...lacking, connectionStats: { failed: 0 } }), /could not get a connection/)
})

t.test("Little's law counts requests in flight, and connections by how many requests each carries", async (t) => {
  const result = resultOf({ serviceTime: { mean: 100, p10: 90 }, accounting: { completed: 50 }, connections: 4 })
  const inWords = (pipelining) => warningsOf(result, { ...PLAN, pipelining }, { counters: { undecided: 0 } }).find(({ code }) => code === 'RATE_NOT_ACHIEVED').message
  t.match(inWords(1), /at least 20 requests in flight \(Little's law\): 20 connections, and there were 4\./)
  t.match(inWords(3), /at least 20 requests in flight \(Little's law\): 7 connections, and there were 4, for 12 requests in flight\./)
  t.notMatch(inWords(5), /Little's law/)
})

t.test('the generator, too few connections, or else the server', async (t) => {
  t.match(reasonOf({ generator: { saturated: true } }), /the load generator was too slow/)
  t.match(reasonOf({ serviceTime: { mean: 100, p10: 90 }, accounting: { completed: 50 } }), /at least 20 requests in flight/)
  t.match(reasonOf({}), /the server was slower than the schedule for part of the time/)
})

// Each kind of warning with the numbers that it must contain, and the nearest result without that warning. The statuses are those of one
// endpoint, GET /a, or of two, the second with a title.
function answered (first, second) {
  const stats = (counts) => Object.fromEntries(Object.entries(counts).map(([status, count]) => [status, { count }]))
  return { '3xx': 0, endpoints: [{ method: 'GET', path: '/a?token=1', statusCodeStats: stats(first) }, ...(second ? [{ title: 'other', method: 'GET', path: '/b', statusCodeStats: stats(second) }] : [])] }
}

// Of ten connections.
const unsolicited = (unasked, own) => ({ plan: { websocket: { expect: 'reply', ...own } }, connectionStats: { opened: 10 }, messages: { received: 100, unasked } })

const OF_SESSIONS = { sessions: {}, drain: 1 }
const leftOut = (count, plan) => ({
  plan,
  ...(plan.sessions && { sessions: { unfinished: 0 }, waited: 0 }),
  accounting: { failed: 1, timedOut: 2, unfinished: 3 },
  latencyWithUnfinished: { totalCount: 200 + count, p99: 9 }
})

const KINDS = {
  BODIES_NOT_VERIFIED: [
    [{ undecided: 3 }, /\b3 bodies\b/],
    [{ undecided: 1 }, /\b1 body\b/],
    [{ undecided: 0 }, null]
  ],
  NO_FILE_DESCRIPTORS: [
    [{ errorCodes: { EMFILE: { count: 1200 }, ENFILE: { count: 34 } } }, /^1,234 connection attempts .*\(EMFILE, ENFILE\).*ulimit -n/],
    [{ errorCodes: { ENFILE: { count: 34 }, EMFILE: { count: 2 } } }, /^36 connection attempts .*\(EMFILE, ENFILE\).*ulimit -n/],
    [{ errorCodes: { ENFILE: { count: 1 } } }, /^1 connection attempt .*\(ENFILE\).*fs\.file-max/],
    [{ errorCodes: {} }, null]
  ],
  NO_LOCAL_PORTS: [
    [{ connectionStats: { failed: 3, opened: 1 }, errorCodes: { EADDRNOTAVAIL: { count: 3, message: 'connect' } } }, /^3 connection attempts .*\(EADDRNOTAVAIL\)/],
    [{ connectionStats: { failed: 3, opened: 0 }, errorCodes: { EADDRNOTAVAIL: { count: 3, message: 'connect' } } }, null]
  ],
  NO_LOCAL_ADDRESS: [
    [{ errorCodes: { EADDRNOTAVAIL: { count: 2, message: 'bind EADDRNOTAVAIL 10.0.0.9.' } } }, /^2 connection attempts .*\(bind EADDRNOTAVAIL 10\.0\.0\.9\)/]
  ],
  URL_WITHOUT_CONNECTION: [
    [{ url: ['http://a', 'http://b', 'http://c'], targets: { opened: [0, 2, 0], failed: [3, 0, 1] } }, /connect to http:\/\/a, http:\/\/c, .* the other URL alone/],
    [{ url: ['http://a', 'http://b', 'http://c'], targets: { opened: [0, 2, 1], failed: [3, 0, 1] } }, /connect to http:\/\/a, .* the other URLs alone/],
    [{ url: ['http://a', 'http://b'], targets: { opened: [0, 0], failed: [1, 1] } }, null],
    [{ url: ['http://a', 'http://b'], targets: { opened: [0, 1], failed: [0, 1] } }, null],
    [{ url: ['http://a', 'http://b'], targets: { opened: [0], failed: [1] } }, null],
    [{ url: 'http://a', targets: { opened: [0], failed: [1] } }, null],
    // Counted for other URLs.
    [{ url: ['http://a', 'http://b'], targets: { opened: [0, 2, 3], failed: [1, 0, 0] } }, null]
  ],
  LATENCY_BOUND: [
    [{ latencyBounds: { count: 3, share: 0.0101, smallest: 20 }, accounting: { timedOut: 1, unfinished: 2, unsent: 4 } }, /^1\.01% .*\b3 of 200 requests .*\(1 timed out, 2 unfinished, 4 never sent\).*, 20 ms or more\./],
    [{ latencyBounds: { count: 2, share: 0.01, smallest: 20 } }, null]
  ],
  LATENCY_INCOMPLETE: [
    [{ plan: { schedule: null }, accounting: { failed: 1, timedOut: 2, unfinished: 3, unsent: 0 }, latencyWithUnfinished: { totalCount: 206, p99: 9 } }, /excludes 6 requests .*\(2 timed out, 1 failed, 3 unfinished\).* is 9 ms instead of 5 ms/],
    [{ accounting: { failed: 1, timedOut: 2, unfinished: 3 }, latencyWithUnfinished: { totalCount: 201, p99: 5 } }, /excludes 1 request .*\(1 failed\).* is 5 ms as well/],
    [{ accounting: { failed: 1 }, latency: { totalCount: 200, mean: 5, p99: 2531 }, latencyWithUnfinished: { totalCount: 201, p99: 2532 } }, /is 2\.53 s as well/],
    [{ plan: { schedule: null }, accounting: { unfinished: 3 }, latencyWithUnfinished: { totalCount: 203, p99: 5.5 } }, null],
    ...[['failed', 'failed'], ['timedOut', 'timed out']].map(([box, words]) => [
      { plan: { schedule: null }, accounting: { unfinished: 3, [box]: 1 }, latencyWithUnfinished: { totalCount: 204, p99: 5 } }, new RegExp(`1 ${words}`)
    ]),
    [{ plan: { schedule: null }, accounting: { unfinished: 3 }, latencyWithUnfinished: { totalCount: 203, p99: 5.6 } }, /3 unfinished/],
    [{ plan: { ignoreCoordinatedOmission: true }, latencyWithUnfinished: { totalCount: 200, p99: 50 } }, /is 50 ms instead of 5 ms/],
    [{ latency: { totalCount: 0, p99: 0 }, accounting: { failed: 2 }, latencyWithUnfinished: { totalCount: 2, p99: 7 } }, /^latency excludes 2 requests without a complete response \(2 failed\)\. Counting how long they had waited, the 99th percentile is 7 ms; see latencyWithUnfinished\.$/],
    [{ latency: { totalCount: 1, p99: 5 }, accounting: { failed: 1 }, latencyWithUnfinished: { totalCount: 2, p99: 7 } }, /\. Including them, as long as they had waited, the 99th percentile is 7 ms instead of 5 ms; see latencyWithUnfinished\.$/],
    [{ latencyWithUnfinished: { totalCount: 200, p99: 5.5 } }, null],
    // Latency counts from due times with a schedule, and with sessions, unless it ignores them.
    ...[{ schedule: null }, { ignoreCoordinatedOmission: true }, { schedule: null, ...OF_SESSIONS, ignoreCoordinatedOmission: true }, { ...OF_SESSIONS, ignoreCoordinatedOmission: true }]
      .map((plan) => [leftOut(6, plan), /\(2 timed out, 1 failed, 3 unfinished\)/]),
    ...[{}, OF_SESSIONS, { schedule: null, ...OF_SESSIONS }].map((plan) => [leftOut(1, plan), /\(1 failed\)/])
  ],
  MANY_UNFINISHED: [
    [{ plan: { schedule: null }, accounting: { completed: 80, unfinished: 20 } }, /^20 of 100 requests \(20%\) had no response yet/],
    [{ plan: { schedule: null }, accounting: { completed: 80, unfinished: 20 }, messages: {} }, /^20 of 100 messages \(20%\) .* an amount of messages, or a rate\.$/],
    [{ plan: { schedule: null }, accounting: { completed: 1, unfinished: 1 } }, /^1 of 2 requests \(50%\)/],
    [{ plan: { schedule: null }, accounting: { completed: 81, unfinished: 20 } }, null],
    [{ plan: { schedule: null }, accounting: { completed: 0, unfinished: 20 } }, null],
    [{ accounting: { completed: 80, unfinished: 20 } }, null],
    // With sessions, latency has the unanswered requests as bounds, with a schedule and without.
    [{ plan: { schedule: null, sessions: {}, drain: 1 }, sessions: { unfinished: 0 }, accounting: { completed: 80, unfinished: 20 } }, null]
  ],
  UNSOLICITED_MESSAGES: [
    [unsolicited(11), /^11 of 100 messages received were unsolicited\. Any message may have been taken for a reply.* \(--expect broadcast\)\.$/],
    [unsolicited(11, { socketio: { acknowledges: true } }), /The latencies are those of acknowledgements/],
    [unsolicited(10), null],
    ...[{ isMatched: true }, { expect: 'nothing' }, { expect: 'broadcast' }].map((own) => [unsolicited(90, own), null])
  ],
  COPIES_MISSING: [
    [{ broadcast: { expected: 60, received: 59 } }, /\b59 of 60 copies/],
    [{ broadcast: { expected: 60, received: 60 } }, null]
  ],
  MAX_OPEN_REACHED: [
    [{ plan: { sessions: { maxOpen: 4 } }, sessions: { scheduled: 20, unstarted: 0, unfinished: 0 }, waited: 7 }, /^7 sessions of 20 had to wait for others to end, because 4 were/],
    [{ plan: { sessions: { maxOpen: 4 } }, sessions: { scheduled: 20, unstarted: 3, unfinished: 0 }, waited: 1 }, /^1 session of 20 .* and 3 more/],
    [{ plan: { sessions: { maxOpen: 4 } }, sessions: { scheduled: 20, unstarted: 0, unfinished: 0 }, waited: 0 }, null]
  ],
  SESSIONS_UNFINISHED: [
    [{ plan: { sessions: {}, drain: 2.5 }, sessions: { unfinished: 2, started: 9, completed: 7 }, waited: 0 }, /^2 sessions of 9 .* 2\.5 seconds .* cover only the 7 completed/],
    [{ plan: { sessions: {}, drain: 2.5 }, sessions: { unfinished: 0, started: 9, completed: 9 }, waited: 0 }, null],
    [{ plan: { sessions: {}, drain: 2.5 }, sessions: { unfinished: 2, started: 9, completed: 7 }, waited: 0, warnings: [{ code: 'STOPPED' }] }, null],
    [{ plan: { sessions: {}, drain: 2.5 }, sessions: { unfinished: 2, started: 9, completed: 7 }, waited: 0, warnings: [{ code: 'NO_USABLE_CONNECTION' }] }, null]
  ],
  GRPC_STATUS_MISSING: [
    [{ grpcStatus: { OK: 1, MISSING: 2, NO_MESSAGE: 1 }, statusCodeStats: { 200: {}, 503: {} } }, /^2 responses had no grpc-status \(MISSING; the HTTP status codes were 200, 503\).*; 1 response had the status OK but no message/],
    [{ grpcStatus: { MISSING: 1 }, statusCodeStats: { 404: {} } }, /^1 response had .* were 404\), so the server may not be a gRPC server\. These/],
    [{ grpcStatus: { MISSING: 2, NO_MESSAGE: 2 }, statusCodeStats: { 200: {} } }, /^2 responses had no grpc-status .*; 2 responses had the status OK but no message \(NO_MESSAGE\)\. These calls do not count as OK\.$/],
    [{ grpcStatus: { NO_MESSAGE: 4 }, statusCodeStats: {} }, /^4 responses had the status OK but no message \(NO_MESSAGE\)\. These/],
    [{ grpcStatus: { OK: 4 } }, null]
  ],
  NON_2XX: [
    [{ ...answered({ 200: 90, 404: 4, 500: 6 }), non2xx: 10 }, /^10 of 100 responses \(10%\) were not 2xx, most often 500 from GET \/a\. Their times are in the statistics like/],
    [{ ...answered({ 200: 98, 500: 1 }, { 500: 1 }), non2xx: 2 }, /^2 of 100 responses \(2%\) were not 2xx, most often 500 from .*To fail a run because of them, use the threshold 'failures == 0'\.$/],
    [{ ...answered({ 200: 98, 500: 1 }, { 500: 1 }), non2xx: 2, plan: { thresholds: parseThresholds(['p99 < 1s', 'failures.rate < 5%']) } }, /^2 of 100 .* like all others\.$/],
    [{ ...answered({ 200: 98, 500: 1 }, { 500: 1 }), non2xx: 2, plan: { thresholds: parseThresholds(["endpoints['failures'].p99 < 1s", 'errors == 0']) } }, /'failures == 0'\.$/],
    [{ ...answered({ 200: 98, 500: 1 }, { 500: 1 }), non2xx: 2, plan: { thresholds: parseThresholds(['non2xx == 0']) } }, /like all others\.$/],
    [{ ...answered({ 200: 98, 500: 1 }, { 500: 1 }), non2xx: 2, plan: { thresholds: parseThresholds(['warmup.failures == 0', 'warmup.5xx == 0']) } }, /'failures == 0'\.$/],
    [{ ...answered({ 200: 90, 500: 1 }, { 200: 7, 500: 2 }), non2xx: 3, plan: { excludeErrorStats: true } }, /most often 500 from other\. Their times are not in the statistics\./],
    [{ ...answered({ 200: 90, 404: 10 }), non2xx: 10, endpoints: [{ method: 'GET', path: `/${'a'.repeat(6000)}?b`, statusCodeStats: { 404: { count: 10 } } }] },
      /most often 404 from GET \/a{199}\. Their times/],
    [{ ...answered({ 200: 99, 302: 1 }), non2xx: 1, '3xx': 1 }, /^1 of 100 responses \(1%\) was not 2xx, most often 302/],
    [{ ...answered({ 200: 99, 302: 1 }), non2xx: 1, '3xx': 1, plan: { followRedirects: 5 } }, null],
    [{ ...answered({ 200: 90, 302: 8, 404: 2 }), non2xx: 10, '3xx': 8, plan: { followRedirects: 5 } }, /^2 of 100 responses \(2%\) were not 2xx, most often 404 /],
    [{ ...answered({ 200: 100 }), non2xx: 25, grpcStatus: {}, endpoints: [{ method: 'POST', path: '/Shop/Buy', grpcStatus: { OK: 75, UNAVAILABLE: 15, INTERNAL: 10 } }] },
      /^25 of 100 calls \(25%\) were not OK, most often UNAVAILABLE from POST \/Shop\/Buy/],
    [{ ...answered({ 200: 991, 500: 9 }), accounting: { completed: 1000 }, non2xx: 9 }, null],
    [{ ...answered({}), accounting: { completed: 0 }, non2xx: 0 }, null]
  ],
  NO_EVENTS: [
    [{ plan: { stream: { events: 'sse' } }, stream: { events: 0 } }, /in 100 responses: .*server-sent events/],
    [{ plan: { stream: { events: 'lines' } }, stream: { events: 0 }, accounting: { completed: 1 } }, /in 1 response: .*no lines except empty ones/],
    [{ plan: { stream: { events: 'chunks' } }, stream: { events: 0 } }, /chunked/],
    [{ plan: { stream: { events: 'sse' } }, stream: { events: 1 } }, null],
    [{ plan: { stream: { events: 'sse' } }, stream: { events: 0 }, accounting: { completed: 0 } }, null],
    [{ plan: { stream: { events: 'sse' } }, stream: { events: 0 }, warnings: [{ code: 'STREAM_NOT_DECODED' }] }, null]
  ],
  GENERATOR_SATURATED: [
    [{ generator: { saturated: true, reasons: ['one', 'two'] } }, /: one; two\. Use more workers, fewer hooks, or another machine\.$/],
    [{ generator: { saturated: true, cause: 'process', cpu: { percent: 87 } } }, /\. Its process was at its limit \(87% of a CPU core\): use more workers,/],
    [{ generator: { saturated: true, cause: 'machine', cpu: { percent: 34 }, waited: 560 } }, /: this process waited 560 ms for a CPU, while it used 34% of a core\. Stop other programs,/],
    [{ generator: { saturated: true, cause: 'hooks', stoodStill: { total: 120, longest: 70 } } }, /\. Hooks or listeners held it up, or a garbage collection \(120 ms in total\): make/],
    [{ generator: { saturated: true, cause: 'hooks', stoodStill: { total: 0, longest: 0 } } }, /\. Hooks or listeners held it up: make/],
    [{ generator: { saturated: false, reasons: ['one'] } }, null]
  ],
  NO_ANSWER: [
    [{ accounting: { completed: 0, sent: 200, unfinished: 150, timedOut: 50 } }, /150 requests had no response yet/],
    [{ accounting: { completed: 0, sent: 1, unfinished: 0 } }, /all 1 request failed/],
    [{ accounting: { completed: 0, sent: 2, unfinished: 1, timedOut: 1 }, stream: { events: 5 }, plan: { stream: { events: 'sse' } } }, /^There were no responses: 5 events arrived, but no stream/],
    [{ accounting: { completed: 0, sent: 3, unfinished: 1, timedOut: 1 }, stream: { events: 5 }, plan: { stream: { events: 'sse' } } }, /1 request had no response yet/],
    [{ accounting: { completed: 0, sent: 0, scheduled: 5 } }, /no request was sent/],
    [{ accounting: { completed: 0, sent: 0, scheduled: 5 }, messages: {} }, /no message was sent/],
    [{ accounting: { completed: 0, sent: 0, scheduled: 0 } }, null],
    [{ accounting: { completed: 0, sent: 0, scheduled: 0 }, connectionStats: { failed: 0, peak: 0 }, plan: { schedule: null } }, /no connection was ready before the run ended/],
    [{ accounting: { completed: 0, sent: 0, scheduled: 0 }, plan: { schedule: null }, warnings: [{ code: 'STOPPED' }] }, null],
    [{ accounting: { completed: 1 } }, null]
  ]
}

t.test("the failures that thresholds count, computed from the server's responses", async (t) => {
  const statuses = [200, 200, 301, 404, 200, 503, 200, 304, 200, 500]
  for (const more of [{}, { overallRate: 100, duration: 1, amount: undefined }, { workers: 2 }, { expectBody: 'page 1' }, { excludeErrorStats: true }, { thresholds: ['p99 < 1h', 'failures == 0'] }]) {
    const { value: result, world } = await simulate({ seed: 1 }, (world) => {
      const server = world.server({ answer: ({ number }) => ({ status: statuses[number % 10], body: number % 4 === 0 ? 'page 1' : 'page 2' }) })
      return run({ url: server.url, connections: 2, amount: 100, ...more })
    })
    t.equal(world.log.length, 100)
    const isBad = (_, number) => statuses[number % 10] >= 400 || (more.expectBody !== undefined && number % 4 !== 0)
    const bad = world.log.filter(isBad).length
    const [count, share, rate] = evaluateThresholds(result, ['failures == 0', 'failures < 1%', 'failures.rate < 0.5'])
    t.match(count, { metric: 'failures.count', passed: false, certain: true })
    t.match(share, { unit: '%', passed: false, certain: true })
    t.match(result.warnings.map(({ code, message }) => [code, message.includes('use the threshold')]), [['NON_2XX', more.thresholds === undefined]])
    if (more.expectBody === undefined) {
      t.same([count.actual, share.actual, rate.actual, rate.passed], [bad, 30, 30, true])
      continue
    }
    // How many of the mismatching bodies belong to such a status is unknown.
    t.ok(count.actual <= bad && bad <= 100 && rate.passed === false)
    t.match(evaluateThresholds(result, `failures <= ${bad - 1}`)[0], { passed: false })
    t.match(evaluateThresholds(result, 'failures <= 100')[0], { passed: true, certain: true })
  }
})

t.test('without any response, thresholds on failures cannot pass', async (t) => {
  for (const settings of [{ answer: 'silence' }, { attempt: () => 'refuse' }]) {
    const { value: result } = await simulate({ seed: 1 }, (world) => run({ url: world.server(settings).url, connections: 1, duration: 1 }))
    t.equal(result.accounting.completed, 0)
    t.notOk(evaluateThresholds(result, 'failures == 0')[0].passed)
    t.throws(() => assertResult(result, 'failures == 0'), { message: /failures == 0: it was \d/ })
  }
})

t.test('each warning with its numbers, and no warning just below the limit', async (t) => {
  for (const [code, cases] of Object.entries(KINDS)) {
    for (const [{ plan, undecided = 0, waited = 0, targets = null, ...given }, message] of cases) {
      const result = { warnings: [], statusCodeStats: {}, ...resultOf(given) }
      const summary = { counters: { undecided }, targets, sessions: { counters: { waited } } }
      const found = warningsOf(result, { ...PLAN, sessions: null, ...plan }, summary).find((warning) => warning.code === code)
      if (message === null) t.equal(found, undefined, code)
      else t.match(found?.message, message, code)
    }
  }
})
