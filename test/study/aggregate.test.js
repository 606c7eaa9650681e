'use strict'

// Merged results of several runs: counts are compared with those of the servers, distributions with the parts' histograms.

const t = require('tap')
const hdr = require('hdr-histogram-js')
const { aggregateResult, printResult, run } = require('../..')
const { closedPort, delayServer, httpServer, tlsServer } = require('../support/servers')
const { moodyServer } = require('../support/moody-server')
const { violations } = require('../support/accounts')
const { simulate } = require('../simulation/world')

const throughJson = (value) => JSON.parse(JSON.stringify(value))
const sum = (numbers) => numbers.reduce((all, each) => all + each, 0)
const at = (results, pick) => sum(results.map(pick))

function sideBySide (all) {
  return Promise.all(all.map((opts) => run({ skipAggregateResult: true, ...opts })))
}

/** The same with a server of a simulated world. */
async function simulated (all, settings) {
  const { value } = await simulate({}, (world) => {
    const { url } = world.server({ serviceTime: 2, ...settings })
    return sideBySide(all.map((opts) => ({ url, ...opts })))
  })
  return value
}

t.test('two runs, by amount: everything is the sum', async (t) => {
  const server = await delayServer(t, 3)
  const opts = { url: server.url, connections: 3, requests: [{ title: 'first' }, { path: '/second' }] }
  const results = await sideBySide([{ ...opts, amount: 101 }, { ...opts, amount: 200, connections: 4 }])
  const whole = aggregateResult(results, { ...opts, title: 'both' })

  t.equal(whole.requests.total, 301)
  t.equal(whole.requests.total, server.requests)
  t.equal(whole.title, 'both')
  t.match(whole.options, { title: 'both', connections: 3, amount: 101 }, 'those of the first run, overridden by those given here')
  t.equal(whole.url, server.url)
  t.equal(whole.connections, 7)
  t.equal(whole.pipelining, 1)
  t.same(violations(whole), [])
  for (const box of Object.keys(whole.accounting)) t.equal(whole.accounting[box], at(results, ({ accounting }) => accounting[box]), box)
  for (const name of ['2xx', 'non2xx', 'errors', 'timeouts', 'mismatches', 'resets']) t.equal(whole[name], at(results, (result) => result[name]), name)
  for (const name of ['opened', 'failed', 'closedByServer', 'closedByClient', 'peak', 'withReplies']) t.equal(whole.connectionStats[name], at(results, ({ connectionStats }) => connectionStats[name]), name)
  t.equal(whole.bytes.read, at(results, ({ bytes }) => bytes.read))
  t.same(whole.statusCodeStats, { 200: { count: 301 } })
  t.same(whole.endpoints.map(({ title, path, completed }) => [title, path, completed]), [
    ['first', '/', at(results, ({ endpoints }) => endpoints[0].completed)],
    [undefined, '/second', at(results, ({ endpoints }) => endpoints[1].completed)]
  ])
  t.equal(whole.duration, Math.max(...results.map(({ duration }) => duration)))
  t.same(whole.start, new Date(Math.min(...results.map(({ start }) => start))))
  const { start, finish } = aggregateResult(results.map((result, index) => ({ ...result, start: new Date(10_000 - index), finish: new Date(20_000 - index) })))
  t.same([start, finish], [new Date(10_000 - results.length + 1), new Date(20_000)], 'in whatever order they are given')
  t.same(whole.finish, new Date(Math.max(...results.map(({ finish }) => finish))))
  t.match(printResult(whole), /301 requests in/)
})

t.test('distributions are sums of histograms: no percentile is averaged', async (t) => {
  const [fast, slow] = [await delayServer(t, 1), await delayServer(t, 300)]
  const results = await sideBySide([{ url: fast.url, amount: 300, connections: 4 }, { url: slow.url, amount: 20, connections: 4 }])
  const whole = aggregateResult(results, { url: fast.url })
  const histogram = hdr.build({ highestTrackableValue: 3.6e9, numberOfSignificantValueDigits: 3, bitBucketSize: 64 })
  for (const { histograms } of results) histogram.add(hdr.decodeFromCompressedBase64(histograms.latency))
  t.equal(whole.latency.totalCount, 320)
  for (const [percent, name] of [[50, 'p50'], [90, 'p90'], [95, 'p95'], [99, 'p99']]) {
    const expected = histogram.getValueAtPercentile(percent) / 1000
    t.ok(Math.abs(whole.latency[name] - expected) <= 0.002 * expected, `${name}: ${whole.latency[name]} and ${expected}`)
  }
  t.equal(whole.latency.min, Math.min(...results.map(({ latency }) => latency.min)))
  t.equal(whole.latency.max, Math.max(...results.map(({ latency }) => latency.max)))
  t.ok(Math.abs(whole.latency.total - at(results, ({ latency }) => latency.total)) < 1e-6)
  t.ok(whole.latency.p50 < 300, 'the median is that of the many fast ones')
  t.ok(whole.latency.p99 >= 299, 'and the tail that of the slow ones')
})

t.test('a threshold makes sense if any of the runs has its value', async (t) => {
  const [one, other] = await simulated([{ amount: 3 }, { amount: 5 }])
  const verdictOn = (threshold, ...changes) => {
    try {
      const [{ passed, actual }] = aggregateResult([one, other].map((result, index) => ({ ...result, ...changes[index] })), { thresholds: threshold }).thresholds
      return [passed, actual]
    } catch ({ code }) {
      return code
    }
  }
  const BAD = 'CANNONADE_BAD_THRESHOLD'
  const tls = 'connectTime.tls.p99 < 1s'
  t.same(verdictOn(tls), BAD)
  t.same(verdictOn(tls, {}, { url: 'https://b' }), [false, null], 'with https, no connection was opened')
  t.same(verdictOn(tls, { url: 'https://b' }, {}), [false, null])
  t.same(verdictOn(tls, {}, { url: ['http://b', 'https://c'] }), [false, null])
  t.same(['workers > 1', 'warmup.p99 < 1s', 'rate.achieved > 1', 'sessions.failed == 0', 'endpoints[1].p99 < 1s', "endpoints['x'].p99 < 1s", 'scenarios.a.p99 < 1s', 'stream.events > 1', 'messages.sent > 1', 'checks == 100%', 'grpcStatus.OK > 1'].map((threshold) => verdictOn(threshold)), Array(11).fill(BAD))
  t.same(verdictOn('requests.total == 8'), [true, 8])
  t.same(verdictOn('endpoints[0].completed == 8'), [true, 8])
})

t.test('results that were JSON give the same', async (t) => {
  const results = await simulated([
    { overallRate: 100, duration: 0.7, sampleInt: 200, connections: 3 },
    { overallRate: 50, duration: 0.7, sampleInt: 200, connections: 2, workers: 2 }
  ])
  const opts = { url: results[0].url, thresholds: ['errors == 0', 'p99 < 1us'] }
  const live = aggregateResult(results, opts)
  t.same(aggregateResult(throughJson(results), opts), live)
  t.equal(live.workers, 3, 'one thread and two')
  t.same(live.thresholds.map(({ passed }) => passed), [true, false])
  t.equal(live.passed, false)
})

t.test('the open model: rates are those of all together', async (t) => {
  const server = await httpServer(t)
  const results = await sideBySide([
    { url: server.url, overallRate: 100, duration: 1, connections: 3 },
    { url: server.url, overallRate: 60, duration: 1, connections: 2 }
  ])
  const whole = aggregateResult(throughJson(results), { url: server.url })
  t.equal(whole.accounting.scheduled, 160)
  t.equal(whole.rate.offered, 160)
  const inWindow = at(results, ({ requests, drain }) => requests.total - drain.completed)
  t.ok(Math.abs(whole.requests.average - inWindow / whole.duration) < 1, `${whole.requests.average}`)
  t.same(violations(whole), [])
})

t.test('the time series: sample k is the sum of all samples k', async (t) => {
  const results = await simulated([{ duration: 1.63, sampleInt: 200, connections: 2 }, { duration: 0.6, sampleInt: 200, connections: 3 }])
  const whole = aggregateResult(throughJson(results), { url: results[0].url })
  t.equal(sum(whole.timeline.map(({ requests }) => requests)), at(results, ({ requests }) => requests.total))
  t.equal(sum(whole.timeline.map(({ bytes }) => bytes)), at(results, ({ throughput }) => throughput.total))
  t.equal(whole.timeline.at(-1).connections, 2, 'the second run was over')
  t.equal(whole.timeline.at(-1).time, whole.duration)
  t.equal(whole.sampleInt, 200)
  t.ok(whole.requests.average > 0)
  t.same(violations(whole), [])
})

t.test('the time series, number by number', async (t) => {
  const server = await delayServer(t, 2)
  const result = throughJson(await run({ url: server.url, amount: 6, sampleInt: 200, skipAggregateResult: true }))
  const withSamples = (ends, requests) => {
    const [interval] = result.mergeable.intervals
    const intervals = ends.map((end, index) => ({ ...interval, start: index === 0 ? 0 : ends[index - 1], end, completed: requests[index], bytes: 10, connections: 4 }))
    return { ...result, mergeable: { ...result.mergeable, intervals, seconds: ends.at(-1) / 1000 } }
  }
  const { timeline, duration } = aggregateResult([
    withSamples([200, 401, 600, 700], [1, 2, 3, 4]),
    withSamples([200, 399, 480], [10, 20, 30])
  ])
  t.same(timeline.map(({ time, seconds, requests, bytes, connections }) => [time, seconds, requests, bytes, connections]), [
    [0.2, 0.2, 11, 20, 8],
    [0.4, 0.2, 22, 20, 8],
    [0.6, 0.2, 33, 20, 8],
    [0.7, 0.1, 4, 10, 4]
  ])
  t.equal(duration, 0.7)
})

t.test('errors and warm-ups', async (t) => {
  const server = await moodyServer(t, ['ok', 'rst', 'broken', 'garbage', 'ok'])
  const results = await sideBySide([{ url: server.url, amount: 40, connections: 2 }, { url: server.url, amount: 50, connections: 2 }])
  const whole = aggregateResult(throughJson(results), { url: server.url })
  t.same(violations(whole), [])
  for (const [code, { count, message }] of Object.entries(whole.errorCodes)) {
    t.equal(count, at(results, ({ errorCodes }) => errorCodes[code]?.count ?? 0), code)
    t.ok(message)
  }

  const calm = await delayServer(t, 2)
  const warm = await sideBySide([{ url: calm.url, amount: 20, warmup: 0.2 }, { url: calm.url, amount: 20, warmup: 0.2 }])
  const { warmup } = aggregateResult(throughJson(warm), { url: calm.url })
  t.equal(warmup.requests.total, at(warm, ({ warmup }) => warmup.requests.total))
  const [cold] = await sideBySide([{ url: calm.url, amount: 20 }])
  for (const results of [[...warm, cold], [cold, ...warm]]) {
    const whole = aggregateResult(throughJson(results), { url: calm.url })
    t.equal(whole.warmup, undefined, 'only some of them had a warm-up')
    t.equal(whole.requests.total, 60)
  }
})

t.test('merging is associative: sums can be merged again', async (t) => {
  const server = await delayServer(t, 2)
  const opts = { url: server.url, skipAggregateResult: true }
  const results = await sideBySide([1, 2, 3].map((connections) => ({ url: server.url, amount: 30 * connections, connections })))
  const [first, second, third] = throughJson(results)
  const atOnce = aggregateResult([first, second, third], { url: server.url })
  const stepwise = aggregateResult([throughJson(aggregateResult([first, second], opts)), third], { url: server.url })
  t.same(stepwise.latency, atOnce.latency)
  t.same(stepwise.accounting, atOnce.accounting)
  t.equal(stepwise.connections, 6)
  t.equal(stepwise.requests.total, 180)
})

t.test('a single result merges to itself', async (t) => {
  const server = await delayServer(t, 2)
  const result = await run({ url: server.url, amount: 40, skipAggregateResult: true })
  const { mergeable, latencies, totalCompletedRequests, totalRequests, totalBytes, ...plain } = result
  t.same(aggregateResult([result], { url: server.url }), plain)
  t.equal(mergeable.version, 5)
})

t.test('without skipAggregateResult a result has neither mergeable nor the fields of raw results, and is otherwise the same', async (t) => {
  const server = await delayServer(t, 2)
  const plain = await run({ url: server.url, amount: 10 })
  const { mergeable, latencies, totalCompletedRequests, totalRequests, totalBytes, ...rest } = await run({ url: server.url, amount: 10, skipAggregateResult: true })
  t.notOk('mergeable' in plain)
  t.same(Object.keys(rest).sort(), Object.keys(plain).sort())
})

t.test('options: the URL may be omitted, and invalid ones are rejected', async (t) => {
  const server = await delayServer(t, 2)
  const result = await run({ url: server.url, amount: 10, skipAggregateResult: true })
  t.equal(aggregateResult([result]).url, server.url)
  t.equal(aggregateResult([result], { socketPath: '/tmp/x' }).socketPath, '/tmp/x')
  const onSocket = { ...result, socketPath: '/tmp/y' }
  t.same([[], [{ title: 'a' }], [{ socketPath: '/tmp/x' }]].map((opts) => aggregateResult([onSocket, result], ...opts).socketPath), ['/tmp/y', '/tmp/y', '/tmp/x'], 'as may the socket')
  t.throws(() => aggregateResult([result], { url: server.url, connections: 0 }), { code: 'CANNONADE_BAD_OPTION', option: 'connections' })
})

t.test('thresholds are checked against the runs, whatever the options given here say', async (t) => {
  const server = await httpServer(t)
  const secure = await tlsServer(t)
  const requests = [{ path: '/a' }, { path: '/b', title: 'b' }]
  const open = throughJson(await simulated([1, 2].map(() => ({ requests, overallRate: 50, duration: 0.5, warmup: { duration: 0.1 }, workers: 2, connections: 2 }))))
  const closed = throughJson(await sideBySide([{ url: server.url, amount: 5 }]))
  const thresholds = ['rate.offered == 100', 'sendDelay.min < 1h', 'warmup.errors == 0', 'warmup.endpoints[1].failed == 0',
    'endpoints[1].failed == 0', "endpoints['b'].failed == 0", 'workers == 4']
  for (const opts of [undefined, { url: server.url }, { url: server.url, requests, overallRate: 50, warmup: 0.1, workers: 2 }]) {
    const whole = aggregateResult(open, { ...opts, thresholds })
    t.same(whole.thresholds.filter(({ passed }) => !passed), [])
    t.equal(whole.passed, true)
  }
  for (const threshold of thresholds) {
    const opts = { url: server.url, requests, overallRate: 50, warmup: 0.1, workers: 2, thresholds: [threshold] }
    t.throws(() => aggregateResult(closed, opts), { code: 'CANNONADE_BAD_THRESHOLD', option: 'thresholds', threshold }, threshold)
  }
  const tls = ['connectTime.tls.p99 < 1h']
  t.throws(() => aggregateResult(closed, { thresholds: tls }), { code: 'CANNONADE_BAD_THRESHOLD', message: /only with https/ })
  const overTls = throughJson(await sideBySide([{ url: secure.url, amount: 5 }]))
  t.equal(aggregateResult(overTls, { url: server.url, thresholds: tls }).passed, true)
  const refused = throughJson(await sideBySide([{ url: (await closedPort(t)).url.replace('http:', 'https:'), amount: 1, timeout: 0.2 }]))
  t.equal(aggregateResult(refused, { thresholds: tls }).passed, false, 'nobody got that far')

  for (const bad of [5, true]) t.throws(() => aggregateResult(closed, { thresholds: bad }), { code: 'CANNONADE_BAD_OPTION', option: 'thresholds' })
  t.throws(() => aggregateResult(closed, { thresholds: ['foo < 1'] }), { code: 'CANNONADE_BAD_THRESHOLD', option: 'thresholds' })
  t.notOk('passed' in aggregateResult(closed, { thresholds: null }))
})

t.test('what cannot be merged', async (t) => {
  const server = await delayServer(t, 2)
  const opts = { url: server.url, amount: 6, skipAggregateResult: true }
  const good = await run(opts)
  for (const nothing of [undefined, null, [], {}, 'x']) {
    t.throws(() => aggregateResult(nothing, opts), { code: 'CANNONADE_BAD_ARGUMENT' })
  }
  const plain = await run({ url: server.url, amount: 6 })
  const withLatency = (changed) => {
    const copy = throughJson(good)
    Object.assign(copy.mergeable.summaries[0].endpoints[0].latency, changed)
    return throughJson(copy)
  }
  const broken = withLatency({ counts: undefined, histogram: 'no histogram' })
  const cases = [
    [plain, /results\[1\] has no `mergeable`: run it with skipAggregateResult: true/],
    [null, /results\[1\] has no `mergeable`/],
    [{ ...good, mergeable: { ...good.mergeable, version: 99 } }, /results\[1\] was made by a version/],
    [await run({ ...opts, sampleInt: 500 }), /results\[0\] differ in the length of samples \(sampleInt\)/],
    [await run({ ...opts, requests: [{}, {}] }), /the number of requests in the sequence/],
    [await run({ ...opts, requests: [{ path: '/b' }] }), /results\[1\] and results\[0\] differ in the path of requests\[0\]: '\/b' and '\/'$/],
    [await run({ ...opts, method: 'POST' }), /differ in the method of requests\[0\]: 'POST' and 'GET'$/],
    [await run({ ...opts, requests: [{ title: 'home' }] }), /differ in the title of requests\[0\]: 'home' and none$/],
    [await run({ ...opts, overallRate: 100 }), /the load model/],
    [broken, /`mergeable` cannot be read/],
    // A bucket with such an index would need all memory.
    ...[[1e9, 1], [1, 1, 46000, 1], [1, -1], [0.5, 1], [1], [], 'text', {}, [1, 1e300]].map((counts) => [withLatency({ counts }), /`mergeable` cannot be read/]),
    [{ mergeable: { version: 1 } }, /./]
  ]
  for (const [bad, message] of cases) {
    t.throws(() => aggregateResult([good, bad], opts), { code: 'CANNONADE_BAD_RESULT', message })
  }
})

t.test('a run that was stopped before it began adds nothing', async (t) => {
  const server = await delayServer(t, 2)
  const stopped = run({ url: server.url, duration: 60, skipAggregateResult: true })
  stopped.stop()
  const good = await run({ url: server.url, duration: 0.3, skipAggregateResult: true })
  const whole = aggregateResult([throughJson(await stopped), good], { url: server.url })
  t.equal(whole.requests.total, good.requests.total)
  t.same(violations(whole), [])
})

t.test('thresholds can be about everything that the runs measured, and nothing else', async (t) => {
  const settings = { websocket: 'broadcast', serviceTime: 5 }
  const opts = { connections: 3, overallRate: 20, duration: 2, websocket: { expect: 'broadcast' }, skipAggregateResult: true }
  const { value: results } = await simulate({}, (world) => Promise.all([1, 2].map((host) => run({ ...opts, url: world.server({ ...settings, host: `10.0.0.${host}` }).url }))))
  const measured = ['broadcast.ratio == 100%', 'broadcast.lastCopy.p99 < 1s', 'messages.received == 240', 'closeCodes.1006 == 0', 'rate.achieved > 30']
  const whole = aggregateResult(results, { thresholds: measured })
  t.same(whole.thresholds.map(({ threshold, passed }) => [threshold, passed]), measured.map((threshold) => [threshold, true]))
  for (const threshold of ['sessions.failed == 0', 'stream.events > 0', 'grpcStatus.UNAVAILABLE == 0', 'monitor[0].cpu.mean < 50', 'workers > 1']) {
    t.throws(() => aggregateResult(results, { thresholds: [threshold] }), { code: 'CANNONADE_BAD_THRESHOLD', threshold }, threshold)
  }
})
