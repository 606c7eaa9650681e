'use strict'

const t = require('tap')
const { createPlan } = require('../../lib/plan')

const URL_GIVEN = 'http://localhost:3000'

const entry = (method, url, more) => ({ request: { method, url, headers: [], ...more } })
const archive = (...entries) => ({ log: { version: '1.2', creator: { name: 'x', version: '1' }, entries } })

function planOf (har, opts) {
  return createPlan({ url: URL_GIVEN, har, ...opts })
}

function requestOf (more, opts) {
  return planOf(archive(entry('POST', `${URL_GIVEN}/x`, more)), opts).plan.requests[0]
}

const pairs = (object) => Object.entries(object).map(([name, value]) => ({ name, value }))

t.test('entries become the sequence, with method, path and query as recorded', async t => {
  const { plan, warnings } = planOf(archive(
    entry('GET', `${URL_GIVEN}/a/../b%20c?q=1&r=[x]#here`),
    entry('delete', URL_GIVEN),
    entry('GET', 'http://user:secret@LOCALHOST:3000?only=query')
  ))
  t.same(plan.requests.map(({ method, path }) => `${method} ${path}`), [
    'GET /a/../b%20c?q=1&r=[x]', 'DELETE /', 'GET /?only=query'
  ])
  t.same(plan.requests.map(({ target, body }) => [target, body]), [[0, null], [0, null], [0, null]])
  t.same(warnings, [])
})

t.test("headers of the recorded connection, and HTTP/2's pseudo-headers, are left out", async t => {
  const { headers } = requestOf({
    headers: pairs({
      ':method': 'POST',
      ':authority': 'localhost',
      Host: 'other',
      'Content-Length': '99',
      Connection: 'close',
      'Keep-Alive': 'timeout=5',
      'Proxy-Connection': 'keep-alive',
      TE: 'trailers',
      'transfer-encoding': 'chunked',
      Upgrade: 'h2c',
      'X-Own': 'yes',
      Accept: '*/*'
    })
  })
  t.same(headers, [['X-Own', 'yes'], ['Accept', '*/*']])
})

t.test('headers: repeated ones are sent repeatedly, cookies on one line', async t => {
  const list = [...pairs({ 'X-A': '1', cookie: 'a=1' }), ...pairs({ 'x-a': '2', Cookie: 'b=2' })]
  t.same(requestOf({ headers: list }).headers, [['X-A', '1'], ['X-A', '2'], ['cookie', 'a=1; b=2']])
})

t.test('headers: options override recorded ones', async t => {
  const { headers } = requestOf({ headers: pairs({ Accept: 'text/html', 'X-Own': 'yes', Origin: 'x' }) }, {
    headers: { accept: 'text/plain', Authorization: 'Bearer x', origin: null }
  })
  t.same(Object.fromEntries(headers), { accept: 'text/plain', Authorization: 'Bearer x', 'X-Own': 'yes' })
})

t.test('bodies: text, base64, and fields', async t => {
  const sent = postData => requestOf({ postData })
  t.equal(sent({ mimeType: 'text/plain', text: 'grüß' }).body, 'grüß')
  t.same(sent({ mimeType: 'x/y', text: 'AP8=', encoding: 'base64' }).body, Buffer.from([0, 255]))
  const fields = { mimeType: 'application/x-www-form-urlencoded', params: pairs({ 'a b': 'c&d', e: 'ü' }) }
  t.equal(sent(fields).body, 'a+b=c%26d&e=%C3%BC')
  t.equal(sent({ ...fields, text: '' }).body, 'a+b=c%26d&e=%C3%BC')
  t.equal(sent({ ...fields, text: 'a=b' }).body, 'a=b', 'the text as sent has priority over the fields')
  t.equal(sent({ mimeType: '', text: '' }).body, null)
  t.equal(sent({ mimeType: '' }).body, null)
  t.equal(sent(null).body, null)
})

t.test('bodies: fields of multipart/form-data are sent as such, with the recorded boundary', async t => {
  const params = [{ name: 'a', value: '1' }, { name: 'f', fileName: 'f.txt', contentType: 'text/x', value: 'content' }]
  const { body, headers } = requestOf({ postData: { mimeType: 'multipart/form-data; boundary=old', params } })
  const [[, type]] = headers
  const [, boundary] = /^multipart\/form-data; boundary=(.*)$/.exec(type)
  const text = body.toString()
  t.ok(text.startsWith(`--${boundary}\r\n`) && text.endsWith(`\r\n--${boundary}--\r\n`))
  t.match(text, 'name="f"; filename="f.txt"\r\nContent-Type: text/x\r\n\r\ncontent\r\n')
})

t.test('bodies: mimeType sets the type only if no header does', async t => {
  const postData = { mimeType: 'application/json', text: '{}' }
  t.same(requestOf({ postData }).headers, [['Content-Type', 'application/json']])
  t.same(requestOf({ postData, headers: pairs({ 'content-type': 'text/x' }) }).headers, [['content-type', 'text/x']])
})

t.test('several URLs: each gets the requests to its origin', async t => {
  const url = ['http://localhost:3000/ignored', 'https://example.com', 'http://LOCALHOST:3000/', 'http://other.test:80']
  const har = archive(
    entry('GET', 'https://example.com:443/1'), entry('GET', 'http://localhost:3000/2'), entry('GET', 'http://other.test/3')
  )
  t.same(planOf(har, { url }).plan.requests.map(({ path, target }) => [path, target]), [['/1', 1], ['/2', 0], ['/2', 2], ['/3', 3]])
})

t.test('requests to other origins are left out, with one warning for each origin', async t => {
  const har = archive(
    entry('GET', 'http://z.test/1'), entry('GET', `${URL_GIVEN}/a`), entry('GET', 'http://z.test/2'),
    entry('GET', 'https://localhost:3000/'), entry('GET', 'wss://localhost:3000/'), entry('GET', 'data:text/plain,x')
  )
  const { plan, warnings } = planOf(har)
  t.same(plan.requests.map(({ path }) => path), ['/a'])
  t.same(warnings, ['http://z.test', 'https://localhost:3000', 'wss://localhost:3000', 'data:'].map(origin => ({
    code: 'HAR_REQUESTS_SKIPPED', message: `Warning: skipping requests to '${origin}' as the target is http://localhost:3000`
  })))
  const [warning] = planOf(archive(...har.log.entries, entry('GET', 'http://b.test')), { url: [URL_GIVEN, 'http://b.test/x'] }).warnings
  t.equal(warning.message, "Warning: skipping requests to 'http://z.test' as the target is http://localhost:3000, http://b.test")
})

t.test('a URL without recorded requests gets its own request, and a warning names it', async t => {
  const har = archive(entry('POST', `${URL_GIVEN}/a`), entry('GET', 'http://z.test/'))
  const { plan, warnings } = planOf(har, { url: [URL_GIVEN, 'http://nothing.test/x?y=1'], headers: { a: '1' }, body: 'x' })
  t.match(plan.requests, [
    { method: 'POST', path: '/a', target: 0 },
    { method: 'GET', path: '/x?y=1', target: 1, body: null, headers: [['a', '1']] }
  ])
  t.match(warnings.find(({ code }) => code === 'HAR_REQUESTS_MISSING').message,
    'The HAR has no request to http://nothing.test (only to http://localhost:3000, http://z.test): ')
  const alone = planOf(har, { url: 'http://nothing.test' })
  t.match(alone.plan.requests, [{ method: 'GET', path: '/', target: 0 }])
  t.same(alone.warnings.map(({ code }) => code), ['HAR_REQUESTS_SKIPPED', 'HAR_REQUESTS_SKIPPED', 'HAR_REQUESTS_MISSING'])
})

t.test('errors name the malformed entry', async t => {
  const good = entry('GET', `${URL_GIVEN}/a`)
  const cases = [
    [{}, 'invalid request in entry #2'],
    [null, 'invalid request in entry #2'],
    [{ request: 'GET /' }, 'invalid request in entry #2'],
    [entry('GET', 'nowhere'), "invalid url in entry #2: 'nowhere'"],
    [entry('GET', undefined), 'invalid url in entry #2'],
    [entry('GET', `${URL_GIVEN}/a`, { headers: undefined }), 'invalid headers array in entry #2'],
    [entry('GET', `${URL_GIVEN}/a`, { headers: {} }), 'invalid headers array in entry #2'],
    [entry('GET', `${URL_GIVEN}/a`, { headers: [null] }), 'invalid name or value in header #1 of entry #2'],
    [entry('GET', `${URL_GIVEN}/a`, { headers: [{ name: 'a', value: '1' }, { name: 'b' }] }), 'invalid name or value in header #2 of entry #2'],
    [entry('GET', `${URL_GIVEN}/a`, { headers: [{ value: '1' }] }), 'invalid name or value in header #1 of entry #2'],
    [entry('GET', `${URL_GIVEN}/a`, { headers: [{ name: 'a', value: 1 }] }), 'invalid name or value in header #1 of entry #2'],
    [entry('GET', `${URL_GIVEN}/a`, { headers: [{ name: 'a', value: 'x\r\nB: 1' }] }), 'invalid headers array in entry #2: headers'],
    [entry(undefined, `${URL_GIVEN}/a`), 'invalid method in entry #2'],
    [entry('GET /', `${URL_GIVEN}/a`), 'invalid method in entry #2'],
    [entry('POST', `${URL_GIVEN}/a`, { postData: { mimeType: 'a\nb', text: 'x' } }), 'invalid postData in entry #2']
  ]
  for (const [bad, what] of cases) {
    t.throws(() => planOf(archive(good, bad)), { code: 'CANNONADE_BAD_OPTION', option: 'har', message: new RegExp(`^Could not parse HAR content: ${what}`) }, what)
  }
  for (const har of [{}, { log: {} }, { log: { entries: {} } }, archive(), 'text', 5]) {
    t.throws(() => planOf(har), { code: 'CANNONADE_BAD_OPTION', message: /^Could not parse HAR content: no entries found/ })
  }
})

t.test('method, body, form and requests are ignored, with a warning', async t => {
  const form = { a: { type: 'file', path: '/no/such/file' } }
  const { plan, warnings } = planOf(archive(entry('GET', `${URL_GIVEN}/a`)), { method: 'PUT', body: 'x', form, requests: [{ path: '/r' }] })
  t.same(plan.requests, [{ title: undefined, method: 'GET', path: '/a', headers: [], body: null, target: 0 }])
  t.same(plan.base, { title: undefined, method: 'GET', path: null, headers: [], body: null })
  t.same(warnings.map(({ code, message }) => [code, message.split(' ')[0]]), ['method', 'body', 'form', 'requests'].map(name => ['OPTION_WITHOUT_EFFECT', name]))
})

t.test('what a recording replaces cannot contradict anything: its trace context comes from the run', async t => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const { plan, warnings } = planOf(archive(entry('GET', `${URL_GIVEN}/a`, { headers: pairs({ traceparent, a: '1' }) })), { traceparent: true, requests: [{ headers: { traceparent } }] })
  t.same(plan.requests.map(({ headers }) => headers), [[['a', '1']]])
  t.match(warnings, [{ message: /^requests has no effect with har/ }])
  t.throws(() => planOf(archive(entry('GET', `${URL_GIVEN}/a`)), { traceparent: true, headers: { traceparent } }), { code: 'CANNONADE_BAD_OPTION' })
})

t.test('placeholders of ids are kept', async t => {
  const { plan } = planOf(archive(entry('GET', `${URL_GIVEN}/items/[<id>]?x=[<id>]`)), { idReplacement: true })
  t.equal(plan.requests[0].path, '/items/[<id>]?x=[<id>]')
})

t.test("the user's object is not modified", async t => {
  const har = archive(entry('POST', `${URL_GIVEN}/a`, { headers: pairs({ a: '1' }), postData: { mimeType: 'x/y', text: 'x' } }))
  const before = structuredClone(har)
  planOf(har)
  t.same(har, before)
  t.notOk(Object.isFrozen(har.log.entries[0]))
})
