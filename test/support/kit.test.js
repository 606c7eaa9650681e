'use strict'

const t = require('tap')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const https = require('node:https')
const net = require('node:net')
const tls = require('node:tls')
const kit = require('./servers')
const { request, keepAliveAgent } = require('./http-client')
const { sleep, until } = require('./wait')

async function timed (url, opts) {
  const start = performance.now()
  const answer = await request(url, opts)
  return { ...answer, ms: performance.now() - start }
}

async function connectError (port) {
  const socket = net.connect(port, '127.0.0.1')
  const [error] = await once(socket, 'error')
  return error.code
}

t.test('httpServer counts requests, connections and arrivals', async (t) => {
  const server = await kit.httpServer(t)
  const agent = keepAliveAgent(t, 2)
  const start = performance.now()
  await Promise.all(Array.from({ length: 10 }, () => request(server.url, { agent })))
  await until(() => server.answered === 10)
  t.equal(server.requests, 10)
  t.equal(server.connections, 2)
  t.equal(server.openConnections, 2)
  t.equal(server.requestsPerConnection.reduce((sum, count) => sum + count), 10)
  t.equal(server.requestsPerConnection.length, 2)
  t.equal(server.arrivals.length, 10)
  t.ok(server.arrivals.every((at) => at >= start && at <= performance.now()))
  agent.destroy()
  await until(() => server.openConnections === 0)
  await server.close()
  t.equal(await connectError(server.port), 'ECONNREFUSED')
})

t.test('httpServer with maxRequestsPerSocket closes the connection after that many', async (t) => {
  const server = await kit.httpServer(t, undefined, { maxRequestsPerSocket: 3 })
  const agent = keepAliveAgent(t, 1)
  for (let i = 0; i < 9; i++) await request(server.url, { agent })
  t.same(server.requestsPerConnection, [3, 3, 3])
})

t.test('readBody', async (t) => {
  const server = await kit.httpServer(t, async (request, response) => response.end(await kit.readBody(request)))
  t.equal((await request(server.url, { method: 'POST', body: 'echo' })).body, 'echo')
})

t.test('close does not wait for open connections', async (t) => {
  const server = await kit.hangingServer(null, { every: 1 })
  const open = once(net.connect(server.port, '127.0.0.1').resume(), 'close')
  const asked = request(server.url).catch((error) => error.code)
  await until(() => server.hung === 1 && server.connections === 2)
  await server.close()
  t.equal(await asked, 'ECONNRESET')
  await open
  t.equal(server.openConnections, 0)
})

t.test('delayServer', async (t) => {
  const server = await kit.delayServer(t, 15)
  const agent = keepAliveAgent(t, 1)
  for (let i = 0; i < 3; i++) {
    const { ms } = await timed(server.url, { agent })
    t.ok(ms >= 15, `${ms}`)
  }
})

t.test('bimodalServer', async (t) => {
  const server = await kit.bimodalServer(t, { fastMs: 0, slowMs: 30, slowEvery: 3 })
  for (let number = 1; number <= 6; number++) {
    const { ms } = await timed(server.url)
    if (number % 3 === 0) t.ok(ms >= 30, `request ${number} took ${ms}`)
  }
  t.match(server, { fast: 4, slow: 2 })
})

t.test('hangingServer', async (t) => {
  const server = await kit.hangingServer(t, { every: 2 })
  t.equal((await request(server.url)).body, 'ok')
  const controller = new AbortController()
  const hung = request(server.url, { signal: controller.signal })
  await until(() => server.hung === 1)
  controller.abort()
  await t.rejects(hung, { name: 'AbortError' })
  t.equal((await request(server.url)).body, 'ok')
  t.equal(server.hung, 1)
})

t.test('tlsServer', async (t) => {
  const server = await kit.tlsServer(t)
  const agent = new https.Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const get = (opts) => new Promise((resolve, reject) => {
    https.get(server.url, opts, (response) => response.resume().on('end', () => resolve(response.statusCode))).on('error', reject)
  })
  await t.rejects(get({ agent: false }), { code: 'SELF_SIGNED_CERT_IN_CHAIN' })
  t.equal(await get({ agent, ca: kit.certificates.ca }), 200)
  t.equal(await get({ agent, ca: kit.certificates.ca }), 200)
  t.equal(await get({ agent: false, ca: kit.certificates.ca, servername: 'cannonade.test' }), 200)
  t.equal(server.requests, 3)
  t.ok(server.handshakes >= 2)
  t.equal(server.connections, 3)
  t.equal(server.servernames.at(-1), 'cannonade.test')
  t.same(server.requestsPerConnection, [2, 1])
  agent.destroy()
  await until(() => server.openConnections === 0)
})

t.test('tlsServer with client certificates', async (t) => {
  const server = await kit.tlsServer(t, undefined, { requestCert: true })
  const { ca, clientKey: key, clientCert: cert } = kit.certificates
  const connect = async (opts) => {
    const socket = tls.connect({ port: server.port, host: '127.0.0.1', ca, ...opts })
    const outcome = new Promise((resolve) => {
      socket.on('error', (error) => resolve(error.code))
      socket.on('data', () => resolve('answered'))
    })
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    return outcome.finally(() => socket.destroy())
  }
  t.equal(await connect({ key, cert }), 'answered')
  t.same(server.clientNames, ['Cannonade test client'])
  t.not(await connect({}), 'answered')
  await until(() => server.failedHandshakes === 1)
  t.equal(server.requests, 1)
})

t.test('unixServer', async (t) => {
  const server = await kit.unixServer(null)
  t.equal((await request(server.url, { socketPath: server.socketPath })).body, 'ok')
  await server.close()
  t.notOk(fs.existsSync(server.socketPath))
})

t.test('rawServer leaves every byte to the script', async (t) => {
  const answers = [
    (socket) => socket.end(kit.reply('whole')),
    (socket) => kit.writeInPieces(socket, kit.reply('pieces'), { size: 7 }),
    (socket) => socket.write(kit.chunkedReply(['chu', 'nks'], { extension: ';a=b', trailers: { 'X-After': '1' } })),
    (socket) => socket.resetAndDestroy(),
    (socket) => socket.end(kit.reply('short', { length: 10 }))
  ]
  const server = await kit.rawServer(t, (socket, request, index) => answers[index](socket), { keep: true })
  const ask = (body) => request(server.url, { method: 'POST', body, agent: false }).then(({ body }) => body, (error) => error.code)
  t.equal(await ask('1'), 'whole')
  t.equal(await ask('2'), 'pieces')
  t.equal(await ask('3'), 'chunks')
  t.equal(await ask('4'), 'ECONNRESET')
  t.equal(await ask('5'), 'ECONNRESET') // Node's name for a body cut short
  t.equal(server.requests, 5)
  t.same(server.kept.map(({ body }) => body.toString()), ['1', '2', '3', '4', '5'])
  t.same(server.kept.map(({ connection, indexOnConnection }) => [connection, indexOnConnection]), [[0, 0], [1, 0], [2, 0], [3, 0], [4, 0]])
  t.same(server.malformed, [])
})

t.test('rawServer closes a connection that receives anything other than requests', async (t) => {
  const server = await kit.rawServer(t, () => {})
  const socket = net.connect(server.port, '127.0.0.1')
  socket.write('hello\r\n\r\n')
  await once(socket.resume(), 'close')
  t.match(server, { requests: 0, malformed: [/bad request line/] })
})

t.test('rawServer with TLS', async (t) => {
  const server = await kit.rawServer(t, (socket) => socket.end(kit.reply('secret')), { tls: true })
  const socket = tls.connect({ port: server.port, host: '127.0.0.1', ca: kit.certificates.ca })
  socket.write('GET / HTTP/1.1\r\n\r\n')
  const [chunk] = await once(socket, 'data')
  t.match(chunk.toString(), 'secret')
  t.equal(server.requests, 1)
})

t.test('silentServer', async (t) => {
  const server = await kit.silentServer(t)
  const socket = tls.connect({ port: server.port, host: '127.0.0.1' })
  socket.on('error', () => {})
  let heard = false
  for (const event of ['secureConnect', 'data', 'close']) socket.on(event, () => { heard = true })
  await until(() => server.connections === 1)
  await sleep(50)
  t.notOk(heard)
  socket.destroy()
})

t.test('closedPort', async (t) => {
  const { port, url } = await kit.closedPort(t)
  t.equal(await connectError(port), 'ECONNREFUSED')
  await t.rejects(new Promise((resolve, reject) => http.get(url, resolve).on('error', reject)), { code: 'ECONNREFUSED' })
})

t.test('blackHole', { skip: process.platform !== 'linux' && 'needs Linux' }, async (t) => {
  const { port } = await kit.blackHole(t)
  const socket = net.connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  const outcome = await Promise.race([
    once(socket, 'connect').then(() => 'connected', (error) => error.code),
    sleep(300).then(() => 'waiting')
  ])
  t.equal(outcome, 'waiting')
})
