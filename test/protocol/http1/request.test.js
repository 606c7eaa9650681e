'use strict'

const t = require('tap')
const { createPlan } = require('../../../lib/plan')
const { encodeRequest } = require('../../../lib/protocol/http1/request')

const URL = 'http://example.test:8080/a?b=c'

// The request as text, as a run with these options would send it first.
function textOf (opts) {
  return Buffer.concat(encoded(opts).instance()).latin1Slice()
}

function encoded (opts) {
  const { plan } = createPlan({ url: URL, ...opts })
  return encodeRequest(plan.requests[0], plan.targets[0], plan.idReplacement)
}

function headersOf (text) {
  return text.split('\r\n\r\n', 1)[0].split('\r\n').slice(1).map((line) => line.split(/: ?/, 2))
}

function valuesOf (text, name) {
  return headersOf(text).filter(([other]) => other.toLowerCase() === name).map(([, value]) => value)
}

t.test('a plain GET is its request line, Host and Connection, and nothing else', async (t) => {
  t.equal(textOf({}), 'GET /a?b=c HTTP/1.1\r\nHost: example.test:8080\r\nConnection: keep-alive\r\n\r\n')
  t.equal(textOf({ url: 'http://example.test' }), 'GET / HTTP/1.1\r\nHost: example.test\r\nConnection: keep-alive\r\n\r\n')
  t.equal(textOf({ url: 'http://[::1]:80/x' }), 'GET /x HTTP/1.1\r\nHost: [::1]\r\nConnection: keep-alive\r\n\r\n')
})

t.test('a given header replaces ours, whatever its case, and is sent as written', async (t) => {
  const given = { hOsT: 'other', CONNECTION: 'Keep-Alive', 'content-LENGTH': '4', AUTHorization: 'Bearer x' }
  const text = textOf({ url: 'http://user:secret@example.test', method: 'POST', headers: given, body: 'body' })
  t.strictSame(headersOf(text), Object.entries(given))
  for (const name of ['host', 'connection', 'content-length', 'authorization']) t.equal(valuesOf(text, name).length, 1, name)
})

t.test('a header given in two cases is sent once, one given as a list repeatedly', async (t) => {
  const text = textOf({ headers: { 'X-A': '1', 'x-a': '2', 'X-B': ['1', '2'] } })
  t.strictSame(valuesOf(text, 'x-a'), ['2'])
  t.strictSame(valuesOf(text, 'x-b'), ['1', '2'])
  const merged = textOf({ headers: { accept: 'a' }, requests: [{ headers: { Accept: 'b' } }] })
  t.strictSame(headersOf(merged).filter(([name]) => /accept/i.test(name)), [['Accept', 'b']])
})

t.test('credentials of the URL', async (t) => {
  const auth = (url, opts) => valuesOf(textOf({ url, ...opts }), 'authorization')
  t.strictSame(auth('http://user:pass@example.test'), [`Basic ${Buffer.from('user:pass').toString('base64')}`])
  t.strictSame(auth('http://us%40er:p%C3%A4ss@example.test'), [`Basic ${Buffer.from('us@er:päss').toString('base64')}`])
  t.strictSame(auth('http://user@example.test'), [`Basic ${Buffer.from('user:').toString('base64')}`])
  t.strictSame(auth('http://example.test'), [])
  t.strictSame(auth('http://user:pass@example.test', { headers: { authorization: 'mine' } }), ['mine'])
  t.notMatch(textOf({ url: 'http://user:pass@example.test' }), /user|pass/, 'and nowhere else')
})

t.test('the length of a body is in bytes', async (t) => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'GET']) {
    const text = textOf({ method, body: 'grüß' })
    t.strictSame(valuesOf(text, 'content-length'), ['6'], method)
    t.ok(text.endsWith('\r\n\r\n' + Buffer.from('grüß').latin1Slice()))
  }
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  t.ok(textOf({ method: 'POST', body: bytes }).endsWith(`Content-Length: 256\r\n\r\n${bytes.latin1Slice()}`))
  const view = new Uint8Array(bytes.buffer, bytes.byteOffset + 10, 3)
  t.ok(textOf({ method: 'POST', body: view }).endsWith('Content-Length: 3\r\n\r\n\x0a\x0b\x0c'))
})

t.test('without a body, methods that usually have one send Content-Length: 0', async (t) => {
  for (const method of ['POST', 'PUT', 'PATCH']) t.strictSame(valuesOf(textOf({ method }), 'content-length'), ['0'], method)
  for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'PURGE']) t.strictSame(valuesOf(textOf({ method }), 'content-length'), [], method)
  t.strictSame(valuesOf(textOf({ method: 'POST', headers: { 'Content-Length': '7' } }), 'content-length'), ['7'], "the user's header counts")
})

t.test('a body is sent chunked when a header says so', async (t) => {
  const text = textOf({ method: 'POST', headers: { 'transfer-encoding': 'Chunked' }, body: 'x'.repeat(26) })
  t.ok(text.endsWith(`\r\n\r\n1a\r\n${'x'.repeat(26)}\r\n0\r\n\r\n`))
  t.strictSame(valuesOf(text, 'content-length'), [])
  t.ok(textOf({ method: 'POST', headers: { 'Transfer-Encoding': 'chunked' } }).endsWith('\r\n\r\n0\r\n\r\n'))
})

t.test('non-ASCII headers', async (t) => {
  t.match(textOf({ headers: { 'X-A': 'é' } }), 'X-A: \xe9\r\n', 'Latin-1 as Latin-1')
  t.match(textOf({ headers: { 'X-A': '€' } }), `X-A: ${Buffer.from('€').latin1Slice()}\r\n`, 'the rest as UTF-8')
})

t.test('requests that close their connection', async (t) => {
  const closes = (connection) => encoded({ headers: { Connection: connection } }).closes
  t.ok(closes('close'))
  t.ok(closes('Keep-Alive, CLOSE'))
  t.ok(closes(['x', 'close']))
  t.ok(closes(['close', 'x']))
  t.notOk(closes('keep-alive'))
  t.notOk(closes('closed'))
  t.notOk(encoded({}).closes)
})

// --- ids

function idsIn (text) {
  return text.match(/\[(\w+)\]/g)
}

t.test('every tag in a request becomes the same id; each request gets another', async (t) => {
  const request = encoded({
    url: 'http://example.test/[<id>]',
    method: 'POST',
    idReplacement: true,
    headers: { 'X-Id': 'a[<id>]b' },
    body: '{"id":"<[<id>]>","again":"[<id>]"}'
  })
  const ids = new Set()
  for (let sent = 0; sent < 1000; sent++) {
    const bytes = Buffer.concat(request.instance())
    const text = bytes.latin1Slice()
    const [, inPath] = /^POST \/(\w+) HTTP/.exec(text)
    if (!text.includes(`X-Id: a${inPath}b\r\n`) || !text.endsWith(`\r\n\r\n{"id":"<${inPath}>","again":"${inPath}"}`)) t.fail(text)
    if (request.length !== bytes.length) t.fail(`${bytes.length} bytes instead of ${request.length}`)
    if (valuesOf(text, 'content-length')[0] !== String(text.split('\r\n\r\n')[1].length)) t.fail(text)
    ids.add(inPath)
  }
  t.equal(ids.size, 1000)
})

t.test('ids in a chunked body, and in a binary one', async (t) => {
  const chunked = textOf({ idReplacement: true, method: 'POST', headers: { 'Transfer-Encoding': 'chunked' }, body: '[[<id>]]' })
  const [id] = idsIn(chunked)
  t.ok(chunked.endsWith(`\r\n\r\n${id.length.toString(16)}\r\n${id}\r\n0\r\n\r\n`))
  const bytes = textOf({ idReplacement: true, method: 'POST', body: Buffer.from('\xff[[<id>]]\xfe', 'latin1') })
  t.match(bytes, /\r\n\r\n\xff\[\w{10,}\]\xfe$/)
})

t.test('without the option a tag is sent unchanged', async (t) => {
  const text = textOf({ method: 'POST', headers: { 'X-Id': '[<id>]' }, body: '[<id>]' })
  t.match(text, 'X-Id: [<id>]\r\n')
  t.ok(text.endsWith('\r\n\r\n[<id>]'))
})

t.test('a body with text similar to a tag is not changed', async (t) => {
  const zeros = Buffer.alloc(4096)
  const text = textOf({ idReplacement: true, method: 'POST', body: zeros })
  t.ok(text.endsWith('\r\n\r\n' + zeros.latin1Slice()))
  const digits = textOf({ idReplacement: true, method: 'POST', body: '0'.repeat(4096) })
  t.ok(digits.endsWith('\r\n\r\n' + '0'.repeat(4096)))
})

// --- memory

t.test('a large body is written without copying, a small one is joined to its head', async (t) => {
  const body = Buffer.alloc(5 * 1024 * 1024, 'x')
  const large = encoded({ method: 'POST', body })
  t.equal(large.pieces.length, 2)
  t.equal(large.pieces[1].buffer, body.buffer, 'the same memory')
  t.equal(large.isRepeatable, false)
  t.equal(encoded({ method: 'POST', body: 'small' }).pieces.length, 1)
})
