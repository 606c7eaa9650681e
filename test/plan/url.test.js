'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const { createPlan } = require('../../lib/plan')
const { CODES } = require('../../lib/base/errors')

function target (url, opts) {
  return createPlan({ url, ...opts }).plan.targets[0]
}

function withPort (t, port) {
  const before = process.env.PORT
  if (port === undefined) delete process.env.PORT
  else process.env.PORT = port
  t.teardown(() => {
    if (before === undefined) delete process.env.PORT
    else process.env.PORT = before
  })
}

t.test('a complete URL gives everything that a connection needs', async t => {
  t.strictSame(target('https://example.com:8443/a/b?c=d&e#f'), {
    href: 'https://example.com:8443/a/b?c=d&e',
    secure: true,
    hostname: 'example.com',
    port: 8443,
    hostHeader: 'example.com:8443',
    path: '/a/b?c=d&e',
    authorization: null,
    servername: 'example.com',
    keepAlive: true,
    proxy: null
  })
})

t.test('the default scheme is http', async t => {
  const urls = {
    'localhost:3000': { hostname: 'localhost', port: 3000, path: '/' },
    'httpbin:3000': { hostname: 'httpbin', port: 3000, path: '/' },
    'http:3000/x': { hostname: 'http', port: 3000, path: '/x' },
    'https.example.com': { hostname: 'https.example.com', port: 80, path: '/' },
    '127.0.0.1:80/x': { hostname: '127.0.0.1', port: 80, path: '/x', hostHeader: '127.0.0.1' },
    '[::1]:3000/path': { hostname: '::1', port: 3000, path: '/path', hostHeader: '[::1]:3000' },
    'localhost?q=http://x': { hostname: 'localhost', port: 80, path: '/?q=http://x' },
    '//localhost:3000/x': { hostname: 'localhost', port: 3000, path: '/x' },
    'user:pass@localhost:3000': { hostname: 'localhost', port: 3000, path: '/' },
    ' localhost:3000\n': { hostname: 'localhost', port: 3000, path: '/' }
  }
  for (const [url, expected] of Object.entries(urls)) {
    t.match(target(url), { secure: false, ...expected }, url)
  }
  t.equal(createPlan({ url: 'localhost:3000/x' }).plan.url, 'http://localhost:3000/x', 'and the plan says so')
  t.equal(createPlan({ url: 'HTTP://localhost' }).plan.url, 'HTTP://localhost', 'a given scheme is kept')
})

t.test('the default port of a scheme is left out of the host header', async t => {
  t.match(target('http://example.com:80/'), { hostHeader: 'example.com', port: 80 })
  t.match(target('https://example.com:443/'), { hostHeader: 'example.com', port: 443 })
  t.match(target('https://example.com'), { hostHeader: 'example.com', port: 443 })
  t.match(target('http://example.com:443/'), { hostHeader: 'example.com:443', port: 443 })
})

t.test('servername: the host name, none for an address, or the given one', async t => {
  t.equal(target('https://example.com.').servername, 'example.com', 'no dot at the end')
  t.equal(target('https://127.0.0.1').servername, undefined)
  t.equal(target('https://[::1]').servername, undefined)
  t.equal(target('https://127.0.0.1', { servername: 'example.com' }).servername, 'example.com')
  t.equal(target('https://example.com', { servername: '' }).servername, 'example.com', 'an empty one means none')
})

t.test('credentials become Basic authorization and are removed from the address', async t => {
  const basic = text => 'Basic ' + Buffer.from(text).toString('base64')
  t.equal(target('http://user:pass@localhost').authorization, basic('user:pass'))
  t.equal(target('http://user@localhost').authorization, basic('user:'))
  t.equal(target('http://:pass@localhost').authorization, basic(':pass'))
  t.equal(target('http://us%20er:p%40s%3As@localhost').authorization, basic('us er:p@s:s'))
  for (const password of ['p@ss', 'p@s:s', 'p@:80', ':1@[::1']) t.match(target(`http://user:${password}@localhost:3000`), { authorization: basic(`user:${password}`), hostHeader: 'localhost:3000' })
  t.equal(target('http://ü:€@localhost').authorization, basic('ü:€'))
  t.equal(target('http://user:100%@localhost').authorization, basic('user:100%'), 'a lone percent sign')
  t.equal(target('http://user:pass@localhost/x').href, 'http://localhost/x')
  t.equal(target('http://user:pass@localhost/x').hostHeader, 'localhost')
})

t.test('the path keeps its query, and characters illegal in a request line are encoded', async t => {
  t.equal(target('http://localhost/a b?c d').path, '/a%20b?c%20d')
  t.equal(target('http://localhost/é?ü').path, '/%C3%A9?%C3%BC')
  t.equal(target('http://localhost/a%20b').path, '/a%20b', 'not encoded twice')
  t.equal(target('http://localhost/x#y').path, '/x')
  t.equal(target('http://localhost/a\r\nHost: b').path, '/a%0D%0AHost:%20b')
})

t.test('the placeholder of an id stays in the path if ids are replaced', async t => {
  t.equal(target('http://localhost/[<id>]?x=[<id>]', { idReplacement: true }).path, '/[<id>]?x=[<id>]')
  t.equal(target('http://localhost/[<id>]').path, '/[%3Cid%3E]')
})

t.test('an array of URLs is an array of targets', async t => {
  const { plan } = createPlan({ url: ['localhost:1', new URL('https://localhost:2/x')] })
  t.same(plan.url, ['http://localhost:1', 'https://localhost:2/x'])
  t.same(plan.targets.map(({ port, secure }) => ({ port, secure })), [
    { port: 1, secure: false }, { port: 2, secure: true }
  ])
})

t.test('a path alone means localhost at the port in the environment', async t => {
  withPort(t, '4567')
  t.match(target('/x?y'), { href: 'http://localhost:4567/x?y', hostHeader: 'localhost:4567' })
  t.equal(createPlan({ url: '/x' }).plan.url, 'http://localhost:4567/x')
  t.match(target('other:1/x'), { hostname: 'other', port: 1 }, 'a host in the URL has priority')
})

t.test('a path alone without that port, or with an invalid one, is an error', async t => {
  withPort(t, undefined)
  t.throws(() => target('/x'), { code: CODES.BAD_OPTION, option: 'url', message: /PORT/ })
  for (const port of ['pipe', '0', '65536', '1.5']) {
    process.env.PORT = port
    t.throws(() => target('/x'), { code: CODES.BAD_OPTION, option: 'PORT', message: /1 to 65535/ }, port)
  }
})

t.test('socketPath: the url may be missing, or a path alone', async t => {
  withPort(t, '4567')
  const { plan } = createPlan({ socketPath: '/tmp/a.sock' })
  t.equal(plan.url, 'http://localhost')
  t.match(plan.targets, [{ hostHeader: 'localhost', path: '/' }])
  t.match(target('/x', { socketPath: '/tmp/a.sock' }), { href: 'http://localhost/x' })
  t.match(target('https://example.com/x', { socketPath: '/tmp/a.sock' }), { hostHeader: 'example.com', path: '/x' })
})

t.test('without a scheme, WebSocket and Socket.IO use ws://', async t => {
  withPort(t, '4567')
  for (const [opts, scheme] of [[{}, 'http'], [{ websocket: true }, 'ws'], [{ socketio: true }, 'ws'], [{ websocket: true, socketio: true }, 'ws'], [{ websocket: false, socketio: true }, 'ws']]) {
    const urlOf = (more) => createPlan({ ...opts, ...more }).plan.url
    const all = [urlOf({ url: 'a.test' }), urlOf({ url: '//a.test' }), urlOf({ url: '/' }), urlOf({ socketPath: '/tmp/x' }), urlOf({ url: '/', socketPath: '/tmp/x' })]
    t.same(all, [`${scheme}://a.test`, `${scheme}://a.test`, `${scheme}://localhost:4567/`, `${scheme}://localhost`, `${scheme}://localhost/`], JSON.stringify(opts))
  }
})

t.test('an unusable URL is an error that says why', async t => {
  const bad = [
    ['ftp://localhost', /http:\/\/ or https:\/\//],
    ['socks5://localhost', /ws:\/\/ or wss:\/\//],
    ['ws:/localhost', /two slashes/],
    ['file:///etc/hosts', /http:\/\/ or https:\/\//],
    ['http:/localhost', /two slashes/],
    ['https:localhost', /two slashes/],
    ['http://', /name a host/],
    ['http:///x', /name a host/],
    ['http://?x', /name a host/],
    ['http://#x', /name a host/],
    ['http://:3000', /name a host/],
    ['3000', /name a host: port 3000 of this machine is localhost:3000/],
    ['http://user:pass@', /name a host/],
    ['http://user@:80/', /name a host/],
    ['?x', /name a host/],
    ['   ', /name a host/],
    ['localhost:0', /port from 1 to 65535/],
    ['localhost:65536', /port from 1 to 65535/],
    ['localhost:abc', /port from 1 to 65535/],
    ['localhost:-1', /port from 1 to 65535/],
    ['mailto:someone', /port from 1 to 65535/],
    ['http://a b', /a valid host/],
    ['http://a\tb', /a valid host/],
    ['::1', /IPv6 address in brackets/],
    ['2001:db8::1:3000/x', /IPv6 address in brackets/],
    ['http://[::1', /a valid host/],
    ['http://999.999.999.999', /a valid host/]
  ]
  for (const [url, message] of bad) {
    t.throws(() => target(url), { code: CODES.BAD_OPTION, option: 'url', message }, JSON.stringify(url))
  }
})

t.test('property: any web URL is parsed as in the URL standard', async t => {
  const webUrl = fc.webUrl({ validSchemes: ['http', 'https'], withQueryParameters: true, withFragments: true })
  fc.assert(fc.property(webUrl, url => {
    const expected = new URL(url)
    const read = target(url)
    t.equal(read.path, expected.pathname + expected.search, url)
    t.equal(read.hostHeader, expected.host)
    t.equal(read.href, expected.origin + expected.pathname + expected.search)
    t.strictSame(target(read.href), read, 'reading it again changes nothing')
  }))
})

t.test('property: any text is a target with a legal request line, or a clear error', async t => {
  fc.assert(fc.property(fc.anyText, fc.constantFrom('', 'http://', 'http://localhost/'), (text, start) => {
    try {
      const { path, port, hostHeader } = target(start + text, { socketPath: '/tmp/a.sock' })
      return /^\/[\x21-\x7e]*$/.test(path) && /^[\x21-\x7e]+$/.test(hostHeader) && port >= 1 && port <= 65535
    } catch (error) {
      return error.code === CODES.BAD_OPTION
    }
  }), { numRuns: 500 })
  t.pass('held')
})

t.test('property: any credentials arrive unchanged', async t => {
  const credential = fc.string({ unit: 'grapheme', minLength: 1 }).filter(text => text.isWellFormed?.() ?? true)
  fc.assert(fc.property(credential, credential, (user, pass) => {
    const { authorization } = target(`http://${encodeURIComponent(user)}:${encodeURIComponent(pass)}@localhost/`)
    t.equal(Buffer.from(authorization.slice('Basic '.length), 'base64').toString(), `${user}:${pass}`)
  }))
})
