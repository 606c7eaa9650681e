'use strict'

const t = require('tap')
const fc = require('../../support/fast-check')
const { createPlan } = require('../../../lib/plan')
const { splitRequest, columnText } = require('../../../lib/values/placeholders')
const { encodeRequest } = require('../../../lib/protocol/http1/request')
const RequestTemplate = require('../../../lib/protocol/http1/request-template')

// The template of the first request of a run with these options.
function templateOf (feed, opts) {
  const { requests: [request], targets: [target], idReplacement } = createPlan({ url: 'http://h.test/', feed, ...opts }).plan
  return new RequestTemplate(request, splitRequest(request, target.path), target, idReplacement, columnText)
}

function sent (row, opts) {
  return Buffer.concat(templateOf([row], opts).fill(row).instance()).toString()
}

const head = (...lines) => ['Host: h.test', 'Connection: keep-alive', ...lines].map(line => `${line}\r\n`).join('') + '\r\n'

t.test('placeholders in path, headers and body are filled, and the length is right', async t => {
  const row = { id: 7, name: 'grüß €' }
  t.equal(sent(row, { method: 'POST', url: 'http://h.test/u/{{id}}?n={{ name }}', headers: { 'X-Id': '<{{id}}>' }, body: '["{{name}}",{{id}}]' }),
    'POST /u/7?n=gr%C3%BC%C3%9F%20%E2%82%AC HTTP/1.1\r\n' + head('X-Id: <7>', 'Content-Length: 16') + '["grüß €",7]')
  t.equal(sent(row, { requests: [{ path: '/{{id}}' }] }), 'GET /7 HTTP/1.1\r\n' + head())
  t.equal(sent({ x: '' }, { body: '{{x}}' }), 'GET / HTTP/1.1\r\n' + head())
  t.equal(sent(row, { method: 'POST', url: 'http://h.test/{{id}}' }), 'POST /7 HTTP/1.1\r\n' + head('Content-Length: 0'))
})

t.test('in the path, characters with a meaning are encoded', async t => {
  t.match(sent({ a: '/?#&%ü\r\n \ud800' }, { url: 'http://h.test/{{a}}' }), /^GET \/%2F%3F%23%26%25%C3%BC%0D%0A%20%EF%BF%BD HTTP/)
})

t.test('values: numbers, booleans, null and objects', async t => {
  const row = { n: 1.5, b: false, none: null, o: { a: [1] } }
  t.match(sent(row, { body: '{{n}}|{{b}}|{{none}}|{{o}}' }), '1.5|false||{"a":[1]}')
})

t.test('substituted values are not expanded again', async t => {
  t.match(sent({ a: '{{b}}', b: 'no' }, { body: '{{a}}{{b}}' }), '\r\n\r\n{{b}}no')
})

t.test('an id is inserted where the request has a tag, and not where a row contains the same text', async t => {
  const opts = { url: 'http://h.test/[<id>]', idReplacement: true, method: 'POST', headers: { x: '{{a}}', y: '[<id>]: {{a}}' } }
  const [, id, header, both, length, body] = sent({ a: '[<id>]' }, { ...opts, body: '[<id>]={{a}}' })
    .match(/^POST \/([a-z\d]+) HTTP[^]*\r\nx: (.*)\r\ny: (.*)\r\nContent-Length: (\d+)\r\n\r\n(.*)$/)
  t.equal(header, '[<id>]')
  t.equal(both, `${id}: [<id>]`)
  t.equal(body, `${id}=[<id>]`)
  t.equal(Number(length), body.length)
  t.equal(sent({ a: '[<id>]' }, { ...opts, body: Buffer.from('[<id>]{{a}}') }).split('\r\n\r\n')[1].length, id.length + '[<id>]'.length)
})

t.test('non-text bytes of a body stay unchanged between placeholders, for hooks as well', async t => {
  const body = Buffer.concat([Buffer.of(0xff, 0, 0xc3), Buffer.from('{{id}}'), Buffer.of(0x80), Buffer.from('{{name}}')])
  const expected = Buffer.concat([Buffer.of(0xff, 0, 0xc3), Buffer.from('7'), Buffer.of(0x80), Buffer.from('ü')])
  const row = { id: 7, name: 'ü' }
  const template = templateOf([row], { method: 'POST', body })
  const bytes = Buffer.concat(template.fill(row).instance())
  t.same(bytes.subarray(-expected.length), expected)
  t.match(bytes.toString('latin1'), `Content-Length: ${expected.length}\r\n`)
  t.same(template.draft(row).body, expected)
  t.equal(templateOf([row], { method: 'POST', body: '{{name}}' }).draft(row).body, 'ü')
})

t.test('column names in another encoding', async t => {
  const row = { 'grüße an': 'x', id: 1 }
  t.match(sent(row, { url: 'http://h.test/{{grüße an}}', requests: [{}] }), 'GET /x HTTP')
  t.match(sent(row, { requests: [{ path: '/{{ grüße an }}' }] }), 'GET /x HTTP')
  t.match(sent(row, { body: Buffer.from('<{{grüße an}}>') }), '<x>')
})

t.test('a binary body stays unchanged between its placeholders', async t => {
  const body = Buffer.concat([Buffer.from([0, 255, 128, 123]), Buffer.from('{{a}}'), Buffer.from([200, 10])])
  const [bytes] = templateOf([{ a: 'ü' }], { body }).fill({ a: 'ü' }).pieces
  t.same(bytes.subarray(bytes.indexOf('\r\n\r\n') + 4), Buffer.from([0, 255, 128, 123, 0xc3, 0xbc, 200, 10]))
})

t.test('a large body without placeholders is not copied', async t => {
  const body = Buffer.alloc(100000, 'x')
  const { pieces, length } = templateOf([{ a: 1 }], { url: 'http://h.test/{{a}}', body }).fill({ a: 1 })
  t.equal(pieces[1].buffer, body.buffer)
  t.equal(length, pieces[0].length + 100000)
  t.match(pieces[0].toString(), 'Content-Length: 100000\r\n')
})

t.test('with a Content-Length or a Transfer-Encoding of the user', async t => {
  const row = { a: 'abc', none: '' }
  t.match(sent(row, { method: 'POST', headers: { 'content-length': '5' }, body: '{{a}}' }), /content-length: 5\r\n\r\nabc$/)
  const chunked = body => sent(row, { method: 'POST', headers: { 'Transfer-Encoding': 'chunked' }, body })
  t.match(chunked('{{a}}{{a}}'), /chunked\r\n\r\n6\r\nabcabc\r\n0\r\n\r\n$/)
  t.match(chunked('{{none}}'), /chunked\r\n\r\n0\r\n\r\n$/)
})

t.test('ids and rows can be combined', async t => {
  const template = templateOf([{ a: 'ü' }], { idReplacement: true, url: 'http://h.test/{{a}}/[<id>]', body: '{{a}}[<id>]' })
  const [first, second] = [1, 2].map(() => Buffer.concat(template.fill({ a: 'ü' }).instance()).toString())
  const [, inPath, length, inBody] = /^GET \/%C3%BC\/(\w+) HTTP[^]*Content-Length: (\d+)\r\n\r\nü(\w+)$/.exec(first)
  t.equal(inPath, inBody)
  t.equal(Number(length), 2 + inBody.length)
  t.not(first, second)
})

t.test('HEAD, and a request that closes its connection, are recognized', async t => {
  const traits = ({ isHead, closes }) => ({ isHead, closes })
  const row = { a: 1 }
  t.same(traits(templateOf([row], { url: 'http://h.test/{{a}}', method: 'HEAD' }).fill(row)), { isHead: true, closes: false })
  t.same(traits(templateOf([row], { url: 'http://h.test/{{a}}', headers: { connection: 'close' } }).fill(row)), { isHead: false, closes: true })
})

t.test('a body that turns out empty counts as no body', async t => {
  const row = { c: '' }
  const textOf = (method) => Buffer.concat(templateOf([row], { method, url: 'http://h.test/', body: '{{c}}' }).fill(row).instance()).toString()
  t.notMatch(textOf('GET'), /Content-Length/)
  t.match(textOf('POST'), /Content-Length: 0\r\n/)
})

t.test('property: the bytes are those of the request that a hook sees', async t => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', 'ü', '€', '"', '{', '}', '/', '%') })
  const around = fc.tuple(text, text).map(([before, after]) => `${before.replaceAll('{', '')}{{c}}${after.replaceAll('}', '')}`)
  fc.assert(fc.property(around, text, fc.constantFrom('GET', 'POST'), fc.boolean(), (body, value, method, asBytes) => {
    const row = { c: value }
    const opts = { method, url: 'http://h.test/x?{{c}}', headers: { a: '{{c}}' }, body: asBytes ? Buffer.from(body) : body }
    const template = templateOf([row], opts)
    const expected = encodeRequest(template.draft(row), template.target)
    t.same(Buffer.concat(template.fill(row).instance()), Buffer.concat(expected.instance()))
  }))
})
