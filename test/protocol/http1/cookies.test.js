'use strict'

const t = require('tap')
const { run } = require('../../..')
const { httpServer, tlsServer } = require('../../support/servers')
const { violations } = require('../../support/accounts')

/** A server that assigns a session to requests without one, and counts the requests of each session. */
async function sessionServer (t, create = httpServer, attributes = '') {
  const sessions = new Map()
  const strangers = []
  const server = await create(t, (request, response) => {
    const [, session] = /(?:^|; )session=(\w+)/.exec(request.headers.cookie ?? '') ?? []
    if (session === undefined) {
      strangers.push(request.url)
      sessions.set(`s${sessions.size}`, 0)
      response.setHeader('set-cookie', `session=s${sessions.size - 1}; HttpOnly${attributes}`)
    } else {
      sessions.set(session, sessions.get(session) + 1)
    }
    response.end('ok')
  })
  return Object.assign(server, { sessions, strangers })
}

t.test('each connection is a user with its own session', async (t) => {
  for (const [how, options] of Object.entries({
    'closed model': {},
    'open model': { overallRate: 400 },
    workers: { workers: 2 },
    'new connections': { reconnectRate: 3 },
    'a connection for each request': { keepAlive: false },
    hooks: { requests: [{ setupRequest: (request) => ({ ...request, path: '/made', headers: { ...request.headers, a: 'b' } }) }] },
    ids: { idReplacement: true, requests: [{ path: '/[<id>]', headers: { 'x-id': '[<id>]' } }] },
    posts: { method: 'POST', body: 'x'.repeat(20_000) }
  })) {
    const server = await sessionServer(t)
    const result = await run({ url: server.url, connections: 4, maxConnectionRequests: 10, duration: 600, cookies: true, ...options })
    t.same(violations(result), [], how)
    t.equal(server.requests, 40, how)
    t.equal(server.sessions.size, server.strangers.length, how)
    // An arrival of the open model uses any connection, and a connection that was not used has no session.
    if (how !== 'open model') t.same([...server.sessions.values()], [9, 9, 9, 9], how)
    else t.ok(server.strangers.length <= 4)
  }
})

t.test('without the option no cookies are kept', async (t) => {
  const server = await sessionServer(t)
  await run({ url: server.url, connections: 2, amount: 10 })
  t.equal(server.strangers.length, 10)
})

t.test('each round begins without cookies; a warm-up shares those of its run', async (t) => {
  const server = await sessionServer(t)
  await run({ url: server.url, connections: 2, amount: 10, cookies: true })
  await run({ url: server.url, connections: 2, amount: 10, cookies: true })
  t.equal(server.sessions.size, 4)
  const warm = await sessionServer(t)
  await run({ url: warm.url, connections: 2, amount: 10, cookies: true, warmup: 0.1 })
  t.equal(warm.sessions.size, 2)
})

t.test('cookies are sent only where they apply: path, domain, secure, expiry', async (t) => {
  const seen = new Map()
  const server = await httpServer(t, (request, response) => {
    seen.set(request.url, request.headers.cookie)
    if (request.url === '/set') {
      response.setHeader('Set-Cookie', [
        'everywhere=1; Path=/', 'below=2; Path=/below', 'here=3', 'secure=4; Path=/; Secure', 'gone=5; Path=/; Max-Age=0',
        'foreign=6; Path=/; Domain=example.com', 'late=7; Path=/; Expires=Wed, 01 Jan 2098 00:00:00 GMT', '', '=;=', 'quoted="8"; Path=/'
      ])
    }
    if (request.url === '/unset') response.setHeader('Set-Cookie', 'everywhere=; Path=/; Max-Age=0')
    response.end()
  })
  const paths = ['/set', '/', '/below/x', '/belowx', '/unset', '/after']
  await run({ url: server.url, connections: 1, amount: paths.length, cookies: true, requests: paths.map((path) => ({ path })) })
  const parts = (path) => (seen.get(path) ?? '').split('; ').filter((part) => part !== '' && !part.startsWith('=')).sort()
  t.same(parts('/set'), [])
  t.same(parts('/'), ['everywhere=1', 'here=3', 'late=7', 'quoted="8"'])
  t.same(parts('/below/x'), ['below=2', 'everywhere=1', 'here=3', 'late=7', 'quoted="8"'])
  t.same(parts('/belowx'), parts('/'))
  t.same(parts('/after'), ['here=3', 'late=7', 'quoted="8"'])
})

t.test('secure cookies are sent over TLS', async (t) => {
  const server = await sessionServer(t, tlsServer, '; Secure')
  await run({ url: server.url, connections: 1, amount: 5, cookies: true })
  t.same([...server.sessions.values()], [4])
})

t.test('name prefixes are enforced with TLS and without, and bytes are sent back unchanged', async (t) => {
  const utf8 = Buffer.from('voilà').toString('latin1')
  for (const [open, expected] of [[httpServer, `a=${utf8}`], [tlsServer, `a=${utf8}; __Host-b=1; __Secure-c=1`]]) {
    const seen = []
    const server = await open(t, (request, response) => {
      seen.push(request.headers.cookie)
      response.setHeader('Set-Cookie', [`a=${utf8}`, '__Host-b=1; Secure; Path=/', '__Secure-c=1; Secure', '__Host-d=1; Secure; Path=/sub', '__Secure-e=1'])
      response.end()
    })
    await run({ url: server.url, connections: 1, amount: 2, cookies: true })
    t.same(seen, [undefined, expected])
  }
})

t.test("the user's Cookie header is kept, and overrides a cookie with the same name", async (t) => {
  const seen = []
  const server = await httpServer(t, (request, response) => {
    seen.push(request.headers.cookie)
    response.setHeader('Set-Cookie', ['a=server', 'b=server'])
    response.end()
  })
  await run({ url: server.url, connections: 1, amount: 2, cookies: true, headers: { cookie: 'a=user; c=user' } })
  t.same(seen, ['a=user; c=user', 'a=user; c=user; b=server'])
})

t.test('the domain is that of the Host header', async (t) => {
  const seen = []
  const server = await httpServer(t, (request, response) => {
    seen.push(request.headers.cookie)
    response.setHeader('Set-Cookie', ['a=1; Domain=example.com', 'b=2; Domain=other.com'])
    response.end()
  })
  await run({ url: server.url, connections: 1, amount: 2, cookies: true, headers: { Host: 'www.example.com' } })
  t.same(seen, [undefined, 'a=1'])
})

t.test('several targets, pipelining, bodies and hooks', async (t) => {
  const servers = [await sessionServer(t), await sessionServer(t)]
  const result = await run({
    url: servers.map(({ url }) => url),
    connections: 4,
    amount: 200,
    cookies: true,
    pipelining: 3,
    expectBody: 'ok',
    requests: [{ method: 'POST', body: 'small' }, { method: 'PUT', body: Buffer.alloc(100_000) }, {}]
  })
  t.same(violations(result), [])
  t.equal(result['2xx'], 200)
  t.equal(result.mismatches, 0)
  for (const { requests, sessions, strangers } of servers) {
    // With pipelining up to three requests of a connection are sent before its first response.
    t.ok(strangers.length >= 2 && strangers.length <= 6, `${strangers.length}`)
    t.equal([...sessions.values()].reduce((sum, count) => sum + count, strangers.length), requests)
  }
})
