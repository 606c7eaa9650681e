'use strict'

const t = require('tap')
const hdr = require('hdr-histogram-js')
const { benchmark, between } = require('./benchmark')
const { playInWorld } = require('../../support/play-in-world')
const { rawServer, httpServer, delayServer, reply, chunkedReply } = require('../../support/servers')
const { moodyServer } = require('../../support/moody-server')
const { statisticsOf, sum, PERCENTILES } = require('../../support/accounts')
const { until } = require('../../support/wait')

const FIELDS = [
  'url', 'connections', 'sampleInt', 'pipelining', 'duration', 'samples', 'start', 'finish', 'errors', 'timeouts', 'mismatches', 'non2xx',
  'resets', '1xx', '2xx', '3xx', '4xx', '5xx', 'statusCodeStats', 'latency', 'requests', 'throughput', 'accounting', 'serviceTime',
  'sendDelay', 'timeToFirstByte', 'timeToStatusLine', 'transferTime', 'replySize', 'replyRate', 'connectTime', 'latencyWithUnfinished', 'drain', 'errorCodes', 'connectionStats', 'bytes', 'endpoints',
  'timeline', 'histograms', 'generator', 'warnings'
]

async function ordinaryRun (t) {
  const server = await moodyServer(t, ['ok', 'ok', 'ok', 'ok', 'notFound', 'ok', 'early', 'rst', 'broken', 'slow'])
  return benchmark(t, { url: server.url, title: 'ordinary', connections: 4, duration: 0.4, sampleInt: 100, requests: [{ path: '/a' }, { path: '/b', method: 'POST', title: 'second' }] })
}

t.test('every field exists', async (t) => {
  const result = await ordinaryRun(t)
  for (const field of FIELDS) t.ok(field in result, field)
  for (const name of ['latency', 'requests', 'throughput', 'serviceTime', 'sendDelay', 'timeToFirstByte', 'timeToStatusLine', 'transferTime', 'replyRate', 'connectTime', 'latencyWithUnfinished']) {
    for (const part of ['min', 'max', 'average', 'mean', 'stddev', 'total', 'totalCount', ...PERCENTILES]) {
      t.ok(Number.isFinite(result[name][part]), `${name}.${part}`)
    }
  }
  t.same(Object.keys(result.connectTime).filter((key) => ['dns', 'tcp', 'tls'].includes(key)), ['dns', 'tcp', 'tls'])
  t.notOk('rate' in result, 'a rate is for the open model')
  t.notOk('warmup' in result)
  t.match(result, { title: 'ordinary', connections: 4, pipelining: 1, sampleInt: 100, drain: { seconds: 0, completed: 0 } })
  t.match(result.endpoints, [{ method: 'GET', path: '/a' }, { title: 'second', method: 'POST', path: '/b' }])
  t.ok(result.start instanceof Date && result.finish instanceof Date)
})

t.test('JSON loses nothing but dates', async (t) => {
  const result = await ordinaryRun(t)
  const { start, finish, ...copy } = JSON.parse(JSON.stringify(result))
  const { start: startDate, finish: finishDate, ...original } = result
  t.strictSame(copy, original)
  t.equal(start, startDate.toISOString())
  t.equal(finish, finishDate.toISOString())
  t.strictSame(structuredClone(result), result)
})

t.test('the histograms agree with the statistics', async (t) => {
  const { histograms, ...result } = await ordinaryRun(t)
  const { latencyBounds, latencyWithUnfinishedBounds, connectionLifetime, ...ofStatistics } = histograms
  t.same(Object.keys(ofStatistics).sort(), ['connectTime', 'latency', 'latencyWithUnfinished', 'sendDelay', 'serviceTime', 'timeToFirstByte', 'timeToStatusLine', 'transferTime'])
  t.equal(hdr.decodeFromCompressedBase64(connectionLifetime).totalCount, result.connectionStats.withReplies)
  t.equal(hdr.decodeFromCompressedBase64(latencyBounds).totalCount, result.latencyBounds.count)
  t.equal(hdr.decodeFromCompressedBase64(latencyWithUnfinishedBounds).totalCount, result.latencyWithUnfinished.totalCount - result.requests.total)
  for (const [name, encoded] of Object.entries(ofStatistics)) {
    const statistics = result[name]
    const histogram = hdr.decodeFromCompressedBase64(encoded)
    t.equal(histogram.totalCount, statistics.totalCount, `${name}.totalCount`)
    if (statistics.totalCount === 0) continue
    for (const percentile of PERCENTILES) {
      const percent = Number(percentile.slice(1).replace('_', '.'))
      const read = histogram.getValueAtPercentile(percent) / 1000
      t.equal(Math.min(statistics.max, Math.max(statistics.min, read)), statistics[percentile], `${name}.${percentile}`)
    }
    const tolerance = statistics.max / 1000
    between(t, histogram.mean / 1000, statistics.mean - tolerance, statistics.mean + tolerance, `${name}.mean`)
    between(t, histogram.stdDeviation / 1000, statistics.stddev - tolerance, statistics.stddev + tolerance, `${name}.stddev`)
  }
})

t.test('the timeline shows when things happened', async (t) => {
  // Nothing for 300 ms, then a response every 5 ms.
  const { result: { timeline, accounting, bytes, duration } } = await playInWorld(t, { serviceTime: ({ at }) => Math.max(5, 303 - at) }, { connections: 2, duration: 0.802, sampleInt: 100 })
  t.same(timeline.map(({ requests }) => requests), [0, 0, 0, 40, 40, 40, 40, 40])
  between(t, timeline[3].max, 302.9, 303.2, 'the first answers')
  between(t, timeline[4].max, 4.9, 5.1, 'later ones')
  t.equal(sum(timeline, 'requests'), accounting.completed)
  t.equal(sum(timeline, 'bytes'), bytes.read)
  t.equal(timeline.at(-1).time, duration)
  t.ok(timeline.every(({ connections }) => connections === 2), 'connections')
  for (const { p50, p90, p99, max } of timeline) t.ok(p50 <= p90 && p90 <= p99 && p99 <= max)
})

t.test("bytes are those of the server's sockets", async (t) => {
  const answers = [reply('short'), chunkedReply(['some', 'pieces']), reply(Buffer.alloc(100_000, 'x')), Buffer.concat([Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'), reply()])]
  for (const opts of [{}, { pipelining: 4 }, { method: 'POST', body: Buffer.alloc(50_000, 'y') }, { method: 'POST', body: '[<id>]', idReplacement: true }, { reconnectRate: 7 }]) {
    const sockets = []
    const server = await rawServer(t, (socket, request, index) => socket.write(answers[index % answers.length]), { onConnection: (socket) => sockets.push(socket) })
    const { bytes, throughput } = await benchmark(t, { url: server.url, connections: 3, amount: 100, ...opts })
    await until(() => server.openConnections === 0)
    t.equal(bytes.read, sum(sockets, 'bytesWritten'), 'read')
    t.equal(bytes.written, sum(sockets, 'bytesRead'), 'written')
    t.equal(throughput.total, bytes.read)
  }
})

t.test('excludeErrorStats removes errors from latency and throughput, and from nothing else', async (t) => {
  const good = reply('good')
  const bad = reply(Buffer.alloc(20_000), { status: 500 })
  const server = await rawServer(t, (socket, request, index) => {
    if (index % 4 !== 0) return socket.write(good)
    // A response that takes longer than a sample.
    socket.write(bad.subarray(0, 15_000))
    setTimeout(() => socket.destroyed || socket.write(bad.subarray(15_000)), 60)
  })
  const opts = { url: server.url, connections: 2, amount: 80, sampleInt: 20 }
  const excluded = await benchmark(t, { ...opts, excludeErrorStats: true })
  t.match(excluded, { accounting: { completed: 80 }, non2xx: 20, '5xx': 20, '2xx': 60, errors: 0, requests: { total: 80 } })
  t.strictSame(excluded.statusCodeStats, { 200: { count: 60 }, 500: { count: 20 } })
  t.equal(excluded.latency.totalCount, 60)
  t.equal(excluded.throughput.total, 60 * good.length)
  t.ok(excluded.timeline.every(({ bytes }) => bytes >= 0))
  t.equal(excluded.bytes.read, 60 * good.length + 20 * bad.length)

  const included = await benchmark(t, opts)
  t.equal(included.latency.totalCount, 80)
  t.ok(included.latency.max >= 58)
  t.equal(included.throughput.total, 60 * good.length + 20 * bad.length)

  const settings = { serviceTime: ({ number }) => number % 4 === 0 ? 60 : 2, answer: ({ number }) => number % 4 === 0 ? 500 : 200 }
  const { result: { latency } } = await playInWorld(t, settings, { connections: 2, amount: 80, excludeErrorStats: true })
  t.match(latency, { totalCount: 60, min: 2, max: 2 })
})

t.test("endpoints are counted separately, and their sums are the run's", async (t) => {
  const server = await httpServer(t, (request, response) => {
    response.statusCode = request.url === '/missing' ? 404 : 200
    setTimeout(() => response.end('ok'), request.url === '/slow' ? 40 : 0)
  })
  const { endpoints, latency } = await benchmark(t, {
    url: server.url, connections: 1, amount: 30, requests: [{ path: '/fast', title: 'fast' }, { path: '/slow' }, { path: '/missing', method: 'PUT' }]
  })
  t.match(endpoints, [
    { title: 'fast', path: '/fast', method: 'GET', completed: 10, failed: 0, statusCodeStats: { 200: { count: 10 } } },
    { path: '/slow', completed: 10, statusCodeStats: { 200: { count: 10 } } },
    { path: '/missing', method: 'PUT', completed: 10, statusCodeStats: { 404: { count: 10 } } }
  ])
  t.notOk('title' in endpoints[1])
  const [fast, slow] = endpoints
  t.ok(slow.latency.min >= 39, `slow ${slow.latency.min}`)
  t.ok(fast.latency.min < slow.latency.min, `fast ${fast.latency.min}`)
  t.equal(latency.max, Math.max(...endpoints.map(({ latency }) => latency.max)))
})

t.test('status codes of every class, and outside of all classes', async (t) => {
  const codes = [200, 204, 301, 404, 500, 503, 299, 999, 600]
  const server = await rawServer(t, (socket, request, index) => {
    const status = codes[index % codes.length]
    socket.write(reply('', { status, length: status === 204 ? null : 0 }))
  })
  const result = await benchmark(t, { url: server.url, connections: 1, amount: 18 })
  t.strictSame(result.statusCodeStats, Object.fromEntries(codes.map((status) => [status, { count: 2 }])))
  t.match(result, { '1xx': 0, '2xx': 6, '3xx': 2, '4xx': 2, '5xx': 4, non2xx: 12 })
})

t.test('resets are counted', async (t) => {
  const server = await httpServer(t)
  let calls = 0
  const { resets, endpoints, accounting } = await benchmark(t, {
    url: server.url, connections: 1, amount: 20, requests: [{ path: '/a' }, { path: '/b', setupRequest: (request) => calls++ % 2 === 0 && request }]
  })
  t.equal(accounting.completed, 20)
  t.equal(resets, Math.floor(calls / 2))
  t.ok(endpoints[0].completed > endpoints[1].completed)
})

t.test('no number is missing, negative or implausibly precise', async (t) => {
  const result = await ordinaryRun(t)
  for (const [name, statistics] of statisticsOf(result)) {
    for (const [part, value] of Object.entries(statistics)) {
      if (typeof value !== 'number') continue
      t.ok(value >= 0 && Number.isFinite(value), `${name}.${part}`)
      t.ok(Math.abs(value * 1e6 - Math.round(value * 1e6)) < 1e-3 * Math.max(1, value), `${name}.${part} is told to the nanosecond: ${value}`)
    }
  }
})

t.test('two concurrent runs do not mix', async (t) => {
  const servers = await Promise.all([delayServer(t, 20), httpServer(t, (request, response) => response.writeHead(500).end())])
  const [slow, broken] = await Promise.all([
    benchmark(t, { url: servers[0].url, connections: 2, amount: 20 }),
    benchmark(t, { url: servers[1].url, connections: 3, amount: 300 })
  ])
  t.match(slow, { '2xx': 20, non2xx: 0, accounting: { sent: 20, completed: 20 } })
  t.match(broken, { '5xx': 300, '2xx': 0, accounting: { sent: 300, completed: 300 } })
  t.same([servers[0].requests, servers[1].requests], [20, 300])
  t.ok(slow.latency.min >= 19, `latency.min of the slow one ${slow.latency.min}`)
})
