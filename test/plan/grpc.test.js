'use strict'

// Calls are looked up, checked and encoded before anything is sent.

const path = require('node:path')
const t = require('tap')
const loader = require('@grpc/proto-loader')
const { createPlan } = require('../../lib/plan')
const { loadPackages } = require('../../lib/grpc/types')
const { CODES } = require('../../lib/base/errors')
const { withoutPackage } = require('../support/without-package')

const PROTO = path.join(__dirname, '../protocol/grpc/shop.proto')
const METHOD = 'shop.Shop/Find'
const URL_GIVEN = 'http://localhost:50051'
const { Find } = loader.loadSync(PROTO, { keepCase: true, longs: String, enums: String, bytes: String })['shop.Shop']

const planned = ({ grpc, ...opts }) => createPlan({ url: URL_GIVEN, ...opts, grpc: { proto: PROTO, method: METHOD, ...grpc } }).plan
const sent = (message) => Find.requestDeserialize(Buffer.from(planned({ grpc: { message } }).requests[0].body).subarray(5))

function refused (t, opts, option, message) {
  t.throws(() => createPlan({ url: URL_GIVEN, ...opts }), { code: CODES.BAD_OPTION, option, message })
}

t.test('a call is a request: its method is the path, its message the body', async (t) => {
  const { http2, requests: [request] } = planned({ headers: { 'X-A': '1' }, grpc: { message: { userName: 'ann' }, metadata: { 'x-tenant': 'a', 'X-Key-Bin': Buffer.from([1, 2]) } } })
  t.equal(http2, true)
  t.match(request, { method: 'POST', path: '/shop.Shop/Find' })
  t.same(request.headers, [['content-type', 'application/grpc'], ['te', 'trailers'], ['X-A', '1'], ['x-tenant', 'a'], ['X-Key-Bin', 'AQI=']])
  t.same([...request.body], [0, 0, 0, 0, 5, 10, 3, 97, 110, 110], 'not compressed, five bytes: field 1, a text of three')
})

t.test('an entry overrides the options of the run', async (t) => {
  const { requests } = planned({
    grpc: { message: { city: 'Ulm' }, metadata: { 'x-a': '1', 'x-b': '1' } },
    requests: [{}, { grpc: { method: '/shop.Shop/Fail', message: '{"zip":8}', metadata: { 'x-a': '2' } } }]
  })
  t.same(requests.map(({ path }) => path), ['/shop.Shop/Find', '/shop.Shop/Fail'])
  t.same(requests.map(({ headers }) => headers.slice(2)), [[['x-a', '1'], ['x-b', '1']], [['x-a', '2'], ['x-b', '1']]])
  t.same(requests.map(({ body }) => Find.requestDeserialize(Buffer.from(body).subarray(5))), [{ city: 'Ulm' }, { zip: 8 }])
})

t.test('metadata of an entry override its headers, and those of the run', async (t) => {
  const headersOf = (entry) => planned({ headers: { 'x-a': 'run', 'x-b': 'run' }, grpc: { metadata: { 'x-a': 'metadata' } }, requests: [entry] }).requests[0].headers.slice(2)
  t.same(headersOf({}), [['x-a', 'metadata'], ['x-b', 'run']])
  t.same(headersOf({ headers: { 'X-A': 'headers' } }), [['X-A', 'headers'], ['x-b', 'run']])
  t.same(headersOf({ headers: { 'X-A': 'headers' }, grpc: { metadata: { 'x-A': 'entry' } } }), [['x-A', 'entry'], ['x-b', 'run']])
  t.same(headersOf({ headers: { 'x-c': 'headers' }, grpc: { metadata: { 'x-b': 'entry' } } }), [['x-a', 'metadata'], ['x-b', 'entry'], ['x-c', 'headers']])
})

t.test("messages in protobuf's JSON", async (t) => {
  const message = {
    user_name: 'ann',
    id: '9007199254740993',
    token: 'AQID',
    size: 'LARGE',
    pages: [1, -2],
    ranges: { a: { from: -5, to: 4294967295 } },
    zip: 8,
    fresh: true,
    weight: 0.5,
    tags: [{ text: 'x' }, {}],
    since: { seconds: '5', nanos: 6 }
  }
  t.match(sent(message), message)
  t.match(sent({ userName: 'ann', id: 5n, token: new Uint8Array([1]), size: 1, fresh: 'true', weight: '1e3' }), { user_name: 'ann', id: '5', token: 'AQ==', size: 'LARGE', fresh: true, weight: 1000 })
  t.same(sent({ user_name: null, weight: 'NaN' }), { weight: NaN })
  t.same(sent(undefined), {}, 'without one it has no fields')
})

t.test("a value that doesn't fit its type is named", async (t) => {
  const bad = (message, option, sentence) => refused(t, { grpc: { proto: PROTO, method: METHOD, message } }, option, sentence)
  bad({ user_nam: 'x' }, 'grpc.message', "grpc.message has 'user_nam', which is not a field of shop.Query: did you mean user_name?")
  bad({ ranges: { a: { qqqq: 1 } } }, 'grpc.message.ranges["a"]', /has 'qqqq', which is not a field of shop\.Query\.Range: it has from, to$/)
  bad({ pages: [1, 2 ** 31] }, 'grpc.message.pages[1]', /from -2147483648 to 2147483647 \(int32\); got 2147483648/)
  bad({ id: '9223372036854775808' }, 'grpc.message.id', /int64/)
  bad({ id: 2 ** 53 }, 'grpc.message.id', /int64/)
  bad({ ranges: { a: { to: -1 } } }, 'grpc.message.ranges["a"].to', /uint32/)
  bad({ ranges: [] }, 'grpc.message.ranges', /an object: a map/)
  bad({ pages: 1 }, 'grpc.message.pages', /an array/)
  bad({ tags: ['x'] }, 'grpc.message.tags[0]', /an object: a message shop\.Tag/)
  bad({ token: 'not base64!' }, 'grpc.message.token', /base64/)
  bad({ size: 'HUGE' }, 'grpc.message.size', /SMALL, LARGE/)
  bad({ fresh: 1 }, 'grpc.message.fresh', /true or false \(bool\)/)
  bad({ user_name: 5 }, 'grpc.message.user_name', /a text \(string\)/)
  bad({ weight: 'heavy' }, 'grpc.message.weight', /a number/)
  bad({ city: 'Ulm', zip: 8 }, 'grpc.message', /has city and zip: of the fields of place a message may have at most one/)
  bad({ userName: 'a', user_name: 'b' }, 'grpc.message', /the same field under both its names/)
  refused(t, { grpc: { proto: PROTO, method: METHOD }, requests: [{ grpc: { message: { id: 'x' } } }] }, 'requests[0].grpc.message.id', /int64/)
})

t.test('feed rows are inserted into messages, each of which is encoded once', async (t) => {
  const rows = [{ name: 'ann', id: '5', page: 1 }, { name: 'bo', id: '9007199254740993', page: 2 }]
  const { requests: [{ messages: { bytes, ends }, body }] } = planned({ feed: rows, grpc: { message: { userName: '{{name}}!', id: '{{id}}', pages: ['{{ page }}', 7] } } })
  const each = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
  t.same(each.map((bytes) => Find.requestDeserialize(Buffer.from(bytes).subarray(5))), [{ user_name: 'ann!', id: '5', pages: [1, 7] }, { user_name: 'bo!', id: '9007199254740993', pages: [2, 7] }])
  t.same(body, each[0])
  const message = { id: '{{id}}' }
  refused(t, { grpc: { proto: PROTO, method: METHOD, message }, feed: [{ id: 1 }, { id: 'x' }] }, 'grpc.message with row 2 of the feed.id', /int64/)
  refused(t, { grpc: { proto: PROTO, method: METHOD, message }, feed: [{ no: 1 }] }, 'feed', /\{\{id\}\} in grpc\.message cannot be filled in/)
})

t.test('methods and files', async (t) => {
  const of = (grpc) => ({ grpc: { proto: PROTO, method: METHOD, ...grpc } })
  refused(t, of({ method: 'shop.Shop/Fnd' }), 'grpc.method', /is 'shop\.Shop\/Fnd', and '.*shop\.proto' has no such method: did you mean shop\.Shop\/Find\?/)
  refused(t, of({ method: 'a.B/C' }), 'grpc.method', /has no such method: there are shop\.Shop\/Find, /)
  refused(t, of({ method: undefined }), 'grpc.method', /package\.Service\/Method/)
  refused(t, of({ method: 'shop.Shop/Watch' }), 'grpc.method', /a unary method.*Watch streams its responses/)
  refused(t, of({ method: 'shop.Shop/Collect' }), 'grpc.method', /streams its requests/)
  refused(t, { ...of({}), requests: [{ grpc: { method: 'shop.Shop/Nope' } }] }, 'requests[0].grpc.method', /no such method/)
  refused(t, of({ proto: 'no-such.proto' }), 'grpc.proto', /from 'no-such\.proto': it does not exist/)
  refused(t, of({ proto: 'no\nsuch.proto' }), 'grpc.proto', /from 'no\\nsuch\.proto': /)
  refused(t, of({ proto: __filename }), 'grpc.proto', /cannot be read from '.*grpc\.test\.js': /)
  const folder = t.testdir({ 'tag.proto': 'syntax = "proto3"; message Tag { string text = 1; }', in: { 'uses.proto': 'syntax = "proto3"; import "tag.proto"; service Uses { rpc Go(Tag) returns (Tag); }' } })
  const uses = path.join(folder, 'in/uses.proto')
  t.match(planned({ grpc: { proto: uses, include: folder, method: 'Uses/Go', message: { text: 'x' } } }).requests[0], { path: '/Uses/Go', body: [0, 0, 0, 0, 3] })
  refused(t, of({ proto: uses, method: 'Uses/Go' }), 'grpc.proto', /tag\.proto/)
  refused(t, of({ proto: path.join(folder, 'tag.proto') }), 'grpc.proto', /a file in which a service is defined/)
  for (const [count, known] of [[10, /it has a0, .*, a9$/], [11, /it has a0, .*, a9, …$/]]) {
    const fields = Array.from({ length: count }, (_, index) => `string a${index} = ${index + 1};`).join(' ')
    const proto = path.join(t.testdir({ 'wide.proto': `syntax = "proto3"; message Wide { ${fields} } service Takes { rpc Go(Wide) returns (Wide); }` }), 'wide.proto')
    refused(t, of({ proto, method: 'Takes/Go', message: { qqqq: 1 } }), 'grpc.message', known)
  }
})

t.test('options that cannot be combined with it', async (t) => {
  const grpc = { proto: PROTO, method: METHOD }
  refused(t, { grpc, http2: false }, 'grpc', 'grpc and http2: false cannot be given together: gRPC needs HTTP/2')
  for (const opts of [{ method: 'PUT' }, { body: 'x' }, { stream: true }, { idReplacement: true }, { followRedirects: 2 }, { form: { a: { type: 'text', value: 'x' } } }]) {
    refused(t, { grpc, ...opts }, 'grpc', new RegExp(`grpc and ${Object.keys(opts)[0]} cannot be given together`))
  }
  for (const entry of [{ method: 'PUT' }, { path: '/x' }, { body: 'x' }]) refused(t, { grpc, requests: [entry] }, 'grpc', new RegExp(`requests\\[0\\]\\.${Object.keys(entry)[0]}`))
  refused(t, { grpc, requests: [{ grpc: { proto: PROTO } }] }, 'requests[0].grpc.proto', /left out/)
  refused(t, { grpc, url: `${URL_GIVEN}/x` }, 'url', /without a path/)
  refused(t, { grpc, url: 'ws://localhost' }, 'grpc', /ws:\/\/ URL/)
  refused(t, { requests: [{ grpc: { message: {} } }] }, 'requests[0].grpc', /needs the option grpc/)
  t.throws(() => createPlan({ url: URL_GIVEN, thresholds: ['grpcStatus.OK > 99%'] }), { code: CODES.BAD_THRESHOLD, message: /only with grpc/ })
  t.throws(() => planned({ thresholds: ['grpcStatus.UNAVAILBLE == 0'] }), { code: CODES.BAD_THRESHOLD, message: /did you mean UNAVAILABLE\?/ })
})

// By type: the least and the greatest value.
const INTEGERS = {
  ...Object.fromEntries(['int32', 'sint32', 'sfixed32'].map((type) => [type, [-(2n ** 31n), 2n ** 31n - 1n]])),
  ...Object.fromEntries(['uint32', 'fixed32'].map((type) => [type, [0n, 2n ** 32n - 1n]])),
  ...Object.fromEntries(['int64', 'sint64', 'sfixed64'].map((type) => [type, [-(2n ** 63n), 2n ** 63n - 1n]])),
  ...Object.fromEntries(['uint64', 'fixed64'].map((type) => [type, [0n, 2n ** 64n - 1n]]))
}

t.test('the least and the greatest value of each type of integers, and names of fields and of enums', async (t) => {
  const names = ['own_name', 'two__signs', 'three___signs', '_first', 'a_1', 'a_b_c']
  const fields = [...Object.keys(INTEGERS).map((type) => `${type} of_${type}`), 'Size size', ...names.map((name) => `string ${name}`)]
  const text = `syntax = "proto3"; enum Size { SMALL = 0; LARGE = 5; } message Wide { ${fields.map((field, index) => `${field} = ${index + 1};`).join(' ')} } service Takes { rpc Go(Wide) returns (Wide); }`
  const proto = path.join(t.testdir({ 'wide.proto': text }), 'wide.proto')
  const { Go } = loader.loadSync(proto, { keepCase: true, longs: String })['Takes']
  const sent = (message) => Go.requestDeserialize(Buffer.from(planned({ grpc: { proto, method: 'Takes/Go', message } }).requests[0].body).subarray(5))
  for (const [type, limits] of Object.entries(INTEGERS)) {
    const name = `of_${type}`
    for (const value of limits) t.equal(String(sent({ [name]: String(value) })[name] ?? 0), String(value), `${type} ${value}`)
    for (const value of [limits[0] - 1n, limits[1] + 1n]) refused(t, { grpc: { proto, method: 'Takes/Go', message: { [name]: String(value) } } }, `grpc.message.${name}`, new RegExp(`from ${limits[0]} to ${limits[1]} \\(${type}\\)`))
  }
  t.same(sent({ ownName: '1', twoSigns: '2', threeSigns: '3', First: '4', a1: '5', aBC: '6' }), Object.fromEntries(names.map((name, index) => [name, String(index + 1)])))
  for (const size of ['toString', 'constructor', '__proto__', 'small', '', 1.5, 2 ** 31]) refused(t, { grpc: { proto, method: 'Takes/Go', message: { size } } }, 'grpc.message.size', /must be one of SMALL, LARGE, or a number/)
  for (const [size, number] of [['LARGE', 5], [5, 5], ['7', 7], [-1, -1]]) t.same(sent({ size }), { size: number })
})

t.test('a missing package is named', async (t) => {
  for (const name of ['@grpc/proto-loader', 'protobufjs']) {
    const restore = withoutPackage(t, name)
    t.throws(() => loadPackages(), { code: CODES.MISSING_PACKAGE, option: 'grpc', package: name, message: /^grpc needs the package .* npm install @grpc\/proto-loader protobufjs$/ })
    restore()
  }
})
