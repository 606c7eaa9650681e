'use strict'

// The fields of an HTTP/2 request, by what the options say.

const t = require('tap')
const { encodeRequest } = require('../../../lib/protocol/http2/request')

const TARGET = { secure: true, hostHeader: 'shop:8443', path: '/default' }
const requestOf = (request, target, ...rest) => encodeRequest({ method: 'GET', path: null, headers: [], body: null, ...request }, { ...TARGET, ...target }, ...rest)
// Fields without places for ids have none.
const fieldsOf = (...given) => requestOf(...given).fields.map(([name, value, places = []]) => places.length === 0 ? [name, value] : [name, value, places])
const START = [[':method', 'GET'], [':scheme', 'https'], [':authority', 'shop:8443'], [':path', '/default']]
const startWith = (changes) => START.map(([name, value]) => [name, changes[name.slice(1)] ?? value])

t.test('pseudo-headers: of the target, of a Host header, or of a path that is a whole URL', async (t) => {
  t.strictSame(fieldsOf({}), START)
  t.strictSame(fieldsOf({}, { secure: false }), startWith({ scheme: 'http' }))
  t.strictSame(fieldsOf({ method: 'DELETE', path: '/x?y=1' }), startWith({ method: 'DELETE', path: '/x?y=1' }))
  t.strictSame(fieldsOf({ headers: [['HoSt', 'other'], ['X', 'y']] }), [...startWith({ authority: 'other' }), ['x', 'y']])
  for (const [path, changes] of [['http://b:81/p?q', { scheme: 'http', authority: 'b:81', path: '/p?q' }], ['HTTPS://b', { authority: 'b', path: '/' }], ['https://b?q', { authority: 'b', path: '/?q' }], ['http://[', { path: 'http://[' }], ['/http://b', { path: '/http://b' }]]) {
    t.strictSame(fieldsOf({ path }), startWith(changes), path)
  }
  t.strictSame(fieldsOf({ method: 'CONNECT', headers: [['a', 'b']] }), [[':method', 'CONNECT'], [':authority', 'shop:8443'], ['a', 'b']])
})

t.test('headers: in lower case, without those of connections and without spaces around them', async (t) => {
  const rest = (headers, request, target) => fieldsOf({ headers, ...request }, target).slice(4)
  t.strictSame(rest([['X-A', ' b\t'], ['x-a', 'c'], ['N', 5]]), [['x-a', 'b'], ['x-a', 'c'], ['n', '5']])
  const dropped = ['Connection', 'Keep-Alive', 'Proxy-Connection', 'Transfer-Encoding', 'Upgrade', 'HTTP2-Settings', 'Host', 'TE'].map((name) => [name, 'x'])
  t.strictSame(rest([...dropped, ['a', 'b']]), [['a', 'b']])
  t.strictSame(rest([['Connection', 'close, x-own'], ['X-Own', '1'], ['x-other', '2']]), [['x-other', '2']])
  for (const te of ['trailers', 'gzip, trailers']) t.strictSame(rest([['TE', te]]), [['te', 'trailers']])
  t.strictSame(rest([['TE', 'gzip']]), [])
  const authorization = 'Basic QQ=='
  t.strictSame(rest([['a', 'b']], {}, { authorization }), [['authorization', authorization], ['a', 'b']])
  t.strictSame(rest([['Authorization', 'own']], {}, { authorization }), [['authorization', 'own']])
  // Latin-1 if possible, otherwise UTF-8, octet by octet.
  t.strictSame(rest([['a', 'ä']]), [['a', 'ä']])
  t.strictSame(rest([['a', '€ä']]), [['a', Buffer.from('€ä').toString('latin1')]])
  t.strictSame(fieldsOf({ path: '/€' })[3], [':path', Buffer.from('/€').toString('latin1')])
  const [last] = fieldsOf({ headers: [['a', 'b']] }, { traceparent: '00-1-2-01' }).slice(-1)
  t.strictSame(last, ['traceparent', '00-1-2-01', [0]])
})

t.test('the length of a body is stated if there is one, or the method has one, unless the user does or it is streamed', async (t) => {
  const lengthOf = (request) => requestOf(request).fields.find(([name]) => name === 'content-length')?.[1]
  t.same([lengthOf({}), lengthOf({ body: '' }), lengthOf({ body: 'äb' }), lengthOf({ body: Buffer.alloc(7) }), lengthOf({ method: 'POST' }), lengthOf({ method: 'PUT', body: '' }), lengthOf({ method: 'DELETE' })], [undefined, undefined, '3', '7', '0', '0', undefined])
  t.equal(lengthOf({ body: 'abc', headers: [['Content-Length', '9']] }), '9')
  const source = () => {}
  t.equal(lengthOf({ method: 'POST', body: source }), undefined)
  t.match(requestOf({ method: 'POST', body: source }), { stream: { source, length: null }, endsWithHead: false, isRepeatable: false })
  t.match(requestOf({ method: 'POST', body: source, headers: [['content-length', '12']] }), { stream: { source, length: 12 } })
  t.match(requestOf({ body: 'x' }), { stream: null, endsWithHead: false, isRepeatable: true, isHead: false, closes: false })
  t.match(requestOf({ method: 'HEAD' }, { keepAlive: false }), { endsWithHead: true, isHead: true, closes: true, index: -1 })
  t.same(requestOf({ body: 'äb' }).body, Buffer.from('äb'))
})

t.test('ids: their places in path, headers and body, and what a copy with one says', async (t) => {
  const tag = '[<id>]'
  const given = { path: `/a${tag}/b${tag}`, headers: [['X', `1${tag}`], ['Y', 'z']], body: `<${tag}>` }
  t.match(requestOf(given), { hasIds: false, isRepeatable: true })
  const request = requestOf(given, {}, true)
  t.match(request, { hasIds: true, isRepeatable: false })
  const { fields } = request
  const [, path, places] = fields[3]
  const length = (path.length - '/a/b'.length) / 2
  t.same(places, [2, 2 + length + 2])
  t.same(fields.slice(4).map(([name, , places]) => [name, places]), [['x', [1]], ['y', []], ['content-length', []]])
  t.equal(fields.at(-1)[1], String(length + 2))
  const id = 'i'.repeat(length)
  t.equal(request.bodyWith(id).toString(), `<${id}>`)
  t.not(request.bodyWith(id), request.body, 'the next copy has another one')
  t.same([request.describe(id), request.describe()].map(({ method, path }) => [method, path]), [['GET', `/a${id}/b${id}`], ['GET', `/a${tag}/b${tag}`]])
  const plain = requestOf({ body: 'x' })
  t.equal(plain.bodyWith(id), plain.body)
  t.match(plain.describe(), { method: 'GET', path: '/default' })
  t.equal(plain.withPath('/other').fields[3][1], '/other')
  for (const one of [{ path: tag }, { headers: [['a', tag]] }, { body: tag }]) t.equal(requestOf(one, {}, true).hasIds, true, JSON.stringify(one))
  t.equal(requestOf({ path: '/(id)' }, {}, true, '(id)').hasIds, true)
  t.same(requestOf({ body: () => tag }, {}, true).hasIds, false, 'not in a stream')
})
