'use strict'

// A result with workers beside one without, of the same server: the same fields of the same kinds, the same counts.

const t = require('tap')
const hdr = require('hdr-histogram-js')
const { run } = require('../..')
const { delayServer, httpServer, closedPort } = require('../support/servers')
const { violations } = require('../support/accounts')
const { moodyServer } = require('../support/moody-server')
const { inOneOfThree } = require('../support/timely')

/** What kind of value stands where. Of an array its first entry tells. */
function shapeOf (value) {
  if (value instanceof Date) return 'Date'
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])]
  if (value === null || typeof value !== 'object') return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]))
}

async function both (opts) {
  const alone = await run(opts)
  const shared = await run({ ...opts, workers: 2 })
  for (const result of [alone, shared]) forgetBusyMachine(result)
  return { alone, shared }
}

// Whether the load generator was held up, or the last requests in flight at the end were, is a matter of luck here.
const BY_LUCK = ['GENERATOR_SATURATED', 'RATE_NOT_ACHIEVED', 'LATENCY_INCOMPLETE']

function forgetBusyMachine ({ warnings, generator, warmup }) {
  generator.reasons.length = 0
  const others = warnings.filter(({ code }) => !BY_LUCK.includes(code))
  warnings.splice(0, Infinity, ...others)
  if (warmup) forgetBusyMachine(warmup)
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
  t.same(shapeOf(rest), shapeOf(alone), 'of the same kinds')
}

// How long they lived is measured; how many did is not.
function sameConnections (t, { alone, shared }) {
  const counts = ({ connectionStats: { lifetime, ...rest } }) => ({ ...rest, lived: lifetime.totalCount })
  t.same(counts(shared), counts(alone), 'connectionStats')
}

t.test('the closed model, by amount', (t) => inOneOfThree(t, async (timely) => {
  const server = await delayServer(t, 4)
  const pair = await both({ url: server.url, amount: 400, connections: 5, title: 'same', requests: [{ title: 'a', path: '/a' }, { path: '/b' }] })
  sameShape(t, pair)
  const { alone, shared } = pair
  for (const name of ['accounting', '2xx', 'non2xx', 'errors', 'timeouts', 'mismatches', 'resets', 'statusCodeStats', 'bytes', 'drain', 'title', 'url', 'connections', 'pipelining']) {
    t.same(shared[name], alone[name], name)
  }
  sameConnections(t, pair)
  t.same(shared.warnings.map(({ code }) => code), alone.warnings.map(({ code }) => code))
  for (const name of ['latency', 'serviceTime', 'timeToFirstByte']) {
    t.equal(shared[name].totalCount, 400, name)
    t.ok(shared[name].min >= 4, `${name}.min ${shared[name].min}`)
    timely.ok(shared[name].p50 < 40, `${name} is that of a server that takes 4 ms: ${shared[name].p50}`)
  }
  t.same(violations(shared), [])
}))

t.test('the open model', async (t) => {
  const server = await httpServer(t)
  const pair = await both({ url: server.url, overallRate: 200, duration: 1, connections: 100 })
  sameShape(t, pair)
  const { alone, shared } = pair
  for (const name of ['accounting', '2xx', 'statusCodeStats', 'bytes', 'replySize']) t.same(shared[name], alone[name], name)
  sameConnections(t, pair)
  t.equal(shared.rate.offered, alone.rate.offered)
  for (const name of ['latency', 'sendDelay', 'latencyWithUnfinished']) t.equal(shared[name].totalCount, 200, name)
  t.same(violations(shared), [])
})

t.test('with a warm-up, thresholds, expected bodies and samples', (t) => inOneOfThree(t, async (timely) => {
  const server = await delayServer(t, 3)
  const pair = await both({
    url: server.url,
    duration: 0.5,
    connections: 4,
    sampleInt: 100,
    warmup: { duration: 0.8 },
    expectBody: 'other',
    thresholds: ['errors == 0', 'p99 < 1us']
  })
  sameShape(t, pair)
  const { shared } = pair
  t.equal(shared.mismatches, shared.requests.total)
  t.same(shared.thresholds.map(({ passed }) => passed), [true, false])
  t.equal(shared.passed, false)
  timely.ok(shared.samples >= 3 && shared.samples <= 7, `${shared.samples} samples`)
  timely.ok(shared.warmup.requests.total > 0, 'the warm-up had requests')
  t.same(violations(shared, { inherited: 4 }), [])
  t.same(violations(shared.warmup, { left: 4 }), [])
}))

t.test('errors of every kind', async (t) => {
  const moods = ['ok', 'notFound', 'broken', 'fin', 'rst', 'garbage', 'cutBody', 'closing', 'chunked', 'hang']
  const server = await moodyServer(t, moods)
  const { alone, shared } = await both({ url: server.url, amount: 200, connections: 6, timeout: 0.6 })
  t.same(violations(shared), [])
  t.same(shapeOf(shared.errorCodes[Object.keys(alone.errorCodes)[0]]).count, 'number')
  t.same(Object.keys(shared.errorCodes).sort(), Object.keys(alone.errorCodes).sort())
  for (const { message } of Object.values(shared.errorCodes)) t.ok(message.length > 0)
  t.equal(shared.accounting.sent, 200)
  t.equal(shared.accounting.timedOut, 20)
})

t.test('a server that is not there', async (t) => {
  const { url } = await closedPort(t)
  const { alone, shared } = await both({ url, duration: 0.4, connections: 4 })
  t.equal(shared.accounting.sent, 0)
  t.same(Object.keys(shared.errorCodes), ['ECONNREFUSED'])
  t.same(shared.warnings.map(({ code }) => code), alone.warnings.map(({ code }) => code))
  t.same(violations(shared), [])
})

t.test('its histograms are whole: any percentile can be read from them', async (t) => {
  const server = await delayServer(t, 2)
  const { histograms, latency } = await run({ url: server.url, amount: 300, connections: 6, workers: 3 })
  const histogram = hdr.decodeFromCompressedBase64(histograms.latency)
  t.equal(histogram.totalCount, 300)
  for (const [percent, name] of [[50, 'p50'], [99, 'p99']]) {
    t.ok(Math.abs(histogram.getValueAtPercentile(percent) / 1000 - latency[name]) <= latency[name] * 0.001, name)
  }
})

t.test('the timeline: as many samples, the requests of all threads in each', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, overallRate: 100, duration: 1.05, sampleInt: 200, connections: 4, workers: 3 })
  // A sixth one where the end comes late.
  timely.ok(result.samples === 5 || result.samples === 6, `${result.samples} samples`)
  for (const { requests, connections, seconds } of result.timeline.slice(0, 5)) {
    timely.ok(requests >= 8 && requests <= 40, `${requests} in ${seconds} s`)
    timely.equal(connections, 4, 'connections')
  }
  t.equal(result.timeline.at(-1).time, result.duration)
  t.same(violations(result), [])
}))
