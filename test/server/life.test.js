'use strict'

const t = require('tap')
const { fork, spawn } = require('node:child_process')
const { once } = require('node:events')
const net = require('node:net')
const path = require('node:path')
const { startServer } = require('../../lib/server')
const { request } = require('../support/http-client')
const { isAlive } = require('../support/processes')
const { until } = require('../support/wait')

const library = path.join(__dirname, '../../lib/server')

function refused (port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.on('connect', () => { socket.destroy(); resolve(false) })
    socket.on('error', (error) => resolve(error.code === 'ECONNREFUSED'))
  })
}

t.test('works with a callback', async (t) => {
  const server = await new Promise((resolve, reject) => {
    const returned = startServer({ port: 0 }, (error, server) => error ? reject(error) : resolve(server))
    t.equal(returned, undefined)
  })
  t.equal((await request(server.url)).status, 200)
  await server.close()

  const error = await new Promise((resolve) => startServer({ port: -1 }, resolve))
  t.match(error, { code: 'CANNONADE_BAD_OPTION', option: 'port' })
})

for (const workers of [1, 2]) {
  t.test(`close ends open connections and pending responses, workers: ${workers}`, async (t) => {
    const { port, stats, close } = await startServer({ port: 0, workers, delay: 60_000 })
    t.teardown(close)
    const idle = net.connect(port, '127.0.0.1').on('error', () => {})
    const busy = net.connect(port, '127.0.0.1').on('error', () => {})
    busy.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await until(async () => (await stats()).requests === 1 && (await stats()).openConnections === 2)
    const pids = (await stats()).processes.map(({ pid }) => pid)

    const closed = Promise.all([once(idle.resume(), 'close'), once(busy.resume(), 'close')])
    await close()
    await closed
    t.ok(await refused(port))
    t.match(await stats(), { requests: 1, unanswered: 1, openConnections: 0 })
    if (workers > 1) t.notOk(pids.some(isAlive), 'no worker is left')
    await close() // a second call has no effect
  })

  t.test(`a port in use is a clear error, workers: ${workers}`, async (t) => {
    const first = await startServer({ port: 0 })
    t.teardown(first.close)
    const error = await startServer({ port: first.port, workers }).then(() => null, (error) => error)
    t.match(error, { name: 'CannonadeError', code: 'CANNONADE_SERVER_FAILED', port: first.port, host: 'localhost' })
    t.match(error.message, `port ${first.port} on localhost is already in use`)
    t.equal((await request(first.url)).status, 200, 'the first server is not disturbed')
  })
}

t.test('a port that is free on only one loopback address is in use', async (t) => {
  const other = net.createServer().listen(0, '::1')
  const listening = await once(other, 'listening').then(() => true, () => false)
  if (!listening) return t.skip('this machine has no IPv6')
  t.teardown(() => other.close())
  const { port } = other.address()
  await t.rejects(startServer({ port }), { code: 'CANNONADE_SERVER_FAILED', port })
  t.ok(await refused(port), 'and the free one was released')
})

t.test('a host that is not an address of this machine is a clear error', async (t) => {
  await t.rejects(startServer({ port: 0, host: '192.0.2.1' }), { code: 'CANNONADE_SERVER_FAILED', host: '192.0.2.1' })
})

t.test('the process that started it can still use the cluster module; a worker that dies makes the counts an error instead of wrong, and close still works', async (t) => {
  const cluster = require('node:cluster')
  const { url, port, stats, close } = await startServer({ port: 0, workers: 2 })
  t.teardown(close)
  t.same(cluster.settings, {})
  t.same(Object.keys(cluster.workers), [])
  const { processes } = await stats()
  t.notOk(processes.some(({ pid }) => pid === process.pid))
  const [{ pid }] = processes
  process.kill(pid, 'SIGKILL')
  await until(() => !isAlive(pid))
  await t.rejects(stats(), { code: 'CANNONADE_SERVER_FAILED', message: String(pid) })
  const overHttp = await request(`${url}/_stats`)
  t.equal(overHttp.status, 500)
  t.match(JSON.parse(overHttp.body).error, String(pid))
  await close()
  await t.rejects(stats(), { code: 'CANNONADE_SERVER_FAILED' })
  t.ok(await refused(port))
})

t.test('workers end when the process that started them is killed', async (t) => {
  const code = `require(${JSON.stringify(library)}).startServer({ port: 0, workers: 2 })
    .then((server) => server.stats()).then(({ processes }) => process.send(processes.map(({ pid }) => pid)))`
  const owner = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  t.teardown(() => owner.kill('SIGKILL'))
  const [pids] = await once(owner, 'message')
  t.equal(pids.filter(isAlive).length, 2)
  owner.kill('SIGKILL')
  await until(() => !pids.some(isAlive))
  t.pass('they are gone')
})

t.test('silent by default; one line per request with verbose', async (t) => {
  const [get, post] = ['#\\d GET /one\\?a=%1b%07 201\n', '#\\d POST /two 201\n']
  const [one, two] = [1, 2].map((workers) => ({ workers, verbose: true, status: 201 }))
  t.match(await printed([{ workers: 1 }, one, { workers: 2 }, two]), new RegExp(`^\n${get}${post}\n\n(${get}${post}|${post}${get})\n$`, 'i'),
    'of two workers either may be heard first')
})

t.test('workers start even if an ES module is preloaded', async (t) => {
  const NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=data:text/javascript,1`
  t.match(await printed([{ workers: 2, verbose: true }], { ...process.env, NODE_OPTIONS }), /POST \/two 200/)
})

async function printed (opts, env = process.env) {
  const script = path.join(__dirname, 'fixtures', 'print-requests.js')
  const child = fork(script, [JSON.stringify(opts)], { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'], timeout: 60_000, killSignal: 'SIGKILL' })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (piece) => { text += piece })
  await once(child, 'close')
  return text
}
