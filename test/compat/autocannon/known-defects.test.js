'use strict'

// Defects of autocannon that programs no longer have to live with, each with a server that exposes it.

const { execFile } = require('node:child_process')
const path = require('node:path')
const t = require('tap')
const { aggregateResult, run } = require('../../..')
const { delayServer, httpServer, rawServer, reply, tlsServer, writeInPieces, certificates } = require('../../support/servers')
const { untilFirstError } = require('../../support/first-error')
const { sleep, until } = require('../../support/wait')
const { ended } = require('../../support/ended')

const ROOT = path.join(__dirname, '../../..')
const IS_OK = path.join(__dirname, '../../engine/parallel/fixtures/is-ok.mjs')

t.test('a warm-up works however the run is called, can be stopped, and hands over its connections', async (t) => {
  const server = await delayServer(t, 2)
  const opts = { url: server.url, connections: 3, duration: 0.3, warmup: { duration: 0.8 } }
  const started = performance.now()
  const { warmup } = await new Promise((resolve, reject) => run(opts, (error, result) => error ? reject(error) : resolve(result)))
  t.ok(performance.now() - started >= 1090, 'the warm-up took its time')
  t.ok(warmup.duration >= 0.79)

  const instance = run({ ...opts, warmup: { duration: 60 } })
  t.type(instance.stop, 'function')
  await sleep(100)
  instance.stop()
  t.ok((await instance).duration < 30)
})

t.test('results keep their rates when they are merged later', async (t) => {
  const server = await delayServer(t, 5)
  const opts = { url: server.url, connections: 2, amount: 100, sampleInt: 100, skipAggregateResult: true }
  const results = [await run(opts), await run(opts)]
  const { requests, throughput, latency } = aggregateResult(JSON.parse(JSON.stringify(results)), opts)
  for (const [name, { average }] of Object.entries({ requests, throughput })) {
    // All concurrently, in the time of the longest.
    const seconds = Math.max(...results.map(({ duration }) => duration))
    const expected = results.reduce((total, result) => total + result[name].total, 0) / seconds
    t.ok(Math.abs(average / expected - 1) < 0.01, `${name}: ${average} per second, not ${expected}`)
  }
  t.equal(requests.total, results[0].requests.total + results[1].requests.total)
  t.equal(latency.totalCount, requests.total)
})

t.test('with workers, rates, limits and connections are totals, events are emitted, hooks may be ES modules, and stop() ends the run', async (t) => {
  const server = await delayServer(t, 5)
  // As many connections as requests, so that requests that came due while this machine stalled are still sent in time.
  const rate = await run({ url: server.url, workers: 2, connections: 30, overallRate: 20, duration: 1.5 })
  t.same([rate.requests.sent, server.requests], [30, 30])
  t.equal((await run({ url: server.url, workers: 2, connections: 4, maxOverallRequests: 10, duration: 600 })).requests.sent, 10)

  const other = await delayServer(t, 5)
  const instance = run({ url: other.url, workers: 4, connections: 10, duration: 600, sampleInt: 100, verifyBody: IS_OK })
  const events = { response: 0, tick: 0 }
  for (const event of Object.keys(events)) instance.on(event, () => events[event]++)
  await until(() => events.response > 0 && events.tick > 0 && other.connections >= 10)
  instance.stop()
  const { requests, mismatches, duration } = await instance
  t.ok(duration < 300)
  t.ok(requests.total > 0)
  t.equal(mismatches, 0)
  t.equal(other.connections, 10)
})

t.test('Content-Length and Connection headers of the user replace the default ones', async (t) => {
  const server = await rawServer(t, (socket) => socket.end(reply('ok', { headers: { Connection: 'close' } })), { keep: true })
  const { requests } = await run({ url: server.url, connections: 1, amount: 3, method: 'POST', body: 'hello', headers: { 'content-length': 5, Connection: 'close' } })
  t.equal(requests.total, 3)
  for (const { headers, body } of server.kept) {
    const said = (name) => headers.filter(([given]) => given.toLowerCase() === name).map(([, value]) => value)
    t.same([said('content-length'), said('connection'), body.toString()], [['5'], ['close'], 'hello'])
  }
})

t.test('a character whose bytes arrive in two packets stays intact', async (t) => {
  const answer = reply('100 €')
  const server = await rawServer(t, (socket) => writeInPieces(socket, answer, { size: answer.length - 1, pauseMs: 5 }))
  const { mismatches, requests } = await run({ url: server.url, connections: 2, amount: 20, expectBody: '100 €' })
  t.equal(requests.total, 20)
  t.equal(mismatches, 0)
})

t.test('a body of 2 MiB is held once, not once for each of 100 connections', async (t) => {
  const server = await httpServer(t, (request, response) => request.resume().on('end', () => response.end('ok')))
  const program = `
    const { run } = require('cannonade')
    const body = Buffer.alloc(2 * 1024 * 1024, 'x')
    let most = 0
    const before = process.memoryUsage().rss
    const instance = run({ url: '${server.url}', method: 'POST', body, connections: 100, amount: 100, timeout: 60 })
    const timer = setInterval(() => { most = Math.max(most, process.memoryUsage().rss) }, 10)
    instance.then(({ requests, errors }) => {
      clearInterval(timer)
      console.log(JSON.stringify({ total: requests.total, errors, grown: Math.round((most - before) / 1e6) }))
    })`
  const stdout = await new Promise((resolve, reject) => {
    execFile(process.execPath, ['-e', program], { cwd: ROOT, timeout: 100_000, killSignal: 'SIGKILL' }, (error, stdout) => error ? reject(error) : resolve(stdout))
  })
  const { total, errors, grown } = JSON.parse(stdout)
  t.same([total, errors], [100, 0])
  t.ok(grown < 100, `100 copies are 210 MB, the process grew by ${grown} MB`)
})

t.test('sent counts what was sent', async (t) => {
  const fast = await httpServer(t)
  // Here, too, each request may have a connection of its own.
  const atOnce = await run({ url: fast.url, connections: 100, overallRate: 100, duration: 1 })
  t.same([atOnce.requests.sent, fast.requests], [100, 100])
  const slow = await delayServer(t, 50)
  const later = await run({ url: slow.url, connections: 50, overallRate: 50, duration: 1 })
  t.same([later.requests.sent, slow.requests], [50, 50])
})

t.test('with forever each round has its own counts, and its ticks', async (t) => {
  const server = await httpServer(t)
  const rounds = []
  let ticks = 0
  const instance = run({ url: server.url, connections: 2, amount: 40, sampleInt: 20, forever: true })
  instance.on('tick', () => ticks++)
  instance.on('done', (result) => {
    rounds.push({ statusCodeStats: result.statusCodeStats, samples: result.samples, hasTicked: ticks > 0 })
    ticks = 0
    if (rounds.length === 3) instance.stop()
  })
  await ended(instance)
  t.equal(rounds.length, 3)
  for (const { statusCodeStats, samples, hasTicked } of rounds) {
    t.same(statusCodeStats, { 200: { count: 40 } })
    t.ok(samples >= 1)
    t.ok(hasTicked)
  }
})

t.test('connect time is not part of latency', async (t) => {
  // A TLS server that takes 1.2 s to select its certificate.
  const { serverKey: key, serverCert: cert } = certificates
  const context = require('node:tls').createSecureContext({ key, cert })
  const server = await tlsServer(t, undefined, { SNICallback: (name, done) => setTimeout(() => done(null, context), 1200) })
  const { latency, connectTime } = await run({ url: server.url, servername: 'localhost', connections: 5, amount: 50 })
  t.ok(connectTime.min >= 1190, `connecting took ${connectTime.min} ms at least`)
  t.ok(connectTime.tls.min >= 1190)
  t.ok(latency.min < 1190, `latency is ${latency.min} ms at least`)
})

t.test('timeouts below a second, slow hooks, fewer requests than connections', async (t) => {
  const server = await httpServer(t, (request, response) => { if (request.url !== '/hang') response.end('ok') })
  const hanging = run({ url: `${server.url}/hang`, connections: 1, duration: 60, timeout: 0.7 })
  hanging.once('reqError', hanging.stop)
  const { timeouts, latencyWithUnfinished } = await hanging
  t.equal(timeouts, 1)
  t.ok(Math.abs(latencyWithUnfinished.mean - 700) < 1, `a request that times out counts with its deadline, ${latencyWithUnfinished.mean} ms`)

  const paths = []
  const awaited = await run({
    url: server.url,
    connections: 1,
    amount: 3,
    requests: [{
      setupRequest: async (request) => { await sleep(5); return { ...request, path: '/awaited' } },
      onResponse: async (status) => { await sleep(5); paths.push(status) }
    }]
  })
  t.equal(awaited.requests.total, 3)
  t.same(paths, [200, 200, 200])

  t.equal((await run({ url: server.url, connections: 10, amount: 3 })).requests.sent, 3)
  t.equal((await run({ url: server.url, connections: 10, overallRate: 4, duration: 0.6 })).connections, 10)
})

t.test('a host whose name begins with http', async (t) => {
  const instance = run({ url: 'httpbin:3000/a', connections: 1, duration: 0.2 })
  t.equal(instance.opts.url, 'http://httpbin:3000/a')
  instance.stop()
  await instance
})

t.test('verification of certificates is up to the user', async (t) => {
  const server = await tlsServer(t)
  const url = server.url.replace('127.0.0.1', 'localhost')
  const opts = { url, connections: 1, amount: 3 }
  t.equal((await run(opts)).requests.total, 3, 'by default they are not')
  const refused = await untilFirstError({ ...opts, tlsOptions: { rejectUnauthorized: true } })
  t.equal(refused.requests.total, 0)
  t.match(Object.keys(refused.errorCodes)[0], /UNABLE_TO_VERIFY|SELF_SIGNED/)
  const trusted = await run({ ...opts, tlsOptions: { rejectUnauthorized: true, ca: certificates.ca } })
  t.equal(trusted.requests.total, 3)
})
