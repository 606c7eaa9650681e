'use strict'

const t = require('tap')
const { run } = require('../../..')
const { httpServer, tlsServer, readBody } = require('../../support/servers')
const { violations } = require('../../support/accounts')
const { playInWorld } = require('../../support/play-in-world')
const { proxyServer } = require('../../support/proxy-server')

// The machine may be busy, which is not the subject of these tests.
const codesOf = ({ warnings }) => warnings.map(({ code }) => code).filter((code) => code === 'REDIRECT_NOT_FOLLOWED')

/** `/redirect/N?to=…` responds with status N; other paths with what was received. */
async function redirectingServer (t, create = httpServer) {
  const got = []
  const counts = {}
  const server = await create(t, async (request, response) => {
    const { headers } = request
    const body = String(await readBody(request))
    const { pathname, searchParams } = new URL(request.url, 'http://x')
    counts[pathname] = (counts[pathname] ?? 0) + 1
    got.push({ method: request.method, url: request.url, body, type: headers['content-type'], length: headers['content-length'], cookie: headers.cookie, host: headers.host })
    const [, status] = /^\/redirect\/(\d+)/.exec(pathname) ?? []
    if (status !== undefined) {
      response.writeHead(Number(status), { ...(searchParams.has('to') && { location: searchParams.get('to') }), 'set-cookie': `from=${status}; Path=/` })
      response.end('moved')
    } else {
      response.end(`final ${request.method} ${request.url}`)
    }
  })
  return Object.assign(server, { got, counts })
}

t.test('each hop is a request, and hooks get the final response', async (t) => {
  for (const [how, options] of Object.entries({
    'closed model': {},
    'open model': { overallRate: 400 },
    'a connection for each request': { keepAlive: false },
    'new connections': { reconnectRate: 3 },
    'several connections': { connections: 3, maxConnectionRequests: 20, amount: undefined, duration: 600 }
  })) {
    const server = await redirectingServer(t)
    const seen = []
    const verified = []
    const result = await run({
      url: server.url,
      amount: 60,
      connections: 1,
      followRedirects: 2,
      requests: [
        { path: '/redirect/302?to=/redirect/307%3Fto%3D%252Fend', onResponse: (status, body, context, headers) => { seen.push([status, body, headers.location]) } },
        { path: '/plain' }
      ],
      verifyBody: (body) => verified.push(body),
      ...options
    })
    t.same(violations(result), [], how)
    t.equal(result.accounting.completed, 60, how)
    t.equal(server.requests, 60, how)
    t.same(codesOf(result), [], how)
    t.same(server.counts, { '/redirect/302': 15, '/redirect/307': 15, '/end': 15, '/plain': 15 }, how)
    t.equal(result['3xx'], 30, how)
    t.equal(result['2xx'], 30, how)
    t.same(seen, Array(15).fill([200, 'final GET /end', undefined]), how)
    t.equal(verified.length, 30, how)
    t.equal(result.mismatches, 0, how)
    t.equal(result.endpoints[0].completed, 45, how)
    t.equal(result.endpoints[1].completed, 15, how)
  }
})

t.test('the client emits events for each hop', async (t) => {
  const server = await redirectingServer(t)
  const heard = []
  const setupClient = (client) => {
    client.on('headers', ({ statusCode }) => heard.push(statusCode))
    client.on('body', (body) => heard.push(String(body)))
  }
  await run({ url: `${server.url}/redirect/301?to=/end`, amount: 2, connections: 1, followRedirects: 1, setupClient })
  t.same(heard, [301, 'moved', 200, 'final GET /end'])
})

t.test('method and body after each status', async (t) => {
  const expected = {
    301: { POST: 'GET', PUT: 'PUT', GET: 'GET', HEAD: 'HEAD' },
    302: { POST: 'GET', PUT: 'PUT', GET: 'GET', HEAD: 'HEAD' },
    303: { POST: 'GET', PUT: 'GET', GET: 'GET', HEAD: 'HEAD' },
    307: { POST: 'POST', PUT: 'PUT', GET: 'GET', HEAD: 'HEAD' },
    308: { POST: 'POST', PUT: 'PUT', GET: 'GET', HEAD: 'HEAD' }
  }
  for (const [status, methods] of Object.entries(expected)) {
    for (const [method, then] of Object.entries(methods)) {
      for (const size of [5, 50_000]) {
        const server = await redirectingServer(t)
        const body = method === 'POST' || method === 'PUT' ? 'b'.repeat(size) : undefined
        const options = { method, body, headers: { 'Content-Type': 'text/plain', 'x-keep': '1' } }
        const result = await run({ url: `${server.url}/redirect/${status}?to=/end`, amount: 2, connections: 1, followRedirects: 1, ...options })
        t.equal(result.errors, 0)
        const keeps = then === method
        const what = `${method} after ${status}`
        const [, hop] = server.got
        t.match(hop, { method: then, url: '/end', body: keeps ? body ?? '' : '' }, what)
        t.equal(hop.length, keeps && body ? String(size) : undefined, what)
        t.equal(hop.type, keeps ? 'text/plain' : undefined, what)
      }
    }
  }
})

t.test('a request is redirected as it was sent: from hooks, with its id, from a stream, from the feed', async (t) => {
  const server = await redirectingServer(t)
  const setupRequest = (request) => ({ ...request, path: '/redirect/308?to=/end', method: 'POST', body: 'made' })
  await run({ url: server.url, amount: 2, connections: 1, followRedirects: 1, requests: [{ setupRequest }] })
  t.match(server.got.at(-1), { method: 'POST', url: '/end', body: 'made' })

  await run({ url: `${server.url}/redirect/307?to=/end`, method: 'POST', body: '[<id>]', amount: 4, connections: 1, followRedirects: 1, idReplacement: true })
  const ids = server.got.slice(-4).map(({ body }) => body)
  t.equal(ids[0], ids[1])
  t.equal(ids[2], ids[3])
  t.not(ids[0], ids[2])

  const body = () => require('node:stream').Readable.from(['str', 'eam'])
  await run({ url: `${server.url}/redirect/307?to=/end`, method: 'POST', body, amount: 2, connections: 1, followRedirects: 1 })
  t.match(server.got.at(-1), { method: 'POST', url: '/end', body: 'stream' })

  await run({ url: `${server.url}/redirect/302?to=/{{to}}`, amount: 4, connections: 1, followRedirects: 1, feed: { rows: [{ to: 'a' }, { to: 'b' }] } })
  t.same(server.got.slice(-4).filter(({ url }) => !url.includes('redirect')).map(({ url }) => url).sort(), ['/a', '/b'])
})

t.test('each row of a feed is used once, however many redirects there are', async (t) => {
  for (const options of [{}, { overallRate: 400 }, { workers: 2 }, { keepAlive: false }]) {
    const server = await redirectingServer(t)
    const rows = Array.from({ length: 20 }, (_, row) => ({ row }))
    const path = '/redirect/302/{{row}}?to=/end/{{row}}'
    const result = await run({ url: server.url, connections: 2, duration: 600, followRedirects: 3, feed: { rows, order: 'once' }, requests: [{ path }, { path: '/plain' }], ...options })
    t.same(violations(result), [])
    t.equal(result.accounting.completed, 60)
    t.equal(result.accounting.unsent, 0)
    t.same(server.got.filter(({ url }) => url.startsWith('/end')).map(({ url }) => Number(url.slice(5))).sort((a, b) => a - b), rows.map(({ row }) => row))
  }
})

t.test('valid and invalid Location headers', async (t) => {
  const server = await redirectingServer(t)
  const follow = async (location, options) => {
    const result = await run({ url: `${server.url}/redirect/302?to=${encodeURIComponent(location)}`, amount: 2, connections: 1, followRedirects: 1, ...options })
    return { last: server.got.at(-1), codes: codesOf(result), result }
  }
  for (const [location, url] of Object.entries({
    '/abs?q=1#fragment': '/abs?q=1',
    'relative/x': '/redirect/relative/x',
    '../up': '/up',
    '?only=query': '/redirect/302?only=query',
    [`${server.url}/whole`]: '/whole',
    [`//127.0.0.1:${server.port}/scheme`]: '/scheme',
    '/with space': '/with%20space'
  })) {
    const { last, codes } = await follow(location)
    t.equal(last.url, url, location)
    t.same(codes, [], location)
    t.equal(last.host, `127.0.0.1:${server.port}`)
  }
  for (const location of ['http://127.0.0.1:1/', `https://127.0.0.1:${server.port}/`, `http://localhost:${server.port}/`, 'http://[bad', 'mailto:x@y']) {
    const { last, codes, result } = await follow(location, { expectBody: 'moved' })
    t.match(last.url, '/redirect/302', location)
    t.same(codes, ['REDIRECT_NOT_FOLLOWED'], location)
    t.equal(result.mismatches, 0, 'it is the final response')
    t.equal(result['3xx'], 2)
  }
})

t.test('the first of several Location headers counts', async (t) => {
  const answer = ({ path }) => path === '/' ? { status: 302, headers: { Location: '/first', location: '/second' } } : 200
  const { world } = await playInWorld(t, { answer }, { connections: 1, amount: 2, followRedirects: 1 })
  t.same(world.log.map(({ path }) => path), ['/', '/first'])
})

t.test('no more than the limit in a row', async (t) => {
  const server = await redirectingServer(t)
  const seen = []
  const onResponse = (status) => { seen.push(status) }
  const options = { url: `${server.url}/redirect/302?to=?to=`, amount: 12, connections: 1, requests: [{ onResponse }] }
  const result = await run({ ...options, followRedirects: 3 })
  t.same(codesOf(result), ['REDIRECT_NOT_FOLLOWED'])
  t.match(result.warnings.find(({ code }) => code === 'REDIRECT_NOT_FOLLOWED').message, /exceeds followRedirects \(3\)/)
  t.equal(server.requests, 12)
  t.same(seen, [302, 302, 302])
})

t.test('without the option, or without Location, a redirect is an ordinary response', async (t) => {
  const server = await redirectingServer(t)
  for (const [path, followRedirects] of [['/redirect/302?to=/end', undefined], ['/redirect/302?to=/end', 0], ['/redirect/302', 5], ['/redirect/300?to=/end', 5]]) {
    const result = await run({ url: server.url + path, amount: 4, connections: 1, followRedirects })
    t.same(codesOf(result), [])
    t.equal(result['3xx'], 4)
  }
  t.equal(server.counts['/end'], undefined)
})

t.test('with pipelining, workers, cookies, TLS and a proxy', async (t) => {
  const server = await redirectingServer(t)
  const url = `${server.url}/redirect/302?to=/end`
  const result = await run({ url, connections: 4, maxConnectionRequests: 100, duration: 600, pipelining: 4, workers: 2, followRedirects: 1, cookies: true })
  t.same(violations(result), [])
  t.equal(result.accounting.completed, 400)
  // The last redirects of each connection may have had no request left to follow them.
  const missing = server.counts['/redirect/302'] - server.counts['/end']
  t.ok(missing >= 0 && missing <= 16, `${missing}`)
  t.ok(server.got.filter(({ url }) => url === '/end').every(({ cookie }) => cookie === 'from=302'), 'a cookie set by a hop is sent with the next one')

  const proxy = await proxyServer(t)
  await run({ url, amount: 2, connections: 1, followRedirects: 1, proxy: proxy.url })
  t.same(proxy.forwarded.map(({ url }) => url), [url, `${server.url}/end`])

  const secure = await redirectingServer(t, tlsServer)
  t.equal((await run({ url: `${secure.url}/redirect/303?to=${secure.url}/end`, amount: 10, connections: 1, followRedirects: 1, proxy: proxy.url }))['2xx'], 5)
  t.same(secure.counts, { '/redirect/303': 5, '/end': 5 })
})
