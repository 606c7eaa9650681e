'use strict'

// The record of all requests, in worlds where each time is known.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const t = require('tap')
const { compare, findCapacity, run, sweep } = require('../..')
const RecordFile = require('../../lib/engine/record-file')
const { BLOCK_BYTES } = require('../../lib/metrics/record/lines')
const { createPlan } = require('../../lib/plan')
const { playInWorld } = require('../support/play-in-world')
const { httpServer } = require('../support/servers')
const { simulate } = require('../simulation/world')

const HEAD = 'due,sent,firstByte,end,latency,outcome,status,bytes,error,method,path,endpoint,session,scenario,connection,traceId'
const CSV = path.join(os.tmpdir(), 'all.csv')
const JSON_LINES = path.join(os.tmpdir(), 'all.jsonl')
const SHOP = path.join(__dirname, '../protocol/grpc/shop.proto')

/** Plays a run with a record. @returns {Promise<object>} what `playInWorld` does, and `lines`, of CSV as cells, otherwise as objects */
async function play (t, settings, opts, story, ofWorld) {
  const played = await playInWorld(t, settings, { record: CSV, ...opts }, story, ofWorld)
  const text = played.world.client.disk.read(opts.record ?? CSV)
  const [head, ...rows] = text.split('\n').slice(0, -1)
  if (opts.record !== undefined) return { ...played, lines: text.split('\n').slice(0, -1).map((line) => JSON.parse(line)) }
  t.equal(head, HEAD)
  const lines = rows.map((row) => Object.fromEntries(row.split(',').map((cell, index) => [HEAD.split(',')[index], cell])))
  return { ...played, rows, lines }
}

t.test('CSV and JSON lines of a server whose times are known', async (t) => {
  const settings = { serviceTime: ({ number }) => number === 1 ? 12.345 : 5 }
  const opts = { amount: 3, connections: 1, requests: [{ path: '/a' }, { path: '/b?x=1', method: 'POST', body: 'hello' }] }
  const link = { link: { delay: 1 } }
  const { rows, result } = await play(t, settings, opts, null, link)
  const bytes = result.bytes.read / 3
  t.strictSame(rows, [
    `0.002000,0.002000,0.009000,0.009000,7.000,completed,200,${bytes},,GET,/a,0,,,1,`,
    `0.009000,0.009000,0.023345,0.023345,14.345,completed,200,${bytes},,POST,/b?x=1,1,,,1,`,
    `0.023345,0.023345,0.030345,0.030345,7.000,completed,200,${bytes},,GET,/a,0,,,1,`
  ])
  const { lines } = await play(t, settings, { ...opts, record: JSON_LINES }, null, link)
  t.strictSame(lines[1], {
    due: 0.009, sent: 0.009, firstByte: 0.023345, end: 0.023345, latency: 14.345, outcome: 'completed', status: 200, bytes, error: null, method: 'POST', path: '/b?x=1', endpoint: 1, session: null, scenario: null, connection: 1, traceId: null
  })
  t.equal(lines.length, 3)
})

t.test('a line for each request that was scheduled, whatever became of it', async (t) => {
  // The second never answers, the fourth breaks off, and the one connection is free again 100 ms after the second was due.
  const answers = { 1: 'silence', 3: 'reset' }
  const { lines, result } = await play(t, { serviceTime: 4, answer: ({ number }) => answers[number] ?? 200 }, {
    connections: 1, overallRate: 100, duration: 0.2, timeout: 0.1, drain: 0
  })
  t.equal(lines.length, result.accounting.scheduled)
  for (const outcome of ['completed', 'failed', 'timedOut', 'unfinished', 'unsent']) {
    t.equal(lines.filter((line) => line.outcome === outcome).length, result.accounting[outcome], outcome)
  }
  const [late] = lines.filter(({ outcome }) => outcome === 'timedOut')
  t.match(late, { due: '0.010000', sent: '0.010000', firstByte: '', end: '0.110000', latency: '100.000', status: '', bytes: '', error: 'CANNONADE_RESPONSE_TIMEOUT', path: '/', endpoint: '0', connection: '1' })
  const [broken] = lines.filter(({ outcome }) => outcome === 'failed')
  t.match(broken, { latency: '', error: 'ECONNRESET', connection: '2' })
  t.not(broken.end, '', 'it ended when it broke')
  const values = lines.map(({ latency }) => Number(latency)).filter((latency) => latency > 0)
  t.equal(values.length, result.latency.totalCount)
  t.ok(Math.abs(values.reduce((sum, value) => sum + value, 0) - result.latency.total) < 1e-6, 'latencies are those of the result')
})

t.test('what was never sent, or has no end, has empty cells', async (t) => {
  const { lines, result } = await play(t, { answer: () => 'silence' }, { connections: 1, overallRate: 10, duration: 1, timeout: 60, drain: 0 })
  t.match(result.accounting, { scheduled: 10, unsent: 9, unfinished: 1 })
  const [first, ...others] = lines.sort((one, other) => one.due - other.due)
  t.match(first, { due: '0.000000', sent: '0.000000', end: '', latency: '1000.000', outcome: 'unfinished', path: '/', connection: '1' })
  t.strictSame(others.map(({ due, latency }) => Number(due) * 1000 + Number(latency)), Array(9).fill(1000), 'their age at the end')
  t.strictSame(others[0], { ...others[0], sent: '', firstByte: '', end: '', outcome: 'unsent', status: '', bytes: '', error: '', method: '', path: '', endpoint: '', session: '', connection: '', traceId: '' })
})

t.test('latency is what enters the result: not of the closed model, of the service time, or of an error', async (t) => {
  const silent = await play(t, { answer: () => 'silence' }, { connections: 2, amount: 2, timeout: 0.1 })
  t.strictSame(silent.lines.map(({ outcome, latency, due }) => [outcome, latency, due]), silent.lines.map(({ sent }) => ['timedOut', '', sent]), 'a request is due when it is sent')
  const ignoring = await play(t, { serviceTime: 20, slots: 1 }, { connections: 1, overallRate: 40, duration: 0.125, ignoreCoordinatedOmission: true })
  t.strictSame(ignoring.lines.map(({ latency }) => latency), Array(5).fill('20.000'))
  const errors = await play(t, { answer: ({ number }) => number % 2 === 0 ? 200 : 500 }, { amount: 4, connections: 1, excludeErrorStats: true })
  t.strictSame(errors.lines.map(({ status, latency }) => [status, latency !== '']), [['200', true], ['500', false], ['200', true], ['500', false]])
})

t.test('paths, methods and names that a form has to quote', async (t) => {
  const opts = { amount: 2, connections: 1, requests: [{ path: '/a,b?q="x"' }, { path: `/${'é'.repeat(50)}`, method: 'M-SEARCH' }] }
  const { rows } = await play(t, {}, opts)
  t.match(rows[0], ',GET,"/a,b?q=""x""",0,')
  const encoded = `/${'%C3%A9'.repeat(50)}`.slice(0, 200)
  t.match(rows[1], `,M-SEARCH,${encoded},1,`, 'the first 200 characters')
  const { lines } = await play(t, {}, { ...opts, record: JSON_LINES })
  t.strictSame(lines.map(({ path }) => path), ['/a,b?q="x"', encoded])
  const secret = await play(t, {}, { amount: 2, connections: 1, requests: [{ path: '/a?token=hunter2' }, { path: '/login/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc' }] })
  t.strictSame(secret.lines.map(({ path }) => path), ['/a?token=***', '/login/***'])
  const mix = await play(t, {}, { scenarios: [{ name: '=1+1, "x"', requests: [{}] }], sessions: { amount: 1 }, connections: 1 })
  t.match(mix.rows[0], ',"\'=1+1, ""x""",', 'no formula for a spreadsheet')
})

t.test('sessions and scenarios, also of what was never sent', async (t) => {
  const { lines, result } = await play(t, { answer: () => 'silence' }, {
    scenarios: [{ name: 'buy', requests: [{ path: '/buy' }] }, { name: 'look', requests: [{ path: '/look' }] }], overallRate: 10, duration: 1, sessions: { maxOpen: 4 }, timeout: 60, drain: 0
  })
  t.match(result.accounting, { scheduled: 10, unsent: 6, unfinished: 4 })
  lines.sort((one, other) => one.due - other.due)
  t.strictSame(lines.map(({ session }) => session), ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
  const named = await play(t, {}, { scenarios: ['auth: login', 'auth: logout'].map((name) => ({ name, requests: [{}] })), sessions: { amount: 2 }, connections: 1 })
  t.same(named.lines.map(({ scenario }) => scenario), ['auth: login', 'auth: logout'], 'names are those of the result')
  for (const name of ['buy', 'look']) t.equal(lines.filter(({ scenario }) => scenario === name).length, 5, name)
  t.ok(lines.slice(0, 4).every(({ scenario, path, endpoint }) => path === `/${scenario}` && endpoint === (scenario === 'buy' ? '0' : '1')))
})

t.test('endpoint is empty for the calls of users in several threads, which may have met them in another order', async (t) => {
  const user = path.join(__dirname, '../engine/sessions/fixtures/browse.js')
  for (const [workers, expected] of [[undefined, ['0', '1']], [1, ['0', '1']], [2, ['', '']]]) {
    const { lines, result } = await play(t, { serviceTime: 5 }, { user, workers, sessions: { amount: 6 }, connections: 2 })
    t.same(result.endpoints.map(({ path }) => path), ['/first', '/second'])
    for (const line of lines) t.equal(line.endpoint, expected[line.path.startsWith('/first') ? 0 : 1], `${workers} threads, ${line.path}`)
  }
})

t.test('endpoint is an index of the result: of titles, and of the calls of users', async (t) => {
  const titled = await play(t, {}, { amount: 3, connections: 1, requests: [{ path: '/a', title: 'x' }, { path: '/b' }, { path: '/c', title: 'x' }] })
  t.strictSame(titled.lines.map(({ endpoint }) => titled.result.endpoints[endpoint].title ?? titled.result.endpoints[endpoint].path), ['x', '/b', 'x'])
  const user = async (user) => {
    await user.get('/first')
    await Promise.all([user.post('/second', { json: {} }), user.get('/third', { title: 'named' })])
  }
  const opts = { user, sessions: { amount: 3 }, connections: 3 }
  const called = await play(t, {}, opts)
  t.equal(called.lines.length, 9)
  for (const { endpoint, method, path, session } of called.lines) {
    const found = called.result.endpoints[endpoint]
    t.ok(found.title === 'named' ? path === '/third' : found.path === path && found.method === method, `${path} of ${endpoint}`)
    t.ok(['0', '1', '2'].includes(session))
  }
})

t.test('every protocol, with trace ids', async (t) => {
  const cases = {
    pipelining: [{ serviceTime: 3 }, { amount: 30, pipelining: 5, connections: 2 }],
    'HTTP/2': [{ http2: true, serviceTime: 3 }, { http2: true, amount: 30, pipelining: 5 }],
    gRPC: [{ grpc: true, serviceTime: 3 }, { http2: true, amount: 10, grpc: { proto: SHOP, method: 'shop.Shop/Find', message: { user_name: 'ann' } } }],
    streams: [{ answer: () => ({ pieces: [[1, 'data: 1\n\n'], [3, 'data: 2\n\n']] }) }, { amount: 5, stream: true }],
    redirects: [{ answer: ({ path }) => path === '/end' ? 200 : { status: 302, headers: { Location: '/end' } } }, { amount: 10, connections: 1, followRedirects: 2 }]
  }
  for (const [name, [settings, opts]] of Object.entries(cases)) {
    const { lines, result, world } = await play(t, settings, { traceparent: true, ...opts })
    t.equal(lines.length, result.accounting.scheduled, name)
    const sent = world.log.map(({ traceparents: [value], path }) => `${value.slice(3, 35)} ${path}`).sort()
    t.strictSame(lines.map(({ traceId, path }) => `${traceId} ${path}`).sort(), sent, name)
  }
  const { lines, world } = await play(t, { websocket: 'echo', serviceTime: 3 }, { amount: 20, connections: 2, body: 'hi', traceparent: true })
  const handshakes = world.log.flatMap(({ traceparents }) => traceparents).map((value) => value.slice(3, 35))
  t.equal(lines.length, 20)
  t.ok(lines.every(({ status, bytes, latency, path, method }) => status === '' && bytes === '2' && latency === '3.000' && path === '/' && method === 'GET'), 'a message has no status, and the path of its handshake')
  t.strictSame([...new Set(lines.map(({ traceId }) => traceId))].sort(), handshakes.sort(), 'its trace is that of the handshake')
  const copies = await play(t, { websocket: 'broadcast' }, { amount: 12, connections: 4, body: '{"id":"[<id>]"}', websocket: { expect: 'broadcast' } })
  t.equal(copies.lines.length, copies.result.accounting.scheduled)
})

t.test('the warm-up is not in it; workers add theirs to the one file', async (t) => {
  const { lines, result } = await play(t, { serviceTime: 4 }, { connections: 5, duration: 0.3, workers: 3, warmup: { duration: 0.1 } })
  t.equal(lines.length, result.accounting.scheduled)
  t.ok(lines.every(({ due }) => Number(due) >= 0 && Number(due) <= 0.3))
  t.equal(new Set(lines.map(({ connection }) => connection)).size, 5, 'connections have different numbers in different threads')
})

t.test('the result is the same as without, and the run does not wait for a slow disk', async (t) => {
  const opts = { connections: 3, overallRate: 400, duration: 0.5 }
  const settings = { serviceTime: 7, slots: 2 }
  const plain = await playInWorld(t, settings, opts)
  const { result } = await play(t, settings, opts, null, { client: { disk: () => 3e6 } })
  t.strictSame(comparable(result), comparable(plain.result))
})

const comparable = ({ options, finish, ...result }) => JSON.parse(JSON.stringify(result))

t.test('beyond 64 MiB that wait to be written, lines are left out and counted; threads share this limit', async (t) => {
  for (const threads of [1, 4]) {
    await simulate({ client: { disk: () => 1000 } }, async (world) => {
      const file = new RecordFile({ file: CSV, form: 'csv' }, threads)
      const blocks = 64 * 1024 * 1024 / BLOCK_BYTES / threads
      for (let count = 0; count < blocks; count++) file.take(Buffer.alloc(BLOCK_BYTES), BLOCK_BYTES, 10)
      t.equal(file.leftOut, 0)
      file.take(Buffer.alloc(BLOCK_BYTES), BLOCK_BYTES, 7)
      file.take(Buffer.alloc(10), 1, 2)
      t.same([file.leftOut, file.blocks], [9, blocks], `${threads} threads`)
      await world.sleep(1)
      file.take(Buffer.alloc(BLOCK_BYTES), BLOCK_BYTES, 5)
      t.strictSame(await file.end(), { leftOut: 9, problem: null }, 'there was room again')
    })
  }
})

t.test('a thread that ends in mid-turn writes what is left at once', async (t) => {
  await simulate({ client: { disk: () => 1000 } }, async (world) => {
    const file = new RecordFile({ file: CSV, form: 'csv' }, 1)
    for (const text of ['first\n', 'second\n', 'third\n']) file.take(Buffer.from(text), text.length, 1)
    t.strictSame(file.cutOff(), { leftOut: 0, problem: null })
    t.equal(world.client.disk.read(CSV), 'second\nthird\n', 'the system is writing the first')
    await world.sleep(1)
    t.equal(world.client.disk.read(CSV), 'second\nthird\nfirst\n')
  })
  await simulate({ client: { disk: () => 1000 } }, async (world) => {
    const file = new RecordFile({ file: CSV, form: 'csv' }, 1)
    file.hold()
    for (const text of ['first\n', 'second\n']) file.take(Buffer.from(text), text.length, 1)
    t.strictSame(file.cutOff(), { leftOut: 0, problem: null })
    t.equal(world.client.disk.read(CSV), 'first\nsecond\n', 'no write is begun that would end in a later turn')
  })
})

t.test('a disk that takes less than it was given gets the rest', async (t) => {
  const { lines, result } = await play(t, { serviceTime: 1 }, { amount: 50, connections: 1 }, null, { client: { disk: (file, bytes) => ({ us: 10, length: Math.ceil(bytes / 3) }) } })
  t.equal(lines.length, 50)
  t.strictSame(result.warnings, [])
})

t.test('a disk that fails with the last block does not keep the run from ending', async (t) => {
  await simulate({ client: { disk: (file, bytes) => bytes > 0 ? Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }) : 1000 } }, async () => {
    const file = new RecordFile({ file: CSV, form: 'csv' }, 1)
    for (const text of ['first\n', 'second\n']) file.take(Buffer.from(text), text.length, 1)
    t.strictSame(await file.end(), { leftOut: 2, problem: 'ENOSPC' })
  })
})

t.test('a disk that fails does not end the run: the result has RECORD_INCOMPLETE', async (t) => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  for (const workers of [undefined, 2]) {
    const { result, lines } = await play(t, { serviceTime: 10 }, { connections: 2, duration: 2.5, sampleInt: 1000, workers }, (instance, world) => { t.world = world }, {
      client: { disk: (file, bytes) => bytes > 0 && t.world.elapsed > 1500 ? full : 20 }
    })
    const missing = result.accounting.scheduled - lines.length
    t.ok(missing > 100 && lines.length > 100, `${missing} of ${result.accounting.scheduled}`)
    t.strictSame(result.warnings, [{ code: 'RECORD_INCOMPLETE', message: `${missing} requests are missing from '${CSV}': writing failed (ENOSPC: no space left on device, write). All numbers of the result include them.` }])
  }
})

t.test('the form follows from the name of the file: CSV, or otherwise lines of JSON', async (t) => {
  const formOf = (name) => createPlan({ url: 'http://a.test', record: path.join(os.tmpdir(), name) }).plan.record.form
  t.same(['a.csv', 'A.CSV', 'a.csv.jsonl', 'a.json', 'csv'].map(formOf), ['csv', 'csv', 'json', 'json', 'json'])
})

t.test('a path that cannot be written is an error of the options, before anything is sent', async (t) => {
  const url = 'http://127.0.0.1:1'
  const denied = Object.assign(new Error(`EACCES: permission denied, open '${CSV}'`), { code: 'EACCES' })
  const sentences = {
    [path.join(os.tmpdir(), 'no-such-folder/all.csv')]: 'its folder does not exist',
    [os.tmpdir()]: 'this is a folder'
  }
  for (const [record, why] of Object.entries(sentences)) {
    await t.rejects(run({ url, record }), { code: 'CANNONADE_BAD_OPTION', option: 'record', message: `record must be the path of a file that can be written; ${why}; got '${record}'` })
  }
  await t.rejects(run({ url, record: '/dev/null', workers: 2 }), { message: /several workers can only write to a regular file/ })
  await simulate({ client: { disk: () => denied } }, async (world) => {
    const server = world.server({})
    await t.rejects(run({ url: server.url, amount: 1, record: CSV }), { code: 'CANNONADE_BAD_OPTION', option: 'record', message: `record must be the path of a file that can be written (EACCES: permission denied, open '${CSV}'); got '${CSV}'` })
    t.equal(world.log.length, 0)
  })
})

t.test('forever and studies refuse it', async (t) => {
  const url = 'http://127.0.0.1:1'
  await new Promise((resolve) => run({ url, record: CSV, forever: true }).once('error', ({ message }) => resolve(t.equal(message, 'record and forever cannot be given together: each round would overwrite the file'))))
  for (const study of [() => compare([{ url, record: CSV }, { url, record: CSV }]), () => sweep({ url, record: CSV }, { rates: [1] }), () => findCapacity({ url, record: CSV })]) {
    await t.rejects(study(), { code: 'CANNONADE_BAD_OPTION', message: /record.*each of its runs would overwrite the file; record a single run at the setting in question/ })
  }
})

t.test('on a real disk, by real threads', async (t) => {
  const server = await httpServer(t)
  const folder = t.testdir({ 'all.csv': 'something from before\n' })
  for (const workers of [undefined, 2]) {
    const record = path.join(folder, 'all.csv')
    const result = await run({ url: server.url, connections: 4, amount: 400, workers, record })
    const [head, ...rows] = fs.readFileSync(record, 'utf8').split('\n').slice(0, -1)
    t.equal(head, HEAD)
    t.equal(rows.length, result.accounting.scheduled)
    t.ok(rows.every((row) => row.split(',').length === 16))
  }
})
