'use strict'

const path = require('node:path')
const t = require('tap')
const { run } = require('../..')
const { runCommand } = require('../cli/command')
const { parsingServer } = require('../support/parsing-server')

const entry = (method, url, headers = {}, postData) => ({
  request: { method, url, headers: Object.entries(headers).map(([name, value]) => ({ name, value })), postData }
})
const archive = (...entries) => ({ log: { version: '1.2', creator: { name: 'x', version: '1' }, entries } })

// What a browser might have recorded during a visit.
function session (url) {
  return archive(
    entry('GET', `${url}/page?a=1&b=%20x#top`, { Host: 'elsewhere', Connection: 'close', Accept: 'text/html', ':path': '/page' }),
    entry('POST', `${url}/api`, { 'content-type': 'application/json', 'Content-Length': '1' }, { mimeType: 'application/json', text: '{"n":"ü"}' }),
    entry('POST', `${url}/bytes`, {}, { mimeType: 'x/y', text: Buffer.from([0, 255, 10]).toString('base64'), encoding: 'base64' }),
    entry('POST', `${url}/login`, { 'Content-Type': 'application/x-www-form-urlencoded' }, {
      mimeType: 'application/x-www-form-urlencoded', params: [{ name: 'user name', value: 'Ada & co' }, { name: 'ü', value: '=' }]
    }),
    entry('POST', `${url}/upload`, { 'Content-Type': 'multipart/form-data; boundary=old' }, {
      mimeType: 'multipart/form-data; boundary=old',
      params: [{ name: 'a', value: '1' }, { name: 'f', fileName: 'f.css', contentType: 'text/css', value: 'p {}' }]
    }),
    entry('DELETE', `${url}/api/1`, { Cookie: 'a=1', 'X-Own': 'yes' })
  )
}

t.test('recorded requests are sent again, one by one', async (t) => {
  const server = await parsingServer(t)
  const result = await run({ url: server.url, amount: 12, connections: 1, har: session(server.url), headers: { 'X-Test': '1', 'x-own': 'mine' } })
  t.equal(result['2xx'], 12)
  t.same(result.warnings.filter(({ code }) => code !== 'GENERATOR_SATURATED'), [])
  const expected = [
    { line: 'GET /page?a=1&b=%20x', body: '' },
    { line: 'POST /api', body: '{"n":"ü"}' },
    { line: 'POST /bytes', body: '\0\ufffd\n' },
    { line: 'POST /login', fields: [['user name', 'Ada & co'], ['ü', '=']] },
    { line: 'POST /upload', fields: [['a', '1']], files: [{ name: 'f', filename: 'f.css', type: 'text/css', bytes: Buffer.from('p {}') }] },
    { line: 'DELETE /api/1', body: '' }
  ]
  t.match(server.seen.map(({ method, url, body, fields, files }) => ({ line: `${method} ${url}`, body: body.toString(), fields, files })), [...expected, ...expected])
  t.same(server.seen[2].body, Buffer.from([0, 255, 10]))

  const host = new URL(server.url).host
  for (const { headers } of server.seen) {
    t.match(headers, { host, connection: 'keep-alive', 'x-test': '1', 'x-own': 'mine' })
  }
  t.match(server.seen[0].headers, { accept: 'text/html' })
  t.match(server.seen[1].headers, { 'content-type': 'application/json', 'content-length': '10' })
  t.match(server.seen[5].headers, { cookie: 'a=1' })
})

t.test('several origins get only their own requests, also with workers', async (t) => {
  for (const workers of [undefined, 2]) {
    const [one, two] = [await parsingServer(t), await parsingServer(t)]
    const har = archive(entry('GET', `${one.url}/1`), entry('GET', `${two.url}/2`), entry('GET', `${one.url}/3`))
    const { accounting, endpoints } = await run({ url: [one.url, two.url], connections: 4, amount: 40, workers, har })
    t.equal(accounting.completed, 40)
    t.equal(one.seen.length + two.seen.length, 40)
    t.same([...new Set(one.seen.map(({ url }) => url))], ['/1', '/3'])
    t.same([...new Set(two.seen.map(({ url }) => url))], ['/2'])
    t.same(endpoints.map(({ path }) => path), ['/1', '/2', '/3'])
    t.equal(endpoints[1].completed, two.seen.length)
  }
})

t.test('a URL without recorded requests gets a GET request', async (t) => {
  const [one, two] = [await parsingServer(t), await parsingServer(t)]
  const har = archive(entry('POST', `${one.url}/1`))
  const { accounting, warnings } = await run({ url: [one.url, `${two.url}/itself?a=1`], connections: 2, amount: 10, har, headers: { 'X-Test': '1' } })
  t.equal(accounting.completed, 10)
  t.same([...new Set(two.seen.map(({ method, url, headers }) => `${method} ${url} ${headers['x-test']}`))], ['GET /itself?a=1 1'])
  t.same([...new Set(one.seen.map(({ method, url }) => `${method} ${url}`))], ['POST /1'])
  // The machine may be busy, which is not the subject of this test.
  t.same(warnings.map(({ code }) => code).filter((code) => code !== 'GENERATOR_SATURATED'), ['HAR_REQUESTS_MISSING'])
})

t.test('ids, and paths as recorded', async (t) => {
  const server = await parsingServer(t)
  await run({ url: server.url, amount: 5, connections: 1, idReplacement: true, har: archive(entry('GET', `${server.url}/a/[<id>]`)) })
  t.equal(new Set(server.seen.map(({ url }) => url)).size, 5)
  for (const { url } of server.seen) t.match(url, /^\/a\/\w+$/)
})

t.test('on the command line', async (t) => {
  const server = await parsingServer(t)
  const har = archive(entry('GET', 'http://z.test/'), ...session(server.url).log.entries)
  const file = path.join(t.testdir({ 'x.har': `\ufeff${JSON.stringify(har)}` }), 'x.har')
  const skipping = `Warning: skipping requests to 'http://z.test' as the target is ${server.url}\n`

  const json = await runCommand(t, ['-j', '-a', '6', '-c', '1', '--har', file, '-H', 'X-Test=1', '-m', 'PUT', '-b', 'x', server.url])
  t.equal(json.code, 0)
  t.equal(json.stderr, skipping)
  t.match(JSON.parse(json.stdout).warnings, [
    { code: 'HAR_REQUESTS_SKIPPED', message: skipping.trim() }, { message: /^method has no effect/ }, { message: /^body has no effect/ }
  ])
  t.same(server.seen.map(({ url }) => url), ['/page?a=1&b=%20x', '/api', '/bytes', '/login', '/upload', '/api/1'])
  t.ok(server.seen.every(({ headers }) => headers['x-test'] === '1'))

  const tables = await runCommand(t, ['-a', '6', '-c', '1', '--har', file, server.url])
  t.ok(tables.stderr.startsWith(skipping), 'before the run')
  t.notMatch(tables.stderr, 'Warning: Warning')
})

t.test('on the command line: files that are not HAR', async (t) => {
  const folder = t.testdir({ 'bad.har': '{"log":', 'empty.har': '{}', 'entry.har': '{"log":{"entries":[{}]}}' })
  const cases = {
    'bad.har': /^Failed to load HAR file content: .*JSON.*\n$/,
    'none.har': /^Failed to load HAR file content: ENOENT.*\n$/,
    'empty.har': /^Could not parse HAR content: no entries found.*\n$/,
    'entry.har': /^Could not parse HAR content: invalid request in entry #1\n$/
  }
  for (const [name, message] of Object.entries(cases)) {
    const { code, stdout, stderr } = await runCommand(t, ['--har', path.join(folder, name), 'http://localhost:1'])
    t.same([code, stdout], [2, ''], name)
    t.match(stderr, message)
  }
})
