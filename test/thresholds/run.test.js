'use strict'

const t = require('tap')
const { CODES } = require('../../lib/base/errors')
const { createPlan } = require('../../lib/plan')
const run = require('../../lib/run')
const { playInWorld } = require('../support/play-in-world')
const { httpServer } = require('../support/servers')
const resultOf = require('./fixtures/result')

const REFUSING = { attempt: () => 'refuse' }

const warningOf = (result, code) => result.warnings.find((warning) => warning.code === code)

t.test('a run reports for each threshold whether it was met, and whether all were', async (t) => {
  const result = await resultOf(t, { thresholds: ['errors == 0', 'rate.achieved >= 99%', 'p99.5 < 5s', { p50: '< 1ns' }] })
  t.same(result.thresholds.map(({ threshold, passed }) => [threshold, passed]),
    [['errors == 0', true], ['rate.achieved >= 99%', true], ['p99.5 < 5s', true], ['p50 < 1ns', false]])
  t.equal(result.passed, false)
  t.equal(result.thresholds[3].actual, result.latency.p50)
  t.same(JSON.parse(JSON.stringify(result)).thresholds, result.thresholds)
  t.equal((await resultOf(t, { thresholds: 'errors == 0' })).passed, true)
})

t.test('a run without thresholds does not report them', async (t) => {
  const result = await resultOf(t)
  t.notOk('thresholds' in result)
  t.notOk('passed' in result)
})

t.test('the warm-up is not checked against them', async (t) => {
  const result = await resultOf(t, { warmup: 0.1, thresholds: ['requests.total >= 1', 'warmup.requests.total >= 1'] })
  t.equal(result.passed, true)
  t.notOk('thresholds' in result.warmup)
})

t.test('a threshold that cannot be checked is an error before anything is sent', async (t) => {
  const server = await httpServer(t)
  const bad = {
    'p99x < 5': /is not a field/,
    'rate.achieved >= 99%': /rate\.achieved exists only with a schedule/,
    'sendDelay.p99 < 1': /only with a schedule/,
    'endpoints[2].latency.p99 < 5': /no endpoints\[2\]: the run has 2 requests, up to endpoints\[1\]/,
    "endpoints['three'].failed == 0": /no request has the title 'three'/,
    'connectTime.tls.p99 < 5': /only with https/,
    'sessions.failed == 0': /sessions\.failed exists only with sessions/,
    'messages.unasked == 0': /messages\.unasked exists only with a ws: or wss: URL/,
    'closeCodes.1006 == 0': /only with a ws: or wss: URL/,
    'broadcast.ratio == 100%': /only with websocket\.expect 'broadcast'/,
    'stream.gap.p99 < 1s': /only with stream/,
    'grpcStatus.OK > 99%': /only with grpc/,
    'endpoints[0].grpcStatus.OK > 99%': /only with grpc/,
    'warmup.errors == 0': /this run has no warm-up/,
    'workers == 2': /this run has no workers/
  }
  for (const [threshold, message] of Object.entries(bad)) {
    const opts = { url: server.url, requests: [{ title: 'one' }, { title: 'two' }], thresholds: ['errors == 0', threshold] }
    await t.rejects(run(opts), { code: CODES.BAD_THRESHOLD, option: 'thresholds', threshold, message })
  }
  t.equal(server.connections, 0)
})

t.test('a threshold may use what another option makes the run measure', async (t) => {
  const plan = (opts, thresholds) => createPlan({ url: 'https://localhost', ...opts, thresholds }).plan.thresholds.length
  t.equal(plan({ overallRate: 5 }, ['rate.achieved >= 99%', 'sendDelay.client.p99 < 1ms']), 2)
  t.equal(plan({ warmup: true, requests: [{}, {}] }, ['warmup.errors == 0', 'endpoints[1].failed == 0', 'warmup.endpoints[1].failed == 0']), 3)
  t.equal(plan({ requests: [{ title: 'one' }] }, ["endpoints['one'].failed == 0", 'connectTime.tls.p99 < 1s']), 2)
  t.equal(plan({ sessions: true, warmup: 1 }, ['sessions.lifetime.p99 < 5s', 'warmup.sessions.failed == 0']), 2)
  t.equal(plan({ url: 'ws://localhost', websocket: { expect: 'broadcast' } }, ['messages.unasked == 0', 'closeCodes.1006 == 0', 'broadcast.ratio == 100%']), 3)
  t.equal(plan({}, []), 0)
  t.throws(() => plan({ warmup: true }, ['warmup.endpoints[1].failed == 0']), { code: CODES.BAD_THRESHOLD })
})

async function play (t, settings, opts, story) {
  const { result } = await playInWorld(t, { serviceTime: 1, ...settings }, opts, story)
  return result
}

t.test('abortOnFail ends a run when a threshold has failed, and says so', async (t) => {
  const cases = {
    'non2xx == 0': { answer: 500 },
    'mismatches <= 3': {},
    'timeouts < 2': { answer: ({ number }) => number % 2 === 1 ? 'silence' : 200 },
    'errors == 0': REFUSING,
    'connectionStats.failed < 3': REFUSING,
    'latency.max < 1ns': {}
  }
  for (const [threshold, settings] of Object.entries(cases)) {
    const result = await play(t, settings, {
      connections: 2, duration: 30, timeout: 0.1, sampleInt: 50, expectBody: 'another', abortOnFail: true, thresholds: ['p99 < 1h', threshold]
    })
    t.ok(result.duration < 0.16, `${threshold}: ended after ${result.duration} s`)
    t.equal(result.passed, false)
    t.equal(result.thresholds[1].passed, false, threshold)
    t.ok(warningOf(result, 'ABORTED_ON_FAIL')?.message.includes(`can no longer be met: ${threshold} (it was `), warningOf(result, 'ABORTED_ON_FAIL')?.message)
  }
})

t.test('abortOnFail with workers', async (t) => {
  for (const threshold of ['non2xx < 5', 'statusCodeStats.500 == 0', 'serviceTime.max < 1ns', 'endpoints[0].completed < 3', 'warmup.5xx == 0', 'connectionStats.opened < 2']) {
    const result = await play(t, { answer: 500 }, {
      workers: 2, connections: 2, duration: 30, warmup: threshold.startsWith('warmup') ? 0.1 : undefined, sampleInt: 50, abortOnFail: true, thresholds: [threshold, 'p99 < 1h']
    })
    t.ok(result.duration < 0.06, `${threshold}: ended after ${result.duration} s`)
    t.equal(result.thresholds[0].passed, false)
    t.ok(warningOf(result, 'ABORTED_ON_FAIL'))
  }
})

t.test('abortOnFail of a real run, with and without workers', async (t) => {
  const { url } = await httpServer(t, (request, response) => { response.writeHead(500).end() })
  for (const workers of [undefined, 2]) {
    const result = await run({ url, workers, connections: 2, duration: 60, sampleInt: 50, abortOnFail: true, thresholds: ['non2xx < 5'] })
    t.ok(result.duration < 55, `ended after ${result.duration} s`)
    t.equal(result.passed, false)
    t.ok(warningOf(result, 'ABORTED_ON_FAIL'))
  }
})

t.test('abortOnFail: a threshold on a value that only grows fails with the first sample beyond the limit', async (t) => {
  const failing = { answer: ({ path }) => ({ status: path === '/b' ? 404 : 500, body: 'no' }), link: { delay: 0.1 } }
  const requests = [{ title: 'a' }, { path: '/b' }]
  const ofResponses = [
    '5xx == 0', '4xx <= 1', 'statusCodeStats.500 == 0', 'statusCodeStats.404.count < 1', 'requests.total < 5',
    'requests.sent < 5', 'accounting.completed <= 3', 'accounting.sent < 2', 'bytes.read < 1', 'bytes.written < 1', 'connectionStats.opened == 0',
    'connectionStats.peak < 1', 'serviceTime.max < 1ns', 'timeToFirstByte.max < 1ns', 'timeToStatusLine.max < 1ns', 'transferTime.min > 1h', 'connectTime.max < 1ns', 'connectTime.tcp.max < 1ns',
    'latencyWithUnfinished.max < 1ns', 'latency.total < 1ns', 'latency.totalCount < 1', 'latency.min > 1h', 'serviceTime.min == 1h',
    "endpoints['a'].completed < 1", 'endpoints[1].latency.max < 1ns', 'endpoints[1].statusCodeStats.404 == 0', 'throughput.total < 1B',
    'samples < 1', 'duration < 1ms', '5xx == 0%', 'non2xx <= 0%', 'warmup.4xx == 0', 'warmup.p99 < 1ns'
  ]
  const ofErrors = ['errorCodes.ECONNREFUSED == 0', 'errorCodes.ECONNREFUSED.phases.connect < 2', 'errorRate == 0']
  const ofMessages = ['messages.received < 3', 'messages.sent <= 2', 'messages.bytesSent < 1B', 'broadcast.expected < 3', 'broadcast.received == 0', 'broadcast.lastCopy.max < 1ms']
  const ofConnections = ['closeCodes.1006 == 0', 'closeCodes.1006 < 2']
  const underSchedule = ['sendDelay.max < 1ns', 'sendDelay.client.max < 1ns', 'sendDelay.waiting.totalCount < 1', 'accounting.scheduled < 1', 'accounting.unsent == 0']
  const cases = [
    ...ofResponses.map((threshold) => [threshold, failing, { requests, warmup: threshold.startsWith('warmup') ? 0.1 : undefined }]),
    ...ofErrors.map((threshold) => [threshold, REFUSING, {}]),
    ...ofMessages.map((threshold) => [threshold, { websocket: 'broadcast' }, { overallRate: 100, websocket: { expect: 'broadcast' } }]),
    ...ofConnections.map((threshold) => [threshold, { websocket: 'echo', answer: 'reset' }, {}]),
    ...underSchedule.map((threshold) => [threshold, threshold.includes('unsent') ? REFUSING : failing, { overallRate: 190, timeout: 0.1 }])
  ]
  for (const [threshold, settings, opts] of cases) {
    const result = await play(t, settings, { connections: 2, duration: 30, sampleInt: 50, abortOnFail: true, thresholds: ['p99 < 1h', threshold], ...opts })
    t.ok(result.duration < 0.26, `${threshold}: ended after ${result.duration} s`)
    t.equal(result.thresholds[1].passed, false, threshold)
    t.equal(warningOf(result, 'OPTION_WITHOUT_EFFECT'), undefined)
    t.ok(warningOf(result, 'ABORTED_ON_FAIL')?.message.includes(`can no longer be met: ${threshold} (it was `), warningOf(result, 'ABORTED_ON_FAIL')?.message)
  }
})

t.test('abortOnFail leaves a run alone that can still meet its thresholds', async (t) => {
  const thresholds = ['errors == 0', 'non2xx < 1%', 'requests.total > 1000000', 'p99 < 1ns', 'mismatches > 0', 'resets != 5',
    'latency.min < 1ns', 'latency.max > 1h', 'requests.total != 1', '2xx >= 1000000', 'serviceTime.max < 1h', 'statusCodeStats.500 == 0']
  const result = await play(t, {}, { connections: 1, duration: 0.4, sampleInt: 50, abortOnFail: true, thresholds })
  t.equal(result.duration, 0.4)
  t.notOk(warningOf(result, 'ABORTED_ON_FAIL'))
})

t.test('thresholds fail in the run, not in the warm-up before it', async (t) => {
  let isWarm = false
  const result = await play(t, { answer: () => isWarm ? 200 : 500 }, {
    connections: 1, duration: 0.3, warmup: 1, sampleInt: 50, abortOnFail: true, thresholds: ['latency.p99 < 1h', 'timeouts == 0', 'non2xx < 20']
  }, (instance) => instance.on('start', () => { isWarm = true }))
  t.ok(result.warmup.non2xx > 20)
  t.notOk(warningOf(result, 'ABORTED_ON_FAIL'))
})

t.test('abortOnFail warns if it cannot have an effect', async (t) => {
  const warnings = (opts) => createPlan({ url: 'localhost', abortOnFail: true, ...opts }).warnings
  const message = /^abortOnFail has no effect/
  t.match(warnings({}), [{ code: 'OPTION_WITHOUT_EFFECT', message }])
  t.match(warnings({ thresholds: ['p99 < 5', 'errors < 1%', 'requests.total > 5', 'latency.min < 5', 'accounting.unfinished == 0', '5xx != 0'] }), [{ code: 'OPTION_WITHOUT_EFFECT', message }])
  for (const threshold of ['errors < 1', '5xx <= 0%', 'latency.min > 1']) t.same(warnings({ thresholds: ['p99 < 5', threshold] }), [], threshold)
  t.same(warnings({ abortOnFail: false }), [])
})
