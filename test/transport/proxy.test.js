'use strict'

const { EventEmitter } = require('node:events')
const t = require('tap')
const { run } = require('../..')
const { httpServer, tlsServer, closedPort, readBody } = require('../support/servers')
const { together } = require('../support/together')
const { violations } = require('../support/accounts')
const { untilFirstError } = require('../support/first-error')
const { sleep } = require('../support/wait')
const { createPlan } = require('../../lib/plan')
const { RECEIVE_BUFFER, startTls } = require('../../lib/transport/connect')
const Tunnel = require('../../lib/transport/tunnel')
const enterWorld = require('../../lib/world/enter')
const { simulate } = require('../simulation/world')
const { proxyServer } = require('../support/proxy-server')

const withCredentials = (proxy, credentials) => proxy.url.replace('//', `//${credentials}@`)
const basic = (credentials) => `Basic ${Buffer.from(credentials).toString('base64')}`
const authorizations = (seen) => [...new Set(seen.map(({ authorization }) => authorization))]

t.test('http requests go to the proxy with their absolute URL', async (t) => {
  const got = []
  const server = await httpServer(t, async (request, response) => {
    got.push([request.method, request.url, request.headers.host, String(await readBody(request)), request.headers['proxy-authorization']])
    response.end('ok')
  })
  const proxy = await proxyServer(t, { credentials: 'us er:p@ss' })
  const result = await run({
    url: server.url,
    amount: 20,
    connections: 2,
    proxy: withCredentials(proxy, 'us%20er:p%40ss'),
    expectBody: 'ok',
    requests: [{ path: '/a?b=c' }, { method: 'POST', path: '/post', body: 'text' }]
  })
  t.same(violations(result), [])
  t.equal(result['2xx'], 20)
  t.equal(result.mismatches, 0)
  t.equal(server.requests, 20)
  t.equal(proxy.connections, 2)
  t.equal(proxy.forwarded.length, 20)
  t.same(authorizations(proxy.forwarded), [basic('us er:p@ss')])
  t.same([...new Set(proxy.forwarded.map(({ url }) => url))].sort(), [`${server.url}/a?b=c`, `${server.url}/post`])
  t.same(got.find(([method]) => method === 'POST'), ['POST', '/post', `127.0.0.1:${server.port}`, 'text', undefined])
})

t.test('with workers, without keepAlive, and with a feed', async (t) => {
  const server = await httpServer(t)
  const proxy = await proxyServer(t)
  const result = await run({ url: server.url, amount: 20, connections: 4, workers: 2, keepAlive: false, proxy: proxy.url })
  t.equal(result['2xx'], 20)
  t.equal(server.requests, 20)
  t.equal(result.connectTime.totalCount, result.connectionStats.opened)
  t.ok(proxy.connections >= 20)

  await run({ url: `${server.url}/{{id}}`, amount: 2, connections: 1, proxy: proxy.url, feed: { rows: [{ id: 'x' }, { id: 'y' }] } })
  t.same(proxy.forwarded.slice(-2).map(({ url }) => url), [`${server.url}/x`, `${server.url}/y`])
})

t.test("a proxy's own reply to a plain http request is a response", async (t) => {
  const server = await httpServer(t)
  const proxy = await proxyServer(t, { credentials: 'a:b' })
  const result = await run({ url: server.url, amount: 5, connections: 1, proxy: withCredentials(proxy, 'a:wrong') })
  t.equal(result.statusCodeStats[407].count, 5)
  t.equal(server.requests, 0)
})

t.test('absolute URLs and a Proxy-Authorization header set by the user stay unchanged', async (t) => {
  const server = await httpServer(t)
  const proxy = await proxyServer(t)
  const headers = { 'proxy-authorization': 'Bearer x' }
  await run({ url: server.url, amount: 1, connections: 1, proxy: withCredentials(proxy, 'a:b'), headers, requests: [{ path: `${server.url}/whole` }] })
  t.same(proxy.forwarded, [{ url: `${server.url}/whole`, authorization: 'Bearer x' }])
})

t.test('https goes through a tunnel, and the proxy sees nothing of the requests', async (t) => {
  const got = new Set()
  // Six requests in flight are two on each of the three connections.
  const server = await tlsServer(t, together(6, (request, response) => {
    got.add(`${request.url} ${request.headers['proxy-authorization']}`)
    response.end('ok'.repeat(40_000))
  }))
  const proxy = await proxyServer(t, { credentials: 'a:b' })
  const result = await run({
    url: `https://localhost:${server.port}/secret`,
    amount: 40,
    connections: 3,
    pipelining: 2,
    proxy: withCredentials(proxy, 'a:b'),
    expectBody: 'ok'.repeat(40_000)
  })
  t.same(violations(result), [])
  t.equal(result['2xx'], 40)
  t.equal(result.mismatches, 0)
  t.same([...got], ['/secret undefined'])
  t.same(proxy.tunnelled, Array(3).fill({ url: `localhost:${server.port}`, authorization: basic('a:b') }))
  t.equal(proxy.requests, 0)
  t.equal(server.handshakes, 3)
  t.same([...new Set(server.servernames)], ['localhost'])
  t.equal(result.connectTime.tls.totalCount, 3)
})

t.test('certificates are verified through a tunnel on request', async (t) => {
  const { certificates: { ca } } = require('../support/servers')
  const server = await tlsServer(t)
  const proxy = await proxyServer(t)
  const url = `https://localhost:${server.port}`
  const options = { url, connections: 1, proxy: proxy.url }
  t.equal((await run({ ...options, amount: 2, tlsOptions: { ca, rejectUnauthorized: true } }))['2xx'], 2)
  const refused = await untilFirstError({ ...options, tlsOptions: { rejectUnauthorized: true } })
  t.equal(refused.accounting.sent, 0)
  t.equal(refused.errors, 1)
  t.ok(Object.values(refused.errorCodes).every(({ phase }) => phase === 'tls'), 'the phase')
  // Within the tunnel, the socket that cannot be created is that of TLS.
  const { errorCodes } = await untilFirstError({ ...options, tlsOptions: { checkServerIdentity: 'no function' } })
  t.same(Object.values(errorCodes).map(({ count, phases }) => ({ count, phases })), [{ count: 1, phases: { tls: 1 } }])
})

t.test('connectTime includes the time that the tunnel takes', async (t) => {
  const server = await tlsServer(t, together(2))
  const slow = await proxyServer(t)
  const [original] = slow.server.listeners('connect')
  slow.server.removeAllListeners('connect')
  slow.server.on('connect', (...args) => setTimeout(() => original(...args), 200))
  const { connectTime } = await run({ url: server.url, amount: 4, connections: 2, proxy: slow.url })
  t.equal(connectTime.totalCount, 2)
  t.ok(connectTime.min >= 195, `${connectTime.min}`)
  t.ok(connectTime.total - connectTime.tcp.total >= 2 * 195, 'it is not part of the TCP time')
})

t.test('a tunnel for each request, with workers and in the open model', async (t) => {
  const server = await tlsServer(t)
  const proxy = await proxyServer(t)
  const result = await run({ url: server.url, amount: 20, overallRate: 200, connections: 4, workers: 2, keepAlive: false, proxy: proxy.url })
  t.same(violations(result), [])
  t.equal(result.accounting.completed, 20)
  t.same(server.requestsPerConnection, Array(20).fill(1))
  t.ok(proxy.tunnelled.length >= 20)
})

t.test('the status of a refused tunnel is reported', async (t) => {
  const server = await tlsServer(t)
  const proxy = await proxyServer(t, { credentials: 'a:b' })
  const result = await untilFirstError({ url: server.url, connections: 1, proxy: proxy.url })
  t.same(violations(result), [])
  t.equal(server.connections, 0)
  t.equal(result.accounting.sent, 0)
  t.same(Object.keys(result.errorCodes), ['CANNONADE_PROXY_REFUSED'])
  const { phase, message } = result.errorCodes.CANNONADE_PROXY_REFUSED
  t.equal(phase, 'connect')
  t.match(message, `CONNECT 127.0.0.1:${server.port} has the status 407`)
})

t.test('broken proxies', async (t) => {
  const server = await tlsServer(t)
  const fails = async (answerConnect, code, message, options) => {
    const proxy = await proxyServer(t, { answerConnect })
    const result = await untilFirstError({ url: server.url, connections: 1, proxy: proxy.url, ...options })
    t.same(violations(result), [], message)
    t.same(Object.keys(result.errorCodes), [code])
    t.match(result.errorCodes[code], { phase: 'connect', message })
    t.equal(result.accounting.sent, 0)
  }
  await fails((socket) => socket.end('nonsense\r\n\r\n'), 'CANNONADE_BAD_RESPONSE', /not a valid response/)
  await fails((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nmore'), 'CANNONADE_BAD_RESPONSE', /continues after its head/)
  await fails((socket) => socket.end(), 'CANNONADE_CLOSED_BY_SERVER', /before it responded to CONNECT/)
  await fails((socket) => socket.write('HTTP/1.1 200'), 'CANNONADE_CONNECT_TIMEOUT', /no connection within/, { timeout: 0.5 })
  for (const end of ['', '\r\n\r\n']) {
    await fails((socket) => socket.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(66_000)}${end}`), 'CANNONADE_BAD_RESPONSE', /longer than/)
  }
})

t.test('which responses to CONNECT open a tunnel: any 2xx, after any 1xx, wherever they are split', async (t) => {
  const Tunnel = require('../../lib/transport/tunnel')
  const target = { hostname: 'a.test', port: 443, proxy: {} }
  const read = (bytes, splitAt) => {
    const tunnel = new Tunnel(target)
    const pieces = [bytes.slice(0, splitAt), bytes.slice(splitAt)].filter((piece) => piece !== '').map((piece) => Buffer.from(piece))
    const isWhole = pieces.map((piece) => tunnel.read(piece, piece.length))
    if (isWhole.slice(0, -1).some(Boolean) || !isWhole.at(-1)) t.fail(`complete after ${splitAt} bytes of ${bytes}`)
    return tunnel.fault && [tunnel.fault.code, tunnel.fault.phase, tunnel.fault.message]
  }
  const headOf = (status) => `HTTP/1.1 ${status} x\r\nX-Y: z\r\n\r\n`
  for (const interim of ['', ...[100, 102, 103, 199].map(headOf), headOf(103) + headOf(100)]) {
    const expected = { 200: null, 201: null, 204: null, 299: null }
    for (const status of [300, 302, 399, 400, 407, 500, 599]) expected[status] = ['CANNONADE_PROXY_REFUSED', 'connect', `the proxy's answer to CONNECT a.test:443 has the status ${status}`]
    for (const [status, fault] of Object.entries(expected)) {
      const bytes = interim + headOf(status)
      const outcomes = new Set(Array.from(bytes, (_, place) => JSON.stringify(read(bytes, place))))
      t.same([...outcomes], [JSON.stringify(fault)], `${interim.replace(/\r\n/g, ' ')}${status}`)
    }
  }
})

t.test('the response to CONNECT may arrive in pieces, after a 1xx', async (t) => {
  const net = require('node:net')
  const server = await tlsServer(t)
  const proxy = await proxyServer(t, {
    async answerConnect (socket) {
      for (const piece of ['HTTP/1.1 10', '0 Continue\r\n\r', '\nHTTP/1.1 200 O', 'K\r\n', '\r\n']) {
        socket.write(piece)
        await sleep(10)
      }
      const onward = net.connect(server.port, '127.0.0.1')
      socket.pipe(onward).pipe(socket)
      onward.on('error', () => socket.destroy())
      socket.on('close', () => onward.destroy())
    }
  })
  const result = await run({ url: server.url, amount: 10, connections: 1, proxy: proxy.url })
  t.equal(result['2xx'], 10)
  t.equal(proxy.connections, 1)
})

t.test('an unreachable proxy', async (t) => {
  const { port } = await closedPort(t)
  for (const url of ['http://127.0.0.1:1', 'https://127.0.0.1:1']) {
    const { errorCodes } = await untilFirstError({ url, connections: 1, proxy: `127.0.0.1:${port}` })
    t.match(errorCodes, { ECONNREFUSED: { phase: 'connect' } })
  }
})

t.test('values that are not a proxy', async (t) => {
  const bad = (proxy, message, more) => t.rejects(run({ url: 'localhost', proxy, ...more }), { code: 'CANNONADE_BAD_OPTION', option: 'proxy', message })
  await bad(7, /proxy must be the URL of an HTTP proxy/)
  await bad('', /host/)
  await bad('/x', /name a host/)
  await bad('https://x:1', /start with http/)
  await bad('socks5://x:1', /start with http/)
  await bad('http://x:99999', /port/)
  await bad('http://x:1/path', /no path/)
  await bad('http://x:1', /socketPath/, { socketPath: '/tmp/x' })
  const error = await run({ url: 'localhost', proxy: 'https://user:secret@x:1' }).catch((error) => error)
  t.notMatch(error.message, 'secret')
})

t.test('the parts of the time to connect, with and without a proxy and TLS', async (t) => {
  const play = async (settings, isBehindProxy = false) => {
    const { value: { connectTime: { total, dns, tcp, tls } } } = await simulate({}, (world) => {
      const { url } = world.server({ host: 'server.test', lookup: 7, link: { delay: 2 }, ...settings })
      const proxy = isBehindProxy ? world.proxy({ host: 'proxy.test', lookup: 5, link: { delay: 1 }, tunnel: { after: 30 } }).url : undefined
      return run({ url, proxy, connections: 1, amount: 1 })
    })
    return [total, dns.total, tcp.total, tls.total]
  }
  const secure = { secure: true, handshake: 20 }
  t.same(await play({ host: '10.0.0.1' }), [4, 0, 4, 0])
  t.same(await play({}), [11, 7, 4, 0])
  t.same(await play(secure), [35, 7, 4, 24])
  t.same(await play({}, true), [7, 5, 2, 0], 'only the proxy is looked up')
  t.same(await play(secure, true), [61, 5, 2, 22], 'the tunnel, which takes 32 ms, is part of the whole only')
})

t.test('how long each part had taken when the time to connect was over', async (t) => {
  const TIMEOUT = 200
  const play = async (settings, ofProxy) => {
    const { value: { missing } } = await simulate({}, (world) => {
      const { url } = world.server({ host: 'server.test', lookup: 7, link: { delay: 2 }, secure: true, handshake: 20, ...settings })
      const proxy = ofProxy && world.proxy({ host: 'proxy.test', lookup: 5, link: { delay: 1 }, tunnel: { after: 30 }, ...ofProxy }).url
      return run({ url, proxy, connections: 1, amount: 1, bailout: 1, timeout: TIMEOUT / 1000 })
    })
    return Object.fromEntries(Object.entries(missing).filter(([name]) => name.endsWith('Time')).map(([name, { count, total }]) => [name, count === 1 ? Math.floor(total) : null]))
  }
  const silent = { attempt: () => 'silence' }
  const all = { connectTime: TIMEOUT, tlsTime: 0 }
  t.same(await play({ lookup: 1000 }), { ...all, dnsTime: TIMEOUT, tcpTime: 0 })
  t.same(await play(silent), { ...all, tcpTime: TIMEOUT - 7 })
  t.same(await play({ ...silent, secure: false }), { connectTime: TIMEOUT, tcpTime: TIMEOUT - 7 })
  t.same(await play({ handshake: 'silence' }), { ...all, tlsTime: TIMEOUT - 11 })
  t.same(await play({}, { lookup: 1000 }), { ...all, dnsTime: TIMEOUT, tcpTime: 0 })
  t.same(await play({ host: '10.0.0.1' }, { lookup: 1000 }), { ...all, dnsTime: TIMEOUT, tcpTime: 0 })
  t.same(await play({}, silent), { ...all, tcpTime: TIMEOUT - 5 })
  t.same(await play({}, { ...silent, host: '10.0.0.9' }), { ...all, tcpTime: TIMEOUT }, 'the name of the server is not looked up')
  t.same(await play({}, { tunnel: 'silence' }), all, 'neither TCP nor TLS waits for the tunnel')
  t.same(await play({ handshake: 'silence' }, {}), { ...all, tlsTime: TIMEOUT - 39 }, 'TLS begins behind the tunnel')
})

t.test('a tunnel leads to the host and port of the URL; an address of IPv6 has brackets', async (t) => {
  const HOSTS = { 'https://server.test': 'server.test:443', 'https://10.0.0.1:8443/x': '10.0.0.1:8443', 'https://[2001:db8::1]': '[2001:db8::1]:443', 'https://[::1]:8443/y': '[::1]:8443' }
  for (const [url, authority] of Object.entries(HOSTS)) {
    const { plan } = createPlan({ url, proxy: 'http://10.0.0.9:3128', connections: 1 })
    const tunnel = new Tunnel(plan.targets[0])
    t.equal(tunnel.authority, authority)
    t.equal(tunnel.request, `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)
  }
})

t.test('a tunnel is open with a status of 2xx, and refused with one from 300 on', async (t) => {
  const outcomes = []
  for (const status of [200, 300, 302, 407]) {
    const { value: result } = await simulate({}, (world) => {
      const { url } = world.server({ secure: true })
      return run({ url, proxy: world.proxy({ tunnel: { status } }).url, connections: 1, amount: 1, bailout: 1 })
    })
    outcomes.push([status, result['2xx'], ...Object.keys(result.errorCodes)])
  }
  t.same(outcomes, [[200, 1], ...[300, 302, 407].map((status) => [status, 0, 'CANNONADE_PROXY_REFUSED'])])
})

t.test('what TLS in a tunnel delivers is read through the receive buffer, whatever its length', async (t) => {
  const socket = Object.assign(new EventEmitter(), { setNoDelay () {} })
  const leave = enterWorld({ connectTls: () => socket })
  const bytes = Buffer.from(Array.from({ length: 3 * RECEIVE_BUFFER.length - 5 }, (_, place) => place % 251))
  const [all, some] = [[], []]
  startTls({ servername: 'a' }, { tlsOptions: {} }, { socket: {} }, [], (length) => all.push(Buffer.from(RECEIVE_BUFFER.subarray(0, length))))
  startTls({ servername: 'a' }, { tlsOptions: {} }, { socket: {} }, [], (length) => some.push(length) < 2)
  leave()
  socket.emit('data', bytes)
  t.ok(Buffer.concat(all).equals(bytes))
  t.same(some, [RECEIVE_BUFFER.length, RECEIVE_BUFFER.length], 'a connection that has closed reads no more')
})
