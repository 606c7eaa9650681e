'use strict'

const t = require('tap')
const { run } = require('../..')
const { tlsServer, unixServer, certificates } = require('../support/http-server')
const { untilFirstError } = require('../support/first-error')
const { parsingServer } = require('../support/parsing-server')

t.test("several URLs: connections are assigned in turn, each with its URL's path", async (t) => {
  for (const workers of [undefined, 2]) {
    const servers = [await parsingServer(t), await parsingServer(t), await parsingServer(t)]
    const url = servers.map(({ url }, index) => `${url}/path/${index}?x`)
    const result = await run({ url, connections: 7, amount: 210, workers })
    t.same(result.url, url)
    t.same(servers.map(({ connections }) => connections), [3, 2, 2])
    t.equal(servers.reduce((sum, { seen }) => sum + seen.length, 0), 210)
    servers.forEach(({ seen, port }, index) => {
      t.ok(seen.length > 0)
      t.ok(seen.every(({ url, headers }) => url === `/path/${index}?x` && headers.host === `127.0.0.1:${port}`))
    })
  }
})

t.test('several URLs of http and https', async (t) => {
  const plain = await parsingServer(t)
  const secure = await tlsServer(t)
  // Sockets are reused only for the same kind.
  for (const opts of [{}, { reconnectRate: 1 }]) {
    const { accounting } = await run({ url: [plain.url, secure.url], connections: 4, amount: 40, ...opts })
    t.match(accounting, { completed: 40, failed: 0 })
  }
  t.ok(plain.requests > 0 && secure.requests > 0)
})

t.test('a unix socket: the URL determines host, path and TLS', async (t) => {
  const seen = []
  const server = await unixServer(t, ({ url, headers }, response) => {
    seen.push(`${headers.host}${url}`)
    response.end()
  })
  const { socketPath } = server
  const result = await run({ url: 'http://example.com:8080/a?b', socketPath, connections: 1, amount: 2 })
  t.same(seen.splice(0), ['example.com:8080/a?b', 'example.com:8080/a?b'])
  t.match(result, { url: 'http://example.com:8080/a?b', socketPath })
  await run({ url: '/only/a/path', socketPath, connections: 1, amount: 1 })
  await run({ socketPath, connections: 1, amount: 1, workers: 1 })
  t.same(seen, ['localhost/only/a/path', 'localhost/'])
})

t.test('the TLS server name: from the URL, none for an address, or the given one', async (t) => {
  const server = await tlsServer(t)
  const nameOf = async (host, opts) => {
    server.servernames.length = 0
    await run({ url: `https://${host}:${server.port}`, connections: 1, amount: 1, ...opts })
    return server.servernames
  }
  t.same(await nameOf('localhost'), ['localhost'])
  t.same(await nameOf('127.0.0.1'), [null])
  t.same(await nameOf('127.0.0.1', { servername: 'cannonade.test' }), ['cannonade.test'])
  t.same(await nameOf('localhost', { servername: 'other.test', workers: 1 }), ['other.test'])
  t.same(await nameOf('localhost', { servername: 'other.test', tlsOptions: { servername: 'own.test' } }), ['own.test'], 'tlsOptions are what Node.js gets')
})

t.test('certificates: trust only one server, and send a client certificate', async (t) => {
  const server = await tlsServer(t, undefined, { requestCert: true })
  const { ca, clientCert: cert, clientKey: key, serverCert } = certificates
  const url = `https://localhost:${server.port}`
  for (const workers of [undefined, 2]) {
    const trusted = await run({ url, connections: 1, amount: 1, tlsOptions: { ca: [ca, serverCert], cert, key, rejectUnauthorized: true }, workers })
    t.equal(trusted.accounting.completed, 1)
  }
  const attempt = (tlsOptions) => untilFirstError({ url, connections: 1, amount: 1, tlsOptions })
  t.same([...new Set(server.clientNames)].length, 1)
  const doubted = await attempt({ cert, key, rejectUnauthorized: true })
  t.equal(doubted.accounting.completed, 0)
  t.ok(Object.keys(doubted.errorCodes).some((code) => /CERT|SIGNATURE|ISSUER/.test(code)), Object.keys(doubted.errorCodes).join())
  t.equal((await attempt({ ca })).accounting.completed, 0, 'and a client without a certificate is rejected')
})
