'use strict'

const assert = require('node:assert/strict')
const t = require('tap')
const fc = require('../support/fast-check')
const { createPlan } = require('../../lib/plan')
const { columnText, splitRequest } = require('../../lib/values/placeholders')
const { overRequest, readRequest } = require('../../lib/values/requests')

function requestsOf (opts) {
  return createPlan({ url: 'http://localhost/base', ...opts }).plan.requests
}

function pathOf (path) {
  return requestsOf({ requests: [{ path }] })[0].path
}

t.test('each request is its entry merged over the common options', async t => {
  const requests = requestsOf({
    method: 'POST',
    headers: { a: '1' },
    body: 'common',
    requests: [
      {},
      { title: 'own', method: 'put', path: '/own', headers: { A: '2' }, body: 'own' },
      { title: undefined, method: null, path: null, headers: null, body: undefined }
    ]
  })
  const common = { title: undefined, method: 'POST', path: null, headers: [['a', '1']], body: 'common' }
  t.strictSame(requests, [
    common,
    { title: 'own', method: 'PUT', path: '/own', headers: [['A', '2']], body: 'own' },
    common
  ])
})

t.test('weight: turns requests into a mix; the default is 1', async t => {
  const planOf = (opts) => createPlan({ url: 'http://localhost', ...opts }).plan
  t.equal(planOf({ requests: [{}, {}] }).mix, null)
  t.same(planOf({ requests: [{ weight: '70' }, {}, { weight: 0.5 }] }).mix, { weights: [70, 1, 0.5] })
  for (const weight of [0, -1, NaN, Infinity, 'much', true, {}]) {
    t.throws(() => planOf({ requests: [{}, { weight }] }), { code: 'CANNONADE_BAD_OPTION', message: /^requests\[1\]\.weight must be a number greater than 0; got / })
  }
  const har = { log: { entries: [{ startedDateTime: '2026-01-01T00:00:00Z', time: 1, request: { method: 'GET', url: 'http://localhost/', headers: [] } }] } }
  for (const [opts, message] of [
    [{ requests: [{}, { weight: 2 }], sessions: true }, 'requests[1].weight and sessions cannot be given together: a session sends its requests in order'],
    [{ requests: [{ weight: 2 }], har }, 'requests[0].weight and har cannot be given together: a recording is sent in the order in which it was recorded'],
    [{ requests: [{ weight: 2 }, [{}, {}]] }, 'requests[0].weight and requests[1]: […] cannot be given together: an array is a burst in a sequence, and weighted requests are not sent in sequence'],
    [{ requests: [[{}, { weight: 2 }]], sessions: true }, 'requests[0].weight and requests[0]: […] cannot be given together: an array is a burst in a sequence, and weighted requests are not sent in sequence'],
    [{ requests: [{ weight: 2 }, { thinkTime: 1 }] }, 'requests[0].weight and requests[1].thinkTime cannot be given together: which request follows a pause is decided after it; set the think time of the run']
  ]) t.throws(() => planOf(opts), { code: 'CANNONADE_BAD_OPTION', message })
  t.throws(() => readRequest({ weight: 2 }, 'a request'), { message: 'a request.weight must be left out during the run: a mix is fixed before it starts; got 2' })
})

t.test('body: null or an empty body removes the common one', async t => {
  for (const body of [null, '', Buffer.alloc(0)]) t.equal(requestsOf({ body: 'x', requests: [{ body }] })[0].body, null)
  t.equal(requestsOf({ body: '' })[0].body, null)
})

t.test('body: keeps its type', async t => {
  t.equal(requestsOf({ body: '€' })[0].body, '€')
  const bytes = new Uint8Array([0, 255])
  t.equal(requestsOf({ body: bytes })[0].body, bytes)
})

t.test('body: many requests share one copy', async t => {
  const body = Buffer.alloc(1024 * 1024, 'x')
  const inherited = requestsOf({ body, requests: Array.from({ length: 100 }, () => ({})) })
  t.ok(inherited.every(request => request.body === body), "the user's own buffer")
  const clone = structuredClone(createPlan({ url: 'http://localhost', body, requests: [{}, {}] }).plan)
  t.equal(clone.requests[0].body, clone.requests[1].body, 'a clone does not duplicate it')
})

t.test('method: standard names become upper case, other tokens stay unchanged', async t => {
  const methods = { get: 'GET', Delete: 'DELETE', propfind: 'PROPFIND', 'M-SEARCH': 'M-SEARCH', MyMethod: 'MyMethod', purge: 'PURGE' }
  for (const [given, expected] of Object.entries(methods)) t.equal(requestsOf({ method: given })[0].method, expected)
})

t.test('method: what is a slip of the keyboard for a common one is refused', async t => {
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']) {
    const letters = [...method]
    const slips = letters.flatMap((letter, at) => [letters.toSpliced(at, 1), letters.toSpliced(at, 0, letter), letters.toSpliced(at, 0, 'X'), ...(at > 0 ? [letters.toSpliced(at - 1, 2, letter, letters[at - 1])] : [])])
    for (const slip of new Set([...slips, [...letters, 'X']].map((each) => each.join('')))) {
      for (const given of [slip, slip.toLowerCase()].filter((each) => each.toUpperCase() !== method)) {
        t.throws(() => requestsOf({ method: given }), { code: 'CANNONADE_BAD_OPTION', option: 'method', message: /: did you mean [A-Z]+\?$/ }, given)
      }
    }
  }
  for (const method of ['SET', 'POTS1', 'GETPOST', 'OPT']) t.equal(requestsOf({ method })[0].method, method)
})

t.test('headers that are repeated stay so if a request is changed during the run, whatever their case', async t => {
  const request = requestsOf({ requests: [{ headers: { 'X-List': ['1', '2', '3'], 'x-one': '4', Cookie: ['a', 'b'] } }] })[0]
  const changed = (headers) => overRequest(request, readRequest({ headers }, 'a request')).headers
  t.same(changed({}), request.headers)
  t.same(changed({ 'X-ONE': '5' }), request.headers.map(([name, value]) => name === 'x-one' ? ['X-ONE', '5'] : [name, value]))
  t.same(changed({ 'x-list': null, cookie: ['c', 'd'] }), [['x-one', '4'], ['cookie', 'c'], ['cookie', 'd']])
})

t.test('what a column becomes in a path: encoded, or with three braces as it is', async t => {
  const inPath = (path, value) => splitRequest({ path, headers: [], body: null }).path.map((piece, index, { length }) => index % 2 === 0 ? piece : columnText({ a: value }, piece, true)).join('')
  const cases = [
    ['/{{a}}', 'b/c?d e', '/b%2Fc%3Fd%20e'], ['/{{a}}', '\ud800', '/%EF%BF%BD'], ['/{{a}}', null, '/'], ['/{{a}}', { b: 1 }, '/%7B%22b%22%3A1%7D'], ['/{{ a }}/{{a}}', 5, '/5/5'],
    ['/{{{a}}}', '/b/c?d e#f', '/b/c?d%20e'], ['/{{{a}}}', 'b', '/b'], ['/{{{a}}}', '//b', '//b'], ['/x{{{a}}}', '/b', '/x/b'], ['/x/{{{a}}}', '/b', '/x//b'], ['/{{{a}}}{{{a}}}', '/b', '/b/b'], ['/{{{a}}}', '\t\ud800', '/%09%EF%BF%BD']
  ]
  t.same(cases.map(([path, value]) => inPath(path, value)), cases.map(([,, text]) => text))
})

t.test('property: a value stands where its column is named, in headers, texts, bytes and paths, with any spaces within the braces', async t => {
  const columns = ['a', 'ü b', 'c.d', '€']
  const spaces = fc.constantFrom('', ' ', '  ')
  const column = fc.record({ column: fc.constantFrom(...columns), before: spaces, after: spaces })
  const value = fc.oneof(fc.anyText, fc.constantFrom(0, 1.5, true, null, '', undefined, { b: ['{{a}}'] }))
  const text = (value) => typeof value === 'string' ? value : value == null ? '' : typeof value === 'object' ? JSON.stringify(value) : `${value}`
  const join = (pieces, write) => pieces.map((piece, index) => index % 2 === 0 ? piece : write(piece))
  const literals = fc.constantFrom('', '/', '{a}', '{', 'x y', '%7B', 'ä', '}{')
  fc.assert(fc.property(fc.array(fc.tuple(literals, column), { minLength: 1, maxLength: 3 }), literals, fc.tuple(...columns.map(() => value)), fc.boolean(), (parts, end, values, isEncoded) => {
    const row = Object.fromEntries(columns.map((name, index) => [name, values[index]]))
    // A brace beside those of a column would be another one, or none.
    const plain = (literal) => literal.replace(/^\}|\{$/, '')
    const named = (write = (name) => name) => parts.map(([literal, { column, before, after }]) => `${plain(literal)}{{${write(before + column + after)}}}`).join('') + plain(end)
    const filled = (write) => parts.map(([literal, { column }]) => plain(literal) + write(row[column])).join('') + plain(end)
    const octets = (content) => Buffer.concat([Buffer.from([0xff, 0xe4]), Buffer.from(content), Buffer.from([0x80])])
    const { path, headers: [[, header]], body } = splitRequest({ path: named(isEncoded ? encodeURIComponent : undefined), headers: [['a', named()]], body: named() }, '/')
    const bytes = splitRequest({ path: '/', headers: [], body: octets(named()) }, '/').body
    const asText = (place) => columnText(row, place)
    assert.deepEqual({
      header: join(header, asText).join(''),
      body: join(body, asText).join(''),
      bytes: Buffer.concat(join(bytes, asText).map((piece) => Buffer.from(piece))).toString('latin1'),
      path: join(path, (place) => columnText(row, place, true)).join('')
    }, {
      header: filled(text), body: filled(text), bytes: octets(filled(text)).toString('latin1'), path: filled((value) => encodeURIComponent(text(value).toWellFormed()))
    })
  }), { numRuns: 200 })
})

t.test('path: sent as written, without the fragment and with illegal characters encoded', async t => {
  t.equal(pathOf('/a/../b/%2e%2e/?x=1&y'), '/a/../b/%2e%2e/?x=1&y')
  t.equal(pathOf('/a b\r\nX: 1'), '/a%20b%0D%0AX:%201')
  t.equal(pathOf('/é\0😀'), '/%C3%A9%00%F0%9F%98%80')
  t.equal(pathOf('/[<id>]/{{column}}'), '/[<id>]/{{column}}')
  t.equal(pathOf('/x#part'), '/x')
})

t.test('path: the first slash may be missing; * and absolute URLs stay unchanged', async t => {
  t.equal(pathOf('x'), '/x')
  t.equal(pathOf('?q'), '/?q')
  t.equal(pathOf(''), '/')
  t.equal(pathOf('*'), '*')
  t.equal(pathOf('http://other/x y'), 'http://other/x%20y')
  t.equal(pathOf(undefined), null)
})

t.test('hooks: functions, paths and file URLs, per request', async t => {
  const setupRequest = request => request
  const none = { setupRequest: null, onResponse: null, onEvent: null, onMessage: null, body: null }
  const { hooks, plan } = createPlan({
    url: 'http://localhost',
    setupClient: '/hooks/setup-client.js',
    verifyBody: new URL('file:///hooks/verify-body.mjs'),
    requests: [{ setupRequest }, { onResponse: 'C:\\hooks\\on-response.js', setupRequest: false }, {}]
  })
  t.strictSame(hooks, {
    setupClient: '/hooks/setup-client.js',
    verifyBody: 'file:///hooks/verify-body.mjs',
    onEvent: null,
    setupRequest: null,
    user: null,
    users: [],
    match: null,
    body: null,
    names: ['requests[0]', 'requests[1]', 'requests[2]'],
    requests: [
      { ...none, setupRequest },
      { ...none, onResponse: 'C:\\hooks\\on-response.js' },
      none
    ]
  })
  t.notOk(plan.requests.some(request => 'setupRequest' in request || 'onResponse' in request))
})

t.test('the hooks of the run are those of each request without its own; false is none', async (t) => {
  const [setupRequest, onEvent, own] = [(request) => request, () => {}, () => null]
  const each = [{}, { setupRequest: null, onEvent: undefined }, { setupRequest: false, onEvent: false }, { setupRequest: own, onEvent: own }]
  const { hooks } = createPlan({ url: 'http://localhost', stream: 'sse', setupRequest, onEvent, requests: each })
  t.strictSame(hooks.requests.map((of) => [of.setupRequest, of.onEvent]), [[setupRequest, onEvent], [setupRequest, onEvent], [null, null], [own, own]])
})
