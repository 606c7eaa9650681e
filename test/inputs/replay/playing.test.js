'use strict'

// Replays a recording: each request at its recorded time, and none in the place of another.

const fs = require('node:fs')
const http2 = require('node:http2')
const path = require('node:path')
const t = require('tap')
const { run } = require('../../..')
const { playInWorld } = require('../../support/play-in-world')
const { httpServer } = require('../../support/servers')
const { track } = require('../../support/tracked')

const log = (t, lines) => path.join(t.testdir({ 'access.jsonl': lines.map((line) => JSON.stringify(line)).join('\n') }), 'access.jsonl')
const START = Date.UTC(2024, 0, 1)

// When each path was sent, in ms after the earliest possible arrival.
const sent = ({ log }, startedAt) => Object.fromEntries(log.map(({ path, sentAt }) => [path, Math.round((sentAt - startedAt) / 1000)]))

t.test('each request is due at its recorded time divided by the speed, in order of time', async (t) => {
  const file = log(t, [
    { time: START + 300, path: '/c' },
    { time: START, path: '/a', method: 'POST', body: 'x' },
    { time: START + 100, path: '/b' },
    { time: START + 300, path: '/d' }
  ])
  for (const speed of [1, 2]) {
    const { result, world } = await playInWorld(t, { serviceTime: 5 }, { connections: 2, replay: { file, speed } })
    t.same(world.log.map(({ method, path }) => `${method} ${path}`), ['POST /a', 'GET /b', 'GET /c', 'GET /d'])
    t.same(sent(world, world.log[0].sentAt), { '/a': 0, '/b': 100 / speed, '/c': 300 / speed, '/d': 300 / speed })
    t.match(result.accounting, { scheduled: 4, sent: 4, completed: 4 })
    t.equal(result.latency.max, 5)
    t.equal(result.duration, Math.round(301 / speed) / 1000, 'to the end of the last millisecond')
    t.equal(result.rate.offered, Math.round(4 / 0.301 * speed * 1000) / 1000, 'for as long as was recorded')
    t.same(result.endpoints.map(({ method, path, completed }) => [method, path, completed]), [['GET', '/c', 1], ['POST', '/a', 1], ['GET', '/b', 1], ['GET', '/d', 1]])
  }
})

t.test('each request counts under its own endpoint, in whatever order it was recorded', async (t) => {
  const paths = ['/a', '/b', '/c', '/a', '/b', '/a']
  // The order of the times is not that of the lines.
  const lines = paths.map((path, index) => ({ path, time: START + 10 * (index * 5 % 6) }))
  const har = { log: { entries: lines.map(({ path, time }) => ({ startedDateTime: new Date(time).toISOString(), time: 1, request: { method: 'GET', url: `http://10.0.0.1${path}`, headers: [] } })) } }
  const folder = t.testdir({ jsonl: lines.map((line) => JSON.stringify(line)).join('\n'), har: JSON.stringify(har) })
  const statuses = { '/a': 201, '/b': 404, '/c': 503 }
  for (const format of ['jsonl', 'har']) {
    const { result, world } = await playInWorld(t, { answer: ({ path }) => statuses[path] }, { connections: 2, replay: { file: path.join(folder, format), format } })
    t.same(world.log.map(({ path }) => path), lines.toSorted((one, other) => one.time - other.time).map(({ path }) => path), format)
    const expected = { '/a': { 201: { count: 3 } }, '/b': { 404: { count: 2 } }, '/c': { 503: { count: 1 } } }
    t.same(Object.fromEntries(result.endpoints.map(({ path, statusCodeStats }) => [path, statusCodeStats])), expected, format)
    const { world: limited } = await playInWorld(t, {}, { connections: 2, replay: { file: path.join(folder, format), format, limit: 4 } })
    t.same(limited.log.map(({ path }) => path), ['/a', '/a', '/c', '/b'], `the first four of ${format}`)
  }
})

t.test('headers of the run replace recorded ones of the same name, and so does its trace context', async (t) => {
  const recorded = { 'X-A': 'recorded', 'X-B': 'recorded', Traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }
  const times = [0, 5, 10]
  const folder = t.testdir({
    jsonl: times.map((time) => JSON.stringify({ time: START + time, path: `/${time}`, headers: recorded })).join('\n'),
    har: JSON.stringify({ log: { entries: times.map((time) => ({ startedDateTime: new Date(START + time).toISOString(), time: 1, request: { method: 'GET', url: `http://10.0.0.1/${time}`, headers: Object.entries(recorded).map(([name, value]) => ({ name, value })) } })) } })
  })
  for (const format of ['jsonl', 'har']) {
    for (const http2 of [false, true]) {
      for (const [opts, x, traces] of [[{}, 'recorded', 1], [{ traceparent: true }, 'recorded', 3], [{ headers: { 'x-b': 'own' } }, 'own', 1], [{ headers: { 'x-b': 'own' }, traceparent: true }, 'own', 3]]) {
        const { world } = await playInWorld(t, { http2 }, { connections: 2, http2, replay: { file: path.join(folder, format), format }, ...opts })
        const what = `${format} ${http2 ? 'HTTP/2' : 'HTTP/1.1'} ${JSON.stringify(opts)}`
        t.same(world.log.map((entry) => [entry.path, entry.header('x-a').join(), entry.header('x-b').join()]), times.map((time) => [`/${time}`, 'recorded', x]), what)
        const sent = world.log.map(({ traceparents }) => traceparents)
        t.ok(sent.every(({ length }) => length === 1), what)
        t.equal(new Set(sent.flat()).size, traces, what)
        t.equal(sent.flat().includes(recorded.Traceparent), traces === 1, what)
      }
    }
  }
})

t.test('null removes a recorded header, whatever its case, and an empty list does, too', async (t) => {
  const recorded = { 'X-A': 'recorded', 'X-B': 'recorded', 'X-C': 'recorded' }
  const folder = t.testdir({
    jsonl: JSON.stringify({ time: START, path: '/', headers: recorded }),
    har: JSON.stringify({ log: { entries: [{ startedDateTime: new Date(START).toISOString(), time: 1, request: { method: 'GET', url: 'http://10.0.0.1/', headers: Object.entries(recorded).map(([name, value]) => ({ name, value })) } }] } }),
    combined: '10.0.0.1 - - [01/Jan/2024:00:00:00 +0000] "GET / HTTP/1.1" 200 1 "/from" "Agent/1"'
  })
  for (const format of ['jsonl', 'har', 'combined']) {
    for (const [http2, workers] of [[false, 0], [true, 0], [false, 2]]) {
      const headers = { 'x-b': null, 'X-c': [], referer: null }
      const { world } = await playInWorld(t, { http2 }, { connections: 2, http2, workers, replay: { file: path.join(folder, format), format }, headers })
      const sent = ['x-a', 'x-b', 'x-c', 'referer', 'user-agent'].map((name) => world.log[0].header(name).join())
      t.same(sent, format === 'combined' ? ['', '', '', '', 'Agent/1'] : ['recorded', '', '', '', ''], `${format} ${http2} ${workers}`)
    }
  }
})

t.test('unsent and failed requests are not replaced by others', async (t) => {
  const file = log(t, Array.from({ length: 40 }, (_, number) => ({ time: START + number * 10, path: `/${number}` })))
  // One connection with 100 ms per request: requests that wait longer than 300 ms are never sent. The third response is a reset.
  const settings = { serviceTime: 100, answer: ({ number }) => number === 2 ? 'reset' : 200 }
  const { result, world } = await playInWorld(t, settings, { connections: 1, timeout: 0.3, replay: file })
  const { scheduled, unsent, failed } = result.accounting
  t.equal(scheduled, 40)
  t.ok(unsent > 20 && failed === 1, JSON.stringify(result.accounting))
  const started = world.log[0].sentAt
  for (const { path, sentAt } of world.log) {
    const dueAt = Number(path.slice(1)) * 10
    const age = (sentAt - started) / 1000 - dueAt
    t.ok(age >= -0.01 && age <= 300, `${path} is sent after ${age} ms`)
  }
  t.equal(new Set(world.log.map(({ path }) => path)).size, world.log.length, 'none is sent twice')
})

t.test('all options of a run can be combined with it', async (t) => {
  const file = log(t, Array.from({ length: 20 }, (_, number) => ({ time: START + number * 5, path: `/${number}?q=[<id>]`, headers: { 'X-A': 'recorded', 'X-B': 'recorded' } })))
  for (const [how, options] of Object.entries({
    pipelining: { pipelining: 4, connections: 1 },
    'hooks and bodies': { expectBody: 'ok' },
    'a connection each': { keepAlive: false },
    cookies: { cookies: true },
    'a warm-up': { warmup: { duration: 0.02 } },
    ids: { idReplacement: true },
    'ignoring omission': { ignoreCoordinatedOmission: true, pacing: 'sleep' }
  })) {
    const { result, world } = await playInWorld(t, {}, { connections: 3, replay: file, headers: { 'X-B': 'own' }, ...options }, undefined, { link: { delay: 2 } })
    t.match(result.accounting, { scheduled: 20, sent: 20, completed: 20 }, how)
    const paths = world.log.slice(-20).map(({ path }) => Number(/^\/(\d+)\?/.exec(path)[1]))
    t.same(paths.sort((a, b) => a - b), [...paths.keys()], how)
    t.equal(world.log.some(({ path }) => path.includes('[<id>]')), how !== 'ids')
    t.same(new Set(world.log.map((entry) => [...entry.header('x-a'), ...entry.header('x-b')].join())), new Set(['recorded,own']), how)
    t.equal(result.mismatches, 0)
  }
})

t.test('also over HTTP/2', async (t) => {
  const file = log(t, Array.from({ length: 30 }, (_, number) => ({ time: START + number, path: `/${number}`, headers: { connection: 'close', 'x-number': number } })))
  const seen = []
  const server = http2.createServer((request, response) => {
    seen.push(`${request.url} ${request.headers['x-number']}`)
    response.end()
  })
  const { url } = await track(t, server)
  const result = await run({ url, connections: 2, pipelining: 4, http2: true, replay: file })
  t.equal(result.accounting.completed, 30)
  t.same(seen.sort(), Array.from({ length: 30 }, (_, number) => `/${number} ${number}`).sort())
})

t.test('the recorded requests arrive over the network, also with threads', async (t) => {
  const lines = Array.from({ length: 60 }, (_, number) => ({
    time: START + number, path: `/${number}`, ...(number % 3 === 0 && { method: 'POST', body: `body ${number}` }), headers: { 'x-number': number, host: 'elsewhere.test' }
  }))
  const file = log(t, lines)
  for (const options of [{}, { workers: 2 }]) {
    const seen = []
    const server = await httpServer(t, (request, response) => {
      let body = ''
      request.on('data', (chunk) => { body += chunk }).on('end', () => {
        seen.push({ path: request.url, method: request.method, number: Number(request.headers['x-number']), body, host: request.headers.host, own: request.headers['x-own'] })
        response.end()
      })
    })
    const result = await run({ url: server.url, connections: 4, replay: { file, speed: 0.5 }, headers: { 'X-Own': 'yes' }, ...options })
    t.equal(result.accounting.completed, 60)
    t.same(seen.sort((a, b) => a.number - b.number), lines.map(({ path, method = 'GET', body = '' }, number) => ({ path, method, number, body, host: new URL(server.url).host, own: 'yes' })))
  }
})

t.test('a file that changes during the run, and a client that changes requests, end the run with an error', async (t) => {
  const file = log(t, [{ time: START, path: '/a' }, { time: START + 50, path: '/b' }])
  const server = await httpServer(t)
  const instance = run({ url: server.url, connections: 1, replay: file })
  fs.writeFileSync(file, 'gone')
  await t.rejects(instance, { code: 'CANNONADE_HOOK_FAILED', message: /cannot be replayed further: it has changed/ })
  const again = log(t, [{ time: START, path: '/a' }])
  await t.rejects(run({ url: server.url, connections: 1, replay: again, setupClient: (client) => client.setBody('x') }), { message: /replay the recording defines what is sent/ })
})

t.test('lines of any length, more of them than are kept in memory', async (t) => {
  const bodies = Array.from({ length: 6 }, (_, number) => `${number}`.repeat(270_000))
  const file = log(t, bodies.map((body, number) => ({ time: START + 10 * number, path: `/${number}`, method: 'POST', body })))
  const { result, world } = await playInWorld(t, { serviceTime: 1 }, { connections: 1, replay: file })
  t.equal(result.accounting.completed, 6)
  t.same(world.log.map(({ path }) => path), ['/0', '/1', '/2', '/3', '/4', '/5'])
  t.ok(result.bytes.written > 6 * 270_000, 'with their whole bodies')
})
