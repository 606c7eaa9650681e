'use strict'

const fc = require('../support/fast-check')
const t = require('tap')
const aggregateResult = require('../../lib/study/aggregate')
const { circumstancesOf } = require('../../lib/base/circumstances')
const { createRandom } = require('../../lib/load/random')
const { toMergeable } = require('../../lib/metrics/mergeable')
const { merge } = require('../../lib/metrics/merge')
const { buildResult } = require('../../lib/metrics/result')
const Timeline = require('../../lib/metrics/timeline')
const { createPlan } = require('../../lib/plan')
const run = require('../../lib/run')
const { evaluateThresholds } = require('../../lib/thresholds')
const { event, newRecorder, play } = require('../metrics/recording')
const { simulate } = require('../simulation/world')
const { flawsOfResult } = require('../support/schemas')
const { delayServer, httpServer, tlsServer } = require('../support/servers')

function check (t, result) {
  t.same(flawsOfResult(result), [])
  return JSON.parse(JSON.stringify(result))
}

t.test('a run with scenarios, some of whose times are missing', async (t) => {
  const { value } = await simulate({ seed: 1 }, (world) => {
    const server = world.server({ serviceTime: 10, answer: ({ number }) => number % 9 === 4 ? 'silence' : 200 })
    return run({
      url: server.url,
      overallRate: 50,
      duration: 1,
      timeout: 0.2,
      workers: 2,
      skipAggregateResult: true,
      sessions: { maxOpen: 4 },
      scenarios: [{ name: 'a', weight: 3, requests: [{ title: 'x' }] }, { name: 'b', requests: [{ title: 'x' }, {}] }]
    })
  })
  const { scenarios, endpoints } = check(t, value)
  t.ok(scenarios[1].missing.serviceTime.count > 0)
  t.same(endpoints.map(({ title, scenario }) => [title, scenario]), [['x', 'a'], ['x', 'b'], [undefined, 'b']])
})

// --- results computed from artificial events

const GENERATOR = { cpu: { user: 0.25, system: 0.125, percent: 37.5 }, eventLoop: { utilization: 0.5, delayP99: 1.25 } }
const OPTIONS = [
  { requests: [{ path: '/a' }, { method: 'POST', path: '/b', title: 'b', body: 'x' }] },
  { overallRate: 100, requests: [{}, {}], thresholds: ['p99 < 5s', 'errors == 0', 'errorRate < 1%'], title: 'open' },
  { overallRate: 100, ignoreCoordinatedOmission: true, requests: [{}, {}], socketPath: '/tmp/x.sock', workers: 2 },
  { excludeErrorStats: true, requests: [{}, {}], url: ['http://127.0.0.1:1', 'https://127.0.0.1:2'], stages: '1s:1..100', skipAggregateResult: true, thresholds: ['latency.p99 < 1ms'] }
]

/** The result of a run with these options in which the same events happened in each sample. */
function resultOf (given, samples, { hasWarmup = false } = {}) {
  const opts = { url: 'http://127.0.0.1:1', ...given }
  const { plan, warnings } = createPlan(opts)
  const open = plan.schedule !== null
  const recorder = newRecorder({ open, ignoreCoordinatedOmission: plan.ignoreCoordinatedOmission, excludeErrorStats: plan.excludeErrorStats })
  const timeline = new Timeline({ keepsIntervals: plan.skipAggregateResult })
  recorder.begin(0)
  samples.forEach((events, index) => {
    play(recorder, events)
    timeline.add(recorder.takeInterval((index + 1) * 1000))
  })
  recorder.scheduled = recorder.sent + recorder.unsent
  const outcome = { summaries: [recorder.summary()], seconds: samples.length, scheduleSeconds: open ? samples.length : 0, drain: { seconds: 0, completed: 0 }, generator: GENERATOR }
  const result = buildResult({
    ...outcome,
    plan,
    summary: merge(outcome.summaries),
    timeline,
    start: new Date(0),
    finish: new Date(samples.length * 1000),
    warnings,
    warmup: hasWarmup ? resultOf({ ...given, thresholds: undefined }, samples) : undefined,
    circumstances: circumstancesOf(opts)
  })
  if (plan.thresholds.length > 0) {
    result.thresholds = evaluateThresholds(result, plan.thresholds)
    result.passed = result.thresholds.every(({ passed }) => passed)
  }
  return plan.skipAggregateResult ? { ...result, mergeable: toMergeable(plan, { ...outcome, timeline, warnings }) } : result
}

t.test('hundreds of results, from any events', async (t) => {
  const samples = fc.array(fc.array(event, { maxLength: 30 }), { minLength: 1, maxLength: 4 })
  let flaws
  fc.assert(fc.property(samples, fc.constantFrom(...OPTIONS), fc.nat(5), (samples, opts, die) => {
    flaws = flawsOfResult(resultOf(opts, samples, { hasWarmup: die === 0 }))
    return flaws.length === 0
  }), { numRuns: 200 })
  t.same(flaws, [])
})

t.test('distributions of all sizes, from a few bytes to many kilobytes', async (t) => {
  const random = createRandom(1)
  const lengths = new Set()
  for (let power = 0; power <= 12; power++) {
    // Random values over six powers of ten, which cannot be compressed.
    const events = Array.from({ length: 2 ** power }, () => ['completed', 0, 200, 10, 0, 0, 10 ** (6 * random.next() - 2)])
    const result = resultOf(OPTIONS[power % 2], [events])
    check(t, result)
    lengths.add(result.histograms.latency.length)
  }
  t.ok(Math.min(...lengths) < 100 && Math.max(...lengths) > 2 * 1368, [...lengths].join())
})

t.test('sums of results', async (t) => {
  const [events] = fc.sample(fc.array(event, { minLength: 20, maxLength: 20 }), { numRuns: 1, seed: 7 })
  const parts = [resultOf(OPTIONS[3], [events]), resultOf(OPTIONS[3], [events, events])]
  const elsewhere = { ...parts[1], environment: { ...parts[1].environment, cpu: 'another' } }
  const { environment, options } = check(t, aggregateResult([parts[0], elsewhere], { url: parts[0].url, title: 'both' }))
  t.match(environment, { cpu: parts[0].environment.cpu, others: [{ cpu: 'another' }] })
  t.match(options, { title: 'both', excludeErrorStats: true })
  t.notOk('others' in check(t, aggregateResult(parts, { url: parts[0].url })).environment)
})

// --- results of runs

t.test('the closed model, with a warm-up, thresholds and a title', async (t) => {
  const server = await delayServer(t, 2)
  const result = check(t, await run({
    url: server.url, connections: 3, duration: 0.3, sampleInt: 100, warmup: { duration: 0.1 }, title: 'x', thresholds: ['p99 < 1ms', 'errors == 0', 'errorRate < 1%']
  }))
  t.equal(result.thresholds.length, 3)
  t.equal(result.warmup.connections, 3)
})

t.test('the machine and version that measured it', async (t) => {
  const server = await delayServer(t, 1)
  const { environment, options, warmup } = check(t, await run({
    url: server.url.replace('//', '//me:hunter2@') + '/?key=hunter2', amount: 3, connections: 1, warmup: { duration: 0.05 }, headers: { Authorization: 'hunter2', accept: '*/*' }, body: 'hunter2'
  }))
  t.match(environment, { version: require('../../package.json').version, node: process.version, os: process.arch, cpu: String, cores: Number, memory: Number })
  t.notMatch(JSON.stringify({ environment, options }), 'hunter2')
  t.match(options, { amount: 3, connections: 1, headers: { Authorization: '***', accept: '*/*' }, body: '(7 bytes)' })
  t.notOk('options' in warmup)
})

t.test('statuses over time', async (t) => {
  const server = await httpServer(t, (request, response, index) => {
    response.statusCode = [200, 404, 503, 200][index % 4]
    response.end('ok')
  })
  for (const workers of [undefined, 2]) {
    const result = check(t, await run({ url: server.url, connections: 2, amount: 200, sampleInt: 50, workers }))
    const sum = (name) => result.timeline.reduce((sum, { statuses }) => sum + (statuses[name] ?? 0), 0)
    t.same(['2xx', '4xx', '5xx'].map(sum), ['2xx', '4xx', '5xx'].map((name) => result[name]))
    for (const { statuses, requests } of result.timeline) t.equal(Object.values(statuses).reduce((a, b) => a + b, 0), requests)
  }
})

t.test('errors of several kinds', async (t) => {
  const broken = await httpServer(t, (request, response, index) => {
    if (index % 2 === 0) request.socket.destroy()
    else response.end('ok')
  })
  const simulated = async (settings, opts) => (await simulate({}, (world) => run({ url: world.server(settings).url, connections: 2, ...opts }))).value
  for (const result of [
    await run({ url: broken.url, amount: 50, connections: 2 }),
    await simulated({ answer: ({ number }) => number % 3 === 2 ? 'silence' : 200 }, { overallRate: 50, timeout: 0.1, duration: 0.3 }),
    await simulated({ attempt: () => 'refuse' }, { duration: 0.2 })
  ]) {
    const { errorCodes, errors } = check(t, result)
    t.ok(errors > 0)
    t.ok(Object.keys(errorCodes).length > 0)
  }
})

t.test('with workers, several targets, TLS and a rate in stages', async (t) => {
  const [plain, secure] = [await delayServer(t, 1), await tlsServer(t)]
  const result = check(t, await run({
    url: [plain.url, secure.url], workers: 2, connections: 4, duration: 0.4, stages: '0.2s:50, 0.2s:50..100', tlsOptions: { rejectUnauthorized: false }
  }))
  t.equal(result.workers, 2)
  t.equal(result.url.length, 2)
  t.type(result.connectTime.tls.totalCount, 'number')
})

t.test('mergeable results, and their sum', async (t) => {
  const server = await delayServer(t, 1)
  const opts = { url: server.url, connections: 2, duration: 0.2, overallRate: 100, skipAggregateResult: true }
  const results = [check(t, await run(opts)), check(t, await run(opts))]
  t.type(results[0].mergeable, 'object')
  check(t, aggregateResult(results, { ...opts, skipAggregateResult: false }))
})

t.test('deviations from the schema are detected', async (t) => {
  const server = await delayServer(t, 1)
  const result = JSON.parse(JSON.stringify(await run({ url: server.url, amount: 5 })))
  const wrong = [
    { ...result, surprise: 1 },
    { ...result, accounting: { ...result.accounting, surprise: 1 } },
    { ...result, latency: { ...result.latency, surprise: 1 } },
    { ...result, errors: -1 },
    { ...result, start: 'yesterday' },
    { ...result, timeline: [{ ...result.timeline[0], p50: null }] },
    { ...result, timeline: [{ ...result.timeline[0], statuses: { '2xx': 0 } }] },
    { ...result, histograms: { ...result.histograms, latency: 'SElTVEZBQUFB' } },
    { ...result, environment: { ...result.environment, host: 'mine' } },
    { ...result, endpoints: undefined },
    { ...result, warmup: {} }
  ]
  t.same(flawsOfResult(result), [])
  t.same(wrong.filter((value) => flawsOfResult(value).length === 0), [])
})
