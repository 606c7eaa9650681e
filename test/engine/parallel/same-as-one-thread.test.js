'use strict'

// Compares a result with workers with one without, of the same server: it has the same fields with the same types, and equal counts and
// times. Threads are simulated here, except in the last test.

const t = require('tap')
const hdr = require('hdr-histogram-js')
const { run } = require('../../..')
const { playInWorld } = require('../../support/play-in-world')
const { httpServer } = require('../../support/servers')
const { violations } = require('../../support/accounts')

/** The types of all values. An array is represented by its first entry. */
function shapeOf (value) {
  if (value instanceof Date) return 'Date'
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])]
  if (value === null || typeof value !== 'object') return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]))
}

async function both (t, settings, opts) {
  const { result: alone } = await playInWorld(t, settings, opts)
  const { result: shared } = await playInWorld(t, settings, { ...opts, workers: 2 })
  return { alone, shared }
}

function sameShape (t, { alone, shared }) {
  const { workers, warmup, ...rest } = shared
  t.equal(workers, 2)
  delete rest.options.workers
  if (warmup) {
    const { workers, ...others } = warmup
    rest.warmup = others
  }
  t.same(Object.keys(rest).sort(), Object.keys(alone).sort(), 'the same fields')
  t.same(shapeOf(rest), shapeOf(alone), 'with the same types')
}

const codesOf = ({ warnings }) => warnings.map(({ code }) => code)
const COUNTED = ['accounting', '2xx', 'non2xx', 'errors', 'timeouts', 'mismatches', 'resets', 'statusCodeStats', 'bytes', 'replySize', 'drain', 'title', 'url', 'connections', 'pipelining']

// Lifetimes of connections are measured to the microsecond and may differ; their number may not.
function sameConnections (t, { alone, shared }) {
  // The number of connects in a turn of the event loop depends on how many connections its thread has.
  const counts = ({ connectionStats: { lifetime, burst, ...rest } }) => ({ ...rest, lived: lifetime.totalCount })
  t.same(counts(shared), counts(alone), 'connectionStats')
}

t.test('the closed model, by amount', async (t) => {
  const pair = await both(t, { serviceTime: 4 }, { amount: 400, connections: 5, title: 'same', requests: [{ title: 'a', path: '/a' }, { path: '/b' }] })
  sameShape(t, pair)
  const { alone, shared } = pair
  for (const name of [...COUNTED, 'latency', 'serviceTime', 'timeToFirstByte', 'connectTime', 'duration']) t.same(shared[name], alone[name], name)
  t.same(codesOf(shared), codesOf(alone))
  sameConnections(t, pair)
  t.match(shared.latency, { totalCount: 400, min: 4, max: 4 })
})

t.test('the open model', async (t) => {
  const pair = await both(t, { serviceTime: 4 }, { overallRate: 200, duration: 1, connections: 100 })
  sameShape(t, pair)
  const { alone, shared } = pair
  for (const name of ['accounting', '2xx', 'statusCodeStats', 'bytes', 'replySize', 'serviceTime', 'duration', 'rate']) t.same(shared[name], alone[name], name)
  sameConnections(t, pair)
  for (const name of ['latency', 'sendDelay', 'latencyWithUnfinished']) {
    t.equal(shared[name].totalCount, 200, name)
    // A few turns of the event loop; each additional thread has its own.
    for (const value of ['min', 'p50', 'p99', 'max']) t.ok(Math.abs(shared[name][value] - alone[name][value]) < 0.01, `${name}.${value}`)
  }
  t.same(codesOf(shared), codesOf(alone))
})

t.test('with a warm-up, thresholds, expected bodies and samples', async (t) => {
  // The last responses arrive 497 ms after the start, and the next would arrive at 504 ms: timers have a resolution of milliseconds.
  const pair = await both(t, { serviceTime: 7 }, {
    duration: 0.5,
    connections: 4,
    sampleInt: 100,
    warmup: { duration: 0.8 },
    expectBody: 'other',
    thresholds: ['errors == 0', 'p99 < 1us']
  })
  sameShape(t, pair)
  const { alone, shared } = pair
  for (const name of ['accounting', 'mismatches', 'bytes', 'serviceTime', 'samples']) t.same(shared[name], alone[name], name)
  t.equal(shared.mismatches, shared.requests.total)
  t.same(shared.thresholds.map(({ passed }) => passed), [true, false])
  t.equal(shared.passed, false)
  t.equal(shared.samples, 5)
  t.match(shared.serviceTime, { min: 7, max: 7 })
  t.match(shared.warmup.serviceTime, { min: 7, max: 7 })
})

t.test('errors of every kind', async (t) => {
  const ODD = [200, 404, 503, 'end', 'reset', { bytes: 'SSH-2.0-OpenSSH_9.6\r\n' }, { body: 'x'.repeat(50), cutAt: 60, then: 'end' }, { headers: { Connection: 'close' }, then: 'end' }, 204, 'silence']
  const { alone, shared } = await both(t, { serviceTime: 2, answer: ({ number }) => ODD[number % ODD.length] }, { amount: 200, connections: 6, timeout: 0.6 })
  for (const name of ['accounting', 'statusCodeStats', 'errors', 'timeouts']) t.same(shared[name], alone[name], name)
  t.same(Object.keys(shared.errorCodes).sort(), Object.keys(alone.errorCodes).sort())
  for (const [code, { count, phase, message }] of Object.entries(shared.errorCodes)) {
    t.match(alone.errorCodes[code], { count, phase }, code)
    t.ok(message.length > 0)
  }
  t.match(shared.accounting, { sent: 200, timedOut: 20 })
})

t.test('an unreachable server', async (t) => {
  const { alone, shared } = await both(t, { attempt: () => 'refuse' }, { duration: 0.4, connections: 4 })
  t.equal(shared.accounting.sent, 0)
  t.same(Object.keys(shared.errorCodes), ['ECONNREFUSED'])
  // Each thread has a clock of its own.
  const withoutTimes = ({ ECONNREFUSED: { examples, ...rest } }) => ({ ...rest, examples: examples.map(({ at, ...example }) => ({ ...example, isAtStart: at < 2e-6 })) })
  t.same(withoutTimes(shared.errorCodes), withoutTimes(alone.errorCodes))
  t.same(codesOf(shared), codesOf(alone))
})

t.test('its histograms are complete: any percentile can be read from them', async (t) => {
  const { result: { histograms, latency } } = await playInWorld(t, { serviceTime: ({ number }) => number / 10 }, { amount: 300, connections: 6, workers: 3 })
  const histogram = hdr.decodeFromCompressedBase64(histograms.latency)
  t.equal(histogram.totalCount, 300)
  t.match(latency, { min: 0, max: 29.9 })
  for (const [percent, name] of [[50, 'p50'], [99, 'p99']]) {
    const exact = Math.ceil(300 * percent / 100 - 1) / 10
    t.ok(Math.abs(latency[name] - exact) <= exact * 0.001, `${name} ${latency[name]}`)
    t.ok(Math.abs(histogram.getValueAtPercentile(percent) / 1000 - latency[name]) <= latency[name] * 0.001, name)
  }
})

t.test('the timeline: as many samples, with the requests of all threads in each', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 1 }, { overallRate: 100, duration: 1.05, sampleInt: 200, connections: 4, workers: 3 })
  // The last 50 ms are not a sample of their own.
  t.equal(result.samples, 5)
  t.same(result.timeline.map(({ requests }) => requests), [20, 20, 20, 20, 25])
  t.same(result.timeline.map(({ connections }) => connections), [4, 4, 4, 4, 4])
  t.equal(result.timeline.at(-1).time, result.duration)
})

t.test('with real threads as well', async (t) => {
  const server = await httpServer(t)
  const opts = { url: server.url, amount: 300, connections: 4, expectBody: 'other' }
  const alone = await run(opts)
  const shared = await run({ ...opts, workers: 2 })
  // The machine may delay the generator at any time.
  for (const { warnings, generator } of [alone, shared]) {
    if (generator.reasons.length === 0) t.equal(generator.cause, null)
    generator.reasons.length = 0
    generator.cause = null
    warnings.splice(0, Infinity, ...warnings.filter(({ code }) => code !== 'GENERATOR_SATURATED'))
  }
  sameShape(t, { alone, shared })
  for (const name of COUNTED) t.same(shared[name], alone[name], name)
  sameConnections(t, { alone, shared })
  t.same(violations(shared), [])
})
